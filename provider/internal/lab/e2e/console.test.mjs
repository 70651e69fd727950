// Support locks the account of who calls: with the keyboard alone, and without script on a telephone, from
// right to left. Then every page of the desk is looked at.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { look, newWindow, press, repository, settled, startCampus, startChromium } from "./lab.mjs";

let campus, browser;
before(async () => { [campus, browser] = await Promise.all([startCampus(), startChromium()]); });

const password = "violet-anchor-sings-low";

// What a second is worth with a keyboard: a key takes somebody who does not type all day 280 ms (Card, Moran and
// Newell 1980).
const keysOfAMinute = Math.floor(60 / 0.28);

/** The words of the desk in a language. */
function words(language) {
  const read = (folder) => JSON.parse(readFileSync(join(repository, folder, "text", `${language}.json`), "utf8"));
  return { desk: read("ui/desk"), person: read("ui/desk/person") };
}

/** Signs somebody up, and returns the window in which they are signed in. */
async function signUp(email) {
  const person = await newWindow(browser);
  await person.goto(`${campus.site}/signup`);
  await person.getByLabel("Email address").fill(email);
  await person.getByLabel("Password", { exact: true }).fill(password);
  await press(person, "Create account");
  await person.getByLabel("Eight-digit code").fill((await campus.mail(email)).match(/\b\d{8}\b/)[0]);
  await press(person, "Continue");
  await person.waitForURL((url) => url.pathname !== "/signup");
  return person;
}

/** Signs in at a page of the desk. */
async function signIn(page, name, path = "/desk/") {
  await page.goto(campus.site + path);
  await page.locator("input[type=email]").fill(`${name}@university.example`);
  await page.locator("input[type=password]").fill(password);
  await page.locator("input[type=password]").press("Enter");
  await page.waitForURL((url) => url.pathname === path);
}

/** Somebody with a keyboard, whose keys are counted. */
function keyboard(page) {
  const hands = {
    keys: 0,
    async key(name) {
      hands.keys += 1;
      await page.keyboard.press(name);
    },
    /** Goes on with Tab until something has the focus, which is to be seen. */
    async reach(target) {
      await page.waitForLoadState();
      await settled(page);
      for (let tabs = 0; !(await target.evaluate((e) => e === document.activeElement)); tabs++) {
        assert.ok(tabs < 60, `${target} is not reached by Tab at ${page.url()}`);
        await hands.key("Tab");
      }
      const seen = await target.evaluate((e) => {
        const style = getComputedStyle(e.matches("input[type=radio], input[type=checkbox]") ? e.closest("label, li, div") ?? e : e);
        return style.outlineStyle !== "none" || style.boxShadow !== "none" || getComputedStyle(e).outlineStyle !== "none";
      });
      assert.ok(seen, `nobody sees that ${target} has the focus`);
    },
    async type(text) {
      hands.keys += text.length;
      await page.keyboard.type(text);
    },
  };
  return hands;
}

test("a stranger locks the account of the caller with the keyboard alone, within a minute", async () => {
  const caller = await signUp("joan@mail.example");
  const page = await newWindow(browser);
  await signIn(page, "support");
  const hands = keyboard(page);
  await hands.reach(page.getByLabel("Email address – ID"));
  await hands.type("joan@mail.example");
  await hands.key("Enter");
  await page.getByRole("heading", { name: "Why do you look at this person?" }).waitFor();
  await look(page, "console-open");
  await hands.reach(page.getByRole("radio").first());
  await hands.key("Space");
  await hands.reach(page.getByRole("button", { name: "Open the matter" }));
  await hands.key("Enter");
  await page.getByRole("heading", { name: "j•••@m•••.example" }).or(page.getByText("j•••@m•••.example")).first().waitFor();
  await look(page, "console-account");
  await hands.reach(page.getByRole("link", { name: "Let the caller prove who they are" }));
  await hands.key("Enter");
  await page.getByText("It signs nobody in. Give it only in a call that you made.").waitFor();
  await hands.reach(page.getByRole("button", { name: "Send a code" }));
  await hands.key("Enter");
  await page.getByText("A code is on its way").waitFor();
  await look(page, "console-proof");
  const mail = await campus.mail("joan@mail.example");
  await hands.reach(page.getByLabel("Code", { exact: true }));
  await hands.type(mail.match(/\b\d{8}\b|\b\d{4} \d{4}\b/)[0]);
  await hands.key("Enter");
  await page.getByText("The caller reads the recorded mailbox").waitFor();
  await look(page, "console-actions");
  await hands.reach(page.getByRole("link", { name: "Lock the account" }).first());
  await hands.key("Enter");
  await page.getByText("Nobody can sign in to the account.").waitFor();
  await look(page, "console-lock");
  await hands.reach(page.getByRole("button", { name: "Lock the account" }));
  await hands.key("Enter");
  await page.getByText("Done.").waitFor();
  await look(page, "console-locked");
  assert.ok(hands.keys <= keysOfAMinute, `${hands.keys} keys are more than ${keysOfAMinute}, a minute`);

  await caller.goto(`${campus.site}/account`); // the session is over, and nobody gets in
  await caller.getByLabel("Password", { exact: true }).waitFor();
  assert.match(await campus.mail("joan@mail.example"), /locked|disabled/i);
  assert.deepEqual([...caller.faults, ...page.faults], []);
});

