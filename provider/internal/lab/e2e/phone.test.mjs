// The dashboard on a phone: the tab of the page is in view, tables are cards, and no word is broken.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gallery } from "./build.mjs";
import { look, newWindow, startChromium } from "./lab.mjs";

const pages = gallery("./ui", "./ui/developer");
const fixture = (name, lang = "en") => pathToFileURL(join(pages, lang, `${name}.html`)).href;
const viewport = { width: 390, height: 844 };
let browser;

before(async () => {
  browser = await startChromium();
});

for (const javaScriptEnabled of [true, false]) {
  test(`the tab of the page is in view, ${javaScriptEnabled ? "with" : "without"} script`, async () => {
    const page = await newWindow(browser, { viewport, javaScriptEnabled });
    for (const lang of ["en", "de", "ar"]) {
      for (const name of ["developer-activity", "developer-log", "developer-numbers", "developer-faults", "developer-access"]) {
        await page.goto(fixture(name, lang));
        const { left, right, width } = await page.locator(".sections [aria-current]").evaluate((tab) => {
          const { left, right } = tab.getBoundingClientRect();
          return { left, right, width: innerWidth };
        });
        assert.ok(left >= 0 && right <= width, `${lang}/${name}: from ${left} to ${right} of ${width}`);
      }
    }
  });
}

test("a table is a card for each row, its values are named, and no address or name in it is broken", async () => {
  const page = await newWindow(browser, { viewport });
  for (const lang of ["en", "de", "ar"]) {
    for (const name of ["developer-activity", "developer-personas", "developer-secrets"]) {
      await page.goto(fixture(name, lang));
      const { broken, rows, beside } = await page.evaluate(() => {
        const lines = (e) => new Set([...e.getClientRects()].map((r) => Math.round(r.top))).size;
        const tops = (row) => [...row.children].map((cell) => cell.getBoundingClientRect().top);
        const rows = [...document.querySelectorAll(".stack tbody tr")];
        return {
          rows: rows.length,
          broken: [...document.querySelectorAll(".stack .email, .stack code")].filter((e) => lines(e) > 1).map((e) => e.textContent),
          beside: rows.filter((row) => new Set(tops(row)).size !== row.children.length).length,
        };
      });
      assert.ok(rows > 0, name);
      assert.deepEqual({ broken, beside }, { broken: [], beside: 0 }, `${lang}/${name}`);
    }
  }
  await page.goto(fixture("developer-personas"));
  const label = await page.locator(".stack td").first().evaluate((cell) => getComputedStyle(cell, "::before").content);
  assert.match(label, /^"login_hint"/);
});

test("the page begins within the upper third", async () => {
  const page = await newWindow(browser, { viewport });
  for (const name of ["developer-activity", "developer-log", "developer-personas"]) {
    await page.goto(fixture(name));
    const top = await page.locator("h1").evaluate((h) => h.getBoundingClientRect().top);
    assert.ok(top <= viewport.height / 3, `${name}: ${top}`);
  }
});

test("the sandbox is told in words on the first page of an application, and by the switch on each", async () => {
  const page = await newWindow(browser, { viewport });
  for (const [name, height] of [["developer-overview", 24], ["developer-secrets", 4]]) {
    await page.goto(fixture(name));
    const banner = await page.locator("p.sandbox").boundingBox();
    assert.ok(height === 4 ? banner.height === 4 : banner.height >= height, `${name}: ${banner.height}`);
    assert.equal(await page.locator(".environments [aria-current]").innerText(), "Sandbox");
    assert.match(await page.locator("p.sandbox").ariaSnapshot(), /Sandbox/);
  }
});

test("axe finds nothing", async () => {
  const page = await newWindow(browser, { viewport });
  for (const name of ["developer-activity", "developer-personas", "developer-secrets", "developer-reviews"]) {
    await page.goto(fixture(name));
    await look(page, name);
  }
  assert.deepEqual(page.faults, []);
});
