// What the browser tests stand on: a provider, a client site whose pages each
// test writes itself, and Chromium.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const browser = process.env.CHROMIUM || "/usr/bin/chromium";
// The same engine without windows, for a third of the work.
const shell = "/usr/bin/chromium-headless-shell";
if (!existsSync(browser) && !process.env.CI) {
  console.log(`No tests of the button: no browser at ${browser}; CHROMIUM says where there is one.`);
  process.exit(0);
}

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Filled in before the tests of a file run. */
export const lab = {
  /** What the provider says of itself: base, script, relay. */
  provider: undefined,
  /** Origins of the client site and of a hostile one. */
  site: "",
  evil: "",
  browser: undefined,
  /** Whether a file needs a browser with windows: it blocks popups, and opens tabs by itself. */
  windows: false,
};

const pages = new Map();
let count = 0;
const closers = [];

before(async () => {
  lab.provider = await startProvider();
  const port = await startSites();
  lab.site = `http://rp.localhost:${port}`;
  lab.evil = `http://evil.localhost:${port}`;
  lab.browser = await chromium.launch({
    executablePath: !lab.windows && !process.env.CHROMIUM && existsSync(shell) ? shell : browser,
    args: ["--no-sandbox", "--disable-gpu"],
    // Popups are to be blocked where they would be for people.
    ignoreDefaultArgs: ["--disable-popup-blocking"],
  });
  closers.push(() => lab.browser.close());
});

after(async () => {
  for (const close of closers.reverse()) await close();
});

async function startProvider() {
  const child = spawn("go", ["run", "./widget/test/provider"], {
    cwd: repository,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  closers.push(() => {
    child.stdin.end();
    return exited;
  });
  for await (const line of createInterface(child.stdout)) return JSON.parse(line);
  throw Error("the provider did not start");
}

async function startSites() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://site");
    // Browsers ask for one and log when there is none.
    const page = pathname == "/favicon.ico" ? { status: 204 } : pages.get(pathname);
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    const { status = 200, headers, html } = typeof page == "function" ? page(request) : page;
    response.writeHead(status, { "Content-Type": "text/html; charset=utf-8", ...headers }).end(html);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return server.address().port;
}

/** Puts a page on the client site and returns its path. It may be a function of the request. */
export function put(page) {
  const path = `/page-${++count}`;
  pages.set(path, typeof page == "string" ? { html: document(page) } : page);
  return path;
}

export function document(body, head = "") {
  return `<!DOCTYPE html><html lang="en"><head><title>Client site</title>${head}</head><body>${body}</body></html>`;
}

/** The script tag of the button, and the one of the redirect page. */
export const buttonTag = () => `<script src="${lab.provider.script.URL}" async></script>`;
export const relayTag = (attributes = "") => `<script src="${lab.provider.relay.URL}" ${attributes}></script>`;

/** A span with these data attributes, given in camel case; redirect is a path of the site. */
export function span({ id = "button", redirect, ...options }, content = "") {
  const all = { clientId: "client-1", scopes: "openid military", response: "code", ...options };
  if (redirect) all.redirect = lab.site + redirect;
  const attributes = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const attribute = "data-" + name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
      return `${attribute}="${String(value).replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;
    });
  return `<span id="${id}" ${attributes.join(" ")}>${content}</span>`;
}

/** A redirect page that holds the relay and says in its title that it was loaded. */
export function putRedirectPage({ coop, relay = "", body = "" } = {}) {
  return put({
    headers: coop && { "Cross-Origin-Opener-Policy": coop },
    html: document(body, `<title>Redirect page</title>${relayTag(relay)}`),
  });
}

/** Opens a page of the client site in a context of its own and records the button's events. */
export async function visit(t, path, { origin = lab.site, context: options, init } = {}) {
  const context = await lab.browser.newContext({ locale: "en-US", ...options });
  t.after(() => context.close());
  if (init) await context.addInitScript(init);
  await context.addInitScript(recordEvents);
  const page = await context.newPage();
  page.consoleMessages = [];
  page.on("console", (message) => page.consoleMessages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.consoleMessages.push(`uncaught: ${error.message}`));
  await page.goto(origin + path);
  return page;
}

function recordEvents() {
  window.events = [];
  for (const name of ["ready", "start", "success", "cancel", "error"])
    addEventListener("bonafide:" + name, (event) => {
      const detail = event.detail && { ...event.detail };
      if (detail && !detail.error_description) delete detail.error_description;
      window.events.push([name, detail, event.composedPath()[0].id]);
    });
}

/** The events of a page so far: names with details, without the ready ones. */
export function events(page) {
  return page.evaluate(() => window.events.filter(([name]) => name != "ready"));
}

/** Waits until the page has seen an event of that name and returns its detail. */
export async function eventOf(page, name) {
  const handle = await page.waitForFunction((name) => window.events.find((event) => event[0] == name), name);
  return (await handle.jsonValue())[1];
}

/** The link that a span has become. */
export const link = (page, id = "button") => page.locator(`#${id} a[part=button]`);

/** Clicks a button and returns the popup that opens, on the provider's screen. */
export async function openPopup(page, id) {
  const opened = page.context().waitForEvent("page");
  await link(page, id).click();
  const popup = await opened;
  await popup.waitForSelector("#allow");
  return popup;
}

/** Follows the provider's link in a popup and waits for the popup to close. */
export async function answer(popup, choice = "allow") {
  const closed = popup.waitForEvent("close");
  // The window may be gone before the click is reported as done.
  await popup.click("#" + choice, { noWaitAfter: true }).catch(() => {});
  await closed;
}

export const queryOf = (address) => Object.fromEntries(new URL(address).searchParams);
