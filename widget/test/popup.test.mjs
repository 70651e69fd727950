import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  answer, buttonTag, document, eventOf, events, lab, link, openPopup, put, putRedirectPage, queryOf, relayTag, span, visit,
} from "./lab.mjs";

/** Opens a page with one popup button. */
function visitButton(t, options, { headers, ...visiting } = {}) {
  const body = span({ display: "popup", ...options }) + buttonTag();
  return visit(t, put({ headers, html: document(body) }), visiting);
}

const stay = () => addEventListener("bonafide:success", (event) => event.preventDefault());

test("a page that handles no event goes to the redirect URI with the parameters", async (t) => {
  const redirect = putRedirectPage();
  const page = await visitButton(t, { redirect, state: "of-the-server" });
  const popup = await openPopup(page);
  assert.deepEqual(queryOf(popup.url()), {
    client_id: "client-1",
    redirect_uri: lab.site + redirect,
    response_type: "code",
    scope: "openid military",
    state: "of-the-server",
    ui_locales: "en",
    display: "popup",
  });
  await answer(popup);
  await page.waitForURL(lab.site + redirect + "?*");
  assert.deepEqual(queryOf(page.url()), { code: "code-1", iss: lab.provider.base + "/oidc", state: "of-the-server" });
});

test("a page that prevents success stays, and gets what a public client needs", async (t) => {
  const redirect = putRedirectPage();
  const page = await visitButton(t, { redirect, pkce: "" }, { init: stay });
  const popup = await openPopup(page);
  const query = queryOf(popup.url());
  await answer(popup);
  const result = await eventOf(page, "success");
  assert.equal(result.code, "code-1");
  assert.equal(result.state, query.state);
  assert.equal(result.nonce, query.nonce);
  assert.equal(result.redirect_uri, lab.site + redirect);
  assert.equal(createHash("sha256").update(result.code_verifier).digest("base64url"), query.code_challenge);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0, "the verifier stays behind");
  assert.ok(!page.url().includes("code"));
});

test("after the default action the redirect page finishes a public client's flow", async (t) => {
  const redirect = put({ html: document(relayTag()) });
  const page = await visitButton(t, { redirect, pkce: "" });
  await answer(await openPopup(page));
  await page.waitForURL(lab.site + redirect + "?*");
  const result = await page.evaluate(() => Bonafide.handleRedirect());
  assert.equal(result.code, "code-1");
  assert.ok(result.code_verifier);
});

test("tokens come back through the fragment", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage(), response: "code id_token token" }, { init: stay });
  await answer(await openPopup(page));
  const { code, id_token, access_token } = await eventOf(page, "success");
  assert.deepEqual({ code, id_token, access_token }, { code: "code-1", id_token: "id-token-1", access_token: "token-1" });
});

test("a callback gets the result in place of the default action", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage(), callback: "app.session.begin" });
  await page.evaluate(() => {
    window.app = { session: { begin(result) { this.result = result; } } };
  });
  const before = page.url();
  await answer(await openPopup(page));
  await page.waitForFunction(() => app.session.result);
  assert.equal((await page.evaluate(() => app.session.result)).code, "code-1");
  assert.equal(page.url(), before);
});

test("signIn resolves with the result and goes nowhere", async (t) => {
  const redirect = putRedirectPage();
  const page = await visit(t, put(`<button id="own">Own button</button>${buttonTag()}`));
  await page.evaluate((redirect) => {
    own.onclick = () =>
      Bonafide.signIn({ clientId: "client-1", redirect, scopes: "openid", display: "popup", pkce: true }).then((result) => (window.result = result));
  }, lab.site + redirect);
  const opened = page.context().waitForEvent("page");
  await page.click("#own");
  const popup = await opened;
  await popup.waitForSelector("#allow");
  await answer(popup);
  await page.waitForFunction(() => window.result);
  assert.equal((await page.evaluate(() => result)).code, "code-1");
});

test("signIn takes a span", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() });
  await page.evaluate(() => (document.onkeydown = () => Bonafide.signIn(button).then((result) => (window.result = result))));
  const opened = page.context().waitForEvent("page");
  await page.keyboard.press("a");
  const popup = await opened;
  await popup.waitForSelector("#allow");
  await answer(popup);
  await page.waitForFunction(() => window.result?.code);
});

