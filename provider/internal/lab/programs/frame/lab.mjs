// What the scripts of this folder stand on: packages in a temporary folder, a fresh quickstart behind a front that keeps
// what the token endpoint is asked for, and people in Chromium.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "../../e2e/node_modules/playwright-core/index.mjs";
import { build, repository } from "../../e2e/build.mjs";
import { freePort } from "../../../testkit/port.mjs";

export { freePort };

const run = promisify(execFile);
const shell = "/usr/bin/chromium-headless-shell";
const folder = mkdtempSync(join(tmpdir(), "program-"));
const closers = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })];
const printed = [];

export const maria = { uuid: "5e0b7ca94d1f4a6c92e7", email: "maria@example.com", password: "quiet-otter-paints-dawn", attributes: { fname: "Maria", lname: "Okafor" } };
export const noah = { uuid: "3c59dc044e8845029b3e", email: "noah@example.com", password: "copper-lantern-rides-north", attributes: { fname: "Noah", lname: "Lindqvist" } };

/**
 * Walks through a program and prints its row: name, version, what works, and what has to be known. walk calls its
 * argument with what has worked; what it throws is the end of the script.
 */
export async function program(name, version, walk, known = "") {
  const works = [];
  try {
    await walk((...what) => works.push(...what));
    console.log(`| ${name} | ${version} | ${works.join(", ")} | ${known} |`);
  } catch (error) {
    for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? []) printed.push(`${page.url()}: ${await page.innerText("body").catch(() => "")}\n`);
    console.error(`${name} ${version}, after ${works.join(", ") || "nothing"}:`, error, `\n${printed.join("").slice(-8000)}`);
    process.exitCode = 1;
  }
  for (const close of closers.reverse()) await close();
}

/** Has something done at the end. */
export const afterwards = (close) => closers.push(close);

/** A path in the script's own folder. */
export const path = (...names) => join(folder, ...names);

/** Writes files into the script's folder. */
export function write(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  }
}

/** Runs a command to its end in the script's folder, and returns what it prints. */
export async function command(name, args, options = {}) {
  try {
    const { stdout } = await run(name, args, { cwd: folder, maxBuffer: 1 << 26, ...options, env: { ...process.env, ...options.env } });
    return stdout;
  } catch (error) {
    printed.push(error.stdout ?? "", error.stderr ?? "");
    throw error;
  }
}

/** Installs packages of npm, of Python into venv, a program of a Go module into bin, or packages of Debian. */
export async function npm(...packages) {
  write({ "package.json": '{"type": "module"}' });
  await command("npm", ["install", "--silent", "--no-audit", "--no-fund", ...packages]);
}
export async function pip(...packages) {
  await command("python3", ["-m", "venv", "venv"]);
  await command("venv/bin/pip", ["install", "--quiet", "--disable-pip-version-check", "--no-compile", ...packages]);
}
export const go = (program) => command("go", ["install", program], { env: { GOBIN: path("bin"), GOFLAGS: "-trimpath" } });

/** Makes packages of Debian be there, and returns the version of the first. */
export async function apt(...packages) {
  const version = (name) => command("dpkg-query", ["-W", "-f", "${db:Status-Status} ${Version}", name]).then((said) => said.match(/^installed (.*)/)?.[1], () => {});
  if ((await Promise.all(packages.map(version))).includes(undefined)) {
    await command("apt-get", ["install", "-qq", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600", ...packages], { env: { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" } });
  }
  return version(packages[0]);
}

/** Builds the program of a module of .ci/tools into bin, and returns its version. */
export async function tool(module, name) {
  const cwd = join(repository, ".ci/tools", module);
  mkdirSync(path("bin"));
  await command("go", ["build", "-o", path("bin", ""), "tool"], { cwd });
  return (await command("go", ["list", "-m", "-f", "{{.Version}}", name], { cwd })).trim();
}

/** Starts a program that stays until the script ends, and waits until its address answers. */
export async function start(name, args, address, options = {}) {
  const child = spawn(name, args, { cwd: folder, detached: true, ...options, env: { ...process.env, ...options.env } });
  const said = { text: "", child };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => { said.text += chunk; printed.push(chunk); });
  const exited = once(child, "exit");
  closers.push(async () => {
    try { process.kill(-child.pid, "SIGTERM"); } catch { return; }
    const kill = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 10_000);
    await exited;
    clearTimeout(kill);
  });
  if (address) await until(() => answers(address), child);
  return said;
}

const answers = (address) => new Promise((said) => {
  const { request } = address.startsWith("https") ? https : http;
  request(address, { rejectUnauthorized: false }, (r) => said(r.resume().statusCode < 500)).on("error", () => said(false)).end();
});

