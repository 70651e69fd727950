import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oidc from "openid-client";
import { Browser, alice, form, redirectURI, secret, start } from "./lab.mjs";

const both = ["authorization_code", "refresh_token"];
const registrations = [
  { client_id: "app", name: "Standard App", grant_types: both, post_logout_redirect_uris: ["https://rp.test/bye"] },
  { client_id: "hybrid", name: "Hybrid App", response_types: ["code", "id_token", "code id_token"] },
  { client_id: "other", name: "Other App", grant_types: both },
  { client_id: "page", name: "Page App", public: true },
].map((r) => ({ dialect: "standard", redirect_uris: [redirectURI], client_secret: r.public ? undefined : secret(), ...r }));
const secretOf = (id) => registrations.find((r) => r.client_id === id).client_secret;
let provider, browser;

before(async () => {
  provider = await start(registrations);
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

/** What the library learns about the provider; the test runs without TLS. */
const configure = (id, authentication, metadata = secretOf(id)) =>
  oidc.discovery(new URL(provider.issuer), id, metadata, authentication, { execute: [oidc.allowInsecureRequests] });

/** Sends Alice through an authorization request: the address that she comes back to, and what to check it against. */
async function authorize(config, parameters = {}, visitor = browser) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const checks = { pkceCodeVerifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() };
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectURI, scope: "openid login military", state: checks.expectedState, nonce: checks.expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: "S256", ...parameters,
  });
  const page = await visitor.allow(url);
  return { page, current: page.location && new URL(page.location), checks };
}

async function signIn(config, parameters, visitor) {
  const { current, checks } = await authorize(config, parameters, visitor);
  return oidc.authorizationCodeGrant(config, current, { ...checks, idTokenExpected: true });
}

