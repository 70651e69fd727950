import assert from "node:assert/strict";
import { before, test } from "node:test";
import { closeAfterEach, newWindow, press, startButton, startChromium } from "./lab.mjs";

let button, browser, page;

before(async () => {
  button = await startButton();
  browser = await startChromium();
});

closeAfterEach(() => page);

const pressButton = (n = 0) => page.locator("span[data-client-id]").nth(n).getByRole("link").click();

async function signIn(window) {
  await window.fill("[name=email]", button.email);
  await window.fill("[name=password]", button.password);
  await window.click("main button[type=submit]");
}

/** Presses the nth button and returns the popup that it opens. */
async function popUp(n) {
  const opened = page.waitForEvent("popup");
  await pressButton(n);
  return opened;
}

const seesMaria = async () => {
  await page.getByRole("rowheader", { name: "fname" }).waitFor();
  assert.equal(await page.getByRole("row", { name: /^fname/ }).getByRole("cell").textContent(), "Maria");
  assert.match(await page.getByRole("row", { name: /^status/ }).getByRole("cell").textContent(), /"Veteran"/);
};

test("a plain page signs a visitor in, in its own window", async () => {
  page = await newWindow(browser);
  await page.goto(button.site);
  await pressButton(0);
  await signIn(page);
  await press(page, "Allow");
  await page.waitForURL("**/callback.html*");
  await seesMaria();
  assert.equal(new URL(page.url()).search, "", "the code does not stay in the address");
});

test("a plain page signs a visitor in, in a popup", async () => {
  page = await newWindow(browser);
  await page.goto(button.site);
  const popup = await popUp(1);
  await signIn(popup);
  const closed = popup.waitForEvent("close");
  await press(popup, "Allow");
  await closed;
  await page.waitForURL("**/callback.html*");
  await seesMaria();
});

test("a single-page application signs a visitor in without being left", async () => {
  page = await newWindow(browser);
  await page.goto(`${button.site}/spa/`);
  await page.evaluate(() => { window.stayed = true; });
  const popup = await popUp(0);
  await signIn(popup);
  await press(popup, "Allow");
  await seesMaria();
  assert.equal(await page.evaluate(() => window.stayed), true);
});

test("a single-page application lets who has said no say yes", async () => {
  page = await newWindow(browser);
  await page.goto(`${button.site}/spa/`);
  const refused = await popUp(0);
  await signIn(refused);
  const closed = refused.waitForEvent("close");
  await press(refused, "Deny");
  await closed;
  const popup = await popUp(0);
  await press(popup, "Allow");
  await seesMaria();
});
