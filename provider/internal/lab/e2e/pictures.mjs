// Takes the pictures of the documentation from the quickstart in Chromium: `make pictures`.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newWindow, repository, settled, startChromium, startQuickstart } from "./lab.mjs";

const password = "quiet-otter-paints-dawn";
const folder = join(repository, "docs", "pictures");
// A page of documentation is to be read on a slow line.
const mostBytes = 900 << 10;

const logos = mkdtempSync(join(tmpdir(), "bonafide-logos-"));
after(() => rmSync(logos, { recursive: true }));
const logo = (name) => join(logos, `${name}.png`);
const drawings = {
  river: `<rect width="48" height="48" rx="12" fill="#b4235f"/><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">
    <circle cx="14" cy="30" r="6.5"/><circle cx="34" cy="30" r="6.5"/><path d="M14 30l6-13h9l5 13M17 23h14"/></g>`,
  brand: `<rect width="48" height="48" rx="12" fill="#0f766e"/><path d="M24 9l12 4.5v8.5c0 8-5 13.5-12 16.5-7-3-12-8.5-12-16.5v-8.5zM18.5 24l4 4 7-8"
    fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>`,
};

/** Draws the logos of the service and of an application. */
async function drawLogos(browser) {
  const page = await browser.newPage({ viewport: { width: 256, height: 256 } });
  for (const [name, drawing] of Object.entries(drawings)) {
    await page.setContent(`<body style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 48 48">${drawing}</svg>`);
    await page.screenshot({ path: logo(name), omitBackground: true });
  }
  await page.close();
}

const phone = { width: 390, height: 844 };
const desk = { width: 1000, height: 760 };

const redirectURI = "https://river.example/callback";
const client = { dialect: "standard", public: true, redirect_uris: [redirectURI] };
const config = (port) => ({
  brand: { name: "Example ID", logo: logo("brand"), button_color: "#0f766e", tos_uri: "/terms", policy_uri: "/privacy" },
  users: [
    {
      uuid: "a2c8f0e61b7d49d5b3c4", email: "maria@example.com", password,
      attributes: {
        fname: "Maria", lname: "Okafor", phone: "+1 703 555 0142", street: "4400 University Drive", city: "Fairfax", state: "VA",
        zip: "22030", country: "US", birthdate: "1990-04-02",
        covid_vaccine_records: [{ brand: "Comirnaty", date: "2021-05-14T10:30:00-04:00", type: "first dose" }],
      },
      status: [
        { group: "military", subgroups: ["Veteran"], verified: true, verified_by: "Registry of veterans", method: "document", verified_at: "2025-05-02T09:00:00Z" },
        { group: "student", subgroups: ["University"], pending: true },
      ],
    },
    { uuid: "b7d1", email: "noah@example.com", password: "copper-lantern-rides-north", attributes: { fname: "Noah", lname: "Lindqvist" } },
  ],
  clients: [
    { ...client, client_id: "river", name: "River Bikes", logo: logo("river"), button_color: "#b4235f" },
    { ...client, client_id: "perks", name: "Strict Perks", require_verified: true },
    {
      ...client, client_id: "rides", name: "River Rides", grant_types: ["authorization_code", "refresh_token"],
      scopes: ["openid", "profile", "email", "military", "student", "offline_access"], optional_scopes: ["student", "offline_access"],
    },
  ],
  developer: { operators: ["maria@example.com"] },
  desk: { staff: [{ id: "noah", email: "noah@example.com", roles: ["support"] }] },
  sandbox: {
    base_url: `http://localhost:${port}/sandbox`,
    users: [{ uuid: "b6d767d2", email: "tess@example.com", password: "paper-comet-hums-softly", attributes: { fname: "Tess", lname: "Tester" } }],
    clients: [{ ...client, client_id: "river", name: "River Bikes", logo: logo("river") }, { ...client, client_id: "perks", name: "Strict Perks", require_verified: true }],
  },
});

const request = (base, id, scope, more = {}) => `${base}/oauth/authorize?` + new URLSearchParams({
  client_id: id, redirect_uri: redirectURI, response_type: "code", scope, state: "s",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256", ...more,
});

