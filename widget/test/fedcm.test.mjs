// The button where the browser has a dialog of its own (Federated Credential Management API): the
// quickstart at one https site, a page with the button at another, and Chromium's dialog pressed as a
// person would press it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { build } from "../../provider/internal/lab/e2e/build.mjs";
import { freePort } from "../../provider/internal/testkit/port.mjs";

// The engine without windows has no dialog.
const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
if (!existsSync(executablePath) && !process.env.CI) {
  console.log(`No tests of FedCM: no browser at ${executablePath}; CHROMIUM says where there is one.`);
  process.exit(0);
}

const password = "violet-anchor-sings-low", secret = "glacier-tulip-orbit-42-glacier-tulip";
const folder = mkdtempSync(join(tmpdir(), "bonafide-fedcm-"));
const closers = [() => rmSync(folder, { recursive: true })];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Where provider and site are, what the provider was asked, and what a test changes of them. */
const lab = { asked: [], wellKnown: true, policy: undefined, answer: undefined, maria: undefined };

before(async () => {
  const [listen, providerPort, sitePort] = [await freePort(), await freePort(), await freePort()];
  lab.provider = `https://id.idp.test:${providerPort}`;
  lab.site = `https://shop.rp.test:${sitePort}`;
  // Of Go's own, since Node makes no certificate.
  const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  execFileSync("go", ["run", join(root, "src/crypto/tls/generate_cert.go"), "--host", "idp.test,rp.test", "--ecdsa-curve", "P256"], { cwd: folder, stdio: "ignore" });
  const certificate = { cert: readFileSync(join(folder, "cert.pem")), key: readFileSync(join(folder, "key.pem")) };
  const serve = async (port, answer) => {
    const server = createServer(certificate, answer).listen(port, "127.0.0.1");
    await once(server, "listening");
    closers.push(() => { server.closeAllConnections(); server.close(); });
  };
  await serve(providerPort, (asked, answer) => {
    lab.asked.push(asked.url);
    if (asked.url == "/.well-known/web-identity" && !lab.wellKnown) return answer.writeHead(404).end();
    if (asked.url == "/fedcm/assertion" && lab.answer) {
      const headers = { "Content-Type": "application/json", "Access-Control-Allow-Origin": lab.site, "Access-Control-Allow-Credentials": "true" };
      return answer.writeHead(200, headers).end(JSON.stringify({ token: lab.answer }));
    }
    const options = { port: listen, path: asked.url, method: asked.method, headers: asked.headers };
    asked.pipe(request(options, (from) => { answer.writeHead(from.statusCode, from.headers); from.pipe(answer); }));
  });
  await serve(sitePort, (asked, answer) => {
    const { pathname, searchParams } = new URL(asked.url, lab.site);
    const headers = { "Content-Type": "text/html; charset=utf-8", ...lab.policy && { "Content-Security-Policy": lab.policy } };
    answer.writeHead(pathname == "/favicon.ico" ? 204 : 200, headers).end(pathname == "/" ? siteOf(searchParams) : backPage());
  });
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({
    listen: `127.0.0.1:${listen}`, base_url: lab.provider, fedcm: { on: true },
    users: [{ email: "maria@example.com", password, attributes: { fname: "Maria", lname: "Tester" }, status: [{ group: "military", verified: true, subgroups: ["Veteran"] }] }],
    clients: [{ client_id: "shop", client_secret: secret, name: "River Shop", dialect: "standard", redirect_uris: [`${lab.site}/back`] }],
  }));
  const quickstart = spawn(build("./examples/quickstart"), ["-config", config], { cwd: folder });
  let log = "";
  for (const stream of [quickstart.stdout, quickstart.stderr]) stream.on("data", (chunk) => { log += chunk; });
  const exited = once(quickstart, "exit");
  closers.push(() => { quickstart.kill("SIGINT"); return exited; });
  while (!(await fetch(`http://127.0.0.1:${listen}/oidc/.well-known/openid-configuration`).then((r) => r.ok, () => false))) {
    assert.equal(quickstart.exitCode, null, log);
    await new Promise((wait) => setTimeout(wait, 50));
  }
  lab.redeem = async (code) => {
    const body = new URLSearchParams({ grant_type: "authorization_code", client_id: "shop", client_secret: secret, redirect_uri: `${lab.site}/back`, code });
    return (await fetch(`http://127.0.0.1:${listen}/oauth/token`, { method: "POST", body })).json();
  };
  lab.log = () => log;
  lab.browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--ignore-certificate-errors", 
      // At the domain itself browsers look for the document at the port of https.
      `--host-resolver-rules=MAP idp.test 127.0.0.1:${providerPort}, MAP *.test 127.0.0.1`],
    // Popups are to be blocked where they would be for people.
    ignoreDefaultArgs: ["--disable-popup-blocking"],
  });
  closers.push(() => lab.browser.close());
});

