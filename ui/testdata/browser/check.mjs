// Opens every page of the gallery in Chromium under the content security policy
// of the real screens, and fails where one of them
//   - breaks a rule of axe-core, by day or by night,
//   - is wider than the window, at 320 px and, in English, at 1280 px,
//   - has something to press that is smaller than 24 px, outside of sentences,
//   - writes an error to the console, as when the policy blocks something;
// then looks at some at twice the size of text, at 320 and at 390 px, and in German at all
// that people without a role see, where none may be wider than the window or break a word
// that is to be pressed, names something or would stand whole below its label; at what more
// contrast changes; and tries what the scripts do.
//
//   go test ./ui ./ui/desk ./ui/developer ./ui/verification -run TestGallery -gallery="$PWD/gallery"
//   npm ci && node check.mjs gallery [--shots folder] [--only regexp]
//
// CHROMIUM names the browser; when unset it is /usr/bin/chromium-headless-shell, which is the same
// engine without windows for half the work, or /usr/bin/chromium.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { areNew, looks } from "./looks.mjs";

const { values: options, positionals: [gallery] } = parseArgs({
  allowPositionals: true,
  options: { shots: { type: "string" }, only: { type: "string", default: "" } },
});
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const pages = readdirSync(join(gallery, "pages")).sort()
  .flatMap((file) => readFileSync(join(gallery, "pages", file), "utf8").trim().split("\n"))
  .filter((page) => new RegExp(options.only).test(page));

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
  "form-action 'self' https:; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'";
const types = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