test("the pictures of the documentation", async () => {
  const browser = await startChromium();
  await drawLogos(browser);
  const { provider, site, sandbox } = await startQuickstart(config);
  mkdirSync(folder, { recursive: true });

  /** Opens a window in which somebody is signed in, or nobody. */
  const window = async (viewport, options = {}, email = "maria@example.com", secret = password, base = provider) => {
    const page = await newWindow(browser, { viewport, colorScheme: "light", locale: "en-US", ...options });
    if (!email) return page;
    await page.goto(`${base}/signin`);
    await page.fill("[name=email]", email);
    await page.fill("[name=password]", secret);
    await page.click("main button[type=submit]");
    await page.waitForURL((url) => !url.pathname.endsWith("/signin"));
    return page;
  };
  const take = async (page, name) => {
    await settled(page);
    // A caret would blink, or not.
    await page.evaluate(() => document.activeElement?.blur());
    await page.screenshot({ path: join(folder, `${name}.png`) });
    assert.deepEqual(page.faults, [], name);
    await page.context().close();
  };
  const picture = async (name, page, address) => {
    await page.goto(address);
    await take(page, name);
  };

  let page = await window({ width: 520, height: 760 }, {}, "");
  await page.goto(site);
  await page.getByText("More ways").click();
  await page.click('[formaction="/start/standard"]');
  await page.waitForSelector("[name=password]");
  await take(page, "sign-in");

  await picture("consent", await window({ width: 520, height: 760 }), request(provider, "river", "openid profile email military"));
  await picture("consent-night", await window(phone, { colorScheme: "dark" }), request(provider, "river", "openid identity"));
  await picture("consent-optional", await window({ width: 390, height: 1180 }), request(provider, "rides", "openid email military student offline_access"));
  await picture("consent-arabic", await window(phone, { locale: "ar" }), request(provider, "river", "openid profile military"));
  const tess = ["tess@example.com", "paper-comet-hums-softly", sandbox];
  await picture("verify", await window(phone, {}, ...tess), request(sandbox, "perks", "openid student"));
  await picture("personas", await window(phone, {}, ""), request(sandbox, "river", "openid"));
  await picture("error", await window(phone, {}, ""), request(sandbox, "river", "openid", { redirect_uri: "https://river.example/callbacks" }));
  await picture("account", await window(desk), `${provider}/account`);
  page = await window(phone);
  await page.goto(request(provider, "river", "openid profile military"));
  await settled(page);
  // Nobody is at the redirect URI.
  const nobody = page.waitForURL(`${redirectURI}**`).catch(() => {});
  await page.click("[value=allow]");
  await nobody;
  await page.waitForURL((url) => url.protocol === "chrome-error:");
  await page.goto(`${provider}/account/data`);
  await page.locator("#received").scrollIntoViewIfNeeded();
  await take(page, "data");
  await picture("groups", await window(phone), `${provider}/account/groups`);
  page = await window(desk);
  await page.goto(`${provider}/developer/new`);
  await page.fill("[name=name]", "River Bikes");
  await page.click("main button[value=save]");
  await page.waitForURL(/\/o\/[^/]+\/sandbox\/new/);
  await page.fill("[name=name]", "River Rides");
  await page.fill("[name=redirect_uris]", redirectURI);
  await page.click("main button.primary");
  await page.waitForURL(/\/sandbox\/test_/);
  await page.goto(page.url().split("?")[0]);
  await take(page, "dashboard");
  await picture("brand", await window({ width: 1000, height: 900 }, {}, ""), `${sandbox}/brand`);
  page = await window({ width: 1000, height: 860 }, {}, "noah@example.com", "copper-lantern-rides-north");
  await page.goto(`${provider}/desk/`);
  await page.fill("[name=sought]", "maria@example.com");
  await page.keyboard.press("Enter");
  await page.check("[name=reason]", { force: true });
  await page.click("main form:has([name=reason]) button[type=submit]");
  await page.waitForURL(/\/desk\/matters\//);
  await take(page, "desk");

  const total = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(total <= mostBytes, `the pictures have ${total} bytes, at most ${mostBytes} are wanted`);
});
