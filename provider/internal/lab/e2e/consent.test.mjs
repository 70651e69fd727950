// The consent screen of every size: the decision is in view, and nobody mistakes one answer for the other.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gallery } from "./build.mjs";
import { newWindow, settled, startChromium } from "./lab.mjs";

const pages = gallery("./ui");
const fixture = (name, lang = "en") => pathToFileURL(join(pages, lang, `${name}.html`)).href;

const windows = [[320, 568], [375, 667], [390, 844], [480, 720], [768, 1024], [1280, 720], [1440, 900]];
const screens = ["consent", "consent-groups", "consent-verify", "consent-expired", "consent-two", "consent-everything", "consent-optional", "consent-optional-again", "consent-required", "consent-required-any"];
let browser;

before(async () => {
  browser = await startChromium();
});

/** Where the bar and its buttons are, before anything is scrolled. */
const decision = (page) => page.evaluate(() => {
  const box = (e) => { const { top, bottom, left, right, width, height } = e.getBoundingClientRect(); return { top, bottom, left, right, width, height }; };
  const bar = document.querySelector(".decide");
  return { bar: box(bar), buttons: [...bar.querySelectorAll("button")].map(box), width: innerWidth, height: innerHeight };
});

test("the decision is in view in every window, and its buttons are of one size", async () => {
  const page = await newWindow(browser);
  for (const name of screens) {
    for (const lang of ["en", "de", "ar"]) {
      await page.goto(fixture(name, lang));
      for (const [width, height] of windows) {
        await page.setViewportSize({ width, height });
        const { buttons } = await decision(page);
        for (const b of buttons) {
          const where = `${lang}/${name} ${width}x${height} ${JSON.stringify(b)}`;
          assert.ok(b.top >= 0 && b.bottom <= height && b.left >= 0 && b.right <= width, where);
          assert.ok(Math.abs(b.width - buttons[0].width) < 1 && Math.abs(b.height - buttons[0].height) < 1, where);
          assert.ok(b.height >= 44, where);
        }
      }
    }
  }
  assert.deepEqual(page.faults, []);
});

/** Whether the state of each group and the way to a verification are in view before anything is scrolled, and the group is first. */
const firstView = (page) => page.evaluate(() => {
  const bar = document.querySelector(".decide"), edge = Math.min(bar.getBoundingClientRect().top, innerHeight);
  const above = (e) => { const { top, bottom } = e.getBoundingClientRect(); return top >= 0 && bottom <= edge; };
  return {
    states: [...document.querySelectorAll(".group .chip:not(.new)")].map(above),
    verify: [...document.querySelectorAll(".group [value=verify]")].map(above),
    alone: [...bar.querySelectorAll("[value=verify]")].map((e) => { const { bottom } = e.getBoundingClientRect(); return bottom <= innerHeight; }),
    next: [...document.querySelector(".account").parentElement.children].findLast((e) => e.previousElementSibling?.matches(".account")).className,
  };
});

// Whom the screen is shown to, and in how many groups there is a way to a verification.
const people = { consent: [1, 0], "consent-verify": [1, 1], "consent-expired": [1, 1], "consent-two": [2, 2], "consent-required-any": [2, 2] };

test("the state of each group and the way to a verification come before anything is scrolled, by day and by night", async () => {
  const page = await newWindow(browser);
  const all = (n) => Array(n).fill(true);
  for (const lang of ["en", "de", "ar"]) {
    // The one button of the last is in the bar.
    for (const [name, [states, verify, alone = 0]] of Object.entries({ ...people, "consent-required": [1, 0, 1] })) {
      await page.goto(fixture(name, lang));
      for (const [width, height] of windows) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await firstView(page), { states: all(states), verify: all(verify), alone: all(alone), next: "groups" }, `${lang}/${name} ${width}x${height} ${colorScheme}`);
        }
      }
    }
  }
  assert.deepEqual(page.faults, []);
});

test("at text of 200 % the state and the way to a verification come before anything is scrolled", async () => {
  const large = await startChromium("--blink-settings=defaultFontSize=32"); // as a person sets it
  const page = await newWindow(large);
  for (const lang of ["en", "de", "ar"]) {
    for (const name of ["consent", "consent-verify", "consent-expired"]) {
      await page.goto(fixture(name, lang));
      for (const [width, height] of [[390, 844], [768, 1024], [1280, 720], [1440, 900]]) {
        await page.setViewportSize({ width, height });
        const { states, verify } = await firstView(page);
        assert.deepEqual([...states, ...verify], Array(1 + people[name][1]).fill(true), `${lang}/${name} ${width}x${height}`);
      }
    }
  }
});

