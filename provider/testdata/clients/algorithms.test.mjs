// Two libraries verify what a provider of all four algorithms signs, each application with its own.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { Browser, alice, redirectURI, secret, start } from "./lab.mjs";

const algorithms = ["RS256", "PS256", "ES256", "EdDSA"];
const registrations = algorithms.map((alg) => ({
  dialect: "standard", client_id: alg, name: alg, client_secret: secret(), redirect_uris: [redirectURI],
  id_token_signed_response_alg: alg, userinfo_signed_response_alg: alg,
}));
const insecure = { [oauth.allowInsecureRequests]: true }; // the test runs without TLS
let provider, browser;

before(async () => {
  provider = await start(registrations, { signing_algorithms: algorithms, dpop: { require_nonce: true } });
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

/** The algorithm that a JWT says it is signed with. */
const signedWith = (jwt) => JSON.parse(Buffer.from(jwt.split(".")[0], "base64url")).alg;

/** How openid-client learns about the provider, with what the application expects of ID tokens. */
const discover = ({ client_id, client_secret }, alg) =>
  oidc.discovery(new URL(provider.issuer), client_id, { client_secret, id_token_signed_response_alg: alg, userinfo_signed_response_alg: alg },
    undefined, { execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks] });

/** Signs Alice in with PKCE and a nonce; options bind the tokens to a key. */
async function signIn(config, options) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier(), expectedNonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectURI, scope: "openid login military", nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256",
  });
  const { location } = await browser.allow(url);
  return oidc.authorizationCodeGrant(config, new URL(location), { pkceCodeVerifier, expectedNonce, idTokenExpected: true }, undefined, options);
}

test("the key set has a key of each algorithm, that of RS256 first", async () => {
  const { jwks_uri } = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json();
  const { keys } = await (await fetch(jwks_uri)).json();
  assert.deepEqual(keys.map((k) => [k.alg, k.kty, k.crv]), [
    ["RS256", "RSA", undefined], ["PS256", "RSA", undefined], ["ES256", "EC", "P-256"], ["EdDSA", "OKP", "Ed25519"],
  ]);
});

describe("openid-client", () => {
  for (const [i, alg] of algorithms.entries()) {
    test(`verifies an ID token and userinfo of ${alg}`, async () => {
      const config = await discover(registrations[i], alg);
      assert.ok(config.serverMetadata().id_token_signing_alg_values_supported.includes(alg));
      const tokens = await signIn(config);
      assert.equal(signedWith(tokens.id_token), alg);
      assert.equal((await oidc.fetchUserInfo(config, tokens.access_token, alice.uuid)).fname, "Alice");
    });

    test(`binds tokens to a key beside an ID token of ${alg}`, async () => {
      const config = await discover(registrations[i], alg);
      const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair({ PS256: "PS256", EdDSA: "Ed25519" }[alg] ?? "ES256"));
      const tokens = await signIn(config, { DPoP });
      assert.deepEqual([tokens.token_type, signedWith(tokens.id_token)], ["dpop", alg]);
      assert.equal((await oidc.fetchUserInfo(config, tokens.access_token, alice.uuid, { DPoP })).lname, "Example");
      await assert.rejects(oidc.fetchUserInfo(config, tokens.access_token, alice.uuid));
    });

    test(`refuses ${alg} where another is expected`, async () => {
      const config = await discover(registrations[i], algorithms[(i + 1) % algorithms.length]);
      await assert.rejects(signIn(config));
    });
  }
});

describe("oauth4webapi", () => {
  for (const [i, alg] of algorithms.entries()) {
    test(`verifies an ID token and userinfo of ${alg}`, async () => {
      const issuer = new URL(provider.issuer), { client_secret } = registrations[i];
      const client = { client_id: alg, id_token_signed_response_alg: alg, userinfo_signed_response_alg: alg };
      const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
      const verifier = oauth.generateRandomCodeVerifier(), state = oauth.generateRandomState();
      const url = new URL(server.authorization_endpoint);
      url.search = new URLSearchParams({
        client_id: alg, redirect_uri: redirectURI, response_type: "code", scope: "openid login military", state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
      });
      const { location } = await browser.allow(url);
      const parameters = oauth.validateAuthResponse(server, client, new URL(location), state);
      const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.ClientSecretPost(client_secret), parameters, redirectURI, verifier, insecure);
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { requireIdToken: true });
      await oauth.validateApplicationLevelSignature(server, response, insecure);
      const info = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
      assert.equal((await oauth.processUserInfoResponse(server, client, alice.uuid, info)).lname, "Example");
      await oauth.validateApplicationLevelSignature(server, info, insecure);
    });
  }
});
