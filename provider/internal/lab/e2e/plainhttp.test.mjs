// The forms of a sandbox at a host that is not loopback, where a browser sends no Sec-Fetch-Site.
import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import { arrive, enterPassword, person } from "./factors.mjs";
import { newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

const maria = person("maria");
let provider, browser, page;

before(async () => {
  await startQuickstart((port) => {
    provider = `http://idp.test:${port}/sandbox`;
    return {
      sandbox: {
        base_url: provider, insecure_http: true, device_authorization: { on: true },
        clients: [{ client_id: "shop", client_secret: "correct-horse-battery-staple-0123456789", dialect: "standard", redirect_uris: [`http://idp.test:${port}/cb`] }],
        users: [{ ...maria, email_verified: true, attributes: { fname: "Maria" }, status: [{ group: "military", subgroups: ["Veteran"], verified: true }] }],
      },
    };
  });
  browser = await startChromium("--host-resolver-rules=MAP idp.test 127.0.0.1");
});

afterEach(() => page.context().close());

/** Opens a page, fills in its form, and returns the status that the form is answered with. */
async function post(path, fields) {
  await page.goto(provider + path);
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
  const [answer] = await Promise.all([
    page.waitForResponse((r) => r.request().method() === "POST"), page.locator("main form[method=post] button[type=submit]").first().click(),
  ]);
  const headers = await answer.request().allHeaders();
  assert.deepEqual([headers.origin, headers["sec-fetch-site"]], [new URL(provider).origin, undefined]);
  return answer.status();
}

test("somebody signs in to an application, and out", async () => {
  page = await newWindow(browser);
  const redirectURI = `${new URL(provider).origin}/cb`;
  await page.goto(`${provider}/oauth/authorize?${new URLSearchParams({ client_id: "shop", redirect_uri: redirectURI, response_type: "code", scope: "openid email" })}`);
  await enterPassword(page, maria);
  await press(page, "Allow");
  await page.waitForURL(`${redirectURI}?code=*`);
  assert.equal(await post("/signout", {}), 200);
});

test("every form is taken", async () => {
  page = await newWindow(browser);
  assert.equal(await post("/signin", { email: maria.email, password: "marble-canyon-violin-78" }), 401);
  assert.equal(await post("/reset", { email: maria.email }), 303);
  assert.notEqual(await post("/signup", { email: "new@example.com" }), 403);
  await page.goto(`${provider}/device`);
  await enterPassword(page, maria);
  await arrive(page, "/sandbox/device");
  assert.notEqual(await post("/device", { user_code: "BCDFGHJK" }), 403);
  assert.notEqual(await post("/account/email", { email: "other@example.com" }), 403);
});
