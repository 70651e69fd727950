import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer, buttonTag, document, eventOf, events, lab, link, openPopup, put, putRedirectPage, queryOf, relayTag, span, visit,
} from "./lab.mjs";

const stay = () => addEventListener("bonafide:success", (event) => event.preventDefault());

/** Opens a page with a popup under way. */
async function waiting(t, body = "") {
  const redirect = putRedirectPage();
  const page = await visit(t, put(span({ redirect, display: "popup" }) + buttonTag() + body), { init: stay });
  const popup = await openPopup(page);
  const { state } = queryOf(popup.url());
  const response = (code) => `${lab.site}${redirect}?${new URLSearchParams({ code, state, iss: lab.provider.base + "/oidc" })}`;
  return { page, popup, response };
}

/** The true answer still comes through, and it is the only one. */
async function onlyTheTrueAnswerCounts({ page, popup }) {
  await page.waitForTimeout(200);
  assert.deepEqual((await events(page)).map(([name]) => name), ["start"]);
  assert.ok(!popup.isClosed(), "the popup was closed");
  await answer(popup);
  assert.equal((await eventOf(page, "success")).code, "code-1");
  assert.deepEqual((await events(page)).map(([name]) => name), ["start", "success"]);
  assert.deepEqual(page.consoleMessages.filter((message) => /^(uncaught|error)/.test(message)), []);
}

test("a message of another origin is ignored, though it knows the state", async (t) => {
  const flow = await waiting(t, `<iframe src="${lab.evil}${put("")}"></iframe>`);
  await flow.page.frames()[1].evaluate((url) => parent.postMessage({ url }, "*"), flow.response("of-the-attacker"));
  await onlyTheTrueAnswerCounts(flow);
});

test("a message of the popup while it shows another origin is ignored, though it knows the state", async (t) => {
  const flow = await waiting(t);
  const screen = flow.popup.url();
  // By the page: a browser that is told to go elsewhere may cut the opener off.
  const go = async (url) => {
    await flow.popup.evaluate((url) => void location.assign(url), url);
    await flow.popup.waitForURL(url);
  };
  await go(lab.evil + put(""));
  await flow.popup.evaluate((url) => opener.postMessage({ url }, "*"), flow.response("of-the-attacker"));
  await flow.page.waitForTimeout(200);
  assert.deepEqual((await events(flow.page)).map(([name]) => name), ["start"]);
  await go(screen);
  await onlyTheTrueAnswerCounts(flow);
});

test("a message of the own origin but another window is ignored, though it knows the state", async (t) => {
  const flow = await waiting(t, `<iframe src="${put("")}"></iframe>`);
  await flow.page.frames()[1].evaluate((url) => parent.postMessage({ url }, "*"), flow.response("of-the-attacker"));
  await onlyTheTrueAnswerCounts(flow);
});

test("a response with a foreign or stale state is ignored on the channel", async (t) => {
  const flow = await waiting(t);
  const tab = await flow.page.context().newPage();
  await tab.goto(lab.site + put(""));
  await tab.evaluate((url) => {
    const channel = new BroadcastChannel("bonafide");
    channel.postMessage({ url: url.replace(/state=[^&]*/, "state=stale") });
    channel.postMessage({ url: url.replace(/state=[^&]*/, "") });
    channel.postMessage({ url, next: "javascript:alert(1)" });
  }, flow.response("of-the-attacker"));
  await onlyTheTrueAnswerCounts(flow);
});

test("malformed and giant messages are ignored without an error", async (t) => {
  const flow = await waiting(t);
  const tab = await flow.page.context().newPage();
  await tab.goto(lab.site + put(""));
  await tab.evaluate(
    ({ url, evil }) => {
      const channel = new BroadcastChannel("bonafide");
      const state = new URL(url).search;
      for (const message of [
        null, undefined, 0, true, "", url, [], [url], {}, { url: null }, { url: 1 }, { url: [url] }, { url: { href: url } },
        { url: "javascript:alert(1)" + state }, { url: evil + "/" + state }, { url: "x".repeat(5_000_000) },
        { url: url.replace(/state=[^&]*/, "state=" + "x".repeat(5_000_000)) }, { url, next: {} }, { url, next: 1 }, { url, next: "/relative" },
        { __proto__: null, toString: 1 }, new Map([["url", url]]), new Error(url), new ArrayBuffer(1 << 20),
      ])
        channel.postMessage(message);
    },
    { url: flow.response("of-the-attacker"), evil: lab.evil },
  );
  await onlyTheTrueAnswerCounts(flow);
});