test("at text of 200 % nothing is wider than the window, no word is broken, and the bar lies at the end", async () => {
  const large = await startChromium("--blink-settings=defaultFontSize=32");
  const page = await newWindow(large);
  for (const name of [...screens, "account"]) {
    await page.goto(fixture(name));
    for (const [width, height] of windows) {
      await page.setViewportSize({ width, height });
      const seen = await page.evaluate(() => {
        const bar = document.querySelector(".decide");
        // A word that takes two lines has two rectangles.
        const broken = [];
        for (const e of document.querySelectorAll(".row .strong, .row .small, .group h2, .chip, button")) {
          const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
          for (let text; (text = walker.nextNode());) {
            for (const { index, 0: word } of text.data.matchAll(/[^\s-]+/g)) {
              const range = new Range();
              range.setStart(text, index);
              range.setEnd(text, index + word.length);
              if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) broken.push(word);
            }
          }
        }
        return {
          wide: document.documentElement.scrollWidth > innerWidth, broken,
          atEnd: !bar || bar.getBoundingClientRect().bottom >= document.querySelector("main").getBoundingClientRect().bottom - 1,
        };
      });
      assert.deepEqual(seen, { wide: false, broken: [], atEnd: true }, `${name} ${width}x${height}`);
    }
  }
});

test("without script and by keyboard alone, the way to a verification is reached before the answers", async () => {
  const page = await newWindow(browser, { viewport: { width: 320, height: 568 }, javaScriptEnabled: false });
  for (const [name, expected] of [
    ["consent-verify", ["Verify now Student", "Deny", "Share without verification"]],
    ["consent-two", ["Verify now Armed forces", "Verify now Student", "Deny", "Share without verification"]],
    ["consent-required-any", ["Verify now Armed forces", "Verify now Student", "Back to Strict Perks"]],
  ]) {
    await page.goto(fixture(name));
    const names = [];
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press("Tab");
      const focused = page.locator("button:focus");
      if (await focused.count()) {
        const label = (await focused.ariaSnapshot()).match(/button "(.*)"/)[1];
        if (label !== "Switch account") names.push(label);
      }
    }
    assert.deepEqual(names.slice(0, expected.length), expected, name);
  }
});

test("without verification the way to it leads, and the answer says what it does", async () => {
  const page = await newWindow(browser);
  const classes = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("[name=action]")].map((b) => [b.value, b.className])));
  await page.goto(fixture("consent-verify"));
  const { verify, allow } = await classes();
  assert.deepEqual({ verify, allow }, { verify: "primary", allow: "secondary" });
  assert.equal(await page.locator("[value=allow]").innerText(), "Share without verification");
  await page.goto(fixture("consent"));
  assert.equal((await classes()).allow, "primary");
  assert.equal(await page.locator("[value=allow]").innerText(), "Allow");
});

test("no box is ticked that the sentence does not name", async () => {
  const page = await newWindow(browser);
  for (const [name, ticked] of [["consent-optional", 0], ["consent-optional-again", 2]]) {
    await page.goto(fixture(name));
    const { said, boxes } = await page.evaluate(() => ({
      said: document.querySelector(".account ~ p").textContent,
      boxes: [...document.querySelectorAll(".option input:checked")].map((b) => document.querySelector(`label[for=${b.id}]`).textContent.trim()),
    }));
    assert.equal(boxes.length, ticked, name);
    for (const box of boxes) assert.ok(said.includes(box), `${box} in ${said}`);
  }
});

test("no focus is hidden beneath the bar, and the answers come last", async () => {
  const page = await newWindow(browser, { viewport: { width: 390, height: 844 } });
  for (const name of ["consent-optional", "consent-everything"]) {
    await page.goto(fixture(name));
    await settled(page);
    const order = [];
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement, r = e.getBoundingClientRect(), bar = document.querySelector(".decide");
        return { name: e.value || e.textContent.trim(), hidden: !bar.contains(e) && bar.contains(document.elementFromPoint(r.left + r.width / 2, r.bottom - 1)), body: e === document.body };
      });
      if (at.body) break;
      assert.ok(!at.hidden, `${name}: ${at.name} is beneath the bar`);
      order.push(at.name);
    }
    const deny = order.indexOf("deny");
    assert.ok(deny > order.indexOf("switch") && order[deny + 1] === "allow", order.join(", "));
    if (name === "consent-optional") assert.ok(order.indexOf("military") < deny, order.join(", "));
  }
});

test("Allow is filled and Deny is not, whatever the brand", async () => {
  const page = await newWindow(browser);
  for (const color of ["000000", "14171c", "ffffff", "fafafa"]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.goto(fixture("consent"));
      await page.addStyleTag({ path: join(pages, "en", "sample", `brand-${color}.css`) });
      const { deny, allow, surface } = await page.evaluate(() => {
        const fill = (selector) => getComputedStyle(document.querySelector(selector)).backgroundColor;
        return { deny: fill("[value=deny]"), allow: fill("[value=allow]"), surface: fill(".decide") };
      });
      const light = (color) => {
        const [r, g, b] = color.match(/\d+/g).map((v) => { const f = v / 255; return f <= 0.04045 ? f / 12.92 : ((f + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [a, s] = [light(allow), light(surface)];
      assert.equal(deny, surface, `#${color} ${colorScheme}`);
      assert.ok((Math.max(a, s) + 0.05) / (Math.min(a, s) + 0.05) >= 3, `#${color} ${colorScheme}: ${allow} on ${surface}`);
    }
  }
});
