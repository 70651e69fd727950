// The consent screen of every size: the decision is in view, and nobody mistakes one answer for the other.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { look, newWindow, repository, settled, startChromium } from "./lab.mjs";

const gallery = mkdtempSync(join(tmpdir(), "bonafide-consent-"));
after(() => rmSync(gallery, { recursive: true }));
const fixture = (name, lang = "en") => pathToFileURL(join(gallery, lang, `${name}.html`)).href;

const windows = [[320, 568], [375, 667], [390, 844], [480, 720], [768, 1024], [1280, 720], [1440, 900]];
const screens = ["consent", "consent-groups", "consent-verify", "consent-everything", "consent-optional", "consent-optional-again", "consent-required", "consent-required-any"];
let browser;

before(async () => {
  execFileSync("go", ["test", "./ui", "-count=1", "-run", "^TestGallery$", `-gallery=${gallery}`], { cwd: repository });
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
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height });
    for (const name of screens) {
      for (const lang of ["en", "de", "ar"]) {
        await page.goto(fixture(name, lang));
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

test("who is not verified sees it, and the way to it, before anything is scrolled", async () => {
  const page = await newWindow(browser);
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height });
    for (const lang of ["en", "de", "ar"]) {
      for (const name of ["consent", "consent-verify"]) {
        await page.goto(fixture(name, lang));
        const seen = await page.evaluate(() => {
          const bar = document.querySelector(".decide").getBoundingClientRect();
          const above = (e) => { const { top, bottom } = e.getBoundingClientRect(); return top >= 0 && bottom <= bar.top; };
          return {
            state: above(document.querySelector(".group .chip")),
            verify: [...document.querySelectorAll(".group [value=verify]")].map(above),
            first: [...document.querySelectorAll(".group, .facts")].map((e) => e.classList[0])[0],
          };
        });
        assert.deepEqual(seen, { state: true, verify: name === "consent" ? [] : [true], first: "group" }, `${lang}/${name} ${width}x${height}`);
      }
    }
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

test("at large text the bar leaves the window to what it is about", async () => {
  const page = await newWindow(browser);
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height });
    await page.goto(fixture("consent-everything"));
    await page.addStyleTag({ content: ":root { font-size: 32px !important; }" });
    const { bar } = await decision(page);
    const covered = Math.max(0, Math.min(bar.bottom, height) - Math.max(bar.top, 0));
    assert.ok(covered <= height * 0.36, `${covered} px of ${width}x${height}`);
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
      await page.addStyleTag({ path: join(gallery, "en", "sample", `brand-${color}.css`) });
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

test("axe finds nothing", async () => {
  const page = await newWindow(browser);
  for (const name of screens) {
    await page.goto(fixture(name));
    await look(page, name);
  }
  assert.deepEqual(page.faults, []);
});