test("a visitor who denies cancels", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() });
  await answer(await openPopup(page), "deny");
  assert.deepEqual(await eventOf(page, "cancel"), { error: "access_denied", error_description: "The visitor said no." });
  assert.equal(await page.locator("#button output").textContent(), "Try again");
  assert.equal(await link(page).getAttribute("aria-busy"), "false");
});

test("the console says so when the redirect page lacks callback.js", async (t) => {
  const redirect = put(document("Signed in."));
  const page = await visitButton(t, { redirect });
  const popup = await openPopup(page);
  const told = page.waitForEvent("console", (message) => message.text().includes("callback.js"));
  await popup.click("#allow");
  assert.equal((await told).text(), "Bonafide: no callback.js");
  assert.equal(page.consoleMessages.filter((message) => message.includes("callback.js")).length, 1);
});

test("the console says nothing of callback.js to a visitor who takes time", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() });
  const popup = await openPopup(page);
  await page.waitForTimeout(3500);
  await answer(popup);
  await page.waitForURL(/code=/);
  assert.deepEqual(page.consoleMessages.filter((message) => message.includes("callback.js")), []);
});

test("a response of another issuer is an error: mix-up", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage(), eid: "iss=https://evil.example" });
  await answer(await openPopup(page));
  assert.deepEqual(await eventOf(page, "error"), { error: "invalid_issuer" });
  assert.ok(!(await events(page)).some(([name]) => name == "success"));
});

// With the provider's policy absent, as its screens for popups are served, the
// handle on the window survives until the redirect page; with same-origin it is
// lost at once. Either way the result must arrive, once, and the popup close.
for (const provider of [undefined, "same-origin"])
  for (const site of [undefined, "same-origin-allow-popups", "same-origin"])
    for (const redirect of [undefined, "same-origin-allow-popups", "same-origin"])
      test(`the result arrives with opener policies: page ${site}, provider ${provider}, redirect page ${redirect}`, async (t) => {
        const page = await visitButton(
          t,
          { redirect: putRedirectPage({ coop: redirect }), eid: provider && "coop=" + provider },
          { headers: site && { "Cross-Origin-Opener-Policy": site }, init: stay },
        );
        await answer(await openPopup(page));
        assert.equal((await eventOf(page, "success")).code, "code-1");
        await page.waitForTimeout(100);
        assert.deepEqual((await events(page)).map(([name]) => name), ["start", "success"]);
      });

test("a page in a frame of another site gets its result, though storage is partitioned", async (t) => {
  const redirect = putRedirectPage();
  const inner = put(span({ display: "popup", redirect }) + buttonTag());
  const page = await visit(t, put(`<iframe src="${lab.site}${inner}"></iframe>`), {
    origin: lab.evil,
    init: () => {
      addEventListener("bonafide:success", (event) => event.preventDefault());
      // Playwright switches partitioning off: this is what a frame sees of it.
      if (top != self)
        window.BroadcastChannel = class extends BroadcastChannel {
          constructor(name) {
            super("partition of the frame: " + name);
          }
        };
    },
  });
  const opened = page.context().waitForEvent("page");
  const frame = page.frames()[1];
  await frame.click("#button a");
  const popup = await opened;
  await popup.waitForSelector("#allow");
  await answer(popup);
  await frame.waitForFunction(() => events.some(([name, detail]) => name == "success" && detail.code == "code-1"));
});

for (const [what, handedOut] of [["a closed window", { closed: true }], ["nothing", null]])
  test(`a blocker that hands out ${what} falls back to the redirect`, async (t) => {
    const page = await visitButton(t, { redirect: "/page-0" });
    await page.evaluate((it) => (window.open = () => it), handedOut);
    await link(page).click();
    await page.waitForURL(/oauth\/authorize/);
  });

test("a touch screen gets the redirect", async (t) => {
  const page = await visitButton(t, { redirect: "/page-0" }, { context: { isMobile: true, hasTouch: true, viewport: { width: 400, height: 800 } } });
  await link(page).tap();
  await page.waitForURL(/oauth\/authorize/);
});

test("a redirect URI of another origin gets the redirect: no page there could report", async (t) => {
  const page = await visitButton(t, { redirect: "/page-0" }, { origin: lab.evil });
  await link(page).click();
  await page.waitForURL(/oauth\/authorize/);
});

