// The dashboard for client developers, in Chromium: from a new organization to a sign-in
// that has been tried, broken, explained and mended.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { closeAfterEach, look, newWindow, press, startChromium, startQuickstart, tabTo } from "./lab.mjs";

const ada = { uuid: "5a1b7c2de90f4a31b6c8", email: "ada@example.com", password: "quiet-otter-paints-dawn" };
const grace = { uuid: "e41f7be90c2a4e1896f3", email: "grace@example.com", password: "copper-lantern-rides-north" };
let quickstart, browser, page;

before(async () => {
  quickstart = await startQuickstart({
    users: [{ ...ada, attributes: { fname: "Ada", lname: "Lovelace" } }, { ...grace, attributes: { fname: "Grace" } }],
    sandbox: { allow_private_networks: true }, developer: {}, signals: { webhooks: true }, allow_private_networks: true,
  });
  browser = await startChromium();
});

closeAfterEach(() => page);

const at = (path) => `${quickstart.provider}${path}`;

async function signIn({ email, password }, window = page) {
  await window.fill("[name=email]", email);
  await window.fill("[name=password]", password);
  await window.click("main button[type=submit]");
}

/** Opens a page of the application or organization by its name in the navigation. */
async function open(name) {
  const link = page.locator("nav.sections").getByRole("link", { name, exact: true });
  const there = new URL(await link.getAttribute("href"), page.url()).href;
  await link.click();
  await page.waitForURL(there);
}

/** The address of the page that is open, without what a notice has added. */
const here = () => page.url().split("?")[0];

async function newOrganization(name) {
  await page.goto(at("/developer/new"));
  if (await page.locator("[name=password]").count()) await signIn(ada);
  await page.fill("[name=name]", name);
  await page.click("main button[value=save]");
  await page.waitForURL(/\/o\/[^/]+\/sandbox\/new$/);
}

/** Registers an application in the sandbox and returns its address. */
async function register(name, redirectURI, dialect = "standard") {
  await page.goto(`${here().replace(/(\/o\/[^/]+).*/, "$1")}/sandbox/new`);
  await page.fill("[name=name]", name);
  await page.fill("[name=redirect_uris]", redirectURI);
  await page.check(`[name=dialect][value=${dialect}]`);
  await page.check("[name='scopes.military']");
  await page.click("main button.primary");
  await page.waitForURL(/\/sandbox\/test_[^/?]+/);
  return here();
}

