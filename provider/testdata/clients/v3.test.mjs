import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Browser, alice, bob, form, redirectURI, secret, send, start } from "./lab.mjs";
import { V3Client, callback } from "./v3.mjs";

const registrations = {
  shop: { name: "Veterans Shop" },
  other: { name: "Other Shop" },
  patient: { name: "Patient Shop", grant_types: ["authorization_code", "refresh_token"] },
  strict: { name: "Strict Shop", require_verified: true },
  narrow: { name: "Narrow Shop", scopes: ["military"], response_types: ["code"] },
};
let provider, alicesBrowser;
const client = {};

before(async () => {
  const clients = Object.entries(registrations).map(([id, registration]) => ({
    client_id: id, client_secret: secret(), redirect_uris: [redirectURI], dialect: "v3", ...registration,
  }));
  provider = await start(clients);
  for (const { client_id: clientID, client_secret: clientSecret } of clients) {
    client[clientID] = new V3Client({ base: provider.base, clientID, clientSecret, redirectURI });
  }
  alicesBrowser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

/** The parameters of an authorization response, and how they travelled. */
function response({ location }) {
  const url = new URL(location);
  assert.equal(`${url.origin}${url.pathname}`, redirectURI);
  const mode = url.hash ? "fragment" : "query";
  assert.ok(!url.hash || !url.search, "one or the other");
  return { mode, ...Object.fromEntries(new URLSearchParams(url.hash ? url.hash.slice(1) : url.search)) };
}

const authorize = async (c, changes) => response(await alicesBrowser.allow(c.authorizeURL(changes)));
const codeFor = async (c, changes) => (await authorize(c, changes)).code;
const tokensFor = async (c, changes) => (await c.token({ code: await codeFor(c, changes) })).json;
const halfHash = (value) => createHash("sha256").update(value).digest().subarray(0, 16).toString("base64url");
const index = (list) => Object.fromEntries(list.map(({ handle, value }) => [handle, value]));

function assertError(answer, status, code) {
  assert.deepEqual([answer.status, answer.type, answer.json?.error], [status, "application/json", code], answer.text);
  assert.equal(typeof answer.json.error_description, "string");
  assert.equal(answer.headers["cache-control"], "no-store");
}

describe("from sign-in to data", () => {
  test("plain OAuth", async () => {
    const { shop } = client;
    const browser = new Browser(provider.base);
    let page = await browser.open(shop.authorizeURL({ state: "s1" }));
    page = await browser.submit(page, { email: alice.email, password: alice.password });
    assert.match(page.text, /Veterans Shop/);
    const { code, ...rest } = response(await browser.submit(page, { action: "allow" }));
    assert.deepEqual(rest, { mode: "query", state: "s1", iss: provider.issuer });

    const tokens = await shop.token({ code });
    assert.equal(tokens.status, 200);
    assert.equal(tokens.type, "application/json");
    const { access_token, refresh_token, ...fixed } = tokens.json;
    assert.deepEqual(fixed, { token_type: "bearer", expires_in: "300", refresh_expires_in: "604800", scope: "military" });
    assert.ok(access_token && refresh_token && access_token !== refresh_token);

    const { status, type, json } = await shop.attributes({ access_token });
    assert.deepEqual([status, type, Object.keys(json).sort()], [200, "application/json", ["attributes", "status"]]);
    assert.ok(json.attributes.every((a) => Object.keys(a).sort().join() === "handle,name,value" && typeof a.name === "string"));
    assert.deepEqual(index(json.attributes), { uuid: alice.uuid, email: alice.email, fname: "Alice", lname: "Example", zip: "22030" });
    assert.deepEqual(json.status, alice.status);
    const info = await shop.verify((await shop.userinfo({ access_token })).json);
    assert.deepEqual([info.uuid, info.status], [alice.uuid, alice.status]);
  });

  test("OpenID Connect", async () => {
    const { shop } = client;
    const tokens = await tokensFor(shop, { scope: "openid military", eid: "customer 42" });
    assert.equal(tokens.scope, "openid military");
    const claims = await shop.verify(tokens.id_token);
    assert.deepEqual([claims.iss, claims.sub, claims.uuid, claims.aud, claims.eid, claims.email],
      [provider.issuer, alice.uuid, alice.uuid, "shop", "customer 42", alice.email]);
    assert.ok(Number.isInteger(claims.iat) && Number.isInteger(claims.exp) && claims.exp - claims.iat === 300);
    assert.deepEqual(claims.status, alice.status);

    const answer = await shop.userinfo({ access_token: tokens.access_token });
    assert.deepEqual([answer.status, answer.type, typeof answer.json], [200, "application/json", "string"]);
    const info = await shop.verify(answer.json);
    assert.deepEqual([info.sub, info.fname, info.eid], [alice.uuid, "Alice", "customer 42"]);
    const { json } = await shop.attributes({ access_token: tokens.access_token });
    assert.equal(index(json.attributes).eid, "customer 42");
  });

  test("values keep their types", async () => {
    const { shop } = client;
    const { access_token } = await tokensFor(shop, { scope: "identity" });
    const values = index((await shop.attributes({ access_token })).json.attributes);
    assert.ok(Number.isInteger(values.age) && values.age >= 36);
    assert.equal(values.birthdate, "1990-04-02");
    assert.deepEqual(values.covid_vaccine_records, alice.attributes.covid_vaccine_records);
    const [address] = values.previous_addresses;
    assert.deepEqual(Object.keys(address).sort(), ["city", "country", "normalized", "normalized_street", "primary", "province",
      "state", "street1", "street2", "zip"]);
    assert.ok(Object.values(address).every((v) => typeof v === "string"));
    const { id_token } = await tokensFor(shop, { scope: "openid identity" });
    const claims = await shop.verify(id_token);
    assert.deepEqual([claims.age, claims.previous_addresses], [values.age, values.previous_addresses]);
  });

  test("an unverified group is released as such", async () => {
    const browser = await new Browser(provider.base).signIn(bob);
    const { code } = response(await browser.allow(client.shop.authorizeURL()));
    const { json: { access_token } } = await client.shop.token({ code });
    const { json } = await client.shop.attributes({ access_token });
    assert.deepEqual(json.status, [{ group: "military", subgroups: [], verified: false }]);
    assert.deepEqual(index(json.attributes), { uuid: bob.uuid, email: bob.email, fname: "Bob" });
  });

  test("discovery tells the addresses of the interface", async () => {
    const document = await client.shop.discovery();
    assert.equal(document.issuer, provider.issuer);
    assert.equal(document.authorization_endpoint, `${provider.base}/oauth/authorize`);
    assert.equal(document.token_endpoint, `${provider.base}/oauth/token`);
    assert.equal(document.userinfo_endpoint, `${provider.base}/api/public/v3/userinfo`);
    assert.equal(document.jwks_uri, `${provider.base}/oidc/.well-known/jwks`);
    assert.deepEqual(document.id_token_signing_alg_values_supported, ["RS256"]);
  });
});

describe("the response types", () => {
  for (const [type, mode, ...names] of [
    ["code", "query", "code"],
    ["token", "fragment", "access_token", "expires_in", "scope", "token_type"],
    ["id_token", "fragment", "id_token"],
    ["code id_token", "fragment", "code", "id_token"],
    ["code token", "fragment", "access_token", "code", "expires_in", "scope", "token_type"],
    ["code id_token token", "fragment", "access_token", "code", "expires_in", "id_token", "scope", "token_type"],
  ]) {
    for (const asked of [undefined, "fragment", "form_post"]) {
      test(`${type}, ${asked ?? "without a response mode"}`, async () => {
        const { shop } = client;
        const page = await alicesBrowser.allow(shop.authorizeURL({
          response_type: type, scope: "openid military", state: "s t", nonce: "n-1", response_mode: asked,
        }));
        const answer = asked === "form_post" ? posted(page) : response(page);
        assert.deepEqual(Object.keys(answer).sort(), [...names, "iss", "mode", "state"].sort());
        assert.deepEqual([answer.mode, answer.state, answer.iss], [asked ?? mode, "s t", provider.issuer]);
        if (answer.id_token) {
          const claims = await shop.verify(answer.id_token);
          assert.deepEqual([claims.sub, claims.nonce], [alice.uuid, "n-1"]);
          assert.equal(claims.at_hash, answer.access_token && halfHash(answer.access_token));
          assert.equal(claims.c_hash, answer.code && halfHash(answer.code));
        }
        if (answer.access_token) {
          assert.deepEqual([answer.token_type, answer.expires_in, answer.scope], ["bearer", "300", "openid military"]);
          assert.equal((await shop.userinfo({ access_token: answer.access_token })).status, 200);
        }
        if (answer.code) {
          const { json } = await shop.token({ code: answer.code });
          assert.equal((await shop.verify(json.id_token)).nonce, "n-1");
        }
      });
    }
  }

  test("the values of a response type come in any order", async () => {
    const answer = await authorize(client.shop, { response_type: "token id_token code", scope: "openid military" });
    assert.ok(answer.code && answer.id_token && answer.access_token);
  });

  test("an ID token needs no nonce", async () => {
    const { id_token } = await authorize(client.shop, { response_type: "id_token", scope: "openid military" });
    assert.equal((await client.shop.verify(id_token)).nonce, undefined);
  });

  function posted(page) {
    assert.equal(page.status, 200);
    const { action, fields } = form(page);
    assert.equal(action, redirectURI);
    return { mode: "form_post", ...fields };
  }
});

describe("parameters of the request", () => {
  test("state comes back byte for byte", async () => {
    for (const state of ["a b+c%20d", "&=?#/\\", "<\"'>", "ünï\u2028code🙂", " ", "\t\r\n", "x".repeat(4096)]) {
      assert.equal((await authorize(client.shop, { state })).state, state);
    }
    const { location } = await alicesBrowser.allow(`${client.shop.authorizeURL()}&state=%FF%FE`);
    assert.match(location, /[?&]state=%FF%FE(&|$)/);
  });

  test("state is absent when it was not sent", async () => {
    assert.equal("state" in await authorize(client.shop), false);
  });

  test("parameters without a value count as omitted", async () => {
    const names = ["state", "op", "eid", "nonce", "prompt", "max_age", "login_hint", "id_token_hint", "response_mode", "request", "request_uri"];
    const { code, ...rest } = await authorize(client.shop, Object.fromEntries(names.map((name) => [name, ""])));
    assert.ok(code);
    assert.deepEqual(rest, { mode: "query", iss: provider.issuer });
    assert.equal((await client.shop.token({ code, scope: "", refresh_token: "" })).status, 200);
  });

  test("op chooses the screen, even for somebody who is signed in", async () => {
    for (const [op, path] of [["signin", "/signin"], ["signup", "/signup"]]) {
      for (const browser of [new Browser(provider.base), alicesBrowser]) {
        const page = await browser.open(client.shop.authorizeURL({ op }));
        assert.deepEqual([page.status, new URL(page.url).pathname], [200, `/id${path}`]);
      }
    }
  });

  for (const [fault, changes, error, mode = "query"] of [
    ["an unknown op", { op: "signout" }, "invalid_request"],
    ["an eid of 256 characters", { eid: "x".repeat(256) }, "invalid_request"],
    ["no scope", { scope: undefined }, "invalid_scope"],
    ["an unknown scope", { scope: "nonsense" }, "invalid_scope"],
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["an unknown response type", { response_type: "coupon" }, "unsupported_response_type"],
    ["an unknown response mode", { response_mode: "pigeon" }, "unsupported_response_mode"],
    ["an ID token without openid", { response_type: "id_token" }, "invalid_scope", "fragment"],
    ["tokens in the query", { response_type: "token", response_mode: "query" }, "unsupported_response_mode", "fragment"],
  ]) {
    test(`${fault}: ${error}`, async () => {
      const { error_description: description, ...rest } = await authorize(client.shop, { state: "s", ...changes });
      assert.deepEqual(rest, { mode, error, state: "s", iss: provider.issuer });
      assert.ok(description);
    });
  }

  test("of several scope values the user picks one", async () => {
    const asked = { scope: "openid military student", state: "s" };
    const picked = await alicesBrowser.submit(await alicesBrowser.open(client.shop.authorizeURL(asked)), { scope: "student" });
    const page = picked.location ? picked : await alicesBrowser.submit(picked, { action: "allow" });
    const { code, state } = response(page);
    assert.equal(state, "s");
    assert.equal((await client.shop.token({ code })).json.scope, "openid student");
    for (const scope of ["military student", "openid"]) {
      assert.equal((await authorize(client.shop, { scope, prompt: "none" })).error, "interaction_required");
    }
  });

  test("a repeated parameter is invalid_request", async () => {
    const { error } = response(await alicesBrowser.open(`${client.shop.authorizeURL()}&scope=military`));
    assert.equal(error, "invalid_request");
  });

  test("a client gets no scope and no response type that it is not registered for", async () => {
    assert.equal((await authorize(client.narrow, { scope: "student" })).error, "invalid_scope");
    const { mode, error } = await authorize(client.narrow, { response_type: "token" });
    assert.deepEqual([mode, error], ["fragment", "unsupported_response_type"]);
  });

  test("an unknown client and an unknown redirect URI never redirect", async () => {
    for (const changes of [
      { client_id: "nobody" }, { client_id: undefined }, { redirect_uri: undefined },
      { redirect_uri: "https://evil.test/cb" }, { redirect_uri: `${redirectURI}/` }, { redirect_uri: `${redirectURI}?x=1` },
    ]) {
      const page = await alicesBrowser.open(client.shop.authorizeURL(changes));
      assert.deepEqual([page.status, page.location, page.headers["content-type"]], [400, undefined, "text/html; charset=utf-8"]);
      assert.doesNotMatch(page.text, /evil\.test/);
    }
  });
});

describe("what the user decides", () => {
  for (const [type, mode] of [["code", "query"], ["code token", "fragment"]]) {
    test(`a denied consent is access_denied in the ${mode}`, async () => {
      const browser = await new Browser(provider.base).signIn(bob);
      const page = await browser.open(client.other.authorizeURL({ response_type: type, state: "s" }));
      const { error_description: _, ...rest } = response(await browser.submit(page, { action: "deny" }));
      assert.deepEqual(rest, { mode, error: "access_denied", state: "s", iss: provider.issuer });
    });
  }

  test("who is not verified gets no further where it is required", async () => {
    assert.ok(await codeFor(client.strict));
    const browser = await new Browser(provider.base).signIn(bob);
    const page = await browser.open(client.strict.authorizeURL());
    assert.doesNotMatch(page.text, /value="allow"/);
    assert.equal(response(await browser.submit(page, { action: "deny" })).error, "access_denied");
  });
});

describe("the token endpoint", () => {
  test("refuses a wrong secret, and the code survives it", async () => {
    const code = await codeFor(client.shop);
    assertError(await client.shop.token({ code, client_secret: "wrong" }), 401, "invalid_client");
    assertError(await client.shop.token({ code, client_secret: undefined }), 401, "invalid_client");
    assertError(await client.shop.token({ code, client_id: "nobody" }), 401, "invalid_client");
    assertError(await client.other.token({ code }), 400, "invalid_grant");
    assert.equal((await client.shop.token({ code })).status, 200);
  });

  test("accepts the credentials in a Basic header too", async () => {
    const { shop } = client;
    const code = await codeFor(shop);
    const answer = await send(`${provider.base}/oauth/token`, {
      method: "POST", headers: { Authorization: `Basic ${btoa(`${shop.clientID}:${shop.clientSecret}`)}` },
      form: { grant_type: "authorization_code", code, redirect_uri: redirectURI },
    });
    assert.equal(answer.status, 200);
  });

  test("ends everything that came of a code that is used twice", async () => {
    const code = await codeFor(client.shop);
    const { json: { access_token } } = await client.shop.token({ code });
    assert.equal((await client.shop.attributes({ access_token })).status, 200);
    assertError(await client.shop.token({ code }), 400, "invalid_grant");
    assertError(await client.shop.attributes({ access_token }), 401, "invalid_token");
  });

  for (const [fault, changes, code] of [
    ["no code", { code: undefined }, "invalid_request"],
    ["an unknown code", { code: "nonsense" }, "invalid_grant"],
    ["no redirect URI", { redirect_uri: undefined }, "invalid_request"],
    ["another redirect URI", { redirect_uri: "https://rp.test/other" }, "invalid_grant"],
    ["no grant type", { grant_type: undefined }, "invalid_request"],
    ["an unknown grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ]) {
    test(`${fault}: ${code}`, async () => {
      assertError(await client.shop.token({ code: await codeFor(client.shop), ...changes }), 400, code);
    });
  }

  test("does not refresh for a client without the grant", async () => {
    const { refresh_token } = await tokensFor(client.shop);
    assertError(await client.shop.token({ grant_type: "refresh_token", refresh_token, redirect_uri: undefined }), 400, "unsupported_grant_type");
  });

  test("refreshes for a client with the grant", async () => {
    const first = await tokensFor(client.patient, { scope: "openid military", eid: "e" });
    const { status, json } = await client.patient.token({ grant_type: "refresh_token", refresh_token: first.refresh_token, redirect_uri: undefined });
    assert.deepEqual([status, json.token_type, json.expires_in, json.scope], [200, "bearer", "300", "openid military"]);
    assert.match(json.refresh_expires_in, /^60(4800|4[67]\d\d)$/);
    assert.notEqual(json.refresh_token, first.refresh_token);
    assert.equal((await client.patient.verify(json.id_token)).eid, "e");
  });
});

describe("the data endpoints", () => {
  test("take the token from the query or the header, not from both", async () => {
    const { access_token } = await tokensFor(client.shop, { scope: "openid military" });
    const bearer = { Authorization: `Bearer ${access_token}` };
    for (const ask of ["userinfo", "attributes"]) {
      assert.equal((await client.shop[ask]({ access_token })).status, 200);
      assert.equal((await client.shop[ask]({}, bearer)).status, 200);
      assertError(await client.shop[ask]({ access_token }, bearer), 400, "invalid_request");
    }
  });

  test("ask for a token that is missing and refuse one that is unknown", async () => {
    for (const ask of ["userinfo", "attributes"]) {
      const missing = await client.shop[ask]();
      assert.deepEqual([missing.status, missing.headers["www-authenticate"]], [401, "Bearer"]);
      const unknown = await client.shop[ask]({ access_token: "nonsense" });
      assertError(unknown, 401, "invalid_token");
      assert.match(unknown.headers["www-authenticate"], /^Bearer error="invalid_token"/);
    }
  });

  test("wrap the answer for a callback", async () => {
    const { shop } = client;
    const { access_token } = await tokensFor(shop, { scope: "openid military" });
    for (const name of ["done", "app.on$_1.load"]) {
      const info = await shop.userinfo({ access_token, callback: name });
      assert.deepEqual([info.status, info.type, info.headers["x-content-type-options"]], [200, "text/javascript", "nosniff"]);
      assert.ok(info.text.startsWith(`/**/${name}(`));
      assert.equal((await shop.verify(callback(name, info.text))).sub, alice.uuid);
      const attributes = callback(name, (await shop.attributes({ access_token, callback: name })).text);
      assert.equal(index(attributes.attributes).email, alice.email);
      const refused = await shop.attributes({ access_token: "nonsense", callback: name });
      // Browsers run no script of another status.
      assert.deepEqual([refused.status, callback(name, refused.text).error], [200, "invalid_token"]);
    }
  });

  test("refuse a callback that is no function's name, and do not repeat it", async () => {
    const { access_token } = await tokensFor(client.shop, { scope: "openid military" });
    for (const name of ["", "alert(1)", "a-b", "a..b", "1a", "eval", "a.constructor", "a".repeat(65), "<script>"]) {
      for (const ask of ["userinfo", "attributes"]) {
        const answer = await client.shop[ask]({ access_token, callback: name });
        assertError(answer, 400, "invalid_request");
        assert.ok(name === "" || !answer.text.includes(name));
      }
    }
  });
});