/** The page with the button, and the one to which it leads. */
function siteOf(options) {
  const all = { scopes: "openid military", state: "s-1", display: "popup", ...Object.fromEntries(options) };
  const more = Object.entries(all).map(([name, value]) => `data-${name}="${value}"`).join(" ");
  return `<!DOCTYPE html><html lang="en"><title>River Shop</title><script src="${lab.provider}/widget/v1.js" async></script>
    <span id="button" data-client-id="shop" data-redirect="${lab.site}/back" ${more}></span>`;
}

const backPage = () => `<!DOCTYPE html><html lang="en"><title>Back</title><script src="${lab.provider}/widget/callback.js"></script>`;

/** A page of the site in a browser of its own, with the dialogs that Chromium shows there. */
async function visit(t, { options = {}, signedIn = true } = {}) {
  const context = await lab.browser.newContext({ locale: "en-US", viewport: null, storageState: signedIn ? lab.maria : undefined });
  t.after(() => context.close());
  await context.addInitScript(() => {
    window.events = [];
    for (const name of ["success", "cancel", "error"])
      addEventListener("bonafide:" + name, (event) => { event.preventDefault(); events.push([name, { ...event.detail, error: event.detail.error }]); });
  });
  const page = await context.newPage();
  if (signedIn && !lab.maria) {
    await page.goto(`${lab.provider}/signin`);
    await signInOn(page);
    await page.waitForURL("**/account");
    lab.maria = await context.storageState();
  }
  await page.goto(`${lab.site}/?${new URLSearchParams(options)}`);
  await page.locator("#button a[part=button]").waitFor();
  const cdp = await context.newCDPSession(page);
  page.dialogs = [];
  page.cdp = cdp;
  cdp.on("FedCm.dialogShown", (dialog) => page.dialogs.push(dialog));
  await cdp.send("FedCm.enable", { disableRejectionDelay: true });
  lab.asked.length = 0;
  return page;
}

async function signInOn(window) {
  await window.fill("[name=email]", "maria@example.com");
  await window.fill("[name=password]", password);
  await window.click("main button[type=submit]");
}

const press = (page) => page.click("#button a[part=button]");

/** The next dialog of a type. */
async function dialogOf(page, type) {
  while (page.dialogs.length == 0) await once(page.cdp, "FedCm.dialogShown", { signal: AbortSignal.timeout(20_000) });
  const dialog = page.dialogs.shift();
  assert.equal(dialog.dialogType, type, JSON.stringify(dialog));
  return dialog;
}

/** Presses the button and chooses the account in the browser's dialog. */
async function choose(page) {
  await press(page);
  const { dialogId, accounts } = await dialogOf(page, "AccountChooser");
  assert.equal(accounts[0].email, "maria@example.com");
  await page.cdp.send("FedCm.selectAccount", { dialogId, accountIndex: 0 });
}

/** The next event of the button. */
async function eventOf(page) {
  const events = await page.waitForFunction(() => window.events.length && window.events.splice(0));
  const all = await events.jsonValue();
  assert.equal(all.length, 1, JSON.stringify(all));
  return all[0];
}

/** What no page of a flow may have in the window that the browser opens. */
async function fits(window) {
  // Of 410 pixels Chromium takes some to say that it is automated.
  assert.ok(await window.evaluate(() => innerWidth == 500 && innerHeight <= 410), "the browser chooses the size");
  const faults = await window.evaluate(() => [
    document.documentElement.scrollWidth > innerWidth && "scrolls sideways",
    ...[...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() && !e.closest(".unseen, [aria-hidden]"))
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1).map((e) => e.outerHTML.slice(0, 80)),
  ].filter(Boolean));
  assert.deepEqual(faults, []);
}

/** Waits for the window that the browser opens for its user, on a page of the provider that has this. */
async function windowOf(page, open, selector) {
  const opened = page.context().waitForEvent("page");
  await open();
  const window = await opened;
  await window.waitForSelector(selector);
  await fits(window);
  return window;
}

const consent = (page) => windowOf(page, () => choose(page), "[value=allow]:not([aria-disabled])");

/** Presses a button of a window that closes by that. */
async function close(window, selector) {
  const closed = window.waitForEvent("close");
  await window.click(selector, { noWaitAfter: true }).catch(() => {});
  await closed;
}

test("one press: consent to a group in the browser's window, and none at the second time", async (t) => {
  const page = await visit(t);
  const window = await consent(page);
  assert.match(await window.textContent("main"), /River Shop/);
  await close(window, "[value=allow]");
  const [name, first] = await eventOf(page);
  assert.equal(name, "success");
  assert.deepEqual([first.state, first.iss], ["s-1", `${lab.provider}/oidc`]);
  await choose(page);
  const [again, second] = await eventOf(page);
  assert.equal(again, "success");
  assert.notEqual(second.code, first.code);
  assert.equal(page.context().pages().length, 1, "the second time no window opens");
  for (const { code } of [first, second]) assert.match((await lab.redeem(code)).id_token, /^ey/);
  for (const { code } of [first, second]) assert.ok(!lab.log().includes(code), "no code in the log");
});

