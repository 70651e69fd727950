// The pages on which a user decides about what a device asks for (RFC 8628), in Chromium.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gallery } from "./build.mjs";
import { arrive, enterPassword, person, signIn } from "./factors.mjs";
import { closeAfterEach, look, newWindow, press, settled, startChromium, startQuickstart, tabTo } from "./lab.mjs";

const grant = "urn:ietf:params:oauth:grant-type:device_code";
const people = ["maria", "noah", "omar", "lena", "pia"].map(person);
const [maria, noah, omar, lena, pia] = people;
let quickstart, browser, page;

const pages = gallery("./ui");
const fixture = (name, lang = "en") => pathToFileURL(join(pages, lang, `${name}.html`)).href;
const screens = [
  "device", "device-brought", "device-wrong", "device-missing", "device-throttled", "device-elsewhere", "device-confirm", "device-confirm-near",
  "device-confirm-hostile", "device-allowed", "device-denied", "device-reported", "device-app", "device-app-remove",
];

before(async () => {
  quickstart = await startQuickstart({
    users: people.map((p) => ({ ...p, email_verified: true, attributes: { fname: p.uuid.slice(6) } })),
    device_authorization: { on: true, complete: true },
    trusted_proxies: ["127.0.0.0/8", "::1/128"],
    clients: [{ client_id: "tv", name: "Living Room", dialect: "standard", public: true, grant_types: [grant, "refresh_token"] }],
  });
  browser = await startChromium();
});

closeAfterEach(() => page);

/** A device asks for a code, from a network of its own if there is one. */
async function ask(network) {
  const headers = network ? { "x-forwarded-for": network } : {};
  const post = (path, form) => fetch(`${quickstart.provider}${path}`, { method: "POST", headers, body: new URLSearchParams({ client_id: "tv", ...form }) });
  const codes = await (await post("/oauth/device_authorization", { scope: "openid profile" })).json();
  return {
    ...codes,
    poll: async () => (await post("/oauth/token", { grant_type: grant, device_code: codes.device_code })).json(),
    refresh: async (token) => (await post("/oauth/token", { grant_type: "refresh_token", refresh_token: token })).json(),
  };
}

const said = (page) => page.locator("main").innerText();

test("by the keyboard alone a user signs in, mistypes the code, corrects it and allows the device", async () => {
  const device = await ask();
  page = await newWindow(browser);
  await page.goto(device.verification_uri);
  await tabTo(page, "[name=email]");
  await page.keyboard.type(maria.email);
  await tabTo(page, "[name=password]");
  await page.keyboard.type(maria.password);
  await page.keyboard.press("Enter");
  await arrive(page, "/device");
  assert.equal(await page.evaluate(() => document.activeElement.name), "user_code", "the field has the focus");
  await look(page, "device");
  await page.keyboard.type("bbbb bbbb");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[aria-invalid=true]");
  assert.match(await said(page), /No device is waiting with this code/);
  await look(page, "device-wrong");
  await tabTo(page, "[name=user_code]");
  await page.keyboard.press("Control+A");
  await page.keyboard.type(` ${device.user_code.toLowerCase().replace("-", " ")} `);
  await page.keyboard.press("Enter");
  await arrive(page, "/device");
  await page.waitForSelector("button[value=allow]");
  assert.match(await said(page), new RegExp(`Living Room[\\s\\S]*${device.user_code}[\\s\\S]*if you started this yourself[\\s\\S]*same network`));
  await settled(page);
  await look(page, "device-confirm");
  await tabTo(page, "button[value=deny]");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.value), "allow", "after No");
  await page.keyboard.press("Enter");
  await arrive(page, "/device/confirm");
  assert.match(await said(page), /The device is connected/);
  await look(page, "device-allowed");

  const tokens = await device.poll();
  assert.ok(tokens.access_token && tokens.refresh_token, JSON.stringify(tokens));
  const mail = quickstart.mails(maria.email).at(-1);
  assert.match(mail, /Living Room/);
  await page.goto(mail.match(/http\S+\/account\/apps/)[0]);
  assert.match(await said(page), /Living Room\s+On a device/);
  await look(page, "device-apps");
  await page.getByRole("link", { name: /Remove access/ }).click();
  await page.locator("main form button[type=submit]").click();
  await arrive(page, "/account/apps");
  assert.equal((await device.refresh(tokens.refresh_token)).error, "invalid_grant");
  await page.goto(`${quickstart.provider}/account/history`);
  assert.match(await said(page), /Living Room allowed on a device/);
});

