// Clients of the Model Context Protocol that nobody has registered, over its SDKs: each finds the
// provider from the 401 of a server, is allowed, calls a tool, and calls it again with a refreshed
// token.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePort } from "../../../internal/freeport/freeport.mjs";
import { Browser, alice, start } from "./lab.mjs";

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
  provider = await start([], {
    sample_client: { listen: new URL(site).host, base_url: site }, allow_private_networks: true,
    resources: [{ uri: tools, name: "Tools", introspectors: ["sample-standard"] }],
    unknown_clients: { documents: true, register: "open" },
  }, { SSL_CERT_FILE: cert });
  browser = await new Browser(provider.base).signIn(alice);
});
after(async () => {
  await provider?.stop();
  host?.close();
  rmSync(folder, { recursive: true });
});

/** Allows a client what it asks for, after a look at what the user is told; where the answer goes. */
async function allow(url) {
  const page = await browser.open(url);
  assert.match(page.text, /Code Helper/, `${url} leads to ${page.status} ${page.location}`);
  assert.match(page.text, /localhost/);
  const { location } = await browser.submit(page, { action: "allow" });
  assert.ok(location?.startsWith(`${redirectURI}?`), location);
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
