// Takes the pictures of the documentation from the quickstart in Chromium: `make pictures`.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newWindow, repository, settled, startChromium, startQuickstart } from "./lab.mjs";

const password = "quiet-otter-paints-dawn";
const folder = join(repository, "docs", "pictures");
// A page of documentation is to be read on a slow line.
const mostBytes = 900 << 10;

const phone = { width: 390, height: 844 };
const desk = { width: 1000, height: 760 };

const redirectURI = "https://river.example/callback";
const client = { dialect: "standard", public: true, redirect_uris: [redirectURI] };
const config = (port) => ({
  brand: { name: "Example ID", button_color: "#0f766e", tos_uri: "/terms", policy_uri: "/privacy" },
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
    { ...client, client_id: "river", name: "River Bikes", button_color: "#b4235f" },
    { ...client, client_id: "perks", name: "Strict Perks", require_verified: true },
    {
      ...client, client_id: "rides", name: "River Rides", grant_types: ["authorization_code", "refresh_token"],
      scopes: ["openid", "profile", "email", "military", "student", "offline_access"], optional_scopes: ["student", "offline_access"],
    },
  ],
  developer: { operators: ["maria@example.com"] },
  sandbox: {
    base_url: `http://localhost:${port}/sandbox`,
    users: [{ uuid: "b6d767d2", email: "tess@example.com", password: "paper-comet-hums-softly", attributes: { fname: "Tess", lname: "Tester" } }],
    clients: [{ ...client, client_id: "river", name: "River Bikes" }, { ...client, client_id: "perks", name: "Strict Perks", require_verified: true }],
  },
});

const request = (base, id, scope, more = {}) => `${base}/oauth/authorize?` + new URLSearchParams({
  client_id: id, redirect_uri: redirectURI, response_type: "code", scope, state: "s",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256", ...more,
});

test("the pictures of the documentation", async () => {
  const { provider, site, sandbox } = await startQuickstart(config);
  const browser = await startChromium();
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
  await picture("brand", await window({ width: 1000, height: 900 }, {}, ""), `${sandbox}/brand`);

  const total = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(total <= mostBytes, `the pictures have ${total} bytes, at most ${mostBytes} are wanted`);
});
