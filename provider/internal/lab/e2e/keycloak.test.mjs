// A page that signs in with keycloak-js, which reads access tokens as JWTs and asks the token
// endpoint with credentials.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { newWindow, press, startChromium, startQuickstart } from "./lab.mjs";

const library = readFileSync(new URL("node_modules/keycloak-js/lib/keycloak.js", import.meta.url));
const document = `<!doctype html>
<title>Page</title>
<p id="who"></p>
<script type="module">
  import Keycloak from "/keycloak.js";
  const keycloak = window.keycloak = new Keycloak({ clientId: "page", oidcProvider: "PROVIDER/oidc" });
  const show = (text) => { document.getElementById("who").textContent = text; };
  try {
    const signedIn = await keycloak.init({ pkceMethod: "S256", checkLoginIframe: false, scope: "profile email", redirectUri: location.origin + "/" });
    if (signedIn) await keycloak.loadUserInfo();
    show(signedIn ? keycloak.idTokenParsed.name + " " + keycloak.userInfo.email : "nobody");
  } catch (error) {
    show("refused: " + (error?.error ?? error));
  }
</script>`;

const maria = { uuid: "5e0b7ca94d1f4a6c92e7", email: "maria@example.com", password: "quiet-otter-paints-dawn" };
let site, provider, browser;

const server = createServer((request, response) => {
  if (request.url === "/keycloak.js") response.setHeader("Content-Type", "text/javascript").end(library);
  else response.setHeader("Content-Type", "text/html; charset=utf-8").end(document.replace("PROVIDER", provider));
});
after(() => server.close());

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  site = `http://127.0.0.1:${server.address().port}`;
  ({ provider } = await startQuickstart({
    users: [{ ...maria, email_verified: true, attributes: { fname: "Maria", lname: "O'Kafor" } }],
    clients: [{
      client_id: "page", public: true, dialect: "standard", access_token_format: "jwt", grant_types: ["authorization_code"],
      redirect_uris: [`${site}/`], post_logout_redirect_uris: [`${site}/`], origins: [site],
    }],
  }));
  browser = await startChromium();
});

const shows = (window, text) => window.locator("#who", { hasText: text }).waitFor();

test("a page signs in with keycloak-js and signs out", async () => {
  const window = await newWindow(browser);
  await window.goto(site);
  await shows(window, "nobody");
  await window.evaluate("void keycloak.login()");
  await window.fill("[name=email]", maria.email);
  await window.fill("[name=password]", maria.password);
  await window.click("main button[type=submit]");
  await press(window, "Allow");
  await shows(window, "Maria O'Kafor maria@example.com");
  assert.equal(await window.evaluate("keycloak.idTokenParsed.preferred_username"), maria.email);

  await window.evaluate("void keycloak.logout()");
  await window.waitForURL(`${site}/`);
  await shows(window, "nobody");
  await window.evaluate("void keycloak.login()");
  await window.locator("[name=password]").waitFor();
  assert.deepEqual(window.faults, []);
});
