// Passkeys in Chromium, with authenticators that it plays.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addAuthenticator, onlyPasskey, synced } from "./authenticator.mjs";
import { addPasskey, arrive, person, shownCodes, signIn, signOut } from "./factors.mjs";
import { closeAfterEach, look, newWindow, startChromium, startQuickstart } from "./lab.mjs";

// Each test has a person of its own.
const [maria, noah, ruth, omar, lena, pia, rosa, sven, theo] = ["maria", "noah", "ruth", "omar", "lena", "pia", "rosa", "sven", "theo"].map(person);
const tess = person("tess");
let quickstart, browser, page;

before(async () => {
  quickstart = await startQuickstart({ users: [maria, noah, ruth, omar, lena, pia, rosa, sven, theo], sandbox: { users: [tess] } });
  browser = await startChromium();
});

closeAfterEach(() => page);

const signInButton = (page) => page.getByRole("button", { name: "Sign in with a passkey" });

/** Opens the sign-in page with nobody near the authenticator: the suggestions wait. */
async function openSignIn(page, keys, base = quickstart.provider) {
  await keys.presence(false);
  await page.goto(`${base}/signin`);
  await signInButton(page).waitFor();
  await keys.presence(true);
}

test("a visitor signs up with a passkey, and signs in with it", async () => {
  page = await newWindow(browser);
  const email = "ines@example.com", keys = await addAuthenticator(page, synced);
  await page.goto(`${quickstart.site}/start/standard?op=signup`);
  await page.fill("[name=email]", email);
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await page.fill("[name=code]", await quickstart.code(email));
  await page.click("main form button[type=submit]");
  await look(page, "first-passkey");
  await page.getByRole("button", { name: "Create a passkey" }).click();
  const codes = await shownCodes(page);
  await look(page, "first-codes");
  const { userHandle, isResidentCredential } = await onlyPasskey(keys);
  assert.ok(isResidentCredential);
  assert.equal(Buffer.from(userHandle, "base64").length, 64);
  assert.ok(!codes.some((code) => quickstart.printed().includes(code)), "codes are never printed");
  await page.getByRole("link", { name: "I’ve saved them" }).click();
  await arrive(page, "/oauth/consent");
  await page.getByRole("button", { name: /Allow|Share/ }).first().click();
  await arrive(page, "/result");
  assert.match(await page.innerText("main"), /ines@example\.com/);
  assert.match(await page.innerText("main"), /phr/);

  await signOut(page, quickstart.provider);
  await openSignIn(page, keys);
  await look(page, "sign-in-passkey");
  await signInButton(page).click();
  await arrive(page, "/account");
  assert.match(await page.innerText("main"), /ines@example\.com/);
});

test("a passkey is added, suggested to the field of the address, renamed and removed", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, maria);
  await page.goto(`${quickstart.provider}/account/security`);
  await look(page, "security-empty");
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await look(page, "add-passkey");
  await page.getByRole("button", { name: "Create passkey" }).click();
  await arrive(page, "/account/security");
  await look(page, "security-passkey");
  assert.equal(quickstart.mails(maria.email).length, 1, "a mail tells of it");

  await page.getByRole("link", { name: /^Rename/ }).click();
  await page.fill("[name=name]", "My <b>laptop</b> \"one\"");
  await look(page, "rename-passkey");
  await page.getByRole("button", { name: "Save" }).click();
  await arrive(page, "/account/security");
  assert.match(await page.innerText("main"), /My <b>laptop<\/b> "one"/);

  // Suggested without a press of any button.
  await signOut(page, quickstart.provider);
  await page.goto(`${quickstart.provider}/signin`);
  await arrive(page, "/account");

  await page.goto(`${quickstart.provider}/account/security`);
  await page.getByRole("link", { name: /^Remove: My/ }).click();
  await look(page, "remove-passkey");
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await arrive(page, "/account/security");
  await expectEvents(keys, /deleted/);
});

/** Waits until an authenticator has met with such events. */
async function expectEvents(keys, wanted) {
  for (let tries = 0; tries < 100; tries++) {
    if (wanted.test(keys.events().join(" "))) return;
    await new Promise((wait) => setTimeout(wait, 50));
  }
  assert.match(keys.events().join(" "), wanted);
}

