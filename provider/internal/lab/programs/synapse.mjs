import assert from "node:assert/strict";
import { known, newWindow, noah, path, pip, program, shows, signIn, start, until } from "./frame/lab.mjs";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const version = "1.163.2";
program("Matrix Synapse", version, async (works) => {
  await pip(`matrix-synapse[oidc]==${version}`);
  const p = await known("synapse"), config = readFileSync(path("homeserver.yaml"), "utf8");
  writeFileSync(path("lab.yaml"), `server_name: localhost
signing_key_path: signing.key
report_stats: false
macaroon_secret_key: m
form_secret: f
trusted_key_servers: []
database: {name: sqlite3, args: {database: synapse.db}}
listeners: [{port: ${p.port}, type: http, bind_addresses: [localhost], resources: [{names: [client]}]}]
`);
  appendFileSync(path("lab.yaml"), config);
  const run = ["-m", "synapse.app.homeserver", "-c", "lab.yaml"];
  await start(path("venv/bin/python"), [...run, "--generate-keys"], "");
  await until(() => { try { return readFileSync(path("signing.key")).length; } catch { return false; } });
  await start(path("venv/bin/python"), run, `${p.site}/health`);
  const api = async (name, options) => (await fetch(`${p.site}/_matrix/client/v3/${name}`, options)).json();
  const come = async (person) => {
    const page = await newWindow();
    await page.route("http://app.localhost/**", (route) => route.fulfill({ contentType: "text/html", body: "app" }));
    await signIn(page, p, `${p.site}/_matrix/client/v3/login/sso/redirect/oidc-provider?redirectUrl=${encodeURIComponent("http://app.localhost/")}`, person);
    await page.getByRole("link", { name: "Continue" }).click();
    await shows(page, "app");
    const token = new URL(page.url()).searchParams.get("loginToken");
    const { access_token: access } = await api("login", { method: "POST", body: JSON.stringify({ type: "m.login.token", token }) });
    return { page, who: () => api("account/whoami", { headers: { authorization: `Bearer ${access}` } }) };
  };
  const { page, who } = await come();
  assert.equal((await who()).user_id, "@maria:localhost");
  works("sign-in");
  const other = await come(noah);
  assert.equal((await other.who()).user_id, "@noah:localhost");
  works("second user");
  await page.goto(`${p.base}/signout`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await until(async () => (await who()).errcode === "M_UNKNOWN_TOKEN");
  assert.equal((await other.who()).user_id, "@noah:localhost");
  works("back-channel sign-out");
});
