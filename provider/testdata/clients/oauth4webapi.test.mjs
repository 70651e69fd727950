import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import { Browser, alice, redirectURI, secret, start } from "./lab.mjs";

const registrations = [
  { client_id: "app", name: "Standard App", grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "client_secret_post" },
  { client_id: "signed", name: "Signed App", userinfo_signed_response_alg: "RS256", response_types: ["code", "code id_token", "id_token"] },
].map((r) => ({ dialect: "standard", redirect_uris: [redirectURI], client_secret: secret(), ...r }));
const insecure = { [oauth.allowInsecureRequests]: true }; // the test runs without TLS
const app = { client_id: "app" }, signed = { client_id: "signed", userinfo_signed_response_alg: "RS256" };
let provider, server, browser;

before(async () => {
  provider = await start(registrations);
  const issuer = new URL(provider.issuer);
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

const secretOf = ({ client_id }) => registrations.find((r) => r.client_id === client_id).client_secret;
const authentication = (client) =>
  (client === app ? oauth.ClientSecretPost : oauth.ClientSecretBasic)(secretOf(client));

/** Sends Alice through an authorization request: the address that she comes back to, and what to check it against. */
async function authorize(client, changes = {}) {
  const state = oauth.generateRandomState(), nonce = oauth.generateRandomNonce(), verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri: redirectURI, response_type: "code", scope: "openid login military", state, nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256", ...changes,
  });
  const { location } = await browser.allow(url);
  return { current: new URL(location), state, nonce, verifier };
}

async function exchange(client, { parameters, verifier }, authenticate = authentication(client)) {
  return oauth.authorizationCodeGrantRequest(server, client, authenticate, parameters, redirectURI, verifier, insecure);
}

async function signIn(client, changes) {
  const answer = await authorize(client, changes);
  const parameters = oauth.validateAuthResponse(server, client, answer.current, answer.state);
  const response = await exchange(client, { parameters, ...answer });
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: answer.nonce, requireIdToken: true });
  await oauth.validateApplicationLevelSignature(server, response, insecure);
  return { ...tokens, ...oauth.getValidatedIdTokenClaims(tokens) };
}

describe("oauth4webapi", () => {
  test("signs in and reads claims", async () => {
    const { access_token, sub } = await signIn(app);
    const info = await oauth.processUserInfoResponse(server, app, sub, await oauth.userInfoRequest(server, app, access_token, insecure));
    assert.deepEqual([sub, info.lname, info.email], [alice.uuid, "Example", alice.email]);
  });

  test("reads name and e-mail address by the scopes of OpenID Connect", async () => {
    const { access_token, sub } = await signIn(app, { scope: "openid profile email" });
    const info = await oauth.processUserInfoResponse(server, app, sub, await oauth.userInfoRequest(server, app, access_token, insecure));
    assert.deepEqual([info.name, info.email, info.email_verified], ["Alice Example", alice.email, true]);
  });

  test("reads signed claims", async () => {
    const { access_token, sub } = await signIn(signed);
    const response = await oauth.userInfoRequest(server, signed, access_token, insecure);
    assert.equal(response.headers.get("content-type"), "application/jwt");
    const info = await oauth.processUserInfoResponse(server, signed, sub, response);
    await oauth.validateApplicationLevelSignature(server, response, insecure);
    assert.deepEqual([info.iss, info.aud, info.fname], [provider.issuer, "signed", "Alice"]);
  });

  test("accepts code and ID token together", async () => {
    const { current, state, nonce, verifier } = await authorize(signed, { response_type: "code id_token" });
    const parameters = await oauth.validateCodeIdTokenResponse(server, signed, current, nonce, state, undefined, undefined, insecure);
    const response = await exchange(signed, { parameters, verifier });
    const tokens = await oauth.processAuthorizationCodeResponse(server, signed, response, { expectedNonce: nonce });
    assert.equal(oauth.getValidatedIdTokenClaims(tokens).sub, alice.uuid);
  });

  test("refuses an ID token without a nonce from the authorization endpoint", async () => {
    for (const response_type of ["id_token", "code id_token"]) {
      const { current, state } = await authorize(signed, { response_type, nonce: "" });
      const parameters = new URLSearchParams(current.hash.slice(1));
      assert.throws(() => oauth.validateAuthResponse(server, signed, parameters, state), { error: "invalid_request" });
    }
  });

  test("refreshes, introspects and revokes", async () => {
    const first = await signIn(app);
    const second = await oauth.processRefreshTokenResponse(server, app,
      await oauth.refreshTokenGrantRequest(server, app, authentication(app), first.refresh_token, insecure));
    assert.notEqual(second.refresh_token, first.refresh_token);
    const introspect = async () => oauth.processIntrospectionResponse(server, app,
      await oauth.introspectionRequest(server, app, authentication(app), second.access_token, insecure));
    const { active, exp, iat, ...rest } = await introspect();
    assert.deepEqual([active, exp - iat, rest.iss, rest.sub], [true, 300, provider.issuer, alice.uuid]);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, app, authentication(app), second.refresh_token, insecure));
    assert.deepEqual(await introspect(), { active: false });
  });

  test("tells errors apart", async () => {
    const { current, state, verifier } = await authorize(app);
    const parameters = oauth.validateAuthResponse(server, app, current, state);
    const refusal = async (response) => {
      const error = await oauth.processAuthorizationCodeResponse(server, app, await response).catch((e) => e);
      return [error.status, error.error ?? error.cause[0].scheme];
    };
    assert.deepEqual(await refusal(exchange(app, { parameters, verifier }, oauth.ClientSecretPost("wrong"))), [401, "basic"]);
    // Its registration says client_secret_post.
    assert.deepEqual(await refusal(exchange(app, { parameters, verifier }, oauth.ClientSecretBasic(secretOf(app)))), [401, "basic"]);
    assert.deepEqual(await refusal(exchange(app, { parameters, verifier: oauth.generateRandomCodeVerifier() })), [400, "invalid_grant"]);
    assert.deepEqual(await refusal(exchange(app, { parameters, verifier: oauth.nopkce })), [400, "invalid_grant"]);
    assert.equal((await exchange(app, { parameters, verifier })).status, 200);
    assert.deepEqual(await refusal(exchange(app, { parameters, verifier })), [400, "invalid_grant"]);
  });

  test("reads an access token's scheme and scope from a refusal", async () => {
    const answer = await authorize(app, { scope: "military" });
    const parameters = oauth.validateAuthResponse(server, app, answer.current, answer.state);
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, app, await exchange(app, { parameters, ...answer }));
    const response = await oauth.userInfoRequest(server, app, access_token, insecure);
    const { status, cause: [challenge] } = await oauth.processUserInfoResponse(server, app, oauth.skipSubjectCheck, response).catch((e) => e);
    assert.deepEqual([status, challenge.scheme, challenge.parameters.error], [403, "bearer", "insufficient_scope"]);
  });

  test("is not let in with a token in the query", async () => {
    const { access_token } = await signIn(app);
    const response = await fetch(`${server.userinfo_endpoint}?access_token=${access_token}`);
    assert.deepEqual([response.status, (await response.json()).error], [400, "invalid_request"]);
  });
});
