import assert from "node:assert/strict";
import { apt, command, freePort, newWindow, path, program, provider, signIn, start, until } from "./frame/lab.mjs";

const version = await apt("oidc-agent-cli");
program("oidc-agent", version, async (works) => {
  const redirectURI = `http://localhost:${await freePort()}`;
  const p = await provider({ redirect_uris: [redirectURI] });
  const [, socket, pid] = (await command("oidc-agent", [])).match(/OIDC_SOCK=([^;]+);[^]*OIDCD_PID=(\d+)/);
  const env = { OIDC_SOCK: socket, OIDCD_PID: pid, HOME: path(), OIDC_CONFIG_DIR: path("agent") };
  const gen = await start("oidc-gen", [
    "--flow=code", `--issuer=${p.issuer}`, `--client-id=${p.id}`, `--client-secret=${p.secret}`, `--redirect-uri=${redirectURI}`, "--scope=openid profile email offline_access",
    "--no-url-call", "--confirm-default", "--prompt=none", "--pw-cmd=echo x", "lab",
  ], "", { env });
  const [address] = await until(() => gen.text.match(/http\S+\/oauth\/authorize\S+/));
  await signIn(await newWindow(), p, address);
  await until(() => gen.child.exitCode !== null);
  assert.equal(gen.child.exitCode, 0, gen.text);
  works("sign-in");
  const token = (await command("oidc-token", ["--force-new", "lab"], { env })).trim();
  const me = await (await fetch(`${p.base}/api/public/v3/userinfo`, { headers: { authorization: `Bearer ${token}` } })).json();
  assert.equal(me.email, "maria@example.com");
  assert.ok(p.refreshed());
  works("refresh");
  process.kill(Number(pid));
});