let posts = 0;
const server = createServer((request, response) => {
  const { pathname: path, search } = new URL(request.url, "http://gallery");
  // The script of the button is no file of the gallery: its page is looked at as it is without.
  if (request.method === "POST" || path === "/favicon.ico" || path.endsWith("/v1.js")) {
    posts += request.method === "POST";
    response.writeHead(204).end();
    return;
  }
  // Style sheets and scripts are read once for all pages.
  const kept = extname(path) === ".html" ? "no-store" : "max-age=3600";
  response.writeHead(200, { "Content-Type": types[extname(path)], "Content-Security-Policy": policy, "Cache-Control": kept });
  const file = readFileSync(path === "/axe.js" ? axe : join(gallery, path));
  // Some pages would be gone before they are looked at. Routes of the browser's driver would do that
  // too, and have it keep no style sheet.
  response.end(search === "?still" ? file.toString().replace(/<meta http-equiv="refresh"[^>]*>|<script[^>]*form-post[^>]*>/g, "") : file);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const address = (page) => `http://127.0.0.1:${server.address().port}/${page}`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const faults = [];

async function open(context) {
  const tab = await (await browser.newContext(context)).newPage();
  tab.on("console", (m) => m.type() === "error" && faults.push(`${tab.url()}: ${m.text()}`));
  tab.on("pageerror", (e) => faults.push(`${tab.url()}: ${e.message}`));
  return tab;
}

// measured says whether the page is wider than the window, and what is hard to hit. Links in a
// sentence are as high as its line, and what is in a label is hit by it.
const measured = () => ({
  wide: document.documentElement.scrollWidth > innerWidth,
  small: [...document.querySelectorAll("a, button, summary, input:not([type=hidden])")]
    .filter((e) => e.checkVisibility() && getComputedStyle(e).display !== "inline" && !e.closest("label"))
    .filter((e) => Math.min(e.getBoundingClientRect().height, e.getBoundingClientRect().width) < 24)
    .map((e) => e.textContent.trim()),
});

// What axe judges by are elements, names and colours, and they are the same in every language:
// it looks at the English pages, and in other languages at the samples. Where a language lacks
// words TestLanguages says so. What a language does change, lengths and the direction, is looked
// at on every page.
const samples = /^(en|de|ar)\/(account|consent|denied|error-redirect-details|reauthenticate|reset-finish|select_account|select_scope|sessions|signin-wrong|signin-personas|signout|signup)\.html$/;
const forAxe = (page) => page.startsWith("en/") || page.endsWith("/consent.html") || samples.test(page);

// inert says whether buttons do nothing yet, as on the consent screen in the first moment.
const inert = () => document.querySelector("[aria-disabled=true]") !== null;

// lookAt looks at pages on a narrow screen, and at the English on a wide one, by day and by night.
async function lookAt(pages) {
  // The policy is bypassed for axe alone, which has to be injected.
  const tab = await open({ bypassCSP: true, reducedMotion: "reduce", colorScheme: "light" });
  let now;
  const resize = async (width) => {
    if (width !== now) await tab.setViewportSize({ width: now = width, height: 800 });
  };
  for (const page of pages) {
    const fault = (what) => faults.push(`${page}: ${what}`);
    const shoot = async (width, colorScheme) => {
      if (!options.shots) return;
      await tab.emulateMedia({ colorScheme });
      mkdirSync(options.shots, { recursive: true });
      await tab.screenshot({ path: join(options.shots, `${page.replace("/", "-").replace(".html", "")}-${width}-${colorScheme}.png`), fullPage: true });
    };
    const judge = async (colorScheme, rules) => {
      if (colorScheme !== "light") await tab.emulateMedia({ colorScheme });
      // What passes is many times as much, and dear to send.
      const violations = await tab.evaluate(async (rules) => (await window.axe.run({ resultTypes: ["violations"], ...rules })).violations, rules);
      for (const v of violations) fault(`${colorScheme}: ${v.id}: ${v.nodes.map((n) => n.target).join(", ")}`);
    };
    await resize(320);
    await tab.goto(address(page) + "?still");
    if (await tab.evaluate(inert)) await tab.waitForFunction(`!(${inert})()`);
    // What another language changes, the lengths of words, shows where there is least room.
    for (const width of options.shots || forAxe(page) ? [320, 1280] : [320]) {
      await resize(width);
      const { wide, small } = await tab.evaluate(measured);
      if (wide) fault(`wider than the window of ${width} px`);
      for (const text of small) fault(`at ${width} px "${text}" is smaller than 24 px`);
      if (width === 320 && forAxe(page)) { // at 1280 px the same elements, and axe is slow
        await tab.addScriptTag({ url: address("axe.js") });
        // A preview stands in a frame of a page, where nothing in it can be reached.
        const off = { enabled: false }, colours = areNew(await tab.evaluate(looks));
        await judge("light", { rules: { ...!colours && { "color-contrast": off }, ...page.includes("/preview-") && { "landmark-one-main": off, "page-has-heading-one": off } } });
        // The night changes colours and nothing else.
        if (colours && page.startsWith("en/")) {
          await judge("dark", { runOnly: ["color-contrast"] });
          await tab.emulateMedia({ colorScheme: "light" });
        }
      }
      for (const colorScheme of ["dark", "light"]) await shoot(width, colorScheme);
    }
  }
  await tab.context().close();
}
// People without a role are looked after in German below, and closer.
const german = pages.filter((page) => /^de\/(?!desk|developer|.*hostile|continue|form-post)/.test(page));
const others = pages.filter((page) => options.shots || forAxe(page) || !german.includes(page));
// Two at a time: each waits for the browser, and the browser for each.
await Promise.all([0, 1].map((half) => lookAt(others.filter((_, i) => i % 2 === half))));

// broken finds words that stand on two lines, where no line was too short for them, as none is
// for words of fewer letters than these.
const broken = (short) => [...document.querySelectorAll("button, .primary, .secondary, .danger, .brand, h1, h2, summary, .facts :is(dt, dd)")]
  .filter((e) => e.checkVisibility()).flatMap((e) => {
    const found = [], texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\s\u00ad-]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        const lines = [...range.getClientRects()], row = e.closest(".facts > *");
        const length = lines.reduce((sum, line) => sum + line.width, 0);
        const fits = row ? length <= row.clientWidth - 2 * parseFloat(getComputedStyle(row).paddingInlineStart) : word.length < short;
        if (fits && new Set(lines.map((line) => Math.round(line.top))).size > 1) found.push(word);
      }
    }
    return found;
  });

// lookSized looks at pages as somebody does who reads text of this size, 16 px without a choice.
async function lookSized(size, width, short, pages) {
  const tab = await open({ viewport: { width, height: 2000 } });
  await (await tab.context().newCDPSession(tab)).send("Page.setFontSizes", { fontSizes: { standard: size, fixed: size * 13 / 16 } });
  for (const page of pages) {
    const fault = (what) => faults.push(`${page} with text of ${size} px, ${width}: ${what}`);
    await tab.goto(address(page));
    assert.equal(await tab.evaluate(() => getComputedStyle(document.documentElement).fontSize), `${size}px`, "text has its size");
    if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)) fault("wider than the window");
    for (const word of await tab.evaluate(broken, short)) fault(`"${word}" is broken`);
    // Not the full page: for that the browser would take text of its own size.
    if (options.shots) await tab.screenshot({ path: join(options.shots, `${page.replace("/", "-").replace(".html", "")}-${width}-${size}.png`) });
  }
  await tab.context().close();
}
for (const width of [320, 390]) await lookSized(32, width, 14, pages.filter((page) => samples.test(page)));
await Promise.all([lookSized(32, 320, 10, german), lookSized(16, 360, 14, german)]);

