// What a browser with windows does by itself: it blocks popups, and opens tabs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buttonTag, lab, link, put, queryOf, span, visit } from "./lab.mjs";

lab.windows = true;

test("a blocked popup falls back to the redirect", async (t) => {
  const page = await visit(t, put(span({ display: "popup", redirect: "/page-0" }) + buttonTag()));
  // Without a click there is no activation, and the browser blocks.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: "void Bonafide.signIn(button)", userGesture: false });
  await page.waitForURL(/oauth\/authorize/);
  assert.equal(queryOf(page.url()).display, undefined);
  assert.equal(page.context().pages().length, 1);
});

test("a click with a modifier opens a new tab and leaves the page", async (t) => {
  const page = await visit(t, put(span({ redirect: "/page-0" }) + buttonTag()));
  const opened = page.context().waitForEvent("page");
  const before = page.url();
  await link(page).click({ modifiers: ["ControlOrMeta"] });
  const tab = await opened;
  await tab.waitForSelector("#allow");
  assert.equal(queryOf(tab.url()).client_id, "client-1");
  assert.equal(page.url(), before);
});
