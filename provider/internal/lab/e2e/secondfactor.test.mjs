// Authenticator apps, recovery codes and recovery in Chromium.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addApp, addPasskey, arrive, enterPassword, person, signIn, signOut } from "./factors.mjs";
import { addAuthenticator, device } from "./authenticator.mjs";
import { closeAfterEach, look, newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

const [maria, noah, ruth, omar, lena, pia, rosa] = ["maria", "noah", "ruth", "omar", "lena", "pia", "rosa"].map(person);
let quickstart, browser, page;

before(async () => {
  quickstart = await startQuickstart({
    users: [maria, noah, ruth, omar, lena, pia, rosa],
    sign_in: { trust_devices: "168h" },
  });
  browser = await startChromium();
});

closeAfterEach(() => page);

const submit = (page) => page.locator("main form button[type=submit]").first().click();

/** Enters a code where one is asked. */
async function enterCode(page, code) {
  await page.fill("[name=code]", code);
  await submit(page);
}

test("an app is asked for after the password, and a recovery code in its place, each once", async () => {
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, maria);
  const { code, codes } = await addApp(page, quickstart.provider, (p, name) => look(p, `${name}-added`));
  await look(page, "security-app");
  await signOut(page, quickstart.provider);

  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, maria);
  await arrive(page, "/signin/factor");
  await look(page, "factor-app");
  await enterCode(page, "000000");
  await page.waitForSelector(".problem, .problems");
  await look(page, "factor-app-wrong");
  await enterCode(page, await code());
  await arrive(page, "/account");
  await signOut(page, quickstart.provider);

  for (const [entered, works] of [[codes[0], true], [codes[0], false], [` ${codes[1].toLowerCase().replaceAll("-", " ")}`, true]]) {
    await page.goto(`${quickstart.provider}/account`);
    await enterPassword(page, maria);
    await page.getByRole("link", { name: /recovery code/i }).click();
    if (works && entered === codes[0]) await look(page, "factor-code");
    await enterCode(page, entered);
    if (works) await arrive(page, "/account");
    else await page.waitForSelector(".problem, .problems");
    if (works) await signOut(page, quickstart.provider);
  }
});

test("codes are downloaded as a file, and printed without the rest of the page", async () => {
  page = await newWindow(browser, { acceptDownloads: true });
  await signIn(page, quickstart.provider, noah);
  let codes;
  await addApp(page, quickstart.provider, async (p, name) => {
    if (name !== "codes") return;
    const [download] = await Promise.all([p.waitForEvent("download"), p.getByRole("button", { name: "Download" }).click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    codes = Buffer.concat(chunks).toString();
    assert.match(download.suggestedFilename(), /\.txt$/);
    await p.emulateMedia({ media: "print" });
    assert.ok(await p.locator("ul.codes").isVisible());
    assert.equal(await p.getByRole("link", { name: "I’ve saved them" }).isVisible(), false);
    await p.emulateMedia({ media: null });
    assert.ok(await p.getByRole("button", { name: "Print" }).isVisible());
  });
  assert.equal(codes.match(/^[0-9A-Z-]{13,20}\r$/gm).length, 10);
});

test("a browser that is trusted is not asked again, until something changes", async () => {
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, ruth);
  const { code } = await addApp(page, quickstart.provider);
  await signOut(page, quickstart.provider);
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, ruth);
  await page.getByRole("checkbox").check();
  await enterCode(page, await code());
  await arrive(page, "/account");
  await signOut(page, quickstart.provider);
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, ruth);
  await arrive(page, "/account");
  // A password alone, though trusted, changes nothing of security.
  await page.goto(`${quickstart.provider}/account/security`);
  await look(page, "security-trusted");
  await page.getByRole("link", { name: /^Get new codes/ }).click();
  await page.waitForSelector("[name=code]");
  await enterCode(page, await code());
  await page.getByRole("button", { name: "Get new codes" }).click();
  await page.waitForSelector("ul.codes");
  await signOut(page, quickstart.provider);
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, ruth);
  await arrive(page, "/signin/factor");
});

