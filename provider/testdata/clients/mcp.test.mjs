// Clients of the Model Context Protocol that nobody has registered, over its SDKs and mcp-remote: each
// finds the provider from the 401 of a server, is allowed, calls a tool, and calls it again with a
// refreshed token.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePort } from "../../internal/testkit/port.mjs";
import { Browser, alice, send, start } from "./lab.mjs";

const redirectURI = "http://localhost:4711/callback";
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
let folder, host, provider, browser, tools, address;

/** A host whose certificate the provider accepts, with the document of a client. */
async function serveDocument() {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert], { stdio: "pipe" });
  host = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({
      client_id: `https://${request.headers.host}${request.url}`, client_name: "Code Helper", redirect_uris: [redirectURI],
      grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none",
    }));
  }).listen(0, "localhost");
  await once(host, "listening");
  address = `https://localhost:${host.address().port}/client.json`;
  return cert;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "bonafide-mcp-"));
  const cert = await serveDocument();
  const site = `http://localhost:${await freePort()}`;
  tools = `${site}/mcp`;
  provider = await start([{
    client_id: "box", name: "Tools on a Box", dialect: "standard", public: true, grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
  }], {
    sample_client: { listen: new URL(site).host, base_url: site }, allow_private_networks: true,
    resources: [{ uri: tools, name: "Tools", introspectors: ["sample-standard"] }],
    unknown_clients: { documents: true, register: "open" }, device_authorization: { on: true },
  }, { SSL_CERT_FILE: cert });
  browser = await new Browser(provider.base).signIn(alice);
});
after(async () => {
  await provider?.stop();
  host?.close();
  rmSync(folder, { recursive: true });
});

/** Allows a client what it asks for, after a look at what the user is told; where the answer goes. */
async function allow(url, back = redirectURI) {
  const page = await browser.open(url);
  assert.match(page.text, /Code Helper/, `${url} leads to ${page.status} ${page.location}`);
  assert.match(page.text, /localhost/);
  const { location } = await browser.submit(page, { action: "allow" });
  assert.ok(location?.startsWith(`${back}?`), location);
  return location;
}

/** What an application of the SDK keeps. */
class Application {
  constructor(document) {
    if (document) this.clientMetadataUrl = document;
  }

  redirectUrl = redirectURI;
  clientMetadata = {
    client_name: "Code Helper", redirect_uris: [redirectURI], grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"], token_endpoint_auth_method: "none",
  };
  clientInformation = () => this.client;
  saveClientInformation = (client) => { this.client = client; };
  tokens = () => this.kept;
  saveTokens = (tokens) => { this.kept = tokens; };
  redirectToAuthorization = (url) => { this.asked = url; };
  saveCodeVerifier = (verifier) => { this.verifier = verifier; };
  codeVerifier = () => this.verifier;
}

async function callTool(application) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(tools), { authProvider: application }));
  const { content } = await client.callTool({ name: "whoami", arguments: {} });
  await client.close();
  return content[0].text;
}

const kinds = [
  ["a document", () => address, () => address],
  ["a registration", () => "", () => "dyn-"],
];

describe("the SDK for TypeScript", () => {
  for (const [kind, document, begins] of kinds) {
    test(`calls a tool with ${kind}`, async () => {
      const application = new Application(document());
      const transport = new StreamableHTTPClientTransport(new URL(tools), { authProvider: application });
      await assert.rejects(new Client({ name: "test", version: "1" }).connect(transport), UnauthorizedError);
      await transport.finishAuth(new URL(await allow(application.asked)).searchParams.get("code"));
      const who = `user ${alice.uuid} by client ${begins()}`;
      const first = await callTool(application);
      assert.ok(first.startsWith(who), first);
      const former = application.kept;
      application.kept = { ...former, access_token: "bfa_ended" };
      const second = await callTool(application);
      assert.ok(second.startsWith(who), second);
      assert.notEqual(application.kept.refresh_token, former.refresh_token);
    });
  }
});

const python = [path("../../../.cache/python/bin/python"), "python3"].find((p) => spawnSync(p, ["-c", "import mcp, httpx2"]).status === 0);
const skip = python || process.env.CI ? false : "the SDK for Python is missing: python3 -m venv .cache/python && .cache/python/bin/pip install mcp==2.3.0";

