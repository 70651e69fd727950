// What the tests of this folder stand on: the programs of examples, Chromium, and a
// close look at every screen.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHTTPServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach } from "node:test";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { freePort } from "../../testkit/port.mjs";
import { areNew, looks } from "../../../../ui/testdata/browser/looks.mjs";
import { build } from "./build.mjs";

export { repository } from "./build.mjs";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
// The same engine without windows, for half the work.
const shell = "/usr/bin/chromium-headless-shell";
if (!existsSync(executablePath) && process.env.CI !== "true") {
  console.log(`No test of the examples in a browser: there is none at ${executablePath}; CHROMIUM says where.`);
  process.exit(0);
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const folder = mkdtempSync(join(tmpdir(), "bonafide-e2e-"));
const closers = [() => rmSync(folder, { recursive: true })];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Builds an example, or the program in a folder, and runs it until the tests end. What it prints is in printed. */
async function start(example, args, site, source = `./examples/${example}`) {
  const child = spawn(build(source), args, { cwd: folder });
  const output = { printed: "", log: "" };
  child.stdout.on("data", (chunk) => { output.printed += chunk; });
  child.stderr.on("data", (chunk) => { output.log += chunk; });
  const exited = once(child, "exit");
  closers.push(async () => {
    child.kill("SIGINT");
    const [code] = await exited;
    assert.equal(code, 0, `Ctrl-C stops it cleanly: ${output.log}`);
  });
  while (!(await fetch(site).then((r) => r.ok, () => false))) {
    assert.equal(child.exitCode, null, `${example} does not start: ${output.log}`);
    await new Promise((wait) => setTimeout(wait, 50));
  }
  return output;
}

/** Closes the window of each test, which must have met no fault. */
export function closeAfterEach(window) {
  afterEach(async () => {
    const page = window();
    await page.context().close();
    assert.deepEqual(page.faults, []);
  });
}

/**
 * Starts the quickstart: where provider, sandbox and sample client are, and the mail that it has printed.
 * A config that rests on the ports is a function of them.
 */
export async function startQuickstart(config = {}) {
  const [port, sitePort] = [await freePort(), await freePort()];
  const provider = `http://localhost:${port}`, sandbox = `${provider}/sandbox`, site = `http://localhost:${sitePort}`;
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({
    listen: `127.0.0.1:${port}`, base_url: provider, sample_client: { listen: `127.0.0.1:${sitePort}`, base_url: site },
    ...(typeof config === "function" ? config(port, sitePort) : config),
  }));
  const output = await start("quickstart", ["-config", file], site);
  /** The eight digits in the last mail to an address. */
  const code = async (address) => {
    for (let tries = 0; tries < 100; tries++) {
      const mail = output.printed.split("--- mail to ").findLast((m) => m.startsWith(address));
      const digits = mail?.match(/\b\d{8}\b/)?.[0];
      if (digits) return digits;
      await new Promise((wait) => setTimeout(wait, 20));
    }
    throw new Error(`no mail to ${address}: ${output.printed}`);
  };
  /** The mails to an address, the latest last. */
  const mails = (address) => output.printed.split("--- mail to ").filter((m) => m.startsWith(address));
  const printed = () => output.printed;
  return { provider, sandbox, site, code, mails, printed };
}

/** Starts the pages with the button, on the ports that are written into them, and says who can sign in. */
export async function startButton() {
  const site = "http://localhost:8082";
  const { printed } = await start("button", [], site);
  return { site, email: "maria@example.com", password: printed.trim().split(" ").pop() };
}

/** Answers at the origin of an address with a page, until a test ends. */
export async function serve(t, address, html) {
  const site = createHTTPServer((request, response) => response.setHeader("content-type", "text/html").end(html));
  await once(site.listen(new URL(address).port, "localhost"), "listening");
  t.after(() => { site.closeAllConnections(); site.close(); });
}

