import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  buttonTag, document, events, lab, link, put, putRedirectPage, queryOf, relayTag, span, visit,
} from "./lab.mjs";

/** Puts a page with this span, clicks it and returns the page, on the provider's screen. */
async function follow(t, options) {
  const page = await visit(t, put(span(options) + buttonTag()));
  await link(page).click();
  await page.waitForSelector("#allow");
  return page;
}

test("the four attributes of the contract start the flow, with nothing added but the language of the page", async (t) => {
  const redirect = putRedirectPage();
  const page = await follow(t, { redirect });
  assert.ok(page.url().startsWith(lab.provider.base + "/oauth/authorize?"));
  assert.deepEqual(queryOf(page.url()), {
    client_id: "client-1",
    redirect_uri: lab.site + redirect,
    response_type: "code",
    scope: "openid military",
    ui_locales: "en",
  });
  await page.click("#allow");
  await page.waitForURL(/page-/);
  assert.deepEqual(queryOf(page.url()), { code: "code-1", iss: lab.provider.base + "/oidc" });
});

test("every optional attribute reaches the authorization endpoint", async (t) => {
  const page = await follow(t, {
    redirect: putRedirectPage(),
    scopes: undefined,
    scope: "openid, military,responder",
    state: "state & more",
    nonce: "nonce-1",
    eid: "eid/1",
    op: "signup",
    codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    loginHint: "maria@example.com",
    prompt: "login",
    lang: "fr-CA",
  });
  const { redirect_uri: _, ...query } = queryOf(page.url());
  assert.deepEqual(query, {
    client_id: "client-1",
    response_type: "code",
    scope: "openid military responder",
    state: "state & more",
    nonce: "nonce-1",
    eid: "eid/1",
    op: "signup",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    login_hint: "maria@example.com",
    prompt: "login",
    ui_locales: "fr-CA",
  });
});

test("attributes are read at the click", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  await link(page).waitFor();
  await page.locator("#button").evaluate((span) => (span.dataset.scopes = "openid student"));
  await link(page).click();
  await page.waitForSelector("#allow");
  assert.equal(queryOf(page.url()).scope, "openid student");
});

test("a start address hands the flow to the site's server", async (t) => {
  const start = put(() => ({ status: 302, headers: { Location: lab.provider.base + "/oauth/authorize?response_type=code&state=of-the-server" } }));
  const page = await follow(t, { start: start + "?from=here" });
  assert.deepEqual(queryOf(page.url()), { response_type: "code", state: "of-the-server" });
});