test("a person says no in the window", async (t) => {
  const page = await visit(t, { options: { prompt: "consent" } });
  await close(await consent(page), "[value=deny]");
  const [name, { error }] = await eventOf(page);
  assert.deepEqual([name, error], ["cancel", "access_denied"]);
});

test("who is signed out signs in in the browser's window, and chooses", async (t) => {
  const page = await visit(t, { signedIn: false });
  const window = await windowOf(page, () => press(page), "[name=password]");
  const closed = window.waitForEvent("close");
  await signInOn(window);
  await closed;
  const { dialogId } = await dialogOf(page, "AccountChooser");
  await page.cdp.send("FedCm.selectAccount", { dialogId, accountIndex: 0 });
  assert.equal((await eventOf(page))[0], "success");
});

test("a person who wants another account chooses in the window", async (t) => {
  const page = await visit(t, { options: { "login-hint": "nobody@example.com" } });
  const window = await windowOf(page, () => press(page), "[name=action][value=continue]");
  await close(window, "[value=continue]");
});

/** Presses the button, and goes the way of its popup, to its event. */
async function byPopup(page) {
  const opened = page.waitForEvent("popup");
  await press(page);
  await opened;
  assert.equal(page.dialogs.length, 0, "no dialog");
  return eventOf(page);
}

test("a person who closes the dialog cancels, and gets the popup at the next click", async (t) => {
  const page = await visit(t);
  await press(page);
  const { dialogId } = await dialogOf(page, "AccountChooser");
  // Nobody is as fast as this test.
  await page.evaluate(() => { const { now } = Date; Date.now = () => now() + 1000; });
  await page.cdp.send("FedCm.dismissDialog", { dialogId });
  assert.deepEqual(await eventOf(page).then(([name, { error }]) => [name, error]), ["cancel", "popup_closed"]);
  assert.equal(page.context().pages().length, 1);
  assert.equal((await byPopup(page))[0], "success");
});

for (const [what, change] of [
  ["whose policy does not name the provider", () => { lab.policy = `default-src 'none'; script-src ${lab.provider}; connect-src 'self'`; }],
  ["of a provider without the document at its domain", () => { lab.wellKnown = false; }],
])
  test(`a page ${what} gets the popup by the same click`, async (t) => {
    t.after(() => Object.assign(lab, { wellKnown: true, policy: undefined }));
    change();
    const page = await visit(t);
    assert.equal((await byPopup(page))[0], "success");
    assert.ok(!lab.asked.some((path) => path.startsWith("/fedcm/a")));
  });

test("a page that turns it off asks for nothing, and so does a browser without it", async (t) => {
  for (const [options, absent] of [[{ fedcm: "off" }, false], [{}, true]]) {
    const page = await visit(t, { options });
    if (absent) await page.evaluate(() => { delete window.IdentityProvider; });
    assert.equal((await byPopup(page))[0], "success");
    assert.deepEqual(lab.asked.filter((path) => /fedcm|web-identity/.test(path)), []);
  }
});

test("what is wrong with a request the page is told", async (t) => {
  const page = await visit(t, { options: { scopes: "no-such-scope" } });
  await choose(page);
  const { dialogId } = await dialogOf(page, "Error");
  await page.cdp.send("FedCm.clickDialogButton", { dialogId, dialogButton: "ErrorGotIt" });
  assert.deepEqual(await eventOf(page).then(([name, { error }]) => [name, error]), ["error", "invalid_scope"]);
  assert.equal((await byPopup(page))[1].error, "invalid_scope");
});

test("an answer of another server, or to another request, is none", async (t) => {
  t.after(() => { lab.answer = undefined; });
  for (const query of ["code=c&state=s-1&iss=https://evil.test", `code=c&state=s-2&iss=${lab.provider}/oidc`]) {
    const page = await visit(t);
    lab.answer = `${lab.site}/back?${query}`;
    await choose(page);
    assert.deepEqual(await eventOf(page).then(([name, { error }]) => [name, error]), ["error", "invalid_issuer"]);
  }
});

test("the next sign-in takes the place of an open dialog", async (t) => {
  const page = await visit(t);
  await press(page);
  await dialogOf(page, "AccountChooser");
  // The page gets no clicks until then, but may call.
  await page.evaluate(() => { Bonafide.signIn(button).catch(() => {}); });
  assert.equal((await eventOf(page))[0], "cancel");
  await dialogOf(page, "AccountChooser");
});

test("a page without a popup is left only if the browser has no answer", async (t) => {
  const page = await visit(t, { options: { display: "redirect" } });
  await choose(page);
  assert.equal((await eventOf(page))[0], "success");
  lab.wellKnown = false;
  t.after(() => { lab.wellKnown = true; });
  const other = await visit(t, { options: { display: "redirect", state: "s-2" } });
  await press(other);
  await other.waitForURL(/back/);
  assert.equal(new URL(other.url()).searchParams.get("state"), "s-2");
});
