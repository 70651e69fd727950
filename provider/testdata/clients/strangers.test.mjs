// Programs that were written for other services with the v3 interface, each in the manner
// that it has been seen in.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import axios from "axios";
import OAuth2Strategy from "passport-oauth2";
import { Browser, alice, redirectURI, secret, send, start } from "./lab.mjs";

const clientID = "shop", clientSecret = secret(), afterwards = "https://rp.test/bye";
let provider, browser;

before(async () => {
  provider = await start([{
    client_id: clientID, dialect: "v3", client_secret: clientSecret, name: "Shop", redirect_uris: [redirectURI], post_logout_redirect_uris: [afterwards],
  }]);
  browser = await new Browser(provider.base).signIn(alice);
});
after(() => provider?.stop());

/** Opens the authorization page as somebody who allows it: where the answer goes. */
async function answer(query) {
  const { location } = await browser.allow(`${provider.base}/oauth/authorize?${new URLSearchParams({
    client_id: clientID, redirect_uri: redirectURI, response_type: "code", scope: "military", ...query,
  })}`);
  return location;
}
const codeFor = async (query) => new URL(await answer(query)).searchParams.get("code");

describe("a program of the v3 interface", () => {
  test("posts the token request with axios, as JSON, and greets by the first attribute", async () => {
    const { data: token } = await axios.post(`${provider.base}/oauth/token`, {
      client_id: clientID, client_secret: clientSecret, redirect_uri: redirectURI, code: await codeFor(), grant_type: "authorization_code",
    });
    const { data: payload } = await axios.get(`${provider.base}/api/public/v3/attributes.json`, { params: { access_token: token.access_token } });
    assert.equal(`Hello ${payload.attributes[0].value}`, "Hello Alice");
    assert.equal(payload.status[0].subgroups[0], "Veteran");
  });

  test("cuts the token out of the fragment by a pattern of word characters", async () => {
    for (let times = 0; times < 10; times++) {
      const [, token] = /access_token=(\w+)/.exec(await answer({ response_type: "token" }));
      const { data: payload } = await axios.get(`${provider.base}/api/public/v3/attributes?access_token=${token}`);
      assert.equal(payload.attributes.find((a) => a.handle === "email").value, alice.email);
    }
  });

  test("is a strategy of Passport", async () => {
    const strategy = new OAuth2Strategy({
      authorizationURL: `${provider.base}/oauth/authorize`, tokenURL: `${provider.base}/oauth/token`,
      clientID, clientSecret, callbackURL: redirectURI, scope: "military",
    }, (accessToken, refreshToken, profile, done) => done(null, profile, { refreshToken }));
    strategy.userProfile = function (accessToken, done) {
      this._oauth2.get(`${provider.base}/api/public/v3/attributes.json`, accessToken, (error, body) => {
        if (error) return done(error);
        const { attributes } = JSON.parse(body);
        return done(null, Object.fromEntries(attributes.map((a) => [a.handle, a.value])));
      });
    };
    /** What Passport does with a request. */
    const authenticate = (query) => new Promise((resolve, reject) => {
      const once = Object.create(strategy);
      Object.assign(once, { redirect: (url) => resolve({ url }), success: (user, info) => resolve({ user, info }), fail: resolve, error: reject });
      once.authenticate({ query, url: "/", headers: {}, session: {} }, {});
    });
    const { location } = await browser.allow((await authenticate({})).url);
    const { user, info } = await authenticate(Object.fromEntries(new URL(location).searchParams));
    assert.deepEqual([user.fname, user.lname, user.email], ["Alice", "Example", alice.email]);
    assert.ok(info.refreshToken);
    await assert.rejects(authenticate({ code: "stolen" }), /token/);
  });

  test("posts a form as .NET does, and takes the quotes off what userinfo says", async () => {
    const response = await send(`${provider.base}/oauth/token`, {
      method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8", Accept: "application/json", Expect: "100-continue" },
      form: { grant_type: "authorization_code", code: await codeFor({ scope: "openid military" }), redirect_uri: redirectURI, client_id: clientID, client_secret: clientSecret },
    });
    const token = JSON.parse(response.text);
    assert.equal(Number.parseInt(token.expires_in, 10), 300);
    const userinfo = await send(`${provider.base}/api/public/v3/userinfo.json?access_token=${token.access_token}`);
    const [, payload] = userinfo.text.replaceAll('"', "").split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url"));
    assert.deepEqual([claims.fname, claims.email], ["Alice", alice.email]);
  });

  test("lets the visitor pick a group", async () => {
    const start = new URLSearchParams({ scopes: "military,student", client_id: clientID, redirect_uri: redirectURI, response_type: "token" });
    const page = await browser.submit(await browser.open(`${provider.base}/groups?${start}`), { scope: "military" });
    const { location } = page.location ? page : await browser.submit(page, { action: "allow" });
    const [, token] = /access_token=(\w+)/.exec(location);
    const { data: payload } = await axios.get(`${provider.base}/api/public/v3/attributes.json`, { params: { access_token: token } });
    assert.deepEqual(payload.status.map((s) => [s.group, s.verified]), [["military", true]]);
  });

  test("sends who has signed out to its logout page", async () => {
    const visitor = await new Browser(provider.base).signIn(alice);
    let page = await visitor.open(`${provider.base}/oauth/logout?${new URLSearchParams({ client_id: clientID, redirect_uri: afterwards })}`);
    if (page.status === 200) page = await visitor.submit(page);
    assert.equal(page.location, afterwards);
    assert.match((await visitor.open(`${provider.base}/account`)).text, /name="password"/);
  });

  test("is answered nothing at an address that is not its own", async () => {
    const page = await browser.open(`${provider.base}/oauth/authorize?${new URLSearchParams({
      client_id: clientID, redirect_uri: "https://evil.test/cb", response_type: "token", scope: "military",
    })}`);
    assert.deepEqual([page.status, page.location], [400, undefined]);
  });
});