/** Starts the host with users of its own, and an application that keeps what it is answered. */
export async function startHostusers() {
  const answers = [];
  const app = createHTTPServer((request, response) => {
    if (request.url.startsWith("/cb?")) answers.push(new URLSearchParams(request.url.slice(4)));
    response.setHeader("content-type", "text/html").end("<title>Mountain Hut</title>");
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  closers.push(() => { app.closeAllConnections(); app.close(); });
  const address = `localhost:${await freePort()}`, site = `http://${address}`;
  const redirectURI = `http://localhost:${app.address().port}/cb`;
  const { printed } = await start("hostusers", ["-listen", address, "-app", redirectURI], `${site}/login`);
  const secret = printed.match(/client hut is (\S+)/)[1];
  const ada = { email: "ada@example.com", password: "violet-anchor-sings-low" };
  const grace = { email: "grace@example.com", password: "amber-ladder-hums-twice" };
  /** The ID token that a code is worth. */
  const redeem = async (code, verifier) => {
    const body = new URLSearchParams({
      grant_type: "authorization_code", client_id: "hut", client_secret: secret, redirect_uri: redirectURI, code, code_verifier: verifier,
    });
    return (await (await fetch(`${site}/id/oauth/token`, { method: "POST", body })).json()).id_token;
  };
  return { site, redirectURI, answers, ada, grace, redeem };
}

/** Starts the provider at which people become students, with an application that admits no others, and keeps its answers. */
export async function startCampus() {
  const answers = [];
  const app = createHTTPServer((request, response) => {
    if (request.url.startsWith("/cb?")) answers.push(new URLSearchParams(request.url.slice(4)));
    response.setHeader("content-type", "text/html").end(`<html lang="en"><title>Campus Shop</title>`);
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  closers.push(() => { app.closeAllConnections(); app.close(); });
  const address = `localhost:${await freePort()}`, site = `http://${address}`;
  const redirectURI = `http://localhost:${app.address().port}/cb`;
  const output = await start("campus", ["-listen", address, "-app", redirectURI], `${site}/oidc/.well-known/openid-configuration`, "./provider/internal/lab/e2e/campus");
  const secret = output.printed.match(/client shop is (\S+)/)[1];
  /** The latest mail to an address. */
  const mail = async (to) => {
    for (let tries = 0; tries < 250; tries++) {
      const found = output.printed.split("--- mail to ").findLast((m) => m.startsWith(to));
      if (found) return found;
      await new Promise((wait) => setTimeout(wait, 20));
    }
    throw new Error(`no mail to ${to}: ${output.printed}`);
  };
  /** The claims of userinfo that a code is worth. */
  const claims = async (code, verifier) => {
    const body = new URLSearchParams({ grant_type: "authorization_code", client_id: "shop", client_secret: secret, redirect_uri: redirectURI, code, code_verifier: verifier });
    const { access_token: token } = await (await fetch(`${site}/oauth/token`, { method: "POST", body })).json();
    return (await fetch(`${site}/api/public/v3/userinfo`, { headers: { authorization: `Bearer ${token}` } })).json();
  };
  return { site, redirectURI, answers, mail, claims };
}

/** Starts Chromium or Firefox as it is installed, driven by WebDriver BiDi. */
export async function startInstalled(name) {
  const path = { chrome: executablePath, firefox: process.env.FIREFOX || "/usr/bin/firefox-esr" }[name];
  const browser = await puppeteer.launch({
    browser: name, executablePath: path, protocol: "webDriverBiDi", headless: true,
    args: name === "chrome" ? ["--no-sandbox", "--disable-gpu"] : [],
  });
  closers.push(() => browser.close());
  return browser;
}

/** Whether Firefox is there; under CI it has to be. */
export const hasFirefox = process.env.CI === "true" || existsSync(process.env.FIREFOX || "/usr/bin/firefox-esr");

export async function startChromium(...args) {
  const browser = await chromium.launch({
    executablePath: !process.env.CHROMIUM && existsSync(shell) ? shell : executablePath,
    args: [...args, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  closers.push(() => browser.close());
  return browser;
}

/** Opens a window of its own. What goes wrong in it is in window.faults. */
export async function newWindow(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(30_000);
  const page = watched(await context.newPage(), []);
  context.on("page", (popup) => watched(popup, page.faults));
  return page;
}

function watched(page, faults) {
  page.faults = faults;
  page.on("pageerror", (e) => page.faults.push(`${page.url()}: ${e.message}`));
  page.on("console", (m) => {
    // Chromium says so of every page with a status of 400 and above.
    const status = m.text().startsWith("Failed to load resource: the server responded with a status of 4") && m.location().url === page.url();
    if (m.type() === "error" && !status) page.faults.push(`${new URL(page.url()).pathname}: ${m.text()} ${m.location().url}`);
  });
  return page;
}

const shots = process.env.SHOTS;

/**
 * Looks closely at the screen that is open, wide and on a phone; at the colours of the night the gallery of ui looks.
 * SHOTS names a folder for what it saw, by day and by night.
 */
export async function look(page, name) {
  const desktop = page.viewportSize();
  await settled(page);
  for (const viewport of [{ width: 360, height: 740 }, desktop]) {
    await page.setViewportSize(viewport);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > viewport.width) page.faults.push(`${name}: ${width} px wide on a screen of ${viewport.width}`);
    for (const words of await page.evaluate(covering)) page.faults.push(`${name}: the label "${words}" lies on something at ${viewport.width} px`);
    for (const colorScheme of shots ? ["light", "dark", null] : []) {
      await page.emulateMedia({ colorScheme });
      mkdirSync(shots, { recursive: true });
      if (colorScheme) await page.screenshot({ path: join(shots, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true });
    }
  }
  // What axe judges by are elements, names and colours, and they are the same in every language.
  if (!await page.evaluate(() => document.documentElement.lang.startsWith("en"))) return;
  await page.evaluate(axe);
  const colours = areNew(await page.evaluate(looks));
  // The policy of the page forbids axe to fetch style sheets once more (preload). What passes is dear to send.
  const violations = await page.evaluate(async (rules) => (await window.axe.run(rules)).violations, { preload: false, resultTypes: ["violations"], rules: { "color-contrast": { enabled: colours } } });
  for (const v of violations) page.faults.push(`${name}: ${v.id} at ${v.nodes.map((n) => n.target).join(", ")}`);
}

/** The labels whose words lie on a field, a button or another label; axe sees no such thing. */
export function covering() {
  const floats = (e) => e && (["sticky", "fixed"].includes(getComputedStyle(e).position) || floats(e.parentElement));
  const others = [...document.querySelectorAll("main :is(label, select, textarea, button, input:not([type=hidden]))")].filter((e) => !floats(e));
  const wordsOf = (e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return [...range.getClientRects()];
  };
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return others.filter((e) => e.matches("label") && e.checkVisibility() && e.innerText.trim() && e.offsetWidth > 2 && others.some((o) => o.checkVisibility() && !o.contains(e) && !e.contains(o) &&
    wordsOf(e).some((w) => (o.matches("label") ? wordsOf(o) : [o.getBoundingClientRect()]).some((r) => meet(w, r))))).map((e) => e.innerText);
}

/** Waits until buttons that are inert at first, as on the consent screen, are not. */
export const settled = (page) => page.waitForFunction(() => document.readyState === "complete" && !document.querySelector("[aria-disabled=true]"));

/** Presses the button with this name. */
export async function press(page, name) {
  await settled(page);
  await page.getByRole("button", { name }).first().click();
}

/** Presses Tab until an element has the focus, which can be seen. */
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 60; presses++) {
    const seen = await page.evaluate((selector) => {
      const e = document.activeElement;
      return e.matches(selector) && { visible: e.matches(":focus-visible"), outline: getComputedStyle(e).outlineStyle + getComputedStyle(e).boxShadow };
    }, selector);
    if (seen) {
      assert.ok(seen.visible && seen.outline !== "nonenone", `${selector}: ${JSON.stringify(seen)}`);
      return;
    }
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${selector} at ${page.url()}`);
}
