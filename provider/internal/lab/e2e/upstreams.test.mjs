// Sign-in with an account elsewhere: production has its own sandbox as an upstream provider.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addApp, arrive, enterPassword, person, signIn, signOut } from "./factors.mjs";
import { closeAfterEach, look, newWindow, startChromium, startQuickstart, tabTo } from "./lab.mjs";

const [maria, noah] = ["maria", "noah"].map(person);
const [tess, uma, vera, wim] = ["tess", "uma", "vera", "wim"].map((name) => ({ ...person(name), attributes: { fname: name } }));
let quickstart, browser, page;

before(async () => {
  quickstart = await startQuickstart((port) => ({
    users: [maria, noah], allow_private_networks: true,
    upstreams: [{ id: "sandbox", title: "Sandbox", openid: { issuer: `http://localhost:${port}/sandbox/oidc`, client_id: "production" } }],
    sandbox: {
      users: [tess, uma, vera, wim, maria],
      clients: [{
        client_id: "production", name: "Bonafide", dialect: "standard", public: true, scopes: ["openid", "profile", "email"],
        redirect_uris: [`http://localhost:${port}/signin/with/sandbox/callback`],
      }],
    },
  }));
  browser = await startChromium();
});

closeAfterEach(() => page);

const leave = (page) => page.locator("form[action*='/signin/with/sandbox'] button").click();

const submit = (page) => page.locator("main form button[type=submit]").first().click();

/** Signs in at the sandbox, and lets it tell production who that is, or not. */
async function atSandbox(page, { email, password }, answer = "allow") {
  await arrive(page, "/sandbox/signin");
  await page.fill("[name=email]", email);
  await page.fill("[name=password]", password);
  await page.press("[name=password]", "Enter"); // the buttons before it are those of personas
  await page.locator(`button[value=${answer}]`).click();
}

test("a stranger signs in with the sandbox, and the next time is known", async () => {
  page = await newWindow(browser);
  await page.goto(`${quickstart.provider}/account`);
  await look(page, "upstream-signin");
  await leave(page);
  await atSandbox(page, tess);
  await arrive(page, "/signin/connect/code");
  await look(page, "upstream-code");
  await page.fill("[name=code]", await quickstart.code(tess.email));
  await submit(page);
  await arrive(page, "/account");
  assert.match(await page.locator("main").innerText(), /tess@example.com/);
  await signOut(page, quickstart.provider);
  await page.goto(`${quickstart.provider}/account`);
  assert.match(await page.locator(".upstreams").innerText(), /Last used/);
  await look(page, "upstream-last-used");
  await leave(page);
  await arrive(page, "/account");
});

test("who refuses at the sandbox is told so, and signs in otherwise", async () => {
  page = await newWindow(browser);
  await page.goto(`${quickstart.provider}/account`);
  await leave(page);
  await atSandbox(page, uma, "deny");
  await arrive(page, "/signin");
  await page.waitForSelector(".problem, .problems");
  await look(page, "upstream-refused");
  await enterPassword(page, noah);
  await arrive(page, "/account");
});

test("an account is connected with its second factor, signed in to, and disconnected", async () => {
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, maria);
  const { code } = await addApp(page, quickstart.provider);
  await signOut(page, quickstart.provider);

  await page.goto(`${quickstart.provider}/account`);
  await leave(page);
  await atSandbox(page, maria);
  await arrive(page, "/signin/connect");
  await look(page, "upstream-connect");
  await page.locator("main a[href*='/signin/connected']").click();
  await arrive(page, "/signin");
  await look(page, "upstream-connecting");
  await enterPassword(page, maria);
  await arrive(page, "/signin/factor");
  await page.fill("[name=code]", await code());
  await submit(page);
  await arrive(page, "/account");
  await signOut(page, quickstart.provider);

  await page.goto(`${quickstart.provider}/account/security`);
  await leave(page);
  await arrive(page, "/signin/factor");
  await page.fill("[name=code]", await code());
  await submit(page);
  await arrive(page, "/account/security");
  await look(page, "upstream-connected");
  await page.locator("a[href*='/account/connections/remove']").click();
  await look(page, "upstream-remove");
  await submit(page);
  await arrive(page, "/account/security");
  assert.equal(await page.locator("a[href*='/account/connections/remove']").count(), 0);
  await look(page, "upstream-removed");
});

test("the owner of an account connects it on the security page, by the keyboard alone", async () => {
  page = await newWindow(browser);
  await signIn(page, quickstart.provider, noah);
  await page.goto(`${quickstart.provider}/account/security`);
  await tabTo(page, "form[action*='/account/connections/sandbox'] button");
  await page.keyboard.press("Enter");
  await arrive(page, "/sandbox/signin");
  await tabTo(page, "[name=email]");
  await page.keyboard.type(vera.email);
  await tabTo(page, "[name=password]");
  await page.keyboard.type(vera.password);
  await page.keyboard.press("Enter");
  await page.waitForSelector("button[value=allow]");
  await page.waitForFunction(() => !document.querySelector("[aria-disabled=true]"));
  await tabTo(page, "button[value=allow]");
  await page.keyboard.press("Enter");
  await arrive(page, "/account/security");
  assert.match(await page.locator("main").innerText(), /vera@example.com/);
});

for (const [locale, direction, somebody] of [["ar", "rtl", uma], ["de", "ltr", wim]]) {
  test(`a stranger signs in on a phone in ${locale}, without script`, async () => {
    page = await newWindow(browser, { locale, javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    const whole = async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, page.url());
    await page.goto(`${quickstart.provider}/account`);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).direction), direction);
    await whole();
    await leave(page);
    await atSandbox(page, somebody);
    await arrive(page, "/signin/connect/code");
    await whole();
    await page.fill("[name=code]", await quickstart.code(somebody.email));
    await submit(page);
    await arrive(page, "/account");
    await page.goto(`${quickstart.provider}/account/security`);
    await whole();
    await page.locator("a[href*='/account/connections/remove']").click();
    await whole();
  });
}
