// The dashboard for client developers, in Chromium: from a new organization to a sign-in
// that has been tried, broken, explained and mended.
import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import { look, newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

const ada = { uuid: "5a1b7c2de90f4a31b6c8", email: "ada@example.com", password: "quiet-otter-paints-dawn" };
const grace = { uuid: "e41f7be90c2a4e1896f3", email: "grace@example.com", password: "copper-lantern-rides-north" };
let quickstart, browser, page;

before(async () => {
  quickstart = await startQuickstart({
    users: [{ ...ada, attributes: { fname: "Ada", lname: "Lovelace" } }, { ...grace, attributes: { fname: "Grace" } }],
    sandbox: {}, developer: {},
  });
  browser = await startChromium();
});

afterEach(async () => {
  const { faults } = page;
  await page.context().close();
  assert.deepEqual(faults, []);
});

const at = (path) => `${quickstart.provider}${path}`;

async function signIn({ email, password }, window = page) {
  await window.fill("[name=email]", email);
  await window.fill("[name=password]", password);
  await window.click("main button[type=submit]");
}

/** Opens a page of the application or organization by its name in the navigation. */
const open = (name) => page.locator("nav.sections").getByRole("link", { name, exact: true }).click();

/** The address of the page that is open, without what a notice has added. */
const here = () => page.url().split("?")[0];

async function newOrganization(name) {
  await page.goto(at("/developer/new"));
  if (await page.locator("[name=password]").count()) await signIn(ada);
  await page.fill("[name=name]", name);
  await page.click("main button[value=save]");
  await page.waitForURL(/\/o\/[^/]+\/sandbox$/);
}

/** Registers an application in the sandbox and returns its address. */
async function register(name, redirectURI, dialect = "standard") {
  await page.goto(`${here().replace(/(\/o\/[^/]+).*/, "$1")}/sandbox/new`);
  await page.fill("[name=name]", name);
  await page.fill("[name=redirect_uris]", redirectURI);
  await page.check(`[name=dialect][value=${dialect}]`);
  await page.click("main button.primary");
  await page.waitForURL(/\/sandbox\/test_[^/?]+/);
  return here();
}

test("a developer comes from nothing to an application", async () => {
  page = await newWindow(browser);
  await page.goto(at("/developer/"));
  await signIn(ada);
  await look(page, "dashboard-home");
  await newOrganization("River Bikes");
  await look(page, "dashboard-applications-none");
  await page.goto(`${here()}/new`);
  await look(page, "dashboard-register");
  await page.fill("[name=name]", "Shop");
  await page.fill("[name=redirect_uris]", "http://shop.example/callback");
  await page.locator("[id=redirect_uris-check]:not(:empty)").waitFor();
  await page.click("main button.primary");
  await page.waitForSelector(".problems");
  await look(page, "dashboard-register-problems");
  await page.fill("[name=redirect_uris]", "http://localhost:9/callback");
  await page.click("main button.primary");
  await page.waitForURL(/\/sandbox\/test_/);
  await look(page, "dashboard-overview");
  const application = here();
  for (const name of ["Settings", "Secrets", "Branding", "Sample code", "Try it", "Log", "Numbers", "Faults"]) {
    await open(name);
    await look(page, `dashboard-${name.toLowerCase().replace(" ", "-")}`);
  }
  await page.goto(application.replace(/\/sandbox\/.*/, "/sandbox"));
  for (const name of ["Members", "Personas", "Inbox", "Clock", "Activity", "Settings"]) {
    await open(name);
    await look(page, `dashboard-organization-${name.toLowerCase()}`);
  }
  await page.goto(at("/developer/docs"));
  await look(page, "dashboard-docs");
});