/** Waits for something that is to come, for five minutes, while a program stays. */
export async function until(holds, child) {
  for (let late = Date.now() + 300_000, found; ; await new Promise((wait) => setTimeout(wait, 100))) {
    if (found = await holds()) return found;
    assert.ok(!child || child.exitCode === null, "it does not stay");
    assert.ok(Date.now() < late, "it does not come");
  }
}

/** A certificate for localhost by an authority that is thrown away, and where that is: ca. */
export async function certificate() {
  const of = (name, ...more) => ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", `/CN=${name}`, "-keyout", `${name}.key`, ...more];
  await command("openssl", of("ca", "-x509", "-out", "ca.pem"));
  await command("openssl", of("localhost", "-out", "localhost.csr"));
  write({ names: "subjectAltName=DNS:localhost,IP:127.0.0.1" });
  await command("openssl", ["x509", "-req", "-in", "localhost.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "localhost.pem", "-extfile", "names"]);
  return { key: readFileSync(path("localhost.key")), cert: readFileSync(path("localhost.pem")), ca: path("ca.pem") };
}

/** What the dashboard's form registers beside the redirect address, for whoever changes nothing in it. */
const usual = { dialect: "standard", scopes: ["openid", "offline_access", "profile", "email"], grant_types: ["authorization_code", "refresh_token"] };

/**
 * Starts a fresh quickstart with one application, which is registered by its redirect address alone but for what is
 * given. asked has what the token endpoint was asked for and how it answered, said what it prints; tls is a certificate
 * for https, at an address that has been chosen before.
 */
export async function provider(client, { tls, at, ...config } = {}) {
  const base = at ?? `${tls ? "https" : "http"}://localhost:${await freePort()}`, behind = await freePort();
  const application = { client_id: "app", client_secret: client.public ? undefined : "rUq3-Zt7wYkP0sVx9LmB2nHdGf5CjEa8", name: "An App", ...usual, ...client };
  write({ "quickstart/config.json": JSON.stringify({ listen: `127.0.0.1:${behind}`, base_url: base, users: [maria, noah], clients: [application], ...config }) });
  const asked = [];
  const front = (tls ? https : http).createServer(tls ?? {}, (request, response) => {
    const form = [];
    const forward = http.request({ port: behind, host: "127.0.0.1", path: request.url, method: request.method, headers: request.headers }, (answer) => {
      if (request.url.startsWith("/oauth/")) {
        asked.push({ path: request.url, status: answer.statusCode, headers: request.headers, form: new URLSearchParams(Buffer.concat(form).toString()) });
      }
      answer.pipe(response.writeHead(answer.statusCode, answer.headers));
    });
    forward.on("error", () => response.destroy());
    request.on("data", (chunk) => form.push(chunk)).pipe(forward);
  }).listen(new URL(base).port, "localhost");
  closers.push(() => { front.closeAllConnections(); front.close(); });
  const said = await start(build("./examples/quickstart"), ["-config", path("quickstart/config.json")], `http://127.0.0.1:${behind}/oidc/.well-known/openid-configuration`);
  const grants = (type) => asked.filter((a) => a.path === "/oauth/token" && a.status === 200 && a.form.get("grant_type") === type);
  return { base, said, issuer: `${base}/oidc`, id: application.client_id, secret: application.client_secret, asked, refreshed: () => grants("refresh_token").length > 0 };
}

const templates = new URL("../../../../developer/internal/samples/templates/programs/", import.meta.url);
const catalogue = JSON.parse(readFileSync(new URL("programs.json", templates)));

/**
 * Registers a program that the dashboard's form offers, as the form does but at a free port, and writes the files that it
 * shows then into the script's folder.
 */
export async function known(id, more = {}, options = {}) {
  const { kind, redirects: [redirect], files, needs = [], afterwards, backchannel } = catalogue.find((p) => p.id === id);
  const address = new URL(redirect);
  address.port = await freePort();
  const at = redirect.endsWith("/") || address.pathname !== "/" ? address.href : address.origin, site = address.origin;
  const p = await provider({
    public: kind !== "web" || undefined, redirect_uris: [at],
    ...(needs.includes("no_refresh") && { grant_types: ["authorization_code"], scopes: ["openid", "profile", "email"] }),
    access_token_format: needs.includes("jwt") ? "jwt" : undefined, origins: kind === "spa" ? [site] : undefined,
    post_logout_redirect_uris: afterwards === undefined ? undefined : [site + afterwards],
    backchannel_logout_uri: backchannel && site + backchannel, ...more,
  }, { allow_private_networks: Boolean(backchannel), ...options });
  const values = {
    Issuer: p.issuer, BaseURL: p.base, ClientID: p.id, Placeholder: p.secret, RedirectURI: at, Site: site, Path: address.pathname,
    AuthorizeURL: `${p.base}/oauth/authorize`, TokenURL: `${p.base}/oauth/token`, UserinfoURL: `${p.base}/api/public/v3/userinfo`, KeysURL: `${p.issuer}/.well-known/jwks`,
  };
  const filled = (text) => text.replace(/\{\{(?:json|script) (?:\(printf "([^"]*)" \.(\w+)\)|\.(\w+))\}\}/g, (_, format = "%s", a, b) => JSON.stringify(format.replace("%s", values[a ?? b])))
    .replaceAll('{{"{{"}}', "{{");
  write(Object.fromEntries(files.map((name) => [name, filled(readFileSync(new URL(`${id}/${basename(name)}.tmpl`, templates), "utf8"))])));
  return { ...p, redirectURI: at, site, port: address.port };
}

/** Signs a person in by hand and returns the tokens, for a program that is shown one. */
export async function tokens(p, redirectURI, scope, person, more = {}) {
  const verifier = randomBytes(32).toString("base64url"), page = await newWindow();
  const site = http.createServer((request, response) => response.end("back")).listen(new URL(redirectURI).port, "localhost");
  await signIn(page, p, `${p.base}/oauth/authorize?${new URLSearchParams({
    client_id: p.id, redirect_uri: redirectURI, response_type: "code", scope, state: "s", code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256", ...more,
  })}`, person);
  const body = new URLSearchParams({
    grant_type: "authorization_code", client_id: p.id, client_secret: p.secret, redirect_uri: redirectURI, code: new URL(page.url()).searchParams.get("code"), code_verifier: verifier,
  });
  site.closeAllConnections();
  site.close();
  return (await fetch(`${p.base}/oauth/token`, { method: "POST", body })).json();
}

/** Serves files below an address until the script ends. */
export async function serve(site, files) {
  const server = http.createServer((request, response) => {
    const name = files[new URL(request.url, site).pathname];
    if (!name) return response.writeHead(404).end();
    response.setHeader("content-type", name.endsWith("js") ? "text/javascript" : "text/html").end(readFileSync(path(name)));
  }).listen(new URL(site).port, "localhost");
  await once(server, "listening");
  closers.push(() => { server.closeAllConnections(); server.close(); });
}

let browser;

/** A window of a person of their own. */
export async function newWindow() {
  if (!browser) {
    browser = await chromium.launch({ executablePath: existsSync(shell) ? shell : "/usr/bin/chromium", args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
    closers.push(() => browser.close());
  }
  const context = await browser.newContext({ reducedMotion: "reduce", ignoreHTTPSErrors: true });
  context.setDefaultTimeout(90_000);
  return context.newPage();
}

/**
 * Opens an address, or waits for a press to have an effect, and answers what the provider asks, as a person who is new to
 * it and allows it, until the window is elsewhere.
 */
export async function signIn(page, { base }, address, person = maria) {
  if (address) await page.goto(address);
  await page.waitForURL((url) => url.href.startsWith(`${base}/`));
  const never = () => new Promise(() => {});
  for (let asked = 0; asked < 5; asked++) {
    const password = page.locator("[name=password]"), allow = page.getByRole("button", { name: "Allow", exact: true });
    const met = await Promise.race([
      page.waitForURL((url) => !url.href.startsWith(`${base}/`)).then(() => "back", never),
      password.waitFor().then(() => "password", never), allow.waitFor().then(() => "allow", never),
      new Promise((late) => setTimeout(late, 60_000, "nothing").unref()),
    ]);
    if (met === "back") return page;
    assert.notEqual(met, "nothing", `${page.url()}: ${await page.innerText("body")}`);
    if (met === "password") {
      await page.fill("[name=email]", person.email);
      await password.fill(person.password);
      await page.click("main button[type=submit]");
      await password.waitFor({ state: "detached" });
      continue;
    }
    await page.waitForFunction(() => !document.querySelector("[aria-disabled=true]"));
    await allow.click();
    await allow.waitFor({ state: "detached" });
  }
  throw new Error(`${page.url()} does not lead back`);
}

/** Waits until a page shows a text. */
export const shows = (page, text) => page.getByText(text).first().waitFor();

/** Whether the provider asks again who is there. */
export async function isAskedAgain(page, address) {
  if (address) await page.goto(address);
  await page.locator("[name=password]").waitFor();
}

/**
 * Walks two people through a site whose address begins a sign-in and shows the one who came back, and returns the window
 * of the first.
 */
export async function walkSite(works, p, address) {
  const page = await signIn(await newWindow(), p, address);
  await shows(page, maria.email);
  works("sign-in");
  await shows(await signIn(await newWindow(), p, address, noah), noah.email);
  works("second user");
  return page;
}
