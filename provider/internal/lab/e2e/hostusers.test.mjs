// A host that keeps its own users, in two browsers: whatever an application asks for,
// nobody is sent round.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { hasFirefox, startHostusers, startInstalled } from "./lab.mjs";

let host;
before(async () => { host = await startHostusers(); });

// RFC 7636 appendix B
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

function request(more = {}) {
  const query = new URLSearchParams({
    client_id: "hut", redirect_uri: host.redirectURI, response_type: "code", scope: "openid membership", state: "s",
    code_challenge: challenge, code_challenge_method: "S256", ...more,
  });
  return `${host.site}/id/oauth/authorize?${query}`;
}

for (const name of ["chrome", "firefox"]) {
  describe(name, { skip: name === "firefox" && !hasFirefox }, () => {
    let browser;
    before(async () => { browser = await startInstalled(name); });

    const path = (page) => new URL(page.url()).pathname;

    /** Presses a button that leads to another page, once it can be pressed. */
    async function press(page, selector) {
      await page.waitForSelector(`${selector}:not([aria-disabled=true])`);
      await Promise.all([page.waitForNavigation(), page.click(selector)]);
    }

    async function signIn(page, { email, password } = host.ada) {
      await page.$eval("[name=email]", (field) => { field.value = ""; });
      await page.type("[name=email]", email);
      await page.type("[name=password]", password);
      await press(page, "main button");
      if (path(page) === "/id/oauth/consent") await press(page, "button[value=allow]");
    }

    /** A visitor in a window of their own, who has signed in and allowed the hut its scope. */
    async function visitor(who = host.ada) {
      const page = await (await browser.createBrowserContext()).newPage();
      await page.goto(request());
      assert.equal(path(page), "/login");
      await signIn(page, who);
      page.hint = await host.redeem(host.answers.pop().get("code"), verifier);
      return page;
    }

    /** Opens a request as who is signed in: the host asks for the password, once. */
    async function asksOnce(page, more, who = host.ada) {
      host.answers.length = 0;
      await page.goto(request(more)); // fails when redirects do not end
      assert.equal(path(page), "/login", `${JSON.stringify(more)} leads to ${page.url()}`);
      assert.match(await page.$eval("main", (main) => main.innerText), /once more/);
      await signIn(page, who);
      assert.equal(path(page), "/cb");
      assert.ok(host.answers.pop().get("code"), `${JSON.stringify(more)} is answered with a code`);
    }

    for (const more of [{ prompt: "create" }, { op: "signin" }, { op: "signup" }, { prompt: "login" }, { max_age: "0" }, { prompt: "login consent" }]) {
      test(`${JSON.stringify(more)} asks for the password once`, async () => {
        const page = await visitor();
        await asksOnce(page, more);
        await page.browserContext().close();
      });
    }

    test("a sign-in page that is left twice without signing in ends the request", async () => {
      const page = await visitor();
      await page.goto(request({ prompt: "login" }));
      for (let visit = 1; visit <= 2; visit++) {
        assert.equal(path(page), "/login");
        await page.goto(new URL(page.url()).searchParams.get("return_to"));
      }
      assert.equal(path(page), "/cb");
      assert.equal(host.answers.pop().get("error"), "login_required");
      await page.browserContext().close();
    });

    test("a hint of another member lets that one sign in, and no other", async () => {
      const grace = await visitor(host.grace), page = await visitor();
      await asksOnce(page, { id_token_hint: grace.hint }, host.grace);
      await page.goto(request({ id_token_hint: page.hint }));
      await signIn(page, host.grace);
      assert.equal(path(page), "/cb");
      assert.equal(host.answers.pop().get("error"), "login_required");
      await page.goto(request({ id_token_hint: grace.hint }));
      assert.ok(host.answers.pop().get("code"), "a hint of who is signed in changes nothing");
      await grace.browserContext().close();
      await page.browserContext().close();
    });

    test("a session is enough where nothing more is asked for", async () => {
      const page = await visitor();
      await page.goto(request());
      assert.equal(path(page), "/cb");
      assert.ok(host.answers.pop().get("code"));
      await page.goto(request({ prompt: "none" }));
      assert.ok(host.answers.pop().get("code"));
      await page.browserContext().close();
    });

    test("the account page leads to the sign-in page and back", async () => {
      const page = await (await browser.createBrowserContext()).newPage();
      await page.goto(`${host.site}/id/account`);
      assert.equal(path(page), "/login");
      await signIn(page);
      assert.equal(path(page), "/id/account");
      await page.browserContext().close();
    });
  });
}
