// A reviewer decides a case with the keyboard alone, takes the decision back, and decides again; the person
// who waited sees the result.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { look, newWindow, press, startCampus, startChromium } from "./lab.mjs";

let campus, browser;
before(async () => { [campus, browser] = await Promise.all([startCampus(), startChromium()]); });

const password = "violet-anchor-sings-low";

async function signIn(page, address, email) {
  await page.goto(campus.site + address);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Sign in");
}

/** Asks the registrar about somebody who is signed in, and returns where that person waits. */
async function ask(person) {
  await person.goto(`${campus.site}/verification/student`);
  await press(person, "Start: Ask the registrar’s office");
  await person.getByLabel("Student number").fill("12345");
  await press(person, "Continue");
  await person.getByRole("heading", { name: "Your request is in review" }).waitFor();
  return person.url();
}

test("a reviewer decides by keyboard", async () => {
  const person = await newWindow(browser);
  await person.goto(`${campus.site}/signup`);
  await person.getByLabel("Email address").fill("joan@mail.example");
  await person.getByLabel("Password", { exact: true }).fill(password);
  await press(person, "Create account");
  await person.getByLabel("Eight-digit code").fill((await campus.mail("joan@mail.example")).match(/\b\d{8}\b/)[0]);
  await press(person, "Continue");
  const waiting = await ask(person);

  const page = await newWindow(browser);
  await signIn(page, "/desk/cases", "registrar@university.example");
  await page.getByRole("heading", { name: "Cases" }).waitFor();
  await look(page, "desk-inbox");
  const key = (name) => page.keyboard.press(name);
  await key("g");
  await page.getByRole("heading", { name: "Claim" }).waitFor();
  await look(page, "desk-case");
  await key("?");
  await page.getByText("Answer the next question with yes").waitFor();

  // What is typed into a note presses nothing.
  await key("n");
  await page.keyboard.type("read d r a p");
  await key("Escape");
  assert.equal(await page.getByLabel("Note to other reviewers").inputValue(), "read d r a p");
  await key("1");
  assert.equal(await page.getByLabel("Unreadable").isChecked(), true);
  await key("1");
  assert.equal(await page.getByLabel("Unreadable").isChecked(), false);

  // A letter alone decides nothing, and none does anything where keys are switched off.
  for (const letter of ["a", "d", "r", "e", "p", "q"]) await key(letter);
  await page.getByLabel("Use these keys").uncheck();
  await page.reload();
  await key("Shift+A");
  await page.getByText("Keys", { exact: true }).click();
  await page.getByLabel("Use these keys").check();
  await page.getByRole("heading", { name: "Claim" }).waitFor();

  await key("Shift+P"); // and what was handed on comes back, with the note
  await page.getByText("Your decision is recorded.").waitFor();
  await page.getByRole("button", { name: /^Undo \([1-9] s\)/ }).waitFor();
  await look(page, "desk-undo");
  await key("u");
  await page.getByText("Your decision is taken back.").waitFor();
  await key("n");
  await page.keyboard.type("Known by sight.");
  await key("Escape");
  await key("Shift+A");
  await page.getByText("Your decision is recorded.").waitFor();
  await key("u");
  await page.getByText("Your decision is taken back.").waitFor();
  assert.match(await page.getByLabel("Note to other reviewers").inputValue(), /Known by sight/);
  await key("Shift+A");
  await page.getByText("Your decision is recorded.").waitFor();
  await page.getByText("Your decision stands.").waitFor({ timeout: 15_000 }); // it is carried out
  await new Promise((wait) => setTimeout(wait, 1_000));
  await person.goto(waiting);
  await person.getByRole("heading", { name: "You’re verified" }).waitFor();
  assert.match(await campus.mail("joan@mail.example"), /Sign in/i);
  assert.deepEqual([...person.faults, ...page.faults], []);
});

test("a reviewer decides ten cases by keyboard alone", async () => {
  const waiting = [];
  for (let n = 0; n < 10; n++) {
    const page = await newWindow(browser);
    await signIn(page, "/verification/student", `student-${n}@university.example`);
    waiting.push({ page, url: await ask(page) });
  }
  const reviewer = await newWindow(browser);
  await signIn(reviewer, "/desk/cases", "registrar@university.example");
  await reviewer.getByRole("heading", { name: "Cases" }).waitFor();
  await reviewer.waitForLoadState(); // keys want the script
  let keys = 0;
  const next = { g: "Claim", u: "Your decision is taken back." };
  const decide = async (...pressed) => {
    for (const key of pressed) {
      await reviewer.keyboard.press(key);
      keys++;
      if (key === "1") continue; // a reason, on the same page
      await reviewer.getByText(next[key] ?? "Your decision is recorded.").first().waitFor();
      await reviewer.waitForLoadState();
    }
  };
  await decide("g", "1", "Shift+R");
  await decide("g", "1", "Shift+D");
  await decide("g", "Shift+A", "u", "Shift+A");
  await decide("g", "Shift+P", "u", "1", "Shift+D");
  for (let n = 4; n < 10; n++) await decide("g", "Shift+A");
  assert.equal(keys, 27);
  await reviewer.getByText("Nothing is waiting. New cases come here.").waitFor();
  await reviewer.getByText("Your decision stands.").waitFor({ timeout: 15_000 });

  const told = { "We need something else": 1, "We couldn’t verify your status": 2, "You’re verified": 7 };
  for (const { page, url } of waiting) {
    await page.goto(url);
    while (await page.getByRole("heading", { name: "Your request is in review" }).count()) await page.reload(); // it is carried out
    told[await page.getByRole("heading", { level: 1 }).innerText()]--;
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
  assert.deepEqual(Object.values(told), [0, 0, 0], JSON.stringify(told));
  assert.deepEqual(reviewer.faults, []);
});