test("an answer counts once", async (t) => {
  const { page, popup, response } = await waiting(t);
  const again = response("again");
  await answer(popup);
  await eventOf(page, "success");
  await page.evaluate((url) => {
    postMessage({ url }, "*");
    new BroadcastChannel("bonafide").postMessage({ url });
  }, again);
  await page.waitForTimeout(200);
  assert.deepEqual((await events(page)).map(([name]) => name), ["start", "success"]);
});

test("a hostile opener of the redirect page receives nothing and is not navigated", async (t) => {
  const redirect = lab.site + putRedirectPage() + "?code=code-1&state=state-1";
  const page = await visit(t, put(`<button id="open">Open</button>`), { origin: lab.evil });
  await page.evaluate((redirect) => {
    window.received = [];
    onmessage = ({ data }) => received.push(data);
    document.getElementById("open").onclick = () => open(redirect);
  }, redirect);
  const opened = page.context().waitForEvent("page");
  await page.click("#open");
  const popup = await opened;
  await popup.waitForFunction(() => window.Bonafide);
  await page.waitForTimeout(200);
  assert.deepEqual(await page.evaluate(() => received), []);
  assert.equal(popup.url(), redirect, "the redirect page took the attacker's page for its own");
  assert.ok(page.url().startsWith(lab.evil));
});

test("a page that borrows another site's client sends visitors to that site only", async (t) => {
  const redirect = putRedirectPage();
  const page = await visit(t, put(span({ redirect, display: "popup" }) + buttonTag()), { origin: lab.evil, init: stay });
  await link(page).click();
  await page.waitForSelector("#allow");
  await page.click("#allow");
  await page.waitForURL(lab.site + redirect + "?*");
  assert.equal(page.context().pages().length, 1);
});

test("the verifier is never posted", async (t) => {
  const redirect = putRedirectPage();
  const page = await visit(t, put(span({ redirect, display: "popup", pkce: "" }) + buttonTag()), { init: stay });
  const spy = await page.context().newPage();
  await spy.goto(lab.site + put(""));
  await spy.evaluate(() => {
    window.heard = [];
    new BroadcastChannel("bonafide").onmessage = ({ data }) => heard.push(data);
  });
  await answer(await openPopup(page));
  const { code_verifier } = await eventOf(page, "success");
  const heard = JSON.stringify(await spy.evaluate(() => heard));
  assert.ok(heard.includes("code-1"), "the spy is deaf");
  assert.ok(!heard.includes(code_verifier));
});

test("a popup that cannot close itself keeps no token in its address or history", async (t) => {
  const redirect = putRedirectPage({ coop: "same-origin", body: "" });
  const page = await visit(t, put(span({ redirect, display: "popup", response: "id_token" }) + buttonTag()), { init: stay });
  await page.context().addInitScript(() => (window.close = () => (window.asked = true)));
  const popup = await openPopup(page);
  await popup.click("#allow");
  await eventOf(page, "success");
  await popup.waitForFunction(() => window.asked);
  assert.equal(popup.url(), lab.site + redirect);
  await popup.goto("about:blank");
  await popup.goBack();
  assert.equal(popup.url(), lab.site + redirect);
});

test("hostile attributes are text, or refused", async (t) => {
  const payloads = [
    `<img src=x onerror="pwned=1">`, `"><svg onload=pwned=1>`, `javascript:pwned=1//`, `');pwned=1//`, "{{7*7}}", "${pwned=1}",
    `constructor`, `__proto__`, `url(javascript:pwned=1)`,
  ];
  const names = ["clientId", "scopes", "scope", "response", "redirect", "state", "nonce", "eid", "op", "codeChallenge", "loginHint",
    "prompt", "display", "lang", "type", "theme", "size", "text", "callback", "start", "pkce"];
  const spans = names.flatMap((name) =>
    payloads.map((payload) => {
      const html = span({ id: "", [name]: payload });
      return html.includes("data-redirect") ? html : html.replace("<span", `<span data-redirect="${lab.site}/page-0"`);
    }),
  );
  const page = await visit(t, put(spans.join("") + buttonTag()), { init: () => addEventListener("bonafide:start", (event) => event.preventDefault()) });
  await page.waitForFunction(() => document.querySelector("span").shadowRoot);
  const found = await page.evaluate(() => {
    const all = [...document.querySelectorAll("span")];
    for (const { shadowRoot } of all) shadowRoot?.querySelector("a").click();
    return all.map((span) => {
      const root = span.shadowRoot;
      return root && { tags: [...root.querySelectorAll("*")].map(({ localName }) => localName).join(), href: root.querySelector("a").protocol };
    });
  });
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  for (const button of found) if (button) assert.deepEqual(button, { tags: "a,output", href: "http:" });
  const refused = found.filter((button) => !button).length;
  // Of the response types, redirect URIs and start addresses none is good; a
  // relative start address resolves to one of the site, which is.
  const relative = payloads.filter((payload) => !payload.startsWith("javascript:")).length;
  assert.equal(refused, 3 * payloads.length - relative);
});