describe("the SDK for Python", { skip }, () => {
  for (const [kind, document, begins] of kinds) {
    test(`calls a tool with ${kind}`, async () => {
      const child = spawn(python, [path("mcp_client.py"), tools, redirectURI, document()], { stdio: ["pipe", "pipe", "inherit"] });
      const exited = once(child, "exit"), said = [];
      for await (const line of createInterface({ input: child.stdout })) {
        const [, verb, text] = /^(\w+) (.*)$/.exec(line);
        if (verb === "open") child.stdin.write(`${await allow(text)}\n`);
        else said.push(line);
      }
      assert.deepEqual(await exited, [0, null]);
      assert.equal(said.length, 3, said.join("\n"));
      for (const line of said.slice(0, 2)) assert.ok(line.startsWith(`tool user ${alice.uuid} by client ${begins()}`), line);
      assert.equal(said[2], "refreshed True");
    });
  }
});

/** Allows a client what it asks for, and brings it the answer. */
async function answer(url, back) {
  assert.equal((await send(await allow(url, back))).status, 200);
}

/** Enters the code of a device, and allows what it asks for. */
async function enter(url, code) {
  const asked = await browser.submit(await browser.open(url), { user_code: code });
  assert.match(asked.text, /Tools on a Box/);
  await browser.submit(asked, { action: "allow" });
}

/** mcp-remote as a program starts it that speaks with its standard input, and the folder of what it keeps. */
class Remote {
  log = "";
  visits = 0;

  constructor(keep, port, options) {
    this.keep = keep;
    this.transport = new StdioClientTransport({
      command: path("node_modules/.bin/mcp-remote"), args: [tools, String(port), "--callback-path", "/callback", ...options],
      env: { ...process.env, MCP_REMOTE_CONFIG_DIR: keep, BROWSER: "true" }, stderr: "pipe",
    });
    createInterface({ input: this.transport.stderr }).on("line", (line) => {
      this.log += `${line}\n`;
      const [address] = new RegExp(`${provider.base}/(oauth/authorize|device)\\S*`).exec(line) ?? [];
      const [, code] = /enter the code: (\S+)/.exec(line) ?? [];
      if (address) this.address = address;
      if (code) this.visit(() => enter(this.address, code));
      if (line.includes("Waiting for authorization")) this.visit(() => answer(this.address, `http://localhost:${port}/callback`));
    });
    this.client = new Client({ name: "test", version: "1" });
  }

  /** Does what its user is told to do. */
  visit(decide) {
    this.visits++;
    decide().catch((error) => {
      this.log += error.stack;
      return this.close();
    });
  }

  async connect() {
    try {
      await this.client.connect(this.transport);
    } catch (error) {
      throw new Error(`${error.message}\n${this.log}`);
    }
    return this;
  }

  async whoami() {
    const { content } = await this.client.callTool({ name: "whoami", arguments: {} });
    return content[0].text;
  }

  /** The tokens that it keeps. */
  tokens() {
    const [name] = readdirSync(this.keep, { recursive: true }).filter((name) => name.endsWith("_tokens.json"));
    return JSON.parse(readFileSync(join(this.keep, name)));
  }

  close() {
    return this.client.close();
  }
}

describe("mcp-remote", () => {
  for (const [kind, begins, options] of [
    ["a document", () => address, () => ["--client-metadata-url", address]],
    ["a registration", () => "dyn-", () => ["--static-oauth-client-metadata", '{"client_name":"Code Helper"}']],
    ["a code that its user enters elsewhere", () => "box", () => ["--device-code", "--static-oauth-client-info", '{"client_id":"box"}']],
  ]) {
    test(`calls a tool with ${kind}`, async (t) => {
      const keep = mkdtempSync(join(folder, "remote-")), port = await freePort();
      const remote = await new Remote(keep, port, options()).connect();
      t.after(() => remote.close());
      const first = await remote.whoami();
      const [, , client] = /^user (\S+) by client (\S+)/.exec(first);
      assert.ok(first.startsWith(`user ${alice.uuid} by client ${begins()}`), first);
      const former = remote.tokens();
      const ended = await send(`${provider.base}/oauth/revoke`, { method: "POST", form: { client_id: client, token: former.access_token } });
      assert.equal(ended.status, 200, ended.text);
      assert.equal(await remote.whoami(), first);
      assert.notEqual(remote.tokens().refresh_token, former.refresh_token);
      await remote.close();

      const again = await new Remote(keep, port, options()).connect();
      t.after(() => again.close());
      assert.equal(await again.whoami(), first);
      assert.deepEqual([remote.visits, again.visits], [1, 0]);
    });
  }
});
