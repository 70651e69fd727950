// What the tests of passkeys and second factors have in common: the steps of a person.
import assert from "node:assert/strict";
import { app } from "./totp.mjs";

/** Somebody with an account. */
export const person = (name) => ({ uuid: `id-of-${name}`, email: `${name}@example.com`, password: `${name}-amber-kettle-hums-west` });

/** Waits until a page with this path is open. */
export const arrive = (page, path) => page.waitForURL((url) => url.pathname === path);

/** Enters address and password at the sign-in page that is open. */
export async function enterPassword(page, { email, password }) {
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Signs in by password, and is on the account page. */
export async function signIn(page, base, person) {
  await page.goto(`${base}/account`);
  await enterPassword(page, person);
  await arrive(page, new URL(`${base}/account`).pathname);
}

/** Signs out. */
export async function signOut(page, base) {
  await page.goto(`${base}/signout`);
  await page.click("main button[type=submit]");
  await page.waitForSelector("main:not(:has(form))");
}

/** Adds a passkey on the security page. */
export async function addPasskey(page, base) {
  await page.goto(`${base}/account/security`);
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Create passkey" }).click();
  await arrive(page, new URL(`${base}/account/security`).pathname);
}

/**
 * Sets up an authenticator app on the security page, and returns the app with the recovery
 * codes. look, if given, is shown the pages.
 */
export async function addApp(page, base, look = async () => {}) {
  await page.goto(`${base}/account/security`);
  await page.getByRole("link", { name: /^Set up/ }).click();
  const secret = await page.locator("#key").innerText();
  const code = app(secret);
  await look(page, "app");
  await page.fill("[name=code]", "000000");
  await page.click("main form button[type=submit]");
  await page.waitForSelector(".problem, .problems");
  assert.equal(await page.locator("#key").innerText(), secret, "a wrong code changes no secret");
  await page.fill("[name=code]", await code());
  await page.click("main form button[type=submit]");
  const codes = await shownCodes(page);
  await look(page, "codes");
  await page.getByRole("link", { name: "I’ve saved them" }).click();
  return { code, codes };
}

/** The recovery codes of the page that shows them. */
export async function shownCodes(page) {
  await page.waitForSelector("ul.codes");
  const codes = await page.locator("ul.codes code").allInnerTexts();
  assert.equal(new Set(codes).size, 10, "ten codes");
  return codes;
}
