// openid-client registers itself with a token that an owner has made in the dashboard (RFC 7591
// section 3), signs in, and reads, replaces and deletes its registration (RFC 7592).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as oidc from "openid-client";
import { Browser, alice, redirectURI, start } from "./lab.mjs";

let provider, browser, initialAccessToken;

before(async () => {
  provider = await start([], { developer: {}, unknown_clients: { register: "token" } });
  browser = await new Browser(provider.base).signIn(alice);
  const made = await browser.submit(await browser.open(`${provider.base}/developer/new`), { name: "River Bikes", action: "save" });
  const tokens = `${made.url.replace(/(\/o\/[^/?]+).*/, "$1")}/production/tokens`;
  const shown = await browser.submit(await browser.open(tokens),
    { name: "Deployments", hosts: new URL(redirectURI).hostname, count: "10", days: "1", action: "make" });
  [, initialAccessToken] = /id="new-token" dir="ltr">([^<]+)</.exec(shown.text);
});
after(() => provider?.stop());

const authentications = { client_secret_basic: oidc.ClientSecretBasic, client_secret_post: oidc.ClientSecretPost, none: oidc.None };

const register = ({ token_endpoint_auth_method = "client_secret_basic", ...metadata }) => oidc.dynamicClientRegistration(new URL(provider.issuer),
  { redirect_uris: [redirectURI], grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method, ...metadata },
  authentications[token_endpoint_auth_method](),
  { initialAccessToken, execute: [oidc.allowInsecureRequests] });

async function signIn(config) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier(), expectedState = oidc.randomState();
  const page = await browser.allow(oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectURI, scope: "openid profile", state: expectedState,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256",
  }));
  return oidc.authorizationCodeGrant(config, new URL(page.location), { pkceCodeVerifier, expectedState, idTokenExpected: true });
}

for (const method of Object.keys(authentications)) {
  test(`openid-client registers itself for ${method}, and signs in`, async () => {
    const config = await register({ client_name: `By ${method}`, token_endpoint_auth_method: method });
    const { client_id, client_secret } = config.clientMetadata();
    assert.equal(typeof client_secret, method === "none" ? "undefined" : "string");
    const tokens = await signIn(config);
    assert.deepEqual([tokens.claims().sub, tokens.claims().aud], [alice.uuid, client_id]);
    assert.ok((await oidc.refreshTokenGrant(config, tokens.refresh_token)).access_token);
  });
}

test("signed userinfo is what it has registered for", async () => {
  const config = await register({ client_name: "Signed", userinfo_signed_response_alg: "RS256" });
  const tokens = await signIn(config);
  assert.equal((await oidc.fetchUserInfo(config, tokens.access_token, alice.uuid)).sub, alice.uuid);
});

test("its registration is its own to read, replace and delete", async () => {
  const config = await register({ client_name: "Managed" });
  const { registration_client_uri: uri, registration_access_token: token, client_id, client_secret } = config.clientMetadata();
  const manage = (method, body) => fetch(uri, {
    method, headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) }, body: body && JSON.stringify(body),
  });
  const { registration_access_token, registration_client_uri, client_id_issued_at, client_secret_expires_at, ...metadata } = await (await manage("GET")).json();
  const replaced = await (await manage("PUT", { ...metadata, client_name: "Renamed" })).json();
  assert.deepEqual([replaced.client_name, replaced.client_id, replaced.client_secret], ["Renamed", client_id, client_secret]);
  const tokens = await signIn(config);
  assert.equal((await manage("DELETE")).status, 204);
  assert.equal((await manage("GET")).status, 401);
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token), (error) => error.status === 401);
});

test("an address on another host is refused, and said so", async () => {
  await assert.rejects(register({ redirect_uris: ["https://evil.test/cb"] }), (error) =>
    error.error === "invalid_redirect_uri" && /redirect_uris\[0\]/.test(error.error_description));
});