for (const language of ["en", "ar"]) {
  test(`the caller is locked without script on a telephone, in ${language}`, async () => {
    const { desk, person } = words(language);
    const email = `${language}@mail.example`;
    await signUp(email);
    const page = await newWindow(browser, { javaScriptEnabled: false, locale: language, viewport: { width: 360, height: 740 } });
    await signIn(page, "support");
    assert.equal(await page.locator("html").getAttribute("dir"), language === "ar" ? "rtl" : "ltr");
    const narrow = async () => {
      const width = await page.locator("body").evaluate((body) => body.ownerDocument.documentElement.scrollWidth);
      assert.ok(width <= 360, `${page.url()} is ${width} px wide`);
    };
    const click = async (role, name) => {
      await narrow();
      await page.locator("main").getByRole(role, { name, exact: true }).first().click();
    };
    await page.getByLabel(desk.Home.Ways.email).fill(email);
    await click("button", desk.Home.FindThem);
    await page.getByRole("radio").first().check();
    await click("button", person.Open.Open);
    await page.getByText(`${email[0]}•••@m•••.example`).first().waitFor();
    await narrow();
    await page.goto(`${page.url()}/actions`);
    await narrow();
    await page.locator(`a[href$="/do/lock"]`).first().click();
    await click("button", desk.Act.Titles.lock);
    await page.getByText(desk.Notices.acted).waitFor();
    await narrow();
    await click("button", person.Bar.Close);
    await page.getByText(desk.Notices.matter_closed).waitFor();
    assert.deepEqual(page.faults, []);
  });
}

const places = {
  support: ["/", "/find"],
  operator: [
    "/", "/find", "/plans", "/plans/new", "/breaks", "/applications", "/applications/shop", "/applications/shop/do/stop_application", "/hosts", "/hosts/app.example", "/hosts/app.example/do/deny_host",
    "/organizations", "/receivers", "/keys", "/service/do/rotate_keys", "/health", "/numbers", "/trail", "/looks", "/rosters", "/codes", "/holds", "/cases/numbers",
  ],
  auditor: ["/", "/trail", "/looks"],
};

for (const language of ["en", "ar"]) {
  test(`every page of the desk, in ${language}`, async () => {
    for (const [name, paths] of Object.entries(places)) {
      const page = await newWindow(browser, { locale: language });
      await signIn(page, name);
      for (const path of paths) {
        const response = await page.goto(`${campus.site}/desk${path}`);
        assert.equal(response.status(), 200, path);
        await look(page, `console-${language}-${name}${path.replaceAll("/", "-")}`);
      }
      if (paths.includes("/receivers")) {
        await page.goto(`${campus.site}/desk/receivers`);
        await page.locator("main a.row").first().click();
        await page.getByText("hooks.shop.example").first().waitFor();
        await look(page, `console-${language}-receiver`);
        await page.locator(`a[href$="/do/switch_off"]`).click();
        await page.locator(`button[value="do"]`).waitFor();
        await look(page, `console-${language}-receiver-do`);
      }
      assert.deepEqual(page.faults, []);
    }
  });

  test(`every part of a person and every form, in ${language}`, async () => {
    const { person, desk } = words(language);
    const email = `parts-${language}@mail.example`;
    await signUp(email);
    const page = await newWindow(browser, { locale: language });
    await signIn(page, "operator");
    await page.getByLabel(desk.Home.Ways.email).fill(email);
    await page.getByLabel(desk.Home.Ways.email).press("Enter");
    await page.getByRole("radio").first().check();
    await press(page, person.Open.Open);
    await page.getByText("•••@m•••.example").first().waitFor();
    const matter = page.url();
    for (const part of ["overview", "account", "factors", "sessions", "applications", "groups", "cases", "history", "actions"]) {
      assert.equal((await page.goto(`${matter}/${part}`)).status(), 200, part);
      await look(page, `console-${language}-part-${part}`);
    }
    for (const action of ["lock", "show_value", "correct_value", "change_email", "set_status", "reset_factors_now", "start_deletion"]) {
      assert.equal((await page.goto(`${matter}/do/${action}`)).status(), 200, action);
      await look(page, `console-${language}-do-${action}`);
    }
    assert.deepEqual(page.faults, []);
  });
}