test("a passkey beside an app: either is enough, and they are not asked together", async () => {
  page = await newWindow(browser);
  const keys = await addAuthenticator(page, device);
  await signIn(page, quickstart.provider, omar);
  await addPasskey(page, quickstart.provider);
  const { code } = await addApp(page, quickstart.provider);
  await look(page, "security-all");
  await signOut(page, quickstart.provider);
  await keys.presence(false);
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, omar);
  await arrive(page, "/signin/factor");
  await look(page, "factor-passkey");
  await keys.verified(false); // a cancelled dialog
  await keys.presence(true);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForTimeout(300);
  assert.equal(await page.locator(".problem, .problems").count(), 0);
  await page.getByRole("link", { name: /app/i }).first().click();
  await enterCode(page, await code());
  await arrive(page, "/account");
  await signOut(page, quickstart.provider);
  await keys.verified(true);
  await page.goto(`${quickstart.provider}/signin`);
  await arrive(page, "/account");
});

test("scripts are not needed for an app, its codes and the way back", async () => {
  page = await newWindow(browser, { javaScriptEnabled: false });
  await signIn(page, quickstart.provider, lena);
  const { code, codes } = await addApp(page, quickstart.provider);
  await signOut(page, quickstart.provider);
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, lena);
  await enterCode(page, await code());
  await arrive(page, "/account");
  await signOut(page, quickstart.provider);

  // All is lost but a recovery code.
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, lena);
  await page.getByRole("link", { name: "Lost your phone or passkey?" }).click();
  await submit(page); // the address was just given
  await page.fill("[name=code]", await quickstart.code(lena.email));
  await submit(page);
  await page.getByRole("link", { name: /recovery code/i }).click();
  await page.fill("[name=code]", codes[3]);
  await submit(page);
  await page.fill("[name=new_password]", "paper-comet-sings-at-noon");
  await submit(page);
  await page.goto(`${quickstart.provider}/account`);
  await enterPassword(page, { ...lena, password: "paper-comet-sings-at-noon" });
  await arrive(page, "/account");
});

test("without any of it a recovery waits, is told, seen and stopped", async () => {
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, pia);
  const { code } = await addApp(page, quickstart.provider);

  const thief = await newWindow(browser);
  await thief.goto(`${quickstart.provider}/recover`);
  await look(thief, "recover");
  await thief.fill("[name=email]", pia.email);
  await submit(thief);
  await thief.fill("[name=code]", await quickstart.code(pia.email));
  await look(thief, "recover-code");
  await submit(thief);
  await look(thief, "recover-choice");
  await thief.getByRole("link", { name: "I have only my email" }).click();
  await look(thief, "recover-none");
  await submit(thief);
  await look(thief, "recover-waiting");

  for (const path of ["/account", "/account/security", "/account/sessions"]) {
    await page.goto(quickstart.provider + path);
    assert.match(await page.innerText("body"), /recover/i, `${path} tells of it`);
  }
  await look(page, "account-recovery-running");
  await press(page, /Stop/);
  await page.waitForLoadState();
  await page.goto(`${quickstart.provider}/account`);
  assert.doesNotMatch(await page.innerText("main"), /Stop the recovery/);
  await code();
  assert.deepEqual(thief.faults, []);
  await thief.context().close();
});

test("a site that wants two factors has the visitor add one, and is told", async () => {
  page = await newWindow(browser);
  await page.goto(quickstart.site);
  await page.getByText("More ways").click();
  await page.selectOption("#level", "two-factors");
  await page.click('[formaction="/start/standard"]');
  await enterPassword(page, rosa);
  await arrive(page, "/signin/enrol");
  await look(page, "enrol");
  await page.getByRole("link", { name: /app/i }).click();
  const { app } = await import("./totp.mjs");
  const code = app(await page.locator("#key").innerText());
  await look(page, "enrol-app");
  await enterCode(page, await code());
  await page.getByRole("link", { name: "I’ve saved them" }).click();
  await arrive(page, "/oauth/consent");
  await press(page, /Share|Allow/);
  await arrive(page, "/result");
  assert.match(await page.innerText("main"), /https:\/\/refeds\.org\/profile\/mfa/);

  // A passkey is more than that, and cannot be shown.
  await page.goto(quickstart.site);
  await page.getByText("More ways").click();
  await page.selectOption("#level", "passkey");
  await page.click('[formaction="/start/standard"]');
  await page.waitForURL(/enrol|factor|signin/);
  await look(page, "enrol-passkey");
});
