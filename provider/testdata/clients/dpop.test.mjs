// Two libraries bind their tokens to a key (RFC 9449), with a provider that demands a nonce.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { Browser, alice, redirectURI, secret, start } from "./lab.mjs";

const algorithms = ["ES256", "PS256", "Ed25519"];
const registrations = [
  { client_id: "app", client_secret: secret(), dpop_bound_access_tokens: true },
  { client_id: "page", public: true },
].map((r) => ({ dialect: "standard", redirect_uris: [redirectURI], grant_types: ["authorization_code", "refresh_token"], name: r.client_id, ...r }));
const [{ client_secret: appSecret }] = registrations;
const insecure = { [oauth.allowInsecureRequests]: true }; // the test runs without TLS
let provider, browser;

before(async () => {
  provider = await start(registrations, { dpop: { require_nonce: true } });
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

describe("openid-client", () => {
  for (const id of ["app", "page"]) {
    for (const algorithm of algorithms) {
      test(`signs in, reads data and refreshes as ${id} with ${algorithm}`, async () => {
        const config = await oidc.discovery(new URL(provider.issuer), id, id === "app" ? appSecret : undefined,
          id === "app" ? oidc.ClientSecretBasic(appSecret) : oidc.None(), { execute: [oidc.allowInsecureRequests] });
        assert.ok(config.serverMetadata().dpop_signing_alg_values_supported.includes(algorithm));
        const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(algorithm));
        const pkceCodeVerifier = oidc.randomPKCECodeVerifier(), expectedState = oidc.randomState();
        const url = await oidc.buildAuthorizationUrlWithPAR(config, {
          redirect_uri: redirectURI, scope: "openid login military", state: expectedState,
          code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256",
        }, { DPoP });
        const { location } = await browser.allow(url);
        const tokens = await oidc.authorizationCodeGrant(config, new URL(location), { pkceCodeVerifier, expectedState }, undefined, { DPoP });
        assert.equal(tokens.token_type, "dpop"); // the library writes it in lower case
        const info = await oidc.fetchUserInfo(config, tokens.access_token, alice.uuid, { DPoP });
        assert.equal(info.fname, "Alice");
        const next = await oidc.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP });
        assert.equal(next.token_type, "dpop");
        const attributes = await oidc.fetchProtectedResource(config, next.access_token,
          new URL(`${provider.base}/api/public/v3/attributes.json`), "GET", undefined, undefined, { DPoP });
        assert.equal((await attributes.json()).status[0].verified, true);
        await assert.rejects(oidc.fetchUserInfo(config, next.access_token, alice.uuid)); // as a bearer
      });
    }
  }
});

describe("oauth4webapi", () => {
  for (const algorithm of algorithms) {
    test(`signs in and reads data with ${algorithm}`, async () => {
      const issuer = new URL(provider.issuer), client = { client_id: "app" };
      const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair(algorithm));
      const verifier = oauth.generateRandomCodeVerifier(), state = oauth.generateRandomState();
      const url = new URL(server.authorization_endpoint);
      url.search = new URLSearchParams({
        client_id: "app", redirect_uri: redirectURI, response_type: "code", scope: "openid login military", state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
        dpop_jkt: await DPoP.calculateThumbprint(),
      });
      const { location } = await browser.allow(url);
      const parameters = oauth.validateAuthResponse(server, client, new URL(location), state);
      const exchange = () => oauth.authorizationCodeGrantRequest(server, client, oauth.ClientSecretPost(appSecret), parameters, redirectURI, verifier, { ...insecure, DPoP });
      const read = async () => oauth.processAuthorizationCodeResponse(server, client, await exchange());
      // The first request has no nonce. It is refused, and spends nothing.
      const refused = await read().then(() => undefined, (error) => error);
      assert.ok(oauth.isDPoPNonceError(refused));
      const tokens = await read();
      assert.equal(tokens.token_type, "dpop");
      const info = await oauth.userInfoRequest(server, client, tokens.access_token, { ...insecure, DPoP });
      assert.equal((await oauth.processUserInfoResponse(server, client, alice.uuid, info)).lname, "Example");
    });
  }
});
