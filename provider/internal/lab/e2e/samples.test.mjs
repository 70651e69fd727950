// The samples of the dashboard, as a stranger runs them: files, commands and the address to
// open are read from the page, and nothing else is known. What the commands install comes
// from the registries.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { freePort } from "../../testkit/port.mjs";
import { look, newWindow, press, serve, startChromium, startQuickstart } from "./lab.mjs";

/**
 * What each sample takes: what has to be on the machine, and an address of the registry that
 * its commands install from. A developer of Python is in a virtual environment before.
 * RubyGems is out of reach of CI: Ruby has Debian's gems instead of what its page installs.
 */
const languages = {
  curl: { needs: "type curl jq openssl" },
  node: { needs: "type node npm", registry: "https://registry.npmjs.org/openid-client" },
  python: { needs: "python3 -m venv --help", registry: "https://pypi.org/simple/authlib/", before: "python3 -m venv .venv && . .venv/bin/activate" },
  go: { needs: "type go", registry: "https://proxy.golang.org/github.com/coreos/go-oidc/v3/@v/list" },
  php: { needs: "php -r 'curl_init() || exit(1);'" },
  ruby: { needs: "ruby -rwebrick -rjwt -e ''", without: /gem install [a-z ]+ && / },
  java: { needs: "type javac mvn", registry: "https://repo.maven.apache.org/maven2/org/springframework/boot/spring-boot/3.5.7/spring-boot-3.5.7.pom" },
};

const ada = { uuid: "5a1b7c2de90f4a31b6c8", email: "ada@example.com", password: "quiet-otter-paints-dawn" };
const folders = mkdtempSync(join(tmpdir(), "bonafide-samples-"));
let dashboard, visitor, browser, form, end = () => {};

before(async () => {
  const { provider } = await startQuickstart({ users: [ada], sandbox: {}, developer: {} });
  // A page that the test puts before a site has no address of its own, from which Chromium
  // would let it fetch a script on this machine.
  browser = await startChromium("--disable-features=LocalNetworkAccessChecks");
  dashboard = await newWindow(browser);
  await dashboard.goto(`${provider}/developer/new`);
  await dashboard.fill("[name=email]", ada.email);
  await dashboard.fill("[name=password]", ada.password);
  await dashboard.click("main button[type=submit]");
  await dashboard.fill("[name=name]", "River Bikes");
  await dashboard.click("main button[value=save]");
  await dashboard.waitForURL(/\/o\/[^/]+\/sandbox\/new$/);
  form = dashboard.url();
});

afterEach(async () => {
  await end();
  await visitor?.context().close();
  // The sites have no icon.
  const faults = [...dashboard.faults, ...visitor?.faults ?? []].filter((fault) => !fault.endsWith("/favicon.ico"));
  visitor = undefined;
  assert.deepEqual(faults, []);
});

after(() => rmSync(folders, { recursive: true, force: true, maxRetries: 3 }));

/** What this machine lacks to run a sample. In CI nobody asks: a sample that cannot be installed there has failed. */
async function lacks({ needs, registry }) {
  if (process.env.CI === "true") return false;
  if (spawnSync("bash", ["-c", needs]).status !== 0) return `this fails: ${needs}`;
  if (!registry || await fetch(registry, { signal: AbortSignal.timeout(10_000) }).then((r) => r.ok, () => false)) return false;
  return `out of reach: ${registry}`;
}

/** Registers an application and returns the address of its page, its redirect URI and its secret. */
async function register(kind, dialect) {
  const redirectURI = `http://localhost:${await freePort()}/callback`;
  await dashboard.goto(form);
  await dashboard.fill("[name=name]", "Shop");
  await dashboard.check(`[name=kind][value=${kind}]`);
  await dashboard.fill("[name=redirect_uris]", redirectURI);
  await dashboard.check(`[name=dialect][value=${dialect}]`);
  await dashboard.check("[name='scopes.military']");
  await dashboard.click("main button.primary");
  await dashboard.waitForURL(/\/sandbox\/test_[^/?]+/);
  const page = dashboard.url().split("?")[0];
  if (kind === "spa") return { page, redirectURI };
  await press(dashboard, "Reveal");
  return { page, redirectURI, secret: await dashboard.locator("#client-secret").innerText() };
}

/** Reads a sample off its page: its files, what a shell is given, and where a browser goes then. */
async function read(application, id) {
  await dashboard.goto(`${application.page}/samples?language=${id}`);
  const figures = dashboard.locator("figure.sample:not(:has(#run))"), files = {};
  for (const figure of await figures.all()) files[await figure.locator("bdi").innerText()] = await figure.locator("code").textContent();
  if (id === "button") return { files };
  const run = await dashboard.locator("#run").textContent();
  const open = dashboard.locator("figure:has(#run) ~ p a");
  return { files, run: run.replace("YOUR_CLIENT_SECRET", application.secret), open: await open.count() ? await open.innerText() : undefined };
}

