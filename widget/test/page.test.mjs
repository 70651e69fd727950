import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer, buttonTag, document, eventOf, events, lab, link, openPopup, put, putRedirectPage, queryOf, relayTag, span, visit,
} from "./lab.mjs";

/** The strictest policy under which a page can load the script at all. */
const strict = () => ({
  "Content-Security-Policy":
    `default-src 'none'; script-src ${new URL(lab.provider.base).origin}; style-src 'none'; base-uri 'none'; ` +
    `require-trusted-types-for 'script'; trusted-types 'none'`,
});

const watchPolicy = () => {
  window.violations = [];
  addEventListener("securitypolicyviolation", ({ violatedDirective, sample }) => violations.push(violatedDirective + " " + sample));
};

for (const display of ["redirect", "popup"])
  test(`a page with a strict policy and Trusted Types signs in by ${display}`, async (t) => {
    const redirect = put({ headers: strict(), html: document(relayTag()) });
    const html = document(span({ redirect, display, pkce: "" }) + buttonTag());
    const page = await visit(t, put({ headers: strict(), html }), { init: watchPolicy });
    const background = await link(page).evaluate((link) => getComputedStyle(link).backgroundColor);
    assert.equal(background, "rgb(91, 42, 134)", "the button has no style");
    assert.equal(await link(page).evaluate((link) => getComputedStyle(link, "::before").clipPath.slice(0, 5)), "path(");
    if (display == "popup") {
      const popup = await openPopup(page);
      assert.deepEqual(await page.evaluate(() => violations), []);
      await answer(popup);
    } else {
      assert.deepEqual(await page.evaluate(() => violations), []);
      await link(page).click();
      await page.click("#allow");
    }
    await page.waitForURL(lab.site + redirect + "?*");
    assert.equal((await page.evaluate(() => Bonafide.handleRedirect())).code, "code-1");
    assert.deepEqual(await page.evaluate(() => violations), []);
    assert.deepEqual(page.consoleMessages.filter((message) => message.startsWith("error")), []);
  });

test("a button of another provider is left alone", async (t) => {
  const of = (address) => span({ redirect: "/page-0", provider: address }, `<a href="#">Sign in</a>`);
  const page = await visit(t, put(document(["https://other.example/", lab.provider.base + "/"].map(of).join("") + buttonTag())));
  await link(page).waitFor();
  assert.deepEqual(await page.locator("span[data-provider]").evaluateAll((all) => all.map((one) => !!one.shadowRoot)), [false, true]);
});

test("the immutable address loads with its integrity", async (t) => {
  const { ImmutableURL, Integrity } = lab.provider.script;
  const tag = `<script src="${ImmutableURL}" integrity="${Integrity}" crossorigin="anonymous" async></script>`;
  const page = await visit(t, put(span({ redirect: "/page-0" }) + tag));
  await link(page).click();
  await page.waitForURL(lab.provider.base + "/oauth/authorize?*");
});

test("a script that is not the one of the integrity value does not run", async (t) => {
  const { URL: url } = lab.provider.script;
  const tag = `<script src="${url}" integrity="${lab.provider.relay.Integrity}" crossorigin="anonymous"></script>`;
  const page = await visit(t, put(span({ redirect: "/page-0" }, `<a href="#">Sign in</a>`) + tag));
  assert.equal(await page.evaluate(() => window.Bonafide), undefined);
  assert.ok(await page.getByRole("link", { name: "Sign in" }).isVisible());
});

test("a cross-origin isolated page can load the scripts", async (t) => {
  const page = await visit(
    t,
    put({
      headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
      html: document(span({ redirect: "/page-0" }) + buttonTag()),
    }),
  );
  await link(page).waitFor();
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
});

test("any number of spans become buttons, whenever they come", async (t) => {
  const page = await visit(t, put(span({ id: "first", redirect: "/page-0" }) + `<div id="app"></div>` + buttonTag()));
  await link(page, "first").waitFor();
  await page.evaluate((html) => {
    app.innerHTML = `<p>${html}</p>`;
    const late = document.createElement("span");
    Object.assign(late, { id: "third" });
    Object.assign(late.dataset, { clientId: "client-3", redirect: location.origin });
    app.append(late);
  }, span({ id: "second", redirect: "/page-0" }));
  await link(page, "second").waitFor();
  await link(page, "third").click();
  await page.waitForSelector("#allow");
  assert.equal(queryOf(page.url()).client_id, "client-3");
});

test("a span inside a shadow tree waits for scan", async (t) => {
  const page = await visit(t, put(`<div id="host"></div>` + buttonTag()));
  await page.waitForFunction(() => window.Bonafide);
  await page.evaluate((html) => {
    const root = host.attachShadow({ mode: "open" });
    root.innerHTML = html;
    Bonafide.scan(root);
  }, span({ redirect: "/page-0" }));
  await page.locator("#host #button a").click();
  await page.waitForSelector("#allow");
});

