import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

// A page of another origin that gets its token in the fragment and loads the data
// endpoints as scripts: all that a page could do before there was CORS.
const page = `<!doctype html>
<title>Old Shop</title>
<pre id="attributes"></pre>
<pre id="userinfo"></pre>
<script>
  var old = { shop: {} };
  old.shop.attributes = function (value) { document.getElementById("attributes").textContent = JSON.stringify(value); };
  old.shop.userinfo = function (value) { document.getElementById("userinfo").textContent = JSON.stringify(value); };
  var token = new URLSearchParams(location.hash.slice(1)).get("access_token");
  function load(resource, callback) {
    var script = document.createElement("script");
    script.src = "PROVIDER/api/public/v3/" + resource + "?access_token=" + token + "&callback=" + callback;
    document.head.append(script);
  }
  if (token) {
    load("attributes.json", "old.shop.attributes");
    load("userinfo", "old.shop.userinfo");
  }
</script>`;

const maria = { uuid: "5e0b7ca94d1f4a6c92e7", email: "maria@example.com", password: "quiet-otter-paints-dawn" };
let shop, provider, browser;

const server = createServer((request, response) => {
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(page.replace("PROVIDER", provider));
});
after(() => server.close());

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  shop = `http://127.0.0.1:${server.address().port}/`;
  ({ provider } = await startQuickstart({
    users: [{ ...maria, attributes: { fname: "Maria \u2028 <b>O'Kafor" }, status: [{ group: "military", subgroups: ["Veteran"], verified: true }] }],
    clients: [{ client_id: "old-shop", dialect: "v3", client_secret: "kX3vR9tLq7WmZs2Yb6NcJ4hD8fGp5QwT", name: "Old Shop", redirect_uris: [shop] }],
  }));
  browser = await startChromium();
});

test("a page of another origin loads attributes and userinfo as scripts", async () => {
  const window = await newWindow(browser);
  await window.goto(`${provider}/oauth/authorize?${new URLSearchParams({
    client_id: "old-shop", redirect_uri: shop, response_type: "token", scope: "openid military",
  })}`);
  await window.fill("[name=email]", maria.email);
  await window.fill("[name=password]", maria.password);
  await window.click("main button[type=submit]");
  await press(window, "Allow");
  await window.waitForURL(`${shop}#**`);

  const read = async (id) => JSON.parse(await window.locator(`#${id}:not(:empty)`).textContent());
  const { attributes, status } = await read("attributes");
  const values = Object.fromEntries(attributes.map((a) => [a.handle, a.value]));
  assert.deepEqual([values.uuid, values.fname], [maria.uuid, "Maria \u2028 <b>O'Kafor"]);
  assert.deepEqual(status, [{ group: "military", subgroups: ["Veteran"], verified: true }]);
  const [, payload] = (await read("userinfo")).split(".");
  assert.equal(JSON.parse(Buffer.from(payload, "base64url")).fname, values.fname);
  assert.deepEqual(window.faults, []);
});

test("a page learns that its token is no good, and why", async () => {
  const window = await newWindow(browser);
  await window.goto(`${shop}#access_token=expired`);
  for (const id of ["attributes", "userinfo"]) {
    const { error } = JSON.parse(await window.locator(`#${id}:not(:empty)`).textContent());
    assert.equal(error, "invalid_token");
  }
  assert.deepEqual(window.faults, []);
});

test("whoever opens the address of a script gets a file", async () => {
  const window = await newWindow(browser);
  const download = window.waitForEvent("download");
  await window.goto(`${provider}/api/public/v3/attributes.json?callback=show`).catch(() => {}); // a download is no page
  assert.equal((await download).suggestedFilename(), "f.txt");
  assert.equal(window.url(), "about:blank");
});