test("a popup closed by the visitor cancels once, and the button works again", async (t) => {
  const redirect = putRedirectPage();
  const page = await visitButton(t, { redirect }, { init: stay });
  const popup = await openPopup(page);
  await page.waitForTimeout(600);
  await popup.close();
  assert.deepEqual(await eventOf(page, "cancel"), { error: "popup_closed" });
  assert.equal(await link(page).getAttribute("aria-disabled"), "false");
  await answer(await openPopup(page));
  await eventOf(page, "success");
  assert.deepEqual((await events(page)).map(([name]) => name), ["start", "cancel", "start", "success"]);
});

test("a window that only looks closed is not given up", async (t) => {
  const page = await visitButton(
    t,
    { redirect: putRedirectPage() },
    { headers: { "Cross-Origin-Opener-Policy": "same-origin" }, init: stay },
  );
  const popup = await openPopup(page);
  // The tests' browser lets every page believe that it has the focus, which is
  // the harder case: a visitor who looks at the page while the popup is open.
  await page.waitForFunction(() => button.shadowRoot.querySelector("a").ariaBusy == "false");
  assert.deepEqual((await events(page)).map(([name]) => name), ["start"]);
  await answer(popup);
  assert.equal((await eventOf(page, "success")).code, "code-1");
});

test("a window that only looks closed can be replaced, and its result no longer counts", async (t) => {
  const page = await visitButton(
    t,
    { redirect: putRedirectPage() },
    { headers: { "Cross-Origin-Opener-Policy": "same-origin" }, init: stay },
  );
  const lost = await openPopup(page);
  await page.waitForTimeout(600);
  const popup = await openPopup(page);
  await eventOf(page, "cancel");
  assert.equal(await link(page).getAttribute("aria-busy"), "true", "the old flow's end shows on the new one");
  await lost.click("#allow");
  await lost.waitForURL(/page-/);
  assert.ok(!lost.isClosed());
  await answer(popup);
  await eventOf(page, "success");
  assert.deepEqual((await events(page)).map(([name]) => name), ["start", "start", "cancel", "success"]);
});

test("a double click opens one popup", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() });
  const opened = page.context().waitForEvent("page");
  await link(page).dblclick();
  await (await opened).waitForSelector("#allow");
  assert.equal(page.context().pages().length, 2);
  assert.deepEqual((await events(page)).map(([name]) => name), ["start"]);
});

test("a second click brings the popup to the front", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() });
  await page.evaluate(() => {
    window.focused = 0;
    const open = window.open;
    window.open = (...given) =>
      new Proxy(open(...given), {
        get(popup, name) {
          if (name == "focus") return () => focused++;
          return popup[name];
        },
      });
  });
  await openPopup(page);
  await link(page).click({ force: true });
  assert.equal(await page.evaluate(() => focused), 1);
  assert.equal(page.context().pages().length, 2);
  assert.deepEqual((await events(page)).map(([name]) => name), ["start"]);
  await page.evaluate(() => Bonafide.signIn(button).catch((error) => (window.rejected = error.error)));
  assert.equal(await page.evaluate(() => rejected), "in_progress");
});

test("while it waits the button says so to assistive technology", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() }, { init: stay });
  const popup = await openPopup(page);
  assert.equal(await link(page).getAttribute("aria-busy"), "true");
  assert.equal(await link(page).getAttribute("aria-disabled"), "true");
  const status = page.locator("#button").getByRole("status");
  assert.equal(await status.textContent(), "Continue in the window");
  await answer(popup);
  await eventOf(page, "success");
  assert.equal(await status.textContent(), "");
  assert.equal(await link(page).getAttribute("aria-busy"), "false");
});

test("a second button takes the place of the first, whose window closes", async (t) => {
  const redirect = putRedirectPage();
  const spans = ["first", "second"].map((id) => span({ id, redirect, display: "popup", eid: id })).join("");
  const page = await visit(t, put(spans + buttonTag()), { init: stay });
  const first = await openPopup(page, "first");
  const closed = first.waitForEvent("close");
  const second = await openPopup(page, "second");
  await closed;
  const { state } = queryOf(second.url());
  await answer(second);
  await page.waitForFunction(() => events.some(([name]) => name == "success"));
  const ended = (await events(page)).filter(([name]) => name != "start" && name != "ready").map(([name, detail, id]) => [name, detail.state, id]);
  assert.deepEqual(ended, [["cancel", undefined, "first"], ["success", state, "second"]]);
});

test("a redirect page whose server has used the code says where to go", async (t) => {
  const welcome = put("Welcome");
  const redirect = putRedirectPage({ relay: `data-next="${welcome}"` });
  const page = await visitButton(t, { redirect });
  await answer(await openPopup(page));
  await page.waitForURL(lab.site + welcome);
});