/** Gives a shell in an empty folder the files and the commands, until the test ends. */
function start({ files, run }) {
  const cwd = mkdtempSync(join(folders, "sample-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const child = spawn("bash", ["-c", run], { cwd, detached: true });
  const shell = { child, said: "", closed: once(child, "close") };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => { shell.said += chunk; });
  end = async () => {
    end = () => {};
    try { process.kill(-child.pid, "SIGKILL"); } catch { /* it has ended */ }
    await shell.closed;
  };
  return shell;
}

/** Waits for what a program says, and for what that leads to. */
async function until(shell, holds) {
  for (let found; !(found = await holds());) {
    if (shell.child.exitCode !== null) assert.fail(`it does not stay:\n${shell.said}`);
    await new Promise((wait) => setTimeout(wait, 50));
  }
}

/** Starts a sample that is a server, and opens where it says. */
async function startServer(sample) {
  const shell = start(sample);
  await until(shell, () => shell.said.includes(`Open ${sample.open}\n`) && fetch(sample.open).then((r) => r.ok, () => false));
  visitor = await newWindow(browser);
  await visitor.goto(sample.open);
}

/** Signs in as the persona Maria, a verified veteran. */
async function signInAsMaria() {
  await visitor.getByRole("button", { name: /Maria/ }).click();
  await press(visitor, "Allow");
}

/** Whether an answer says that she is one. */
function isVerified(answer) {
  const group = { group: "military", subgroups: ["Veteran"], verified: true };
  assert.deepEqual(JSON.parse(answer).status, [group]);
}

/** What the site shows after the sign-in. */
async function showsGroup({ open }) {
  await visitor.waitForURL((url) => url.href.startsWith(open) && !url.pathname.startsWith("/sandbox"));
  isVerified(await visitor.innerText("body"));
}

/** Pastes into curl's terminal the address that the browser has come to, where nobody listens. */
async function finishInTerminal(t, shell, redirectURI) {
  const address = () => /^http\S+$/m.exec(shell.said)?.[0];
  await until(shell, address);
  visitor = await newWindow(browser);
  await serve(t, redirectURI, "");
  await visitor.goto(address());
  await signInAsMaria();
  await visitor.waitForURL(`${redirectURI}?**`);
  shell.child.stdin.end(`${visitor.url()}\n`);
  await shell.closed;
  isVerified(shell.said.trim().split("\n").at(-1));
}

for (const [id, language] of Object.entries(languages)) {
  const skip = await lacks(language);
  // The samples of v3 run in the tests of their package; that the page has the same lines shows with one.
  for (const dialect of id === "node" ? ["standard", "v3"] : ["standard"]) {
    test(`${id}, ${dialect}: the page's lines in an empty folder sign in`, { skip }, async (t) => {
      const application = await register("web", dialect), sample = await read(application, id);
      if (language.without) sample.run = sample.run.replace(language.without, "");
      if (language.before) sample.run = `${language.before}\n${sample.run}`;
      if (id === "curl") return finishInTerminal(t, start(sample), application.redirectURI);
      await startServer(sample);
      await visitor.getByRole("link", { name: "Sign in with Bonafide" }).click();
      await signInAsMaria();
      await showsGroup(sample);
    });
  }
}

for (const id of ["node", "go"]) {
  test(`${id}: the page's lines prove a key where the application has to`, { skip: await lacks(languages[id]) }, async () => {
    const application = await register("web", "standard");
    await dashboard.goto(`${application.page}/settings`);
    await dashboard.locator("#more > summary").click();
    await dashboard.check("[name=dpop_bound_access_tokens]");
    await press(dashboard, "Save changes");
    const sample = await read(application, id);
    await startServer(sample);
    await visitor.getByRole("link", { name: "Sign in with Bonafide" }).click();
    await signInAsMaria();
    await showsGroup(sample);
  });
}

test("HTML: the button that is pasted into a page begins at the server", { skip: await lacks(languages.php) }, async () => {
  const application = await register("web", "standard"), sample = await read(application, "php");
  const { files } = await read(application, "button");
  await startServer(sample);
  await visitor.route(`${sample.open}shop`, (route) => route.fulfill({ contentType: "text/html", body: files["button.html"] }));
  await visitor.goto(`${sample.open}shop`);
  await visitor.locator("span[data-client-id]").getByRole("link").click();
  await signInAsMaria();
  await showsGroup(sample);
});

test("HTML: the button of an application without a server brings a code", async (t) => {
  const application = await register("spa", "standard"), { origin } = new URL(application.redirectURI);
  const { files } = await read(application, "button");
  visitor = await newWindow(browser);
  await serve(t, origin, files["button.html"]);
  await visitor.goto(`${origin}/shop`);
  await visitor.locator("span[data-client-id]").getByRole("link").click();
  await signInAsMaria();
  await visitor.waitForURL(/\/callback\?/);
  assert.match(new URL(visitor.url()).searchParams.get("code"), /./);
});

test("a program of others is chosen in the form, has what it needs, and its files follow", async () => {
  await dashboard.goto(form);
  await dashboard.selectOption("[name=program]", "keycloak-js");
  await press(dashboard, "Choose");
  await dashboard.getByText("Access tokens are JWTs").waitFor();
  assert.equal(await dashboard.inputValue("[name=redirect_uris]"), "http://localhost:3000/");
  await look(dashboard, "register-program");
  await dashboard.click("main button.primary");
  await dashboard.waitForURL(/\/sandbox\/test_[^/]+\/samples\?/);
  await look(dashboard, "samples-program");
  assert.match(await dashboard.locator("#file-1").textContent(), /new Keycloak\(\{ clientId: "test_/);
  await dashboard.goto(dashboard.url().replace(/samples\?.*/, "settings"));
  await dashboard.locator("#more > summary").click();
  assert.ok(await dashboard.isChecked("[name=access_token_format]"));
  assert.ok(!await dashboard.isChecked("[name='grant_types.refresh_token']"));
});