for (const redirect of [
  "javascript:alert(1)", " javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "vbscript:x", "blob:x",
  "about:blank", "file:///etc/passwd", "http://rp.example/callback", "http://localhost.evil.example/", "http://127.0.0.1.evil.example/",
  "http://127.0.0.1@evil.example/", "//rp.example/callback", "/callback", "https:rp.example", "",
])
  test(`the redirect URI ${JSON.stringify(redirect)} is refused by name`, async (t) => {
    const html = `<span data-client-id="client-1" data-redirect="${redirect}"><a href="#fallback">Sign in</a></span>`;
    const page = await visit(t, put(html + buttonTag()));
    await page.waitForFunction(() => window.Bonafide);
    assert.equal(await page.evaluate(() => document.querySelector("span").shadowRoot), null);
    assert.ok(page.consoleMessages.some((message) => message.startsWith("error: Bonafide:") && message.includes("data-redirect")));
    assert.ok(await page.getByRole("link", { name: "Sign in" }).isVisible());
  });

test("a start address that turns hostile later is refused at the click, and never a link", async (t) => {
  const page = await visit(t, put(span({ start: "/page-0" }) + buttonTag()));
  await link(page).waitFor();
  await page.evaluate(() => {
    button.dataset.start = "javascript:pwned=1";
    Bonafide.scan(document);
  });
  await link(page).click();
  assert.deepEqual(await eventOf(page, "error"), { error: "invalid_options", error_description: "Check data-start" });
  assert.equal(await link(page).getAttribute("href"), lab.site + "/page-0");
  assert.equal(await page.evaluate(() => window.pwned), undefined);
});

for (const callback of ["pwn()", "alert(1)//", "missing", "missing.at.all", "document.write", "eval", "Function", "setTimeout"])
  test(`the callback ${callback} runs no code`, async (t) => {
    const page = await visit(t, put(span({ redirect: putRedirectPage(), display: "popup", callback }) + buttonTag()), {
      init: () => (window.pwn = () => (window.pwned = true)),
    });
    const before = page.url();
    await answer(await openPopup(page));
    await eventOf(page, "success");
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(page.url(), before);
  });

test("an image named currentScript does not choose the provider", async (t) => {
  const clobber = `<img name="currentScript" src="${lab.evil}/widget/v1.js" data-next="${lab.evil}">`;
  const page = await visit(t, put(clobber + span({ redirect: "/page-0" }) + buttonTag()));
  await page.waitForFunction(() => window.Bonafide);
  assert.equal(await page.evaluate(() => document.querySelector("span").shadowRoot), null, "the button trusts the image");
  assert.ok(page.consoleMessages.some((message) => message.startsWith("uncaught: Bonafide: no baseURL")));
});

test("an image named currentScript does not choose where a redirect page goes", async (t) => {
  const redirect = put({ html: document(`<img name="currentScript" data-next="${lab.evil}">` + relayTag()) });
  const page = await visit(t, put(span({ redirect, display: "popup" }) + buttonTag()), { init: stay });
  await answer(await openPopup(page));
  assert.equal((await eventOf(page, "success")).next, undefined);
});

test("elements named Bonafide do not stand in for the scripts", async (t) => {
  const page = await visit(t, put(`<form id="Bonafide"><input name="init"></form>` + span({ redirect: "/page-0" }) + buttonTag()));
  await link(page).click();
  await page.waitForSelector("#allow");
});

test("a redirect page cannot send the visitor to a script", async (t) => {
  const redirect = putRedirectPage({ relay: `data-next="javascript:alert(1)"` });
  const page = await visit(t, put(span({ redirect, display: "popup" }) + buttonTag()));
  const popup = await openPopup(page);
  await popup.click("#allow");
  await popup.waitForURL(/page-/);
  await page.waitForTimeout(200);
  assert.deepEqual((await events(page)).map(([name]) => name), ["start"]);
});