// More contrast reaches every page, whatever stylesheet of a service or an application comes
// later.
const strong = await open({ contrast: "more" });
for (const page of ["en/signin.html", "en/signin-branded.html", "en/developer-overview.html"].filter((page) => pages.includes(page))) {
  await strong.goto(address(page));
  const { card, lead, ink } = await strong.evaluate(() => ({
    card: getComputedStyle(document.querySelector(".card, .panel")).borderTopColor,
    lead: getComputedStyle(document.querySelector(".lead, .foot a")).color,
    ink: getComputedStyle(document.documentElement).color,
  }));
  if (card !== ink || lead !== ink) faults.push(`${page} with more contrast: card ${card}, text ${lead}, ink ${ink}`);
}
await strong.context().close();

// Under the policy as it is, with and without scripts.
const tab = await open({});
let answer;
await tab.route("https://riverbikes.example/**", (route) => {
  answer = route.request().postData();
  return route.fulfill({ contentType: "text/html", body: "<title>River Bikes</title>" });
});
await tab.goto(address("en/form-post.html"));
await tab.waitForURL("https://riverbikes.example/**");
assert.equal(new URLSearchParams(answer).get("state"), '"><script>alert(1)</script>', "form-post sends the answer");

const press = (times) => tab.evaluate((n) => {
  const allow = document.querySelector("[value=allow]");
  for (let i = 0; i < n; i++) allow.click();
}, times);
await tab.goto(address("en/consent.html"));
posts = 0; // a page that was looked at sends its form by itself
await press(1);
await tab.waitForFunction(() => !document.querySelector("[aria-disabled=true]"));
assert.equal(posts, 0, "consent is not decided in the first moment");
await press(2);
await tab.waitForTimeout(200);
assert.equal(posts, 1, "consent is decided once");

await tab.goto(address("en/signup.html"));
await tab.fill("#new_password", "é".repeat(14));
assert.equal(await tab.isVisible(".met span"), false, "a short password is not called long enough");
await tab.fill("#new_password", "é".repeat(15));
assert.equal(await tab.isVisible(".met span"), true, "a long password is called long enough");
await tab.click(".reveal");
assert.equal(await tab.getAttribute("#new_password", "type"), "text", "a password can be shown");

await tab.goto(address("en/signin-wrong.html"));
assert.equal(await tab.evaluate(() => document.activeElement.id), "password", "the focus is on the field that is wrong");

await tab.click(".languages summary");
await tab.keyboard.press("Escape");
assert.equal(await tab.locator(".languages[open]").count(), 0, "Escape closes a menu");
assert.equal(await tab.evaluate(() => document.activeElement.localName), "summary", "and leads back to what opened it");
await tab.click(".languages summary");
await tab.click("h1");
assert.equal(await tab.locator(".languages[open]").count(), 0, "a click elsewhere closes a menu");

const firstTime = async (context, page) => {
  const reader = await open(context);
  await reader.goto(address(page));
  const [text, at] = await reader.locator("time[data-local]").first().evaluate((t) => [t.textContent, t.dateTime]);
  await reader.context().close();
  return text + " = " + at;
};
assert.match(await firstTime({ timezoneId: "America/New_York", locale: "en-US" }, "en/history.html"),
  /^March 12, 2026 at 10:05\sAM = 2026-03-12T14:05:00Z$/, "times are those of the reader");
assert.equal(await firstTime({ timezoneId: "Asia/Tokyo", locale: "ja-JP" }, "de/history.html"),
  "12. März 2026 um 23:05 = 2026-03-12T14:05:00Z", "in the language of the page");
assert.match(await firstTime({ timezoneId: "Asia/Riyadh", locale: "ar-EG" }, "ar/history.html"),
  /5:05.*=/, "with the digits of the page");
assert.match(await firstTime({ javaScriptEnabled: false, timezoneId: "Asia/Tokyo" }, "en/history.html"), /14:05 UTC =/, "and in UTC without scripts");

const plain = await open({ javaScriptEnabled: false });
await plain.goto(address("en/consent.html"));
await plain.click("[value=deny]");
await plain.waitForTimeout(200);
assert.equal(posts, 2, "consent works without scripts");

await browser.close();
server.close();
for (const f of faults) console.error(f);
console.log(`${pages.length} pages, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
