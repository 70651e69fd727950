// A page without a server of its own, on another origin, that signs in with oidc-client-ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

const library = readFileSync(new URL("node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js", import.meta.url));
const document = `<!doctype html>
<title>Page</title>
<p id="who"></p>
<script src="/oidc-client-ts.js"></script>
<script>
  var manager = new oidc.UserManager({
    authority: "PROVIDER/oidc", client_id: location.hostname === "127.0.0.1" ? "page" : "elsewhere", redirect_uri: location.origin + "/",
    post_logout_redirect_uri: location.origin + "/?bye", scope: "openid profile email offline_access", loadUserInfo: true,
    automaticSilentRenew: false,
  });
  function show(text) { document.getElementById("who").textContent = text; }
  function shown(promise) {
    return promise.then(function (user) { show(user ? user.profile.name + " " + user.profile.email : "nobody"); }, function (e) { show("refused: " + e.message); });
  }
  if (location.search.includes("state=") && !location.search.includes("bye")) shown(manager.signinCallback());
  else shown(manager.getUser());
</script>`;

const maria = { uuid: "5e0b7ca94d1f4a6c92e7", email: "maria@example.com", password: "quiet-otter-paints-dawn" };
let site, elsewhere, provider, browser;

const server = createServer((request, response) => {
  if (request.url === "/oidc-client-ts.js") response.setHeader("Content-Type", "text/javascript").end(library);
  else response.setHeader("Content-Type", "text/html; charset=utf-8").end(document.replace("PROVIDER", provider));
});
after(() => server.close());

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  site = `http://127.0.0.1:${port}`;
  elsewhere = `http://localhost:${port}`;
  const page = { public: true, dialect: "standard", grant_types: ["authorization_code", "refresh_token"] };
  ({ provider } = await startQuickstart({
    users: [{ ...maria, email_verified: true, attributes: { fname: "Maria", lname: "O'Kafor" } }],
    clients: [
      { ...page, client_id: "page", redirect_uris: [`${site}/`], post_logout_redirect_uris: [`${site}/?bye`], origins: [site] },
      { ...page, client_id: "elsewhere", redirect_uris: [`${elsewhere}/`] },
    ],
  }));
  browser = await startChromium();
});

async function signIn(window, address) {
  await window.goto(address);
  await window.evaluate("void manager.signinRedirect()");
  await window.fill("[name=email]", maria.email);
  await window.fill("[name=password]", maria.password);
  await window.click("main button[type=submit]");
  await press(window, "Allow");
  await window.waitForURL(`${address}/?*`);
}

const shows = (window, text) => window.locator("#who", { hasText: text }).waitFor().catch(async () => {
  assert.equal(await window.locator("#who").innerText(), text, window.faults.join());
});
const accessToken = (window) => window.evaluate("manager.getUser().then(function (user) { return user.access_token; })");

test("a page signs in, renews its tokens in silence, and signs out", async () => {
  const window = await newWindow(browser);
  await signIn(window, site);
  await shows(window, "Maria O'Kafor maria@example.com");

  const first = await accessToken(window);
  await window.evaluate("shown(manager.signinSilent())");
  await shows(window, "Maria O'Kafor maria@example.com");
  assert.notEqual(await accessToken(window), first);

  await window.evaluate("void manager.signoutRedirect()");
  await window.waitForURL(`${site}/?bye*`);
  await shows(window, "nobody");
  await window.evaluate("void manager.signinRedirect()");
  await window.locator("[name=password]").waitFor();
  assert.deepEqual(window.faults, []);
});

test("a page refuses a response that it has not asked for", async () => {
  const window = await newWindow(browser);
  await window.goto(`${site}/?code=stolen&state=forged`);
  await shows(window, "refused: No matching state");
  assert.deepEqual(window.faults, []);
});

test("a page whose origin is not registered gets no token", async () => {
  const window = await newWindow(browser);
  await signIn(window, elsewhere);
  await shows(window, "refused: Failed to fetch");
  assert.match(window.faults.join(), /CORS policy/);
});
