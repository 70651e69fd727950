import assert from "node:assert/strict";
import { before, test } from "node:test";
import { closeAfterEach, look, newWindow, press, settled, startChromium, startQuickstart } from "./lab.mjs";

const maria = { uuid: "a2c8f0e61b7d49d5b3c4", email: "maria@example.com", password: "quiet-otter-paints-dawn" };
const noah = { uuid: "d41f7be90c2a4e1896f3", email: "noah@example.com", password: "copper-lantern-rides-north" };
const tess = { uuid: "77b3e0d5a9c84f02b1e6", email: "tess@example.com", password: "paper-comet-hums-softly" };
let quickstart, browser, page;

before(async () => {
  quickstart = await startQuickstart({
    users: [
      {
        ...maria, attributes: { fname: "Maria", lname: "Okafor", zip: "22030", birthdate: "1990-04-02" },
        status: [{ group: "military", subgroups: ["Veteran"], verified: true }],
      },
      { ...noah, attributes: { fname: "Noah" } },
      tess,
    ],
    sandbox: {},
  });
  browser = await startChromium();
});

closeAfterEach(() => page);

/** Where the buttons of the sample client lead to. */
const protocol = { oauth: "/start/v3-oauth", oidc: "/start/v3-openid", standard: "/start/standard" };

/** Begins at the sample client, as a visitor does. */
async function begin(name, choices = {}) {
  await page.goto(quickstart.site);
  await page.getByText("More ways").click();
  for (const [field, value] of Object.entries(choices)) await page.selectOption(`#${field}`, value);
  await page.click(`[formaction="${protocol[name]}"]`);
}

async function signIn({ email, password } = maria, window = page) {
  await window.fill("[name=email]", email);
  await window.fill("[name=password]", password);
  await window.click("main button[type=submit]");
}

const arrive = (path) => page.waitForURL((url) => url.pathname === path);

test("a visitor signs up with a code from a mail, and arrives at the shop", async () => {
  page = await newWindow(browser);
  const email = "ines@example.com";
  await page.goto(quickstart.site);
  await look(page, "home");
  await page.getByText("More ways").click();
  await look(page, "home-ways");
  await begin("oidc", { scope: "military", op: "signup" });
  await look(page, "sign-up");
  await page.fill("[name=email]", email);
  await page.fill("[name=new_password]", "short");
  await page.click("main button[type=submit]");
  await page.waitForSelector(".problem");
  await look(page, "sign-up-problems");
  await page.fill("[name=new_password]", "amber-river-folds-quietly");
  await page.click("main button[type=submit]");
  await page.fill("[name=code]", await quickstart.code(email));
  await look(page, "sign-up-code");
  await page.click("main button[type=submit]");
  await arrive("/signin/passkey");
  await look(page, "sign-up-passkey");
  await press(page, "Not now");
  await arrive("/oauth/consent");
  await look(page, "consent-unverified");
  await press(page, "Share without verification");
  await arrive("/result");
  await look(page, "result-oidc");
  const text = await page.innerText("main");
  assert.match(text, /ines@example\.com/);
  assert.match(text, /not verified/);
});

test("a user signs in, consents, denies, and takes it back", async () => {
  page = await newWindow(browser);
  await begin("oauth", { scope: "military" });
  await look(page, "sign-in");
  await signIn({ ...maria, password: "not-hers-at-all" });
  await page.waitForSelector(".problem");
  await look(page, "sign-in-problems");
  await signIn();
  await arrive("/oauth/consent");
  assert.match(await page.innerText("main"), /Veteran/);
  await look(page, "consent");
  await press(page, "Allow");
  await arrive("/result");
  await look(page, "result-oauth");
  assert.match(await page.innerText("main"), /Welcome, Maria/);
  assert.match(await page.innerText("main"), /✓ verified/);

  await begin("standard", { scope: "student" });
  await arrive("/oauth/consent");
  await press(page, "Deny");
  await arrive("/problem");
  await look(page, "denied");
  assert.match(await page.innerText("main"), /access_denied/);

  await page.goto(`${quickstart.provider}/account`);
  await look(page, "account");
  await page.goto(`${quickstart.provider}/account/apps`);
  assert.match(await page.innerText("main"), /Sample Shop/);
  await look(page, "apps");
  await page.click("main .cards a.button");
  await look(page, "remove-app");
  await page.click("main button.danger");
  await arrive("/account/apps");
  await look(page, "apps-empty");
  assert.equal(await page.locator("main .cards").count(), 0);
  await begin("oauth", { scope: "military" });
  await arrive("/oauth/consent"); // is asked again

  await page.goto(`${quickstart.provider}/signout`);
  await look(page, "sign-out");
  await page.click("main button[type=submit]");
  await page.waitForSelector("main:not(:has(form))");
  await look(page, "signed-out");
  await page.goto(`${quickstart.provider}/account`);
  await arrive("/signin");
});

