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
import { freePort } from "../../provider/internal/freeport/freeport.mjs";

// The engine without windows has no dialog.
const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
if (!existsSync(executablePath) && !process.env.CI) {
  console.log(`No tests of FedCM: no browser at ${executablePath}; CHROMIUM says where there is one.`);
  process.exit(0);
}

const password = "violet-anchor-sings-low";
const folder = mkdtempSync(join(tmpdir(), "bonafide-fedcm-"));
const closers = [() => rmSync(folder, { recursive: true })];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Where provider and site are, and what the provider was asked. */
const lab = { asked: [], wellKnown: true, policy: undefined };

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
    clients: [{ client_id: "shop", client_secret: "glacier-tulip-orbit-42-glacier-tulip", client_name: "River Shop", redirect_uris: [`${lab.site}/back`] }],
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
  const launched = {
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--ignore-certificate-errors", "--host-resolver-rules=MAP *.test 127.0.0.1"],
    ignoreDefaultArgs: ["--disable-popup-blocking"],
  };
  lab.browser = await chromium.launch(launched);
  closers.push(() => lab.browser.close());
});

/** The page with the button, and the one to which it leads. */
function siteOf(options) {
  const more = [...options].map(([name, value]) => `data-${name}="${value}"`).join(" ");
  return `<!DOCTYPE html><html lang="en"><title>River Shop</title><script src="${lab.provider}/widget/v1.js" async></script>
    <span id="button" data-client-id="shop" data-redirect="${lab.site}/back" data-scopes="openid military" data-state="s-1" data-display="popup" ${more}></span>`;
}

const backPage = () => `<!DOCTYPE html><html lang="en"><title>Back</title><script src="${lab.provider}/widget/callback.js"></script>`;

/** A page of the site in a browser of its own, with the dialogs that Chromium shows there. */
async function visit(t, { options = {}, signedIn = true } = {}) {
  const context = await lab.browser.newContext({ locale: "en-US", viewport: { width: 900, height: 700 } });
  t.after(() => context.close());
  await context.addInitScript(() => {
    window.events = [];
    for (const name of ["success", "cancel", "error"])
      addEventListener("bonafide:" + name, (event) => { event.preventDefault(); events.push([name, { ...event.detail, error: event.detail.error }]); });
  });
  const page = await context.newPage();
  if (signedIn) {
    await page.goto(`${lab.provider}/signin`);
    await signInOn(page);
    await page.waitForURL("**/account");
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
  while (page.dialogs.length == 0) await once(page.cdp, "FedCm.dialogShown");
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
  assert.deepEqual(await window.evaluate(() => [innerWidth, innerHeight]), [500, 410]);
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
  const grant = { grant_type: "authorization_code", client_id: "shop", client_secret: "glacier-tulip-orbit-42-glacier-tulip", redirect_uri: `${lab.site}/back` };
  for (const { code } of [first, second]) {
    const { id_token } = await page.evaluate(async (body) => (await fetch("/", { method: "HEAD" }), body), { ...grant, code }).then(redeem);
    assert.match(id_token, /^ey/);
  }
});

test("a person says no in the window", async (t) => {
  const page = await visit(t, { options: { prompt: "consent" } });
  await close(await consent(page), "[value=deny]");
  const [name, { error }] = await eventOf(page);
  assert.deepEqual([name, error], ["cancel", "access_denied"]);
});
