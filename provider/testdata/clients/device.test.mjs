// Two libraries get tokens for a device whose user allows it in a browser (RFC 8628).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { Browser, alice, start } from "./lab.mjs";

const grant = "urn:ietf:params:oauth:grant-type:device_code";
const insecure = { [oauth.allowInsecureRequests]: true }; // the test runs without TLS
let provider, browser;

before(async () => {
  provider = await start([{ client_id: "tv", name: "tv", dialect: "standard", public: true, grant_types: [grant, "refresh_token"] }],
    { device_authorization: { on: true } });
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

// allow enters the code that a device shows, and allows what it asks for.
async function allow(code) {
  const asked = await browser.submit(await browser.open(`${provider.base}/device`), { user_code: code });
  await browser.submit(asked, { action: "allow" });
}

test("openid-client polls until its user has decided", async () => {
  const config = await oidc.discovery(new URL(provider.issuer), "tv", undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] });
  const asked = await oidc.initiateDeviceAuthorization(config, { scope: "openid military" });
  assert.match(asked.user_code, /^[B-Z]{4}-[B-Z]{4}$/);
  await allow(asked.user_code);
  const tokens = await oidc.pollDeviceAuthorizationGrant(config, asked);
  assert.equal(tokens.claims().sub, alice.uuid);
  assert.ok((await oidc.refreshTokenGrant(config, tokens.refresh_token)).access_token);
});

test("oauth4webapi is told to wait, and then gets a token that is bound to its key", async () => {
  const issuer = new URL(provider.issuer), client = { client_id: "tv" };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));
  const asked = await oauth.processDeviceAuthorizationResponse(server, client,
    await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: "openid" }, insecure));
  const poll = async () => oauth.processDeviceCodeResponse(server, client,
    await oauth.deviceCodeGrantRequest(server, client, oauth.None(), asked.device_code, { ...insecure, DPoP }));
  await assert.rejects(poll(), (error) => error.error === "authorization_pending");
  await allow(asked.user_code);
  assert.equal((await poll()).token_type, "dpop");
});
