// A document on its way: sent by phone, sent back by a reviewer with the keyboard, sent again, approved, and
// seen by the application; the mails in between say to look, and no more.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { look, newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

const noah = { uuid: "d41f7be90c2a4e1896f3", email: "noah@example.com", password: "copper-lantern-rides-north" };
const ruth = { uuid: "1679091c5a884fafab5e", email: "ruth@example.com", password: "amber-kettle-hums-west" };
let quickstart, browser;

before(async () => {
  quickstart = await startQuickstart({
    users: [{ ...noah, attributes: { fname: "Noah", lname: "Lindqvist" } }, ruth],
    desk: { staff: [{ email: ruth.email, roles: ["reviewer"] }] },
    verification: {
      verifiers: { card: { document: { require: [{ name: "front", title: { text: "Front of your student card" }, must: [{ text: "Your name" }, { text: "The year" }] }] } } },
      policies: [{ group: "student", rule: "card" }],
    },
  });
  browser = await startChromium();
});

async function signIn(page, { email, password }) {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Sign in");
}

/** A picture that a phone would take. */
async function photograph(page, text) {
  const url = await page.evaluate((said) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 900, height: 560 });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#eef";
    pen.fillRect(0, 0, 900, 560);
    pen.fillStyle = "#124";
    pen.font = "48px sans-serif";
    pen.fillText(said, 60, 120);
    return canvas.toDataURL("image/jpeg");
  }, text);
  return { name: "IMG_0001.jpg", mimeType: "image/jpeg", buffer: Buffer.from(url.split(",")[1], "base64") };
}

async function send(page, text) {
  await page.locator("input[type=file]").first().setInputFiles(await photograph(page, text));
  await page.locator("form[data-sends] canvas").waitFor(); // what is sent is shown before
  await look(page, "document-chosen");
  await press(page, "Send for review");
  await page.getByRole("heading", { name: "Your request is in review" }).waitFor();
}

/** Waits until a decision is carried out, and returns the mail about it. */
async function news(before) {
  for (let tries = 0; tries < 400; tries++) {
    const mails = quickstart.mails(noah.email);
    if (mails.length > before) return mails.at(-1);
    await new Promise((wait) => setTimeout(wait, 50));
  }
  throw new Error("nobody is told of the decision");
}

test("a document is sent back, sent again and approved, and the application sees it", async () => {
  const person = await newWindow(browser, { viewport: { width: 390, height: 844 } });
  await person.goto(`${quickstart.site}/start/v3-oauth?scope=student`);
  await signIn(person, noah);
  await press(person, "Verify now");
  await press(person, "Start");
  await look(person, "document-upload");
  await send(person, "NAME ?");
  const waiting = person.url();

  const reviewer = await newWindow(browser, { colorScheme: "dark" });
  await reviewer.goto(`${quickstart.provider}/desk/cases`);
  await signIn(reviewer, ruth);
  await reviewer.getByRole("heading", { name: "Cases" }).waitFor();
  const keys = async (...names) => { for (const name of names) await reviewer.keyboard.press(name); };
  const take = async () => {
    await reviewer.goto(`${quickstart.provider}/desk/cases`);
    await reviewer.getByRole("heading", { name: "Cases" }).waitFor();
    await keys("g");
    await reviewer.getByRole("heading", { name: "Claim" }).waitFor();
    await reviewer.waitForLoadState(); // keys want the script
    await reviewer.locator("[data-evidence] img").evaluate((picture) => picture.decode());
  };
  await take();
  await look(reviewer, "desk-document");
  let told = quickstart.mails(noah.email).length;
  await keys("y", "y", "x", "1", "Shift+R");
  await reviewer.getByText("Your decision is recorded.").waitFor();
  const sentBack = await news(told);
  assert.doesNotMatch(sentBack, /student|unreadable|couldn’t be read|declined|approved/i);

  await person.goto(waiting);
  await person.getByText("It couldn’t be read").waitFor();
  await look(person, "document-sent-back");
  await send(person, "NOAH LINDQVIST, 2026/27");

  await take();
  told = quickstart.mails(noah.email).length;
  await keys("y", "y", "y", "Shift+A");
  await reviewer.getByText("Your decision is recorded.").waitFor();
  assert.doesNotMatch(await news(told), /student|approved|you’re verified/i);

  await person.goto(waiting);
  await person.getByRole("heading", { name: "You’re verified" }).waitFor();
  await look(person, "document-approved");
  await person.goto(`${quickstart.site}/start/v3-oauth?scope=student`);
  await press(person, "Allow");
  await person.waitForURL((url) => url.pathname === "/result");
  assert.match(await person.innerText("main"), /student[\s\S]*✓ verified/);
  assert.deepEqual([...person.faults, ...reviewer.faults], []);
});