test("a flow that the server begins ends where its redirect page says", async (t) => {
  const welcome = put("Welcome");
  const redirect = putRedirectPage({ relay: `data-next="${welcome}"` });
  const start = put((request) => {
    const { searchParams } = new URL(request.url, lab.site);
    const query = new URLSearchParams({
      response_type: "code", state: "of-the-server", redirect_uri: lab.site + redirect, display: searchParams.get("display"),
    });
    return { status: 302, headers: { Location: `${lab.provider.base}/oauth/authorize?${query}` } };
  });
  const page = await visitButton(t, { start });
  const popup = await openPopup(page);
  assert.equal(queryOf(popup.url()).display, "popup");
  await answer(popup);
  await page.waitForURL(lab.site + welcome);
});

test("a provider that is down leaves a popup that the visitor closes", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() });
  await page.context().route("**/oauth/authorize*", (route) => route.abort("connectionrefused"));
  const opened = page.context().waitForEvent("page");
  await link(page).click();
  const popup = await opened;
  await page.waitForTimeout(1000);
  await popup.close();
  assert.deepEqual(await eventOf(page, "cancel"), { error: "popup_closed" });
});

test("a flow that is over leaves no timer, listener or channel behind", async (t) => {
  const count = () => {
    window.live = 0;
    const { setInterval, clearInterval, addEventListener, removeEventListener } = window;
    window.setInterval = (...given) => (live++, setInterval(...given));
    window.clearInterval = (...given) => (live--, clearInterval(...given));
    window.addEventListener = (...given) => (given[0] == "message" && live++, addEventListener(...given));
    window.removeEventListener = (...given) => (given[0] == "message" && live--, removeEventListener(...given));
    window.BroadcastChannel = class extends BroadcastChannel {
      constructor(name) {
        super(name);
        live++;
      }
      close() {
        live--;
        super.close();
      }
    };
    addEventListener("bonafide:success", (event) => event.preventDefault());
  };
  const page = await visitButton(t, { redirect: putRedirectPage() }, { init: count });
  await answer(await openPopup(page));
  await eventOf(page, "success");
  assert.equal(await page.evaluate(() => live), 0);
  const popup = await openPopup(page);
  assert.equal(await page.evaluate(() => live), 3);
  await page.waitForTimeout(600);
  await popup.close();
  await eventOf(page, "cancel");
  assert.equal(await page.evaluate(() => live), 0);
});

test("functions and events have the provider's own name as well", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() }, {
    init: () => {
      window.heard = [];
      for (const name of ["exampleid:ready", "bonafide:ready", "exampleid:start", "bonafide:start", "exampleid:success", "bonafide:success"])
        addEventListener(name, (event) => heard.push([name, event.target.id]));
      addEventListener("exampleid:success", (event) => event.preventDefault());
    },
  });
  assert.ok(await page.evaluate(() => ExampleID.signIn == Bonafide.signIn && ExampleID.scan == Bonafide.scan));
  await answer(await openPopup(page));
  await page.waitForFunction(() => heard.length == 6);
  assert.deepEqual(await page.evaluate(() => heard), [
    ["exampleid:ready", "button"], ["bonafide:ready", "button"], ["exampleid:start", "button"], ["bonafide:start", "button"],
    ["exampleid:success", "button"], ["bonafide:success", "button"],
  ]);
  await page.waitForTimeout(200);
  assert.ok(!page.url().includes("code"), "to prevent the one prevents the other");
});

test("a provider's own name takes nothing from the page", async (t) => {
  const page = await visitButton(t, { redirect: putRedirectPage() }, { init: () => { window.ExampleID = { ours: 1 }; } });
  await link(page).waitFor();
  assert.deepEqual(await page.evaluate(() => [ExampleID.ours, typeof ExampleID.signIn]), [1, "function"]);
});

test("a second copy of the script tells each event once under each name", async (t) => {
  const page = await visit(t, put(document(span({ redirect: putRedirectPage(), display: "popup" }) + buttonTag() + buttonTag())), {
    init: () => { window.heard = []; addEventListener("exampleid:start", (event) => { heard.push(1); event.preventDefault(); }); },
  });
  await link(page).click();
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => heard.length), 1);
});

test("the redirect page has the provider's own name", async (t) => {
  const page = await visit(t, put(document(relayTag())));
  assert.equal(await page.evaluate(() => ExampleID.handleRedirect == Bonafide.handleRedirect), true);
});