test("scanning again makes nothing twice and brings the label up to date", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  await link(page).waitFor();
  await page.evaluate(() => {
    button.dataset.text = "Join us";
    Bonafide.scan(document);
    Bonafide.scan(document);
  });
  assert.equal(await link(page).count(), 1);
  assert.equal(await link(page).textContent(), "Join us");
  assert.equal(await page.evaluate(() => window.events.filter(([name]) => name == "ready").length), 1);
});

test("two copies of the script make one button", async (t) => {
  const page = await visit(t, put(span({ redirect: putRedirectPage(), display: "popup" }) + buttonTag() + `<script src="${lab.provider.script.ImmutableURL}"></script>`));
  await link(page).waitFor();
  await page.waitForLoadState("load");
  await openPopup(page);
  assert.deepEqual(await page.evaluate(() => window.events.map(([name]) => name)), ["ready", "start"]);
});

test("a script added by a script knows its address", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" })));
  await page.evaluate((src) => document.head.append(Object.assign(document.createElement("script"), { src })), lab.provider.script.URL);
  await link(page).click();
  await page.waitForURL(lab.provider.base + "/oauth/authorize?*");
});

test("the npm package works with init", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" })));
  await page.addScriptTag({ path: new URL("../dist/v1.js", import.meta.url).pathname });
  await page.evaluate((baseURL) => Bonafide.init({ baseURL, name: "Bundled", color: "#003300", labelColor: "#ffffff" }), lab.provider.base);
  assert.equal(await link(page).textContent(), "Verify with Bundled");
  await link(page).click();
  await page.waitForURL(lab.provider.base + "/oauth/authorize?*");
});

test("ready bubbles out of the span when it has become a button", async (t) => {
  const page = await visit(t, put(span({ id: "one", redirect: "/page-0" }) + buttonTag()));
  await link(page, "one").waitFor();
  assert.deepEqual(await page.evaluate(() => window.events), [["ready", null, "one"]]);
});

test("without JavaScript the link inside the span works", async (t) => {
  const href = lab.provider.base + "/oauth/authorize?client_id=client-1&amp;response_type=code";
  const page = await visit(t, put(span({ redirect: "/page-0" }, `<a href="${href}">Verify with Example ID</a>`) + buttonTag()), {
    context: { javaScriptEnabled: false },
  });
  await page.getByRole("link", { name: "Verify with Example ID" }).click();
  await page.waitForSelector("#allow");
});

test("with JavaScript the link inside the span is replaced", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }, `<a href="#">Without JavaScript</a>`) + buttonTag()));
  await link(page).waitFor();
  assert.ok(!(await page.getByText("Without JavaScript").isVisible()));
});

test("while the provider is down the link inside the span stays", async (t) => {
  const context = await lab.browser.newContext();
  t.after(() => context.close());
  await context.route(lab.provider.script.URL, (route) => route.abort("connectionrefused"));
  const page = await context.newPage();
  await page.goto(lab.site + put(span({ redirect: "/page-0" }, `<a href="#">Sign in</a>`) + buttonTag()));
  assert.ok(await page.getByRole("link", { name: "Sign in" }).isVisible());
});

test("in a browser without constructable style sheets the link inside the span stays", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }, `<a href="#">Sign in</a>`) + buttonTag()), {
    init: () => delete window.CSSStyleSheet,
  });
  await page.waitForFunction(() => window.Bonafide);
  assert.ok(await page.getByRole("link", { name: "Sign in" }).isVisible());
});

for (const [name, options, attribute] of [
  ["no client", { clientId: undefined, redirect: "/page-0" }, undefined],
  ["an empty client", { clientId: "", redirect: "/page-0" }, "data-client-id"],
  ["no redirect", {}, "data-redirect"],
  ["an unknown response type", { redirect: "/page-0", response: "code;token" }, "data-response"],
])
  test(`a span with ${name} is left alone${attribute ? ", and the console names " + attribute : ""}`, async (t) => {
    const page = await visit(t, put(span(options, `<a href="#">Sign in</a>`) + buttonTag()));
    await page.waitForFunction(() => window.Bonafide);
    assert.ok(await page.getByRole("link", { name: "Sign in" }).isVisible());
    const errors = page.consoleMessages.filter((message) => message.startsWith("error: Bonafide:"));
    assert.equal(errors.length, attribute ? 1 : 0);
    if (attribute) assert.ok(errors[0].includes(attribute), errors[0]);
  });

test("a page without a secure context says what it lacks instead of failing silently", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0", pkce: "" }) + buttonTag()), {
    init: () => Object.defineProperty(crypto, "subtle", { value: undefined }),
  });
  await link(page).click();
  const { error, error_description } = await eventOf(page, "error");
  assert.equal(error, "unsupported");
  assert.match(error_description, /TypeError/);
  assert.equal((await events(page)).length, 2);
});

test("a popup whose start fails is closed", async (t) => {
  const page = await visit(t, put(span({ redirect: putRedirectPage(), pkce: "", display: "popup" }) + buttonTag()), {
    init: () => Object.defineProperty(crypto, "subtle", { value: undefined }),
  });
  await link(page).click();
  assert.equal((await eventOf(page, "error")).error, "unsupported");
  await page.waitForTimeout(200);
  assert.equal(page.context().pages().length, 1);
});
