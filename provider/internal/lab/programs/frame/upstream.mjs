// The reverse: a fresh quickstart signs people in with a provider of others, which stands behind a front that adds keys
// to its key set that nobody can read.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { afterwards, freePort, newWindow, provider, start, until } from "./lab.mjs";

const zeros = (bytes) => Buffer.alloc(bytes).toString("base64url");
const odd = [
  { kty: "EC", crv: "P-521", x: zeros(65), y: zeros(66), kid: "short", use: "sig" }, // a coordinate without its zero, as some write it
  { kty: "EC", crv: "P-999", x: zeros(32), y: zeros(32), kid: "unknown curve" },
  { kty: "FUTURE", kid: "unknown type" },
  { kty: "RSA", n: "AQAB", e: "AQAB", kid: "tiny", x5c: ["not a certificate"] },
];

/** Where the provider is to be reached, where it is to listen, and where it is to send people back. */
export async function reverse() {
  const at = `http://localhost:${await freePort()}`, behind = await freePort(), base = `http://localhost:${await freePort()}`;
  const front = http.createServer((request, response) => {
    const forward = http.request({ port: behind, host: "localhost", path: request.url, method: request.method, headers: { ...request.headers, "accept-encoding": "identity" } }, async (answer) => {
      const parts = await answer.toArray().catch(() => []), body = Buffer.concat(parts).toString();
      const set = /^\s*\{\s*"keys"/.test(body) && JSON.parse(body);
      const headers = { ...answer.headers, "transfer-encoding": undefined, "content-length": undefined };
      for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name];
      response.writeHead(answer.statusCode, headers).end(set ? JSON.stringify({ keys: [...odd, ...set.keys] }) : Buffer.concat(parts));
    });
    forward.on("error", () => response.destroy());
    request.pipe(forward);
  }).listen(new URL(at).port, "localhost");
  await once(front, "listening");
  afterwards(() => { front.closeAllConnections(); front.close(); });
  return { at, behind, base, redirectURI: `${base}/signin/with/theirs/callback` };
}

/**
 * Starts the quickstart with the provider as an upstream, and returns how somebody comes in, where signIn walks through
 * its pages, and how they do after again has given it other keys, while they are signed in and stay so.
 */
export async function relyingParty({ base }, openid, signIn) {
  const { said } = await provider({ redirect_uris: ["http://localhost/unused"] }, {
    at: base, allow_private_networks: true, upstreams: [{ id: "theirs", title: "Theirs", openid: { client_id: "rp", ...openid } }],
  });
  const mailed = new Set();
  const leave = (page) => page.locator("form[action*='/signin/with/theirs'] button").click();
  const keys = async () => {
    const { jwks_uri: address } = await (await fetch(`${openid.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)).json();
    return (await fetch(address)).text();
  };
  const comes = async (email) => {
    const page = await newWindow();
    await page.goto(`${base}/account`);
    await leave(page);
    await signIn(page, email);
    await page.waitForURL(`${base}/**`);
    await page.waitForURL((url) => ["/signin/connect/code", "/account", "/signin"].includes(url.pathname));
    if (page.url().includes("/signin?")) throw new Error(`refused: ${await page.innerText("main")}`);
    if (page.url().includes("/connect/code")) {
      assert.ok(!mailed.has(email), "a known person is asked for a code again");
      mailed.add(email);
      const mail = await until(() => said.text.split("--- mail to ").findLast((m) => m.startsWith(email) && /\b\d{8}\b/.test(m)));
      await page.fill("[name=code]", mail.match(/\b\d{8}\b/)[0]);
      await page.locator("main form button[type=submit]").first().click();
    }
    await page.waitForURL(`${base}/account`);
    assert.match(await page.locator("main").innerText(), new RegExp(email));
    return page;
  };
  const stays = async (email, again) => {
    const page = await comes(email), former = await keys();
    await again();
    assert.notEqual(await keys(), former, "it has the same keys");
    await page.reload();
    assert.match(await page.locator("main").innerText(), new RegExp(email));
    await comes(email);
  };
  return { comes, stays };
}

/** Starts a program, and again with other keys. */
export async function restarted(name, args, address, options) {
  let running = await start(name, args, address, options);
  return async (more = {}) => {
    const gone = once(running.child, "exit");
    process.kill(-running.child.pid, "SIGTERM");
    await gone;
    running = await start(name, args, address, { ...options, env: { ...options?.env, ...more } });
  };
}
