// Takes the pictures of the README from the quickstart in Chromium: `make pictures`.
import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newWindow, repository, settled, startChromium, startQuickstart } from "./lab.mjs";

const maria = { uuid: "a2c8f0e61b7d49d5b3c4", email: "maria@example.com", password: "quiet-otter-paints-dawn" };
const folder = join(repository, "docs", "pictures");
// A page of documentation is to be read on a slow line.
const mostBytes = 150 << 10;

test("the sign-in and the consent screen", async () => {
  const { site } = await startQuickstart({
    brand: { name: "Example ID" },
    scopes: [{
      name: "military", title: "Military status", description: "Your name, and whether you belong to this group.",
      attributes: ["fname", "lname"], groups: ["military"],
    }],
    users: [{
      ...maria, attributes: { fname: "Maria", lname: "Okafor", zip: "22030" },
      status: [{ group: "military", subgroups: ["Veteran"], verified: true, verified_at: "2025-05-02T09:00:00Z" }],
    }],
  });
  const page = await newWindow(await startChromium(), {
    viewport: { width: 520, height: 850 }, deviceScaleFactor: 1.5, colorScheme: "light", locale: "en-US",
  });
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  const take = async (name) => {
    await settled(page);
    // A caret would blink, or not.
    await page.evaluate(() => document.activeElement?.blur());
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    bytes += statSync(path).size;
  };

  await page.goto(site);
  await page.selectOption("#scope", "military");
  await page.click('[formaction="/start/v3-openid"]');
  await page.waitForSelector("[name=password]");
  await take("sign-in");
  await page.fill("[name=email]", maria.email);
  await page.fill("[name=password]", maria.password);
  await page.click("main button[type=submit]");
  await page.waitForURL((url) => url.pathname === "/oauth/consent");
  await take("consent");
  assert.deepEqual(page.faults, []);
  assert.ok(bytes <= mostBytes, `the pictures have ${bytes} bytes, at most ${mostBytes} are wanted`);
});
