// Maria puts what is verified about her into a wallet, whose part a few lines of HTTP play, finds it in her
// account, and withdraws it; the status list tells. She does so again with an app that nobody has registered. Noah is in
// no group, and reads what comes first.
import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { freePort } from "../../testkit/port.mjs";
import { look, newWindow, press, serve, startChromium, startQuickstart, tabTo } from "./lab.mjs";

const maria = { uuid: "a2c8f0e61b7d49d5b3c4", email: "maria@example.com", password: "quiet-otter-paints-dawn" };
const noah = { uuid: "d41f7be90c2a4e1896f3", email: "noah@example.com", password: "copper-lantern-rides-north" };
const preAuthorized = "urn:ietf:params:oauth:grant-type:pre-authorized_code";
const wallet = { client_id: "wallet", redirect_uri: `http://localhost:${await freePort()}/cb` };
let quickstart, browser;

before(async () => {
  quickstart = await startQuickstart({
    users: [{ ...maria, attributes: { fname: "Maria", lname: "Okafor" }, status: [{ group: "military", subgroups: ["Veteran"], verified: true }] }, noah],
    wallet: { groups: ["military"], any_wallet: "any" },
    clients: [{
      client_id: wallet.client_id, name: "River Wallet", dialect: "standard", public: true, redirect_uris: [wallet.redirect_uri],
      scopes: ["credential:military"],
    }, { client_id: "any", name: "Any wallet app", dialect: "standard", public: true, grant_types: [preAuthorized] }],
  });
  browser = await startChromium();
});

const json = async (address, options) => {
  const response = await fetch(address, options);
  const body = await response.json();
  assert.equal(response.status, 200, `${address}: ${JSON.stringify(body)}`);
  return body;
};
const base64url = (data) => Buffer.from(data).toString("base64url");
const read = (part) => JSON.parse(Buffer.from(part, "base64url"));

/** What every wallet reads of an offer: what is offered, by whom, and where to ask for it. */
async function readOffer(link) {
  const { credential_issuer: issuer, credential_configuration_ids: [id], grants } = await json(new URL(link).searchParams.get("credential_offer_uri"));
  const { origin, pathname } = new URL(issuer);
  const metadata = await json(`${origin}/.well-known/openid-credential-issuer${pathname}`);
  const server = await json(`${origin}/.well-known/oauth-authorization-server${pathname}`);
  return { issuer, metadata, server, scope: metadata.credential_configurations_supported[id].scope, id, grants };
}

/** Redeems a code, and gets two credentials for keys of their own. */
async function redeem({ issuer, metadata, server, id }, form) {
  const { access_token: token } = await json(server.token_endpoint, { method: "POST", body: new URLSearchParams(form) });
  const get = async () => {
    const { privateKey, publicKey } = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
    const { kty, crv, x, y } = await webcrypto.subtle.exportKey("jwk", publicKey);
    const { c_nonce: nonce } = await json(metadata.nonce_endpoint, { method: "POST" });
    const head = base64url(JSON.stringify({ typ: "openid4vci-proof+jwt", alg: "ES256", jwk: { kty, crv, x, y } }));
    const claims = base64url(JSON.stringify({ aud: issuer, iat: Math.floor(Date.now() / 1000), nonce, iss: wallet.client_id }));
    const signature = await webcrypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, Buffer.from(`${head}.${claims}`));
    const { credentials: [{ credential }] } = await json(metadata.credential_endpoint, {
      method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ credential_configuration_id: id, proofs: { jwt: [`${head}.${claims}.${base64url(signature)}`] } }),
    });
    return credential;
  };
  return [await get(), await get()];
}

/** Whether a credential has ended, as its list says. */
async function hasEnded(credential) {
  const { status: { status_list: { idx, uri } } } = read(credential.split("~")[0].split(".")[1]);
  const list = await (await fetch(uri, { headers: { accept: "application/statuslist+jwt" } })).text();
  const { status_list: { bits, lst } } = read(list.split(".")[1]);
  assert.equal(bits, 1);
  return (inflateSync(Buffer.from(lst, "base64url"))[idx >> 3] >> (idx & 7) & 1) === 1;
}

async function signIn(page, { email, password }, path) {
  await page.goto(quickstart.provider + path);
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.click("main button[type=submit]");
  await page.waitForURL((url) => url.pathname === path);
}