test("keys are enough to sign in and to consent", async () => {
  page = await newWindow(browser);
  await begin("oidc", { scope: "military" });
  const { keyboard } = page;
  const focused = () => page.evaluate(() => {
    const element = document.activeElement;
    return element.matches("input") ? element.name : element.innerText.trim();
  });
  const tabTo = async (wanted) => {
    for (let tabs = 0; tabs < 40; tabs++) {
      if (await focused() === wanted) {
        const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        assert.notEqual(outline, "none", `${wanted} shows that it has the focus`);
        return;
      }
      await keyboard.press("Tab");
    }
    assert.fail(`${wanted} is not reached`);
  };
  await tabTo("email");
  await keyboard.type(maria.email);
  await tabTo("password");
  await keyboard.type(maria.password);
  await keyboard.press("Enter");
  await arrive("/oauth/consent");
  await settled(page);
  await tabTo("Allow");
  await keyboard.press("Enter");
  await arrive("/result");
  assert.match(await page.innerText("main"), /Welcome, Maria/);
});

test("the sign-in button works in a popup", async () => {
  page = await newWindow(browser);
  await page.goto(quickstart.site);
  await page.getByText("More ways").click();
  const [popup] = await Promise.all([
    page.waitForEvent("popup"),
    page.locator("span[data-display=popup]").getByRole("link").click(),
  ]);
  await look(popup, "popup-sign-in");
  const closed = popup.waitForEvent("close");
  await signIn(noah, popup);
  await popup.waitForURL("**/oauth/consent?**");
  await look(popup, "popup-consent");
  await press(popup, "Share without verification");
  await closed;
  await arrive("/result");
  assert.match(await page.innerText("main"), /Welcome, Noah/);
});

test("scripts are not needed", async () => {
  page = await newWindow(browser, { javaScriptEnabled: false });
  await page.goto(quickstart.site);
  await page.locator("span[data-client-id] a").first().click();
  await signIn(tess);
  await arrive("/oauth/consent");
  await page.click("[value=allow]");
  await arrive("/result");
  assert.match(await page.innerText("main"), /tess@example\.com/);
});

test("every other screen is as good", async () => {
  page = await newWindow(browser);
  await begin("standard", { scope: "military" });
  await signIn();
  await arrive("/oauth/consent");
  await press(page, "Allow");
  await arrive("/result");
  await look(page, "result-standard");
  for (const [prompt, name] of [["select_account", "choose-account"], ["login", "prove-it"]]) {
    await begin("standard", { scope: "military", prompt });
    await look(page, name);
  }
  for (const [address, name] of [
    ["/account/sessions", "sessions"], ["/account/password", "password"], ["/account/security", "security"],
    ["/oauth/authorize?client_id=nobody", "unknown-client"],
    ["/oauth/authorize?client_id=sample-v3&redirect_uri=https://evil.test/", "unknown-redirect"],
    ["/nothing", "not-found"], ["/sandbox/signin", "sandbox-sign-in"],
  ]) {
    await page.goto(quickstart.provider + address);
    await look(page, name);
  }
  await page.context().clearCookies();
  await page.goto(`${quickstart.provider}/reset`);
  await look(page, "reset");
  await page.fill("[name=email]", maria.email);
  await page.click("main button[type=submit]");
  await page.fill("[name=code]", await quickstart.code(maria.email));
  await look(page, "reset-finish");
});