test("whoever cancels a dialog is on the page as before, and goes on", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, noah);
  await page.goto(`${quickstart.provider}/account/security`);
  await page.getByRole("link", { name: "Add a passkey" }).click();
  const create = page.getByRole("button", { name: "Create passkey" });
  const quiet = async () => {
    await page.waitForTimeout(300);
    assert.equal(await page.locator(".problem, .problems").count(), 0);
  };
  await keys.verified(false);
  await create.click();
  await quiet();
  await create.click();
  await quiet();
  await keys.verified(true);
  await create.click();
  await arrive(page, "/account/security");
  assert.equal((await keys.credentials()).length, 1);

  await signOut(page, quickstart.provider);
  await keys.verified(false);
  await page.goto(`${quickstart.provider}/signin`);
  await signInButton(page).click();
  await quiet();
  await arrive(page, "/signin");
  // The password still works on the same page, and the button, too.
  await page.fill("[name=email]", noah.email);
  await keys.verified(true);
  await signInButton(page).click();
  await arrive(page, "/account");
});

test("a device gets one passkey, and another device another", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, ruth);
  await addPasskey(page, quickstart.provider);
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Create passkey" }).click();
  await arrive(page, "/account/security");
  assert.match(await page.innerText("main"), /already has a passkey/);
  assert.equal((await keys.credentials()).length, 1);

  const other = await newWindow(browser);
  const phone = await addAuthenticator(other, synced);
  await signIn(other, quickstart.provider, ruth);
  await other.goto(`${quickstart.provider}/account/security`);
  await other.getByRole("link", { name: "Add a passkey" }).click();
  // Ruth has a passkey: a change wants it, which is not on this device.
  assert.match(new URL(other.url()).pathname, /signin/);
  await phone.take(await onlyPasskey(keys));
  await other.getByRole("button", { name: "Use a passkey" }).click();
  await other.getByRole("button", { name: "Create passkey" }).waitFor();
  await phone.clear();
  await other.getByRole("button", { name: "Create passkey" }).click();
  await arrive(other, "/account/security");
  assert.equal(await other.getByRole("link", { name: /^Rename/ }).count(), 2);
  await look(other, "security-two-passkeys");
  assert.deepEqual(other.faults, []);
  await other.context().close();
});

test("the flags of a backup flip, a counter goes back, and the passkey still signs in", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page, synced);
  await signIn(page, quickstart.provider, omar);
  await addPasskey(page, quickstart.provider);
  const again = async () => {
    await signOut(page, quickstart.provider);
    await openSignIn(page, keys);
    await signInButton(page).click();
    await arrive(page, "/account");
  };
  await again();
  await keys.flip({ backupEligibility: true, backupState: false });
  await again();
  await keys.flip({ backupEligibility: false, backupState: false });
  await again();
  await keys.count(1000);
  await again();
  await keys.count(3);
  await again();
});

test("a passkey that signs wrongly is refused, and one that was removed is forgotten by its device", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, lena);
  await addPasskey(page, quickstart.provider);
  await signOut(page, quickstart.provider);
  await openSignIn(page, keys);
  await keys.forge(true);
  await signInButton(page).click();
  await page.waitForSelector(".problem, .problems");
  await look(page, "passkey-refused");
  await keys.forge(false);
  const credential = await onlyPasskey(keys);
  await signInButton(page).click();
  await arrive(page, "/account");
  await page.goto(`${quickstart.provider}/account/security`);
  await page.getByRole("link", { name: /^Remove: / }).first().click();
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await arrive(page, "/account/security");
  await expectEvents(keys, /deleted/);

  // A device that was away has it still.
  await keys.take(credential);
  await signOut(page, quickstart.provider);
  await openSignIn(page, keys);
  await signInButton(page).click();
  await page.waitForSelector(".problem, .problems");
  await expectEvents(keys, /deleted.*deleted/);
  assert.equal((await keys.credentials()).length, 0);
});

test("a passkey of the sandbox is told apart at production, and not deleted", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.sandbox, tess);
  await addPasskey(page, quickstart.sandbox);
  await signOut(page, quickstart.sandbox);
  await openSignIn(page, keys);
  await signInButton(page).click();
  await page.waitForSelector(".problem, .problems");
  assert.match(await page.innerText("main"), /sandbox/i);
  await look(page, "passkey-of-the-sandbox");
  assert.equal((await keys.credentials()).length, 1);
  await openSignIn(page, keys, quickstart.sandbox);
  await signInButton(page).click();
  await arrive(page, "/sandbox/account");
});