test("a code that the address brings along is kept through the sign-in, and compared", async () => {
  const device = await ask();
  page = await newWindow(browser);
  await page.goto(device.verification_uri_complete);
  await enterPassword(page, noah);
  await arrive(page, "/device");
  assert.equal(await page.inputValue("[name=user_code]"), device.user_code);
  await look(page, "device-brought");
  await page.locator("main form button[type=submit]").click();
  await page.waitForSelector("button[value=deny]");
  assert.match(await said(page), new RegExp(device.user_code));
  await press(page, "No");
  await arrive(page, "/device/confirm");
  assert.match(await said(page), /Nothing was allowed/);
  await look(page, "device-denied");
  assert.equal((await device.poll()).error, "access_denied");
});

test("a code that was entered is kept when the session has ended meanwhile", async () => {
  const device = await ask();
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, pia);
  await page.goto(device.verification_uri);
  await page.context().clearCookies({ name: /session/ });
  await page.fill("[name=user_code]", device.user_code);
  await page.locator("main form button[type=submit]").click();
  await enterPassword(page, pia);
  await arrive(page, "/device");
  assert.equal(await page.inputValue("[name=user_code]"), device.user_code);
});

test("who is warned of another network reports what was not started here", async () => {
  const device = await ask("198.51.100.7");
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, omar);
  await page.goto(device.verification_uri);
  await page.fill("[name=user_code]", device.user_code);
  await page.locator("main form button[type=submit]").click();
  await page.waitForSelector("button[value=report]");
  assert.match(await said(page), /on another network than you/);
  await look(page, "device-confirm-elsewhere");
  await press(page, "I did not start this");
  await arrive(page, "/device/confirm");
  assert.match(await said(page), /Thank you/);
  await look(page, "device-reported");
  assert.equal((await device.poll()).error, "access_denied");
  assert.match(quickstart.mails(omar.email).at(-1), /had not started/);
});

test("on a phone in Arabic, by night and without script, the device is allowed", async () => {
  const device = await ask();
  page = await newWindow(browser, { locale: "ar", javaScriptEnabled: false, colorScheme: "dark", viewport: { width: 360, height: 740 } });
  const whole = async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, page.url());
  await page.goto(device.verification_uri);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).direction), "rtl");
  await page.fill("[name=email]", lena.email);
  await page.fill("[name=password]", lena.password);
  await page.press("[name=password]", "Enter");
  await arrive(page, "/device");
  await whole();
  await page.fill("[name=user_code]", device.user_code.replace("-", ""));
  await page.press("[name=user_code]", "Enter");
  await page.waitForSelector("button[value=allow]");
  await whole();
  await page.click("button[value=allow]");
  await arrive(page, "/device/confirm");
  await whole();
  assert.ok((await device.poll()).access_token);
});

test("axe finds nothing on any screen, and nothing is wider than the window", async () => {
  page = await newWindow(browser);
  for (const lang of ["en", "ar"]) {
    for (const name of screens) {
      await page.goto(fixture(name, lang));
      await look(page, `gallery-${lang}-${name}`);
    }
  }
});

test("at text of 200 % nothing is wider than the window, no word is broken, and the code is whole", async () => {
  const large = await startChromium("--blink-settings=defaultFontSize=32");
  page = await newWindow(large, { viewport: { width: 360, height: 740 } });
  for (const lang of ["en", "de", "ar"]) {
    for (const name of screens) {
      await page.goto(fixture(name, lang));
      const seen = await page.evaluate(() => {
        const broken = [];
        for (const e of document.querySelectorAll("h1, button, .spoken code")) {
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
        const field = document.querySelector("[name=user_code]");
        return { broken, width: document.documentElement.scrollWidth, cut: field ? field.scrollWidth > field.clientWidth : false };
      });
      // A name of an application without a space may be broken: it is not of the screen's words.
      if (name === "device-confirm-hostile") seen.broken = [];
      assert.deepEqual(seen, { broken: [], width: 360, cut: false }, `${lang}/${name}`);
    }
  }
});
