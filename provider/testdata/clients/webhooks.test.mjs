// standardwebhooks checks what the webhook of the dashboard gets: before, during and after a rotation of its
// keys, beside a signature of Ed25519 (v1a), which that library leaves out and Node.js checks here.
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Browser, alice, redirectURI, start } from "./lab.mjs";

let provider, browser, hooks, receiver, key, publicKey;
const took = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  took.push({ headers: request.headers, body });
  response.writeHead(204).end(() => server.emit("took"));
});

/** The next message that has come. */
async function take() {
  while (took.length === 0) await once(server, "took");
  return took.shift();
}

const shown = (page) => [/whsec_[A-Za-z0-9+/]{32}(?![A-Za-z0-9+/=])/.exec(page.text)?.[0], /whpk_[A-Za-z0-9+/]{43}=/.exec(page.text)?.[0]];

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  provider = await start([], { developer: {}, signals: { webhooks: true }, sandbox: { allow_private_networks: true }, allow_private_networks: true });
  browser = await new Browser(provider.base).signIn(alice);
  const made = await browser.submit(await browser.open(`${provider.base}/developer/new`), { name: "River Bikes", action: "save" });
  const form = `${made.url.replace(/(\/o\/[^/?]+).*/, "$1")}/sandbox/new`;
  const application = await browser.submit(await browser.open(form), { name: "Shop", kind: "web", redirect_uris: redirectURI, dialect: "standard" });
  hooks = `${/^[^?]*\/sandbox\/test_[^/?]+/.exec(application.url)[0]}/webhooks`;
  const added = await browser.submit(await browser.open(hooks),
    { kind: "webhook", webhook: `http://127.0.0.1:${server.address().port}/in`, v1a: "on", action: "add" });
  [key, publicKey] = shown(added);
  receiver = `${hooks}/${/\/webhooks\/(rcv_[A-Za-z0-9_-]+)/.exec(added.text)[1]}`;
});
after(async () => {
  server.close();
  await provider?.stop();
});

/** Sends a test, and returns it. */
async function ping() {
  await browser.submit(await browser.open(receiver), { action: "test" });
  return take();
}

/** Whether one of the signatures v1a is by a key. */
function isByKey({ headers, body }, of) {
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(of.replace("whpk_", ""), "base64")]);
  const signed = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`);
  return headers["webhook-signature"].split(" ").some((one) => one.startsWith("v1a,") &&
    verify(null, signed, createPublicKey({ key: spki, format: "der", type: "spki" }), Buffer.from(one.slice(4), "base64")));
}

test("it takes a message, and no other", async () => {
  const { headers, body } = await take();
  const hook = new Webhook(key);
  assert.equal(hook.verify(body, headers).type, "ping");
  assert.ok(isByKey({ headers, body }, publicKey));
  assert.ok(!isByKey({ headers, body: `${body} ` }, publicKey));
  assert.throws(() => hook.verify(`${body} `, headers), /No matching signature/);
  assert.throws(() => hook.verify(body, { ...headers, "webhook-id": "msg_other" }), /No matching signature/);
  assert.throws(() => new Webhook(`whsec_${"A".repeat(32)}`).verify(body, headers), /No matching signature/);
  const before = new Date(Date.now() - 3600_000), id = headers["webhook-id"];
  const old = { "webhook-id": id, "webhook-timestamp": String(Math.floor(before / 1000)), "webhook-signature": hook.sign(id, before, body) };
  assert.throws(() => hook.verify(body, old), /too old/);
});

test("both keys sign while one follows the other", async () => {
  const rotated = await browser.submit(await browser.open(receiver), { action: "rotate" });
  const [newKey, newPublicKey] = shown(rotated);
  assert.ok(newKey && newKey !== key && newPublicKey !== publicKey);
  const { headers, body } = await ping();
  assert.deepEqual(headers["webhook-signature"].split(" ").map((one) => one.split(",")[0]), ["v1", "v1", "v1a", "v1a"]);
  for (const of of [key, newKey]) assert.equal(new Webhook(of).verify(body, headers).type, "ping");
  for (const of of [publicKey, newPublicKey]) assert.ok(isByKey({ headers, body }, of));
});
