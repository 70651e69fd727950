// A site that signs in with Auth.js, on nothing but Node's HTTP server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { Auth } from "@auth/core";
import { Browser, alice, secret, start } from "./lab.mjs";

const clientSecret = secret(), authSecret = secret();
let provider, site, browser;

/** What Auth.js is told: the issuer and the registration. */
const config = () => ({
  basePath: "/auth", secret: authSecret, trustHost: true,
  logger: { error() {}, warn() {}, debug() {} },
  providers: [{
    id: "bonafide", name: "Bonafide", type: "oidc", issuer: provider.issuer, clientId: "app", clientSecret, checks: ["pkce", "state", "nonce"],
  }],
});

/** Answers a request as Auth.js does. */
async function answer(path, incoming) {
  const { method, headers } = incoming;
  const body = method === "POST" ? Buffer.concat(await incoming.toArray()) : undefined;
  return Auth(new Request(new URL(path, site), { method, headers, body }), config());
}

const server = createServer(async (incoming, outgoing) => {
  const home = !incoming.url.startsWith("/auth/");
  const response = await answer(home ? "/auth/session" : incoming.url, incoming);
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { ...headers, "set-cookie": response.headers.getSetCookie() });
  outgoing.end(await response.text());
});

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  site = `http://127.0.0.1:${server.address().port}`;
  provider = await start([{
    client_id: "app", client_secret: clientSecret, name: "Site", dialect: "standard", redirect_uris: [`${site}/auth/callback/bonafide`],
  }]);
  browser = await new Browser(provider.base).signIn(alice);
});
after(async () => {
  server.close();
  await provider?.stop();
});

/** Presses the button of the sign-in page: a visitor, and the authorization request. */
async function begin() {
  const visitor = new Browser(site);
  const { location } = await visitor.submit(await visitor.open(`${site}/auth/signin`));
  return { visitor, request: new URL(location) };
}

const session = async (visitor) => JSON.parse((await visitor.open(`${site}/`)).text);

describe("Auth.js", () => {
  test("signs in with what it asks for by itself, and signs out", async () => {
    const { visitor, request } = await begin();
    assert.equal(request.searchParams.get("scope"), "openid profile email");
    const { location } = await browser.allow(request);
    await visitor.open(location);
    const { user } = await session(visitor);
    assert.deepEqual([user.name, user.email], ["Alice Example", alice.email]);
    await visitor.submit(await visitor.open(`${site}/auth/signout`));
    assert.equal(await session(visitor), null);
  });

  test("refuses a response that was not asked for", async () => {
    const { visitor, request } = await begin();
    const response = new URL((await browser.allow(request)).location);
    response.searchParams.set("state", "nonsense");
    await visitor.open(response);
    assert.equal(await session(visitor), null);
    const stranger = new Browser(site);
    await stranger.open((await browser.allow((await begin()).request)).location);
    assert.equal(await session(stranger), null);
  });

  test("is not sent anywhere else", async () => {
    const { request } = await begin();
    request.searchParams.set("redirect_uri", `${site}/auth/callback/other`);
    const { status, location } = await browser.open(request);
    assert.deepEqual([status, location], [400, undefined]);
  });
});