test("a public client gets state, nonce and PKCE, and its verifier once", async (t) => {
  const redirect = put({ html: document(relayTag()) });
  const page = await follow(t, { redirect, pkce: "" });
  const query = queryOf(page.url());
  assert.match(query.state, /^[\w-]{43,128}$/);
  assert.match(query.nonce, /^[\w-]{43,128}$/);
  assert.notEqual(query.state, query.nonce);
  assert.equal(query.code_challenge_method, "S256");

  await page.click("#allow");
  await page.waitForURL(/page-/);
  const result = await page.evaluate(() => Bonafide.handleRedirect());
  assert.deepEqual(result, {
    code: "code-1",
    iss: lab.provider.base + "/oidc",
    state: query.state,
    nonce: query.nonce,
    code_verifier: result.code_verifier,
    redirect_uri: lab.site + redirect,
  });
  assert.match(result.code_verifier, /^[\w.~-]{43,128}$/);
  assert.equal(createHash("sha256").update(result.code_verifier).digest("base64url"), query.code_challenge);
  assert.equal(page.url(), lab.site + redirect, "the code stays in the address");
  assert.equal(await page.evaluate(() => Bonafide.handleRedirect()), undefined, "a second call hands it out again");
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test("two sign-ins never share state, nonce or challenge", async (t) => {
  const one = queryOf((await follow(t, { redirect: "/page-0", pkce: "" })).url());
  const other = queryOf((await follow(t, { redirect: "/page-0", pkce: "" })).url());
  for (const name of ["state", "nonce", "code_challenge"]) assert.notEqual(one[name], other[name], name);
});

test("a challenge of the server's is used, and no verifier made", async (t) => {
  const page = await follow(t, { redirect: put({ html: document(relayTag()) }), pkce: "", codeChallenge: "of-the-server" });
  assert.equal(queryOf(page.url()).code_challenge, "of-the-server");
  await page.click("#allow");
  await page.waitForURL(/page-/);
  const result = await page.evaluate(() => Bonafide.handleRedirect());
  assert.equal(result.code, "code-1");
  assert.equal(result.code_verifier, undefined);
});

for (const [response, answered] of [
  ["token", { access_token: "token-1" }],
  ["id_token", { id_token: "id-token-1" }],
  ["code id_token", { code: "code-1", id_token: "id-token-1" }],
  ["code token", { code: "code-1", access_token: "token-1" }],
  ["code id_token token", { code: "code-1", id_token: "id-token-1", access_token: "token-1" }],
])
  test(`response type ${response} is accepted with a warning and checked on the redirect page`, async (t) => {
    const redirect = put({ html: document(relayTag()) });
    const page = await follow(t, { redirect, response });
    const warned = page.consoleMessages.filter((message) => message.startsWith("warning: Bonafide: data-response"));
    assert.equal(warned.length, 1);
    const { response_type, state, nonce } = queryOf(page.url());
    assert.equal(response_type, response);
    await page.click("#allow");
    await page.waitForURL(/page-/);
    assert.deepEqual(await page.evaluate(() => Bonafide.handleRedirect()), {
      ...answered,
      iss: lab.provider.base + "/oidc",
      state,
      nonce,
      code_verifier: undefined,
      redirect_uri: lab.site + redirect,
    });
    assert.equal(page.url(), lab.site + redirect, "tokens stay in the address");
  });

test("response type code gives no warning", async (t) => {
  const page = await follow(t, { redirect: "/page-0" });
  assert.deepEqual(page.consoleMessages, []);
});

test("an error of the provider is handed over on the redirect page", async (t) => {
  const page = await follow(t, { redirect: put({ html: document(relayTag()) }), pkce: "" });
  await page.click("#deny");
  await page.waitForURL(/page-/);
  const { error, code } = await page.evaluate(() => Bonafide.handleRedirect());
  assert.deepEqual({ error, code }, { error: "access_denied", code: undefined });
});

test("a response that this tab did not ask for is none: login CSRF", async (t) => {
  const redirect = put({ html: document(relayTag()) });
  const page = await visit(t, `${redirect}?code=of-the-attacker&state=of-the-attacker&iss=${lab.provider.base}/oidc`);
  assert.equal(await page.evaluate(() => Bonafide.handleRedirect()), undefined);
});

test("a response of another issuer is none, and ends the flow: mix-up", async (t) => {
  const page = await follow(t, { redirect: put({ html: document(relayTag()) }), pkce: "", eid: "iss=https://evil.example" });
  await page.click("#allow");
  await page.waitForURL(/page-/);
  assert.equal(await page.evaluate(() => Bonafide.handleRedirect()), undefined);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test("parameters of the address cannot pose as the verifier or the redirect URI", async (t) => {
  const page = await follow(t, { redirect: put({ html: document(relayTag()) }), pkce: "", codeChallenge: "of-the-server" });
  const allowed = await page.getAttribute("#allow", "href");
  await page.goto(allowed + "&redirect_uri=https://evil.example&nonce=evil&code_verifier=evil");
  const { redirect_uri, nonce, code_verifier } = await page.evaluate(() => Bonafide.handleRedirect());
  assert.ok(redirect_uri.startsWith(lab.site));
  assert.notEqual(nonce, "evil");
  assert.equal(code_verifier, undefined);
});

test("the start event can be prevented", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  await page.evaluate(() => addEventListener("bonafide:start", (event) => event.preventDefault()));
  const before = page.url();
  await link(page).click();
  assert.deepEqual(await events(page), [["start", null, "button"]]);
  assert.equal(page.url(), before);
});

test("a double click starts once", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  await page.evaluate(() => addEventListener("bonafide:start", (event) => event.preventDefault()));
  await link(page).dblclick();
  assert.equal((await events(page)).length, 1);
});

test("the keyboard alone is enough", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  await link(page).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#allow");
});

test("what needs a secret of this tab opens this page in a new one", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0", pkce: "" }) + buttonTag()));
  await link(page).waitFor();
  assert.equal(await link(page).getAttribute("href"), page.url());
});

test("a page in a frame takes the whole window along", async (t) => {
  const inner = put(span({ redirect: "/page-0" }) + buttonTag());
  const page = await visit(t, put(`<iframe src="${inner}"></iframe>`));
  await page.frameLocator("iframe").locator("#button a").click();
  await page.waitForURL(/oauth\/authorize/);
});

test("coming back with the back button, the button works again", async (t) => {
  const page = await follow(t, { redirect: "/page-0" });
  await page.goBack();
  await link(page).click();
  await page.waitForSelector("#allow");
});