test("what is verified is put into a wallet, shown on the account, and withdrawn", async (t) => {
  await serve(t, wallet.redirect_uri, `<html lang="en"><title>River Wallet</title>`);
  const page = await newWindow(browser);
  await signIn(page, maria, "/account");
  await look(page, "wallet-account");
  await page.getByRole("link", { name: "Wallet" }).click();
  await page.getByRole("heading", { name: "Wallet", level: 1 }).waitFor();
  await page.getByText("Nothing yet.").waitFor();
  await look(page, "wallet-home-none");
  await tabTo(page, "a[aria-label='Add to wallet: Military']");
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "QR code" }).waitFor();
  await look(page, "wallet-add");
  const offer = await readOffer(await page.getByRole("link", { name: "Open a wallet app on this device" }).getAttribute("href"));
  assert.equal(offer.scope, "credential:military");

  const verifier = base64url(webcrypto.getRandomValues(new Uint8Array(32)));
  await page.goto(`${offer.server.authorization_endpoint}?${new URLSearchParams({
    ...wallet, response_type: "code", scope: offer.scope, state: "s", code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  })}`);
  await page.getByText("River Wallet keeps a proof of it for you to show.").waitFor();
  await look(page, "wallet-consent");
  await press(page, "Allow");
  await page.waitForURL(`${wallet.redirect_uri}?**`);
  const code = new URL(page.url()).searchParams.get("code");
  const credentials = await redeem(offer, { grant_type: "authorization_code", ...wallet, code, code_verifier: verifier });
  for (const secret of ["Maria", "Okafor", maria.email, maria.uuid]) {
    for (const part of credentials[0].split(/[.~]/)) assert.ok(!Buffer.from(part, "base64url").includes(secret), `a credential has ${secret}`);
  }

  await page.goto(`${quickstart.provider}/vci/`);
  assert.equal(await page.getByText("River Wallet").count(), 2);
  await look(page, "wallet-home");
  await page.getByRole("link", { name: "Withdraw: Military" }).first().click(); // the latest
  await page.getByRole("heading", { name: "Withdraw this proof?" }).waitFor();
  await look(page, "wallet-withdraw");
  await press(page, "Withdraw proof");
  await page.getByRole("status").getByText("The proof is withdrawn.").waitFor();
  await page.getByText("You withdrew it.").waitFor();
  await look(page, "wallet-home-withdrawn");
  assert.deepEqual([await hasEnded(credentials[0]), await hasEnded(credentials[1])], [false, true]);
  assert.deepEqual(page.faults, []);
});

test("an app that nobody has registered gets it by a one-time code", async () => {
  const page = await newWindow(browser);
  await signIn(page, maria, "/vci/add/military");
  await look(page, "wallet-add-any");
  await tabTo(page, "main form button");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Add with a one-time code" }).waitFor();
  await look(page, "wallet-code");
  await press(page, "Show the digits");
  await page.getByRole("status").getByText("No app has scanned the code yet.").waitFor();
  await look(page, "wallet-code-early");
  const link = await page.getByRole("link", { name: "Open a wallet app on this device" }).getAttribute("href");
  const offer = await readOffer(link);
  assert.equal((await fetch(new URL(link).searchParams.get("credential_offer_uri"))).status, 410);
  await press(page, "Show the digits");
  await page.getByRole("heading", { name: "Enter these digits in the app" }).waitFor();
  await look(page, "wallet-digits");
  const { "pre-authorized_code": code, tx_code: { length } } = offer.grants[preAuthorized];
  const digits = await page.locator("main code").innerText();
  assert.equal(digits.length, length);
  await redeem(offer, { grant_type: preAuthorized, "pre-authorized_code": code, tx_code: digits });
  await page.goto(`${quickstart.provider}/vci/`);
  assert.equal(await page.getByText("Any wallet app").count(), 2);
  assert.deepEqual(page.faults, []);
});

test("somebody who is in no group reads what comes first", async () => {
  const page = await newWindow(browser);
  await signIn(page, noah, "/vci/");
  await page.getByText("Get verified in a group first.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Add to wallet" }).count(), 0);
  await page.goto(`${quickstart.provider}/vci/add/military`);
  await page.getByText("You’re not verified in this group yet.").waitFor();
  await look(page, "wallet-add-unverified");
  assert.equal(await page.getByRole("img", { name: "QR code" }).count(), 0);
  await page.getByRole("link", { name: "Get verified" }).click();
  await page.waitForURL(/\/(account\/groups|verification\/)$/);
  assert.deepEqual(page.faults, []);
});