describe("openid-client", () => {
  for (const [name, id, authentication] of [
    ["client_secret_basic", "app", () => oidc.ClientSecretBasic(secretOf("app"))],
    ["client_secret_post", "app", () => oidc.ClientSecretPost(secretOf("app"))],
    ["none", "page", () => oidc.None()],
  ]) {
    test(`signs in with PKCE and nonce, authenticated by ${name}`, async () => {
      const config = await configure(id, authentication());
      oidc.enableNonRepudiationChecks(config); // verifies the signature of the ID token
      const tokens = await signIn(config, { max_age: "3600" });
      assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ["bearer", 300, "openid login military"]);
      assert.equal("refresh_token" in tokens, id === "app");
      const claims = tokens.claims();
      assert.deepEqual([claims.sub, claims.aud, claims.iss], [alice.uuid, id, provider.issuer]);
      assert.equal(typeof claims.auth_time, "number");
      const info = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
      assert.deepEqual([info.fname, info.email, info.email_verified], ["Alice", alice.email, true]);
      assert.deepEqual(info.status, alice.status);
    });
  }

  test("reads name and e-mail address by the scopes of OpenID Connect", async () => {
    const config = await configure("app");
    const tokens = await signIn(config, { scope: "openid profile email offline_access" });
    const info = await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
    assert.deepEqual([info.name, info.email, info.email_verified], ["Alice Example", alice.email, true]);
  });

  test("signs in without OpenID Connect", async () => {
    const config = await configure("app");
    const { current, checks } = await authorize(config, { scope: "military student", nonce: "" });
    const tokens = await oidc.authorizationCodeGrant(config, current, { ...checks, expectedNonce: undefined });
    assert.deepEqual([tokens.scope, tokens.id_token], ["military student", undefined]);
    const attributes = await oidc.fetchProtectedResource(config, tokens.access_token,
      new URL(`${provider.base}/api/public/v3/attributes.json`), "GET");
    assert.deepEqual((await attributes.json()).status.map((s) => [s.group, s.verified]), [["military", true], ["student", false]]);
  });

  test("accepts an ID token from the authorization endpoint", async () => {
    const config = await configure("hybrid");
    oidc.useIdTokenResponseType(config);
    const { current, checks } = await authorize(config);
    const claims = await oidc.implicitAuthentication(config, current, checks.expectedNonce, checks);
    assert.equal(claims.sub, alice.uuid);
  });

  test("accepts code and ID token together, c_hash included", async () => {
    const config = await configure("hybrid");
    oidc.useCodeIdTokenResponseType(config);
    const { current, checks } = await authorize(config);
    const tokens = await oidc.authorizationCodeGrant(config, current, checks);
    assert.equal(tokens.claims().sub, alice.uuid);
  });

  test("accepts a response that is posted", async () => {
    const config = await configure("app");
    const { page, checks } = await authorize(config, { response_mode: "form_post" });
    const { action, fields } = form(page);
    const posted = new Request(action, { method: "POST", body: new URLSearchParams(fields) });
    assert.ok((await oidc.authorizationCodeGrant(config, posted, checks)).id_token);
  });

  test("refreshes, and every refresh token is a new one", async () => {
    const config = await configure("app");
    const first = await signIn(config);
    const second = await oidc.refreshTokenGrant(config, first.refresh_token);
    const third = await oidc.refreshTokenGrant(config, second.refresh_token, { scope: "openid" });
    assert.equal(new Set([first, second, third].map((t) => t.refresh_token)).size, 3);
    assert.deepEqual([second.scope, third.scope, second.claims().sub], ["openid login military", "openid", alice.uuid]);
    await assert.rejects(oidc.refreshTokenGrant(config, third.refresh_token, { scope: "openid identity" }), { error: "invalid_scope" });
  });

  test("signs out of the provider", async () => {
    const config = await configure("app");
    const visitor = await new Browser(provider.base).signIn(alice);
    const { id_token } = await signIn(config, {}, visitor);
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: "https://rp.test/bye", state: "s" };
    const { location } = await visitor.open(oidc.buildEndSessionUrl(config, parameters));
    assert.equal(location, "https://rp.test/bye?state=s");
    const { current, checks } = await authorize(config, { prompt: "none" }, visitor);
    await assert.rejects(oidc.authorizationCodeGrant(config, current, checks), { error: "login_required" });
  });

  test("learns what its tokens are good for, and nothing about those of others", async () => {
    const config = await configure("app");
    const { access_token, refresh_token } = await signIn(config);
    for (const [token, type] of [[access_token, "bearer"], [refresh_token, undefined]]) {
      const { active, client_id, sub, scope, token_type } = await oidc.tokenIntrospection(config, token);
      assert.deepEqual([active, client_id, sub, scope, token_type], [true, "app", alice.uuid, "openid login military", type]);
    }
    assert.deepEqual(await oidc.tokenIntrospection(await configure("other"), access_token), { active: false });
    assert.deepEqual(await oidc.tokenIntrospection(config, "nonsense"), { active: false });
  });

  test("revokes an access token alone, and with a refresh token everything", async () => {
    const config = await configure("app");
    const { access_token, refresh_token } = await signIn(config);
    await oidc.tokenRevocation(config, access_token, { token_type_hint: "access_token" });
    assert.equal((await oidc.tokenIntrospection(config, access_token)).active, false);
    const next = await oidc.refreshTokenGrant(config, refresh_token);
    await oidc.tokenRevocation(config, next.refresh_token);
    assert.equal((await oidc.tokenIntrospection(config, next.access_token)).active, false);
    await assert.rejects(oidc.refreshTokenGrant(config, next.refresh_token), { error: "invalid_grant" });
    await oidc.tokenRevocation(config, "nonsense"); // is no error
  });

  test("is told of errors in the authorization response", async () => {
    const config = await configure("app");
    for (const [parameters, error] of [
      [{ scope: "nonsense" }, "invalid_scope"],
      [{ prompt: "none", max_age: "0", scope: "openid student" }, "login_required"],
      [{ prompt: "none", scope: "openid responder" }, "consent_required"],
      [{ prompt: "none login" }, "invalid_request"],
      [{ request_uri: "https://rp.test/request" }, "request_uri_not_supported"],
      [{ response_type: "id_token" }, "unsupported_response_type"],
    ]) {
      const { current, checks } = await authorize(config, parameters);
      const url = new URL(current.href.replace("#", "?"));
      await assert.rejects(oidc.authorizationCodeGrant(config, url, checks), { name: "AuthorizationResponseError", error });
    }
  });

  test("is told of errors at the token endpoint", async () => {
    const config = await configure("app");
    const wrong = await configure("app", oidc.ClientSecretPost("wrong"));
    const { current, checks } = await authorize(config);
    await assert.rejects(oidc.authorizationCodeGrant(wrong, current, checks), { status: 401 });
    await assert.rejects(
      oidc.authorizationCodeGrant(config, current, { ...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() }),
      { name: "ResponseBodyError", error: "invalid_grant", status: 400 },
    );
    await oidc.authorizationCodeGrant(config, current, checks);
    await assert.rejects(oidc.authorizationCodeGrant(config, current, checks), { error: "invalid_grant" });
    await assert.rejects(oidc.genericGrantRequest(config, "client_credentials", {}), { error: "unauthorized_client" });
    await assert.rejects(oidc.genericGrantRequest(config, "password", {}), { error: "unsupported_grant_type" });
  });

  test("is told when its token is not good for userinfo", async () => {
    const config = await configure("app");
    await assert.rejects(oidc.fetchUserInfo(config, "nonsense", oidc.skipSubjectCheck), ({ status, cause: [challenge] }) => {
      assert.deepEqual([status, challenge.scheme, challenge.parameters.error], [401, "bearer", "invalid_token"]);
      return true;
    });
  });

  test("refuses a response of another issuer", async () => {
    const config = await configure("app");
    const { current, checks } = await authorize(config);
    const refused = ({ cause }) => /"iss"/.test(cause.message);
    current.searchParams.set("iss", "https://evil.test/oidc");
    await assert.rejects(oidc.authorizationCodeGrant(config, current, checks), refused);
    current.searchParams.delete("iss");
    await assert.rejects(oidc.authorizationCodeGrant(config, current, checks), refused);
  });
});
