// openid-client with a key in the place of a secret: private_key_jwt, pushed and signed
// authorization requests.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oidc from "openid-client";
import { Browser, alice, redirectURI, start } from "./lab.mjs";

const { subtle } = globalThis.crypto;
let provider, browser, key;

before(async () => {
  const pair = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  key = { key: pair.privateKey, kid: "key-1" };
  const jwk = { ...await subtle.exportKey("jwk", pair.publicKey), kid: key.kid, use: "sig", alg: "ES256", key_ops: undefined, ext: undefined };
  const registration = {
    dialect: "standard", redirect_uris: [redirectURI], grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] },
  };
  provider = await start([
    { ...registration, client_id: "pushes", require_pushed_authorization_requests: true },
    { ...registration, client_id: "signs", require_signed_request_object: true },
  ]);
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

/** What the library learns about the provider; the test runs without TLS. */
const configure = (id, authentication = oidc.PrivateKeyJwt(key)) =>
  oidc.discovery(new URL(provider.issuer), id, undefined, authentication, { execute: [oidc.allowInsecureRequests] });

/** Signs Alice in, by an authorization request as build makes it. */
async function signIn(config, build) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const checks = { pkceCodeVerifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce(), idTokenExpected: true };
  const { location } = await browser.allow(await build(config, {
    redirect_uri: redirectURI, scope: "openid profile email offline_access", state: checks.expectedState, nonce: checks.expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256",
  }));
  return oidc.authorizationCodeGrant(config, new URL(location), checks);
}

describe("openid-client with a key", () => {
  for (const [id, build] of [
    ["pushes", (config, parameters) => oidc.buildAuthorizationUrlWithPAR(config, parameters)],
    ["signs", (config, parameters) => oidc.buildAuthorizationUrlWithJAR(config, parameters, key)],
  ]) {
    test(`${id} its request, signs in and refreshes`, async () => {
      const config = await configure(id);
      const tokens = await signIn(config, build);
      const info = await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
      assert.deepEqual([info.name, info.email], ["Alice Example", alice.email]);
      assert.equal((await oidc.refreshTokenGrant(config, tokens.refresh_token)).claims().sub, alice.uuid);
    });

    test(`that ${id} its requests is refused a plain one`, async () => {
      const config = await configure(id);
      await assert.rejects(signIn(config, oidc.buildAuthorizationUrl), { name: "AuthorizationResponseError", error: "invalid_request" });
    });
  }

  test("is refused with the key of another", async () => {
    const { privateKey } = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
    const config = await configure("pushes", oidc.PrivateKeyJwt({ key: privateKey, kid: key.kid }));
    await assert.rejects(signIn(config, oidc.buildAuthorizationUrlWithPAR), { status: 401 });
  });
});
