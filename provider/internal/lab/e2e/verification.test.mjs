// A stranger comes from an application that admits students only, signs up, proves to be one by an address
// of the university, and is back with the application. Another waits for a person, and withdraws.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { look, newWindow, press, settled, startCampus, startChromium } from "./lab.mjs";

let campus, browser;
before(async () => { [campus, browser] = await Promise.all([startCampus(), startChromium()]); });

// RFC 7636 appendix B
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const request = (more = {}) => `${campus.site}/oauth/authorize?${new URLSearchParams({
  client_id: "shop", redirect_uri: campus.redirectURI, response_type: "code", scope: "openid student", state: "s",
  code_challenge: challenge, code_challenge_method: "S256", ...more,
})}`;

const path = (page) => new URL(page.url()).pathname;

/** Signs a stranger up in the flow of the application, up to the page that says who is admitted. */
async function signUp(page, email) {
  await page.goto(request({ prompt: "create" }));
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill("violet-anchor-sings-low");
  await press(page, "Create account");
  await page.getByLabel("Eight-digit code").fill((await campus.mail(email)).match(/\b\d{8}\b/)[0]);
  await press(page, "Continue");
  await press(page, "Not now"); // to a passkey
  await page.getByRole("heading", { name: "Verify your status to continue to Campus Shop" }).waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  test(`a stranger is verified by an address of the university, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
    const page = await newWindow(browser, { javaScriptEnabled });
    const name = javaScriptEnabled ? "ada" : "grace";
    if (javaScriptEnabled) {
      await signUp(page, `${name}@mail.example`);
    } else {
      const click = (label) => page.getByRole("button", { name: label }).first().click();
      await page.goto(request({ prompt: "create" }));
      await page.getByLabel("Email address").fill(`${name}@mail.example`);
      await page.getByLabel("Password", { exact: true }).fill("violet-anchor-sings-low");
      await click("Create account");
      await page.getByLabel("Eight-digit code").fill((await campus.mail(`${name}@mail.example`)).match(/\b\d{8}\b/)[0]);
      await click("Continue");
    }
    const click = (label) => page.getByRole("button", { name: label }).first().click();
    const seen = (what) => javaScriptEnabled && look(page, `verification-${what}`);
    if (javaScriptEnabled) await settled(page);
    await click("Verify now");
    await page.getByRole("heading", { name: "Verify your status" }).waitFor();
    await seen("choose");
    // Each of a few ways is one press away.
    assert.equal(await page.getByRole("button", { name: "Start: With an invitation code" }).isVisible(), true);
    await click("Start: With your institution’s email address");
    await seen("ask");
    await page.getByLabel("Email address").fill(`${name}@elsewhere.example`);
    await click("Continue");
    assert.equal(await page.getByLabel("Email address").getAttribute("aria-invalid"), "true");
    assert.equal(await page.getByLabel("Email address").inputValue(), `${name}@elsewhere.example`);
    await seen("ask-wrong");
    await page.getByLabel("Email address").fill(`${name}@students.university.example`);
    await click("Continue");
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await seen("code");
    const mail = await campus.mail(`${name}@students.university.example`);
    assert.doesNotMatch(mail, /student status|verified/i, "the mail names neither the group nor a result");
    const code = mail.match(/\b\d{8}\b/)[0];
    await page.getByLabel("Eight-digit code").fill(code === "00000000" ? "00000001" : "00000000");
    await click("Continue");
    await page.getByText("incorrect or has expired").waitFor();
    await page.getByLabel("Eight-digit code").fill(code);
    await click("Continue");
    await page.getByRole("heading", { name: "You’re verified" }).waitFor();
    await seen("approved");
    await page.getByRole("link", { name: "Continue to Campus Shop" }).click();
    await page.getByText("Your status is verified.").waitFor();
    if (javaScriptEnabled) await settled(page);
    await click("Allow");
    await page.waitForURL(`${campus.redirectURI}?**`);
    const answer = campus.answers.pop();
    const claims = await campus.claims(answer.get("code"), verifier);
    assert.deepEqual(claims.status.map(({ group, verified }) => ({ group, verified })), [{ group: "student", verified: true }]);
    assert.deepEqual(page.faults, []);
  });
}

test("a person who waits can leave, come back on another device, and withdraw", async () => {
  const page = await newWindow(browser, { viewport: { width: 390, height: 844 } });
  await signUp(page, "mary@mail.example");
  await press(page, "Verify now");
  await press(page, "Start: Ask the registrar’s office");
  await page.getByLabel("Student number").fill("12345");
  await press(page, "Continue");
  await page.getByRole("heading", { name: "Your request is in review" }).waitFor();
  await page.getByText("at the latest").waitFor();
  await look(page, "verification-review");
  await page.getByRole("link", { name: "Continue to Campus Shop" }).click();
  await page.getByText("In review").waitFor();
  await press(page, "Back to Campus Shop");
  await page.waitForURL(`${campus.redirectURI}?**`);
  assert.equal(campus.answers.pop().get("error"), "access_denied");

  const other = await newWindow(browser);
  await other.goto(`${campus.site}/verification/`);
  await other.getByLabel("Email address").fill("mary@mail.example");
  await other.getByLabel("Password", { exact: true }).fill("violet-anchor-sings-low");
  await press(other, "Sign in");
  await other.getByRole("heading", { name: "Verified groups", exact: true }).waitFor();
  await look(other, "verification-list");
  await other.getByRole("link", { name: "View status: Student" }).click();
  await other.getByRole("link", { name: "Withdraw this request" }).click();
  await look(other, "verification-withdraw");
  await press(other, "Withdraw request");
  await other.getByRole("heading", { name: "Request withdrawn" }).waitFor();
  await look(other, "verification-withdrawn");
  assert.match(path(other), /^\/verification\/case\//);
  assert.deepEqual([...page.faults, ...other.faults], []);
});
