// Two libraries with an application of a FAPI 2.0 profile: pushed requests, a key in the place of a
// secret, tokens bound to a key, and for message signing signed requests and responses (JARM).
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { Browser, alice, redirectURI, start } from "./lab.mjs";

const { subtle } = globalThis.crypto;
const insecure = { [oauth.allowInsecureRequests]: true }; // the test runs without TLS
let provider, browser, key;

before(async () => {
  const pair = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  key = { key: pair.privateKey, kid: "key-1" };
  const jwk = { ...await subtle.exportKey("jwk", pair.publicKey), kid: key.kid, use: "sig", alg: "ES256", key_ops: undefined, ext: undefined };
  const registration = { dialect: "standard", redirect_uris: [redirectURI], grant_types: ["authorization_code", "refresh_token"], jwks: { keys: [jwk] } };
  provider = await start([
    { ...registration, client_id: "secured", profile: "fapi2" },
    { ...registration, client_id: "signing", profile: "fapi2-signing" },
  ], { signing_algorithms: ["RS256", "ES256"] });
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

describe("openid-client", () => {
  for (const id of ["secured", "signing"]) {
    test(`signs in, reads data and refreshes as ${id}`, async () => {
      const metadata = { id_token_signed_response_alg: "ES256", authorization_signed_response_alg: "ES256" };
      const config = await oidc.discovery(new URL(provider.issuer), id, metadata, oidc.PrivateKeyJwt(key), { execute: [oidc.allowInsecureRequests] });
      const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair("ES256"));
      const pkceCodeVerifier = oidc.randomPKCECodeVerifier(), expectedState = oidc.randomState();
      let parameters = new URLSearchParams({
        redirect_uri: redirectURI, scope: "openid login military", state: expectedState,
        code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256",
      });
      if (id === "signing") {
        oidc.useJwtResponseMode(config);
        parameters = (await oidc.buildAuthorizationUrlWithJAR(config, parameters, key)).searchParams;
      }
      const { location } = await browser.allow(await oidc.buildAuthorizationUrlWithPAR(config, parameters, { DPoP }));
      assert.equal(new URL(location).searchParams.has("response"), id === "signing");
      const tokens = await oidc.authorizationCodeGrant(config, new URL(location), { pkceCodeVerifier, expectedState, idTokenExpected: true }, undefined, { DPoP });
      assert.equal(tokens.token_type, "dpop");
      assert.equal((await oidc.fetchUserInfo(config, tokens.access_token, alice.uuid, { DPoP })).fname, "Alice");
      assert.equal((await oidc.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP })).token_type, "dpop");
      await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token)); // without a proof
    });
  }
});

describe("oauth4webapi", () => {
  test("reads a signed response, and that of a refusal", async () => {
    const issuer = new URL(provider.issuer), authentication = oauth.PrivateKeyJwt(key);
    const client = { client_id: "signing", authorization_signed_response_alg: "ES256", id_token_signed_response_alg: "ES256" };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));
    const verifier = oauth.generateRandomCodeVerifier(), state = oauth.generateRandomState();
    const ask = async (more) => {
      const request = await oauth.issueRequestObject(server, client, {
        redirect_uri: redirectURI, response_type: "code", response_mode: "jwt", scope: "openid login military", state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256", ...more,
      }, key);
      const pushed = await oauth.processPushedAuthorizationResponse(server, client,
        await oauth.pushedAuthorizationRequest(server, client, authentication, { request }, { ...insecure, DPoP }));
      const url = new URL(server.authorization_endpoint);
      url.search = new URLSearchParams({ client_id: "signing", request_uri: pushed.request_uri });
      const { location } = await browser.allow(url);
      return oauth.validateJwtAuthResponse(server, client, new URL(location), state, insecure);
    };
    const parameters = await ask({});
    const tokens = await oauth.processAuthorizationCodeResponse(server, client,
      await oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, redirectURI, verifier, { ...insecure, DPoP }));
    assert.equal(tokens.token_type, "dpop");
    await assert.rejects(ask({ prompt: "none", scope: "openid student" }), { name: "AuthorizationResponseError", error: "consent_required" });
  });
});
