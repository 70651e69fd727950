import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { command, known, newWindow, noah, path, program, signIn, start, tool, until } from "./frame/lab.mjs";

const version = "v1.28.1";
program("kubelogin", version, async (works) => {
  assert.equal(await tool("kubelogin", "github.com/int128/kubelogin"), version);
  const p = await known("kubelogin");
  const args = readFileSync(path("kubeconfig.yaml"), "utf8").match(/args:\n([^]*)/)[1].trim().split(/\s*- /).filter(Boolean).map((a) => a.replace(/^"|"$/g, ""));
  const emailIn = (text) => JSON.parse(Buffer.from(JSON.parse(text).status.token.split(".")[1], "base64url")).email;
  const come = async (person, cache) => {
    const all = [...args, "--skip-open-browser", `--listen-address=localhost:${p.port}`, `--token-cache-dir=${path(cache)}`];
    const kubelogin = await start(path("bin/kubelogin"), all, p.site);
    await signIn(await newWindow(), p, p.site, person);
    await until(() => kubelogin.child.exitCode !== null);
    assert.equal(emailIn(kubelogin.text.match(/\{.*\}/)[0]), person?.email ?? "maria@example.com");
    return all;
  };
  const all = await come(undefined, "one");
  works("sign-in");
  assert.equal(emailIn(await command(path("bin/kubelogin"), [...all, "--force-refresh"])), "maria@example.com");
  assert.ok(p.refreshed());
  works("refresh");
  await come(noah, "two");
  works("second user");
}, "redirect addresses `http://localhost:8000`, `:18000`");
