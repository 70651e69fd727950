// A stranger comes to the shop of the quickstart, which asks for a group, and is back there as a member: by an
// address, by a code that was printed, and by a document that a reviewer of the demonstration looks at. Another
// comes to write an application, and a third calls. Every press of a button or link and every field is counted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { newWindow, press, repository, serve, settled, startChromium, startQuickstart } from "./lab.mjs";

let quickstart, browser, config;
before(async () => {
  quickstart = await startQuickstart((port, sitePort) => {
    const text = readFileSync(join(repository, "examples/quickstart/quickstart.json"), "utf8");
    config = JSON.parse(text.replaceAll("8080", port).replaceAll("8081", sitePort));
    return { ...config, desk: { ...config.desk, demo: true } };
  });
  browser = await startChromium();
});

/** A stranger, whose presses and fields are counted. */
async function stranger() {
  const page = await newWindow(browser, { viewport: { width: 360, height: 740 } });
  const done = { clicks: 0, fields: 0 };
  const click = async (role, name) => {
    await settled(page);
    await page.getByRole(role, { name }).first().click();
    done.clicks++;
  };
  const fill = async (label, value) => {
    await page.getByLabel(label, { exact: true }).fill(value);
    done.fields++;
  };
  return { page, done, click, fill };
}

/** Makes an account where somebody is asked for one. */
async function createAccount({ page, click, fill }, email) {
  await fill("Email address", email);
  await fill("Password", "violet-anchor-sings-low");
  await click("button", "Create account");
  await page.getByLabel("Eight-digit code").waitFor();
  await fill("Eight-digit code", await quickstart.code(email));
  await click("button", "Continue");
  await click("button", "Not now"); // to a passkey
}

/** From the shop to the choice of a way to become military. */
async function signUp(s, email) {
  const { page, click } = s;
  await page.goto(quickstart.site);
  await click("link", "Create one");
  await createAccount(s, email);
  await page.waitForURL("**/oauth/consent?**");
  await click("button", "Verify now");
  await page.getByRole("heading", { name: "Verify your status" }).waitFor();
}

/** Back to the shop, which gets what was verified. */
async function goBack({ page, click, done }, clicks, fields) {
  await page.getByRole("heading", { name: "You’re verified" }).waitFor();
  await click("link", "Continue to Sample Shop");
  await page.getByText("Your status is verified.").waitFor();
  await click("button", "Allow");
  await page.waitForURL((url) => url.pathname === "/result");
  assert.match(await page.innerText("main"), /military[\s\S]*✓ verified/);
  assert.ok(done.clicks <= clicks && done.fields <= fields, `${done.clicks} clicks and ${done.fields} fields`);
  assert.deepEqual(page.faults, []);
}

/** Signs a member of the staff in. */
async function comeToWork(page, name, path) {
  const { email, password } = config.users.find((u) => u.email.startsWith(name));
  await page.goto(quickstart.provider + path);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Sign in");
}

const way = { address: "Start: With your service email address", code: "Start: With an invitation code", document: "Start: With a picture of a document" };

test("by an address of the army", async () => {
  const s = await stranger();
  await signUp(s, "ina@army.example");
  await s.click("button", way.address);
  await s.page.getByRole("heading", { name: "Check your email" }).waitFor();
  await s.fill("Eight-digit code", await quickstart.code("ina@army.example"));
  await s.click("button", "Continue");
  await goBack(s, 9, 4);
});

test("by the code that the quickstart has printed", async () => {
  const s = await stranger();
  await signUp(s, "cleo@mail.example");
  await s.click("button", way.code);
  await s.fill("Invitation code", quickstart.printed().match(/military\s+\S+\s+(\S+)/)[1]);
  await s.click("button", "Continue");
  await goBack(s, 9, 4);
});

test("by a document that the reviewer looks at", async () => {
  const s = await stranger(), { page } = s;
  await signUp(s, "dan@mail.example");
  await s.click("button", way.document);
  await s.fill("Your name, as on the document", "Dan Doe");
  const picture = await page.screenshot();
  await page.locator("input[type=file]").first().setInputFiles({ name: "card.png", mimeType: "image/png", buffer: picture });
  s.done.fields++;
  await s.click("button", "Send for review");
  await page.getByRole("heading", { name: "Your request is in review" }).waitFor();
  const waiting = page.url();

  const reviewer = await newWindow(browser);
  await comeToWork(reviewer, "ruth", "/desk/cases");
  await reviewer.getByRole("listitem").filter({ hasText: "Military" }).getByRole("button", { name: "Take this case" }).click();
  for (const yes of await reviewer.getByLabel("Yes").all()) await yes.check();
  const told = quickstart.mails("dan@mail.example").length;
  await press(reviewer, "Approve");
  while (quickstart.mails("dan@mail.example").length === told) await new Promise((wait) => setTimeout(wait, 100)); // it can be taken back
  await page.goto(waiting);
  await goBack(s, 9, 5);
  assert.deepEqual(reviewer.faults, []);
});

test("a developer without an account signs in to code of their own", async (t) => {
  const s = await stranger(), { page, done, click, fill } = s;
  await page.goto(`${quickstart.provider}/developer/`);
  await click("link", "Sign in or create an account");
  await click("link", "Create an account");
  await createAccount(s, "dora@mail.example");
  await page.getByRole("heading", { name: "Create an organization" }).waitFor();
  await fill("Name", "River Bikes");
  await click("button", "Create organization");
  await page.getByRole("heading", { name: "Register an application" }).waitFor();
  await fill("Name", "Shop");
  const redirectURI = "http://localhost:18099/callback";
  await page.fill("[name=redirect_uris]", redirectURI);
  done.fields++;
  await click("button", "Register");
  await click("button", "Reveal");
  const client_id = page.url().match(/test_[^/?]+/)[0], client_secret = await page.locator("#client-secret").innerText();

  await serve(t, redirectURI, "<title>Shop</title>");
  const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"; // RFC 7636 appendix B
  await page.goto(`${quickstart.sandbox}/oauth/authorize?${new URLSearchParams({
    client_id, redirect_uri: redirectURI, response_type: "code", scope: "openid profile",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256",
  })}`);
  await click("button", "Continue as Maria");
  await page.getByRole("heading", { name: "Shop asks" }).waitFor();
  await click("button", "Allow");
  await page.waitForURL(`${redirectURI}?**`);
  const code = new URL(page.url()).searchParams.get("code");
  const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectURI, client_id, client_secret, code_verifier });
  const answer = await (await fetch(`${quickstart.sandbox}/oauth/token`, { method: "POST", body })).json();
  assert.ok(answer.id_token, JSON.stringify(answer));
  assert.ok(done.clicks <= 10 && done.fields <= 6, `${done.clicks} clicks and ${done.fields} fields`);
  assert.deepEqual(page.faults, []);
});

test("a call is answered", async () => {
  const { page, done, click, fill } = await stranger();
  await comeToWork(page, "sam", "/desk/");
  await fill("Email address – ID – Case – Request", "noah@example.com");
  await click("button", "Find");
  await click("radio", "The person called");
  await click("button", "Open the matter");
  await page.getByText("Last sign-in").waitFor();
  assert.ok(done.clicks <= 3 && done.fields <= 1, `${done.clicks} clicks and ${done.fields} fields`);
  assert.deepEqual(page.faults, []);
});