test("a page that was left open says so, and goes on with the next press", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, pia);
  await addPasskey(page, quickstart.provider);
  await signOut(page, quickstart.provider);
  await openSignIn(page, keys);
  // As if somebody had been there before with the same challenge: it is spent.
  const field = page.locator("form[data-passkey] [name=challenge]");
  const challenge = await field.inputValue();
  await field.evaluate((e, value) => { e.value = value; }, `${challenge.slice(0, -8)}AAAAAAAA`);
  await signInButton(page).click();
  await page.waitForSelector(".problem, .problems");
  await look(page, "challenge-too-old");
  await signInButton(page).click();
  await arrive(page, "/account");
});

test("the button of a site opens a window in which a passkey signs in", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, rosa);
  await addPasskey(page, quickstart.provider);
  await signOut(page, quickstart.provider);
  const credential = await onlyPasskey(keys);
  await page.goto(quickstart.site);
  await page.getByText("More ways", { exact: true }).click();
  const [popup] = await Promise.all([
    page.waitForEvent("popup"),
    page.locator("span[data-display=popup]").getByRole("link").click(),
  ]);
  await popup.waitForURL("**/signin?**");
  const popupKeys = await addAuthenticator(popup);
  await popupKeys.presence(false);
  await popup.reload();
  await popupKeys.take(credential);
  await popupKeys.presence(true);
  const closed = popup.waitForEvent("close");
  // The field of the address may suggest it first: then the button is gone.
  await Promise.all([popup.waitForURL("**/oauth/consent?**"), signInButton(popup).click({ timeout: 5_000 }).catch(() => {})]);
  await popup.waitForFunction(() => !document.querySelector("[aria-disabled=true]"));
  await popup.getByRole("button", { name: /^Share|^Allow/ }).first().click();
  await closed;
  await arrive(page, "/result");
  assert.match(await page.innerText("main"), /rosa@example\.com/);
});

test("keys are enough to sign in with a passkey", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, sven);
  await addPasskey(page, quickstart.provider);
  await signOut(page, quickstart.provider);
  await openSignIn(page, keys);
  for (let tabs = 0; tabs < 40; tabs++) {
    if (await page.evaluate(() => document.activeElement.closest("form")?.dataset.passkey === "get" && document.activeElement.matches("button"))) break;
    await page.keyboard.press("Tab");
  }
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "the button shows that it has the focus");
  await page.keyboard.press("Enter");
  await arrive(page, "/account");
});

test("without script there is no word of passkeys that cannot be used", async () => {
  page = await newWindow(browser, { javaScriptEnabled: false });
  await page.goto(`${quickstart.provider}/signin`);
  assert.equal(await signInButton(page).isVisible(), false);
  await page.goto(`${quickstart.provider}/signup`);
  assert.equal(await page.getByRole("button", { name: "Use a passkey instead" }).isVisible(), false);
});

test("every language has the screens", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page);
  await signIn(page, quickstart.provider, theo);
  await addPasskey(page, quickstart.provider);
  const seen = new Set();
  for (const lang of ["en", "de", "es", "fr", "it", "pt", "zh", "ar"]) {
    await page.goto(`${quickstart.provider}/account/security?ui_locales=${lang}`);
    await look(page, `security-${lang}`);
    seen.add(await page.locator("h1").innerText());
  }
  assert.equal(seen.size, 8);
  assert.equal((await keys.credentials()).length, 1);
});

test("a new account with a password is offered a passkey, once", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page), email = "uma@example.com", password = "uma-amber-kettle-hums-west";
  await page.goto(`${quickstart.provider}/signup`);
  await look(page, "sign-up-able");
  await page.fill("[name=email]", email);
  await page.fill("[name=new_password]", password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.fill("[name=code]", await quickstart.code(email));
  await page.click("main form button[type=submit]");
  await arrive(page, "/signin/passkey");
  await look(page, "offer");
  await keys.verified(false); // a cancelled dialog
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.waitForTimeout(300);
  await arrive(page, "/signin/passkey");
  await page.getByRole("button", { name: "Not now" }).click();
  await arrive(page, "/account");
  await signOut(page, quickstart.provider);
  await signIn(page, quickstart.provider, { email, password });
  assert.equal((await keys.credentials()).length, 0);
});