test("a developer comes from nothing to an application", async () => {
  page = await newWindow(browser);
  await page.goto(at("/developer/start"));
  await signIn(ada);
  await look(page, "dashboard-home");
  await newOrganization("River Bikes");
  await look(page, "dashboard-register");
  const form = here();
  await page.goto(form.replace(/\/new$/, ""));
  await look(page, "dashboard-applications-none");
  await page.goto(form);
  await page.fill("[name=name]", "Shop");
  await page.fill("[name=redirect_uris]", "http://shop.example/callback");
  await page.locator("[id=redirect_uris-check]:not(:empty)").waitFor();
  await page.click("main button.primary");
  await page.waitForSelector(".problems");
  await look(page, "dashboard-register-problems");
  await page.fill("[name=redirect_uris]", "http://localhost:18099/callback");
  await page.click("main button.primary");
  await page.waitForURL(/\/sandbox\/test_/);
  await look(page, "dashboard-overview");
  const application = here();
  for (const name of ["Settings", "Secrets", "Branding", "Sample code", "Test sign-in", "Logs", "Usage", "Webhooks", "Simulate errors"]) {
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

test("what is changed is in force, and what goes wrong is explained", async () => {
  page = await newWindow(browser);
  await newOrganization("Lighthouse");
  const application = await register("Lamp", "http://localhost:18099/callback");
  const client = application.split("/").pop();

  // The secret, by the page that was asked for it, and not by the next.
  await press(page, "Reveal");
  const secret = await page.locator("#client-secret").innerText();
  assert.match(secret, /^\S{32,}$/);
  await page.goto(application);
  assert.ok(!(await page.content()).includes(secret), "the secret is shown once");

  await open("Branding");
  await page.fill("[name=color]", "#0a7d4f");
  await page.setInputFiles("input[type=file]", { name: "logo.png", mimeType: "image/png", buffer: logo() });
  await page.click("button[value=publish]");
  await page.locator(".notice").waitFor();
  await look(page, "dashboard-branding-logo");

  // As a persona, to the consent screen: colour and logo are there.
  const asks = (more = {}) => at(`/sandbox/oauth/authorize?${new URLSearchParams({
    client_id: client, redirect_uri: "http://localhost:18099/callback", response_type: "code", scope: "openid military",
    state: "s", nonce: "n", ...more,
  })}`);
  const visitor = await newWindow(browser);
  await visitor.goto(asks());
  await look(visitor, "dashboard-personas-to-choose");
  await visitor.getByRole("button", { name: /Maria/ }).click();
  await visitor.waitForURL(/consent/);
  assert.equal(await visitor.locator("button.primary").evaluate((b) => getComputedStyle(b).backgroundColor), "rgb(10, 125, 79)");
  assert.equal(await visitor.locator('.lockup img.logo[src*="/images/"]').count(), 1);
  await look(visitor, "dashboard-branded-consent");
  await visitor.goto(asks({ scope: "military" })); // plain OAuth: the logo, and not the colour
  await visitor.waitForURL(/consent/);
  assert.notEqual(await visitor.locator("button.primary").evaluate((b) => getComputedStyle(b).backgroundColor), "rgb(10, 125, 79)");
  assert.equal(await visitor.locator('.lockup img.logo[src*="/images/"]').count(), 1);

  // A redirect URI that is not registered, and the explanation in the log.
  await visitor.goto(asks({ redirect_uri: "http://localhost:18099/callbak" }));
  assert.deepEqual(visitor.faults, []);
  await visitor.context().close();
  await page.goto(`${application}/log`);
  for (let tries = 0; tries < 100 && !(await page.innerText("main")).includes("callbak"); tries++) {
    await page.waitForTimeout(100);
    await page.reload();
  }
  assert.match(await page.innerText("main"), /callbak/);
  await look(page, "dashboard-log-explained");

  // A trial, with every check.
  await open("Test sign-in");
  await page.locator("main form button.primary").click();
  await look(page, "dashboard-try-request");
  await page.locator("main a.primary").click();
  await page.getByRole("button", { name: /Maria/ }).click();
  await page.waitForURL(/consent/);
  await press(page, "Allow");
  await page.waitForURL(/\/try/);
  await look(page, "dashboard-tried");
  assert.ok(!(await page.content()).includes(secret), "the secret stays out of the trial");
});

test("two members who edit at once are told, and the keyboard is enough", async () => {
  page = await newWindow(browser);
  await newOrganization("Two");
  const application = await register("Both", "http://localhost:18099/callback");
  const organization = application.replace(/\/sandbox\/.*/, "");
  await page.goto(`${organization}/members`);
  await page.fill("[name=email]", grace.email);
  await page.click("button[value=invite]");
  const link = await page.locator("#invitation-link").innerText();

  const other = await newWindow(browser);
  await other.goto(link);
  await signIn(grace, other);
  await look(other, "dashboard-invitation");
  await other.locator("main button.primary").click();
  await other.waitForURL(/\/o\//);

  await other.goto(`${application}/settings`);
  await page.goto(`${application}/settings`);
  await page.fill("[name=name]", "First");
  await page.locator("main button.primary").first().click();
  await page.locator(".notice").waitFor();
  await other.fill("[name=name]", "Second");
  await other.locator("main button.primary").first().click();
  await other.waitForLoadState();
  assert.match(await other.innerText("main"), /has changed since|while you were editing/);
  assert.deepEqual(other.faults, []);
  await other.context().close();

  // By keyboard: from the name to a new organization.
  await page.goto(at("/developer/new"));
  await page.focus("[name=name]");
  await page.keyboard.type("Keys");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/o\/[^/]+\/sandbox\/new$/);
});

test("all of it works without scripts", async () => {
  page = await newWindow(browser, { javaScriptEnabled: false });
  await newOrganization("Plain");
  const application = await register("Plain shop", "http://localhost:18099/callback", "v3");
  await press(page, "Reveal");
  assert.match(await page.locator("#client-secret").innerText(), /^\S{32,}$/);
  await page.goto(`${application}/branding`);
  await page.fill("[name=color]", "#123456");
  await page.click("button[value=publish]");
  await page.goto(`${application}/log`);
  await page.goto(`${application}/faults`);
  await page.check("[name=fault][value=token_slow]");
  await page.locator("main button.primary").click();
  await page.locator(".notice").waitFor();
});

test("a webhook is added by keyboard, answers a test, and is looked after", async () => {
  const took = [];
  let status = 204;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => {
      took.push(JSON.parse(body).type);
      response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  page = await newWindow(browser);
  try {
    await newOrganization("Harbour");
    await register("Ferry", "http://localhost:18099/callback");
    await open("Webhooks");
    await page.getByText("No webhooks yet").waitFor();
    await tabTo(page, "[name=webhook]");
    await page.keyboard.type("http://example.com/");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".problems");
    await look(page, "dashboard-webhooks-problems");
    await page.fill("[name=webhook]", `http://127.0.0.1:${server.address().port}/in`);
    await page.fill("[name=description]", "Discounts");
    await page.check("[name=v1a]");
    await press(page, "Add a webhook");
    await page.locator("#new-key").waitFor();
    assert.match(await page.locator("#new-key").innerText(), /^whsec_[A-Za-z0-9+/]{32}$/);
    await look(page, "dashboard-webhook-new");
    await open("Webhooks");
    await page.getByRole("link", { name: /Discounts/ }).click();
    await page.check("#live"); // the list follows by itself
    await page.locator(".log .good").waitFor();
    assert.deepEqual(took, ["ping"]);
    await page.reload();
    await page.locator(".tags .good").waitFor();
    assert.ok(!(await page.content()).includes("whsec_"), "the key is shown once");
    await look(page, "dashboard-webhook");

    status = 410;
    await press(page, "Send a test");
    await page.locator(".notice").waitFor();
    await shows(".tags .bad");
    await look(page, "dashboard-webhook-off");
    status = 204;
    await press(page, "Switch on");
    await shows(".tags .good");
    await press(page, "Create a new key");
    await page.locator("#new-key").waitFor();
    await look(page, "dashboard-webhook-rotated");
    await press(page, "Remove");
    await page.getByText("No webhooks yet").waitFor();

    await page.check("[name=kind][value=inbox]");
    await press(page, "Add a webhook");
    await look(page, "dashboard-webhook-inbox");
  } finally {
    server.close();
  }
});

/** Reloads the page until it has an element. */
async function shows(selector) {
  for (let tries = 0; tries < 100 && !(await page.locator(selector).count()); tries++) {
    await page.waitForTimeout(100);
    await page.reload();
  }
  await page.locator(selector).waitFor();
}

/** A square of one colour, as a PNG. */
function logo() {
  return Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAY0lEQVR4nO3PQQ3AIADAQOCJORThfSJ4XJb0FLRz3zP+bOmAVw1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oH5bbAVa7ptHWAAAAAElFTkSuQmCC", "base64");
}
