// A browser without a dialog of its own, at a provider that has it on; widget/test has those with one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../testkit/port.mjs";
import { hasFirefox, serve, startInstalled, startQuickstart } from "./lab.mjs";

test("Firefox opens the popup", { skip: !hasFirefox }, async (t) => {
  const site = `http://localhost:${await freePort()}/`;
  const { provider } = await startQuickstart({
    fedcm: { on: true },
    clients: [{ client_id: "shop", name: "River Shop", dialect: "standard", public: true, redirect_uris: [site] }],
  });
  await serve(t, site, `<!DOCTYPE html><title>River Shop</title><script src="${provider}/widget/v1.js" async></script>
    <span id="button" data-client-id="shop" data-redirect="${site}" data-pkce data-display="popup"></span>`);
  const firefox = await startInstalled("firefox");
  const page = await firefox.newPage();
  await page.goto(site);
  await page.waitForFunction(() => document.querySelector("#button").shadowRoot);
  assert.match(await (await fetch(`${provider}/widget/v1.js`)).text(), /"fedcm":true/);
  const popup = firefox.waitForTarget((target) => target.url().startsWith(`${provider}/signin`));
  const { x, y, width, height } = await page.$eval("#button", (span) => span.getBoundingClientRect().toJSON());
  await page.mouse.click(x + width / 2, y + height / 2);
  assert.notEqual(await popup, page.target());
  assert.equal(page.url(), site);
});
