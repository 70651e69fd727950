// What the tests of this folder stand on: the quickstart with a configuration of
// theirs, and a browser that fills in its screens.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../internal/testkit/port.mjs";
import { build } from "../../internal/lab/e2e/build.mjs";

export const redirectURI = "https://rp.test/cb";

/** Alice is a verified veteran of whom much is known, Bob is neither. */
export const alice = {
  uuid: "f3a1c9d27b5e4c0e8a6f", email: "alice@example.com", password: "glacier-tulip-orbit-42",
  attributes: {
    fname: "Alice", lname: "Example", street: "1 Main St", city: "Fairfax", state: "VA", zip: "22030", birthdate: "1990-04-02",
    covid_vaccine_records: [{ brand: "Moderna", date: "2021-03-04T00:00:00+00:00", type: "COVID-19" }],
    previous_addresses: [{ street1: "9 Oak Ave", city: "Reston", state: "VA", zip: "20190", country: "US", normalized: "true", primary: "false" }],
  },
  status: [{ group: "military", subgroups: ["Veteran"], verified: true }],
};
export const bob = { uuid: "0c7e55a91d3f4b22b8d4", email: "bob@example.com", password: "marble-canyon-violin-77", attributes: { fname: "Bob" } };

/** secret returns what a registration would. */
export const secret = () => randomBytes(24).toString("base64url");

/**
 * Starts the quickstart with these clients, and other settings of its file, on a path of its host, so that no
 * client gets away with putting addresses together itself. Its environment has these variables, too.
 */
export async function start(clients, settings = {}, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "bonafide-"));
  const port = await freePort();
  const base = `http://localhost:${port}/id`;
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({
    listen: `localhost:${port}`, base_url: base, data: join(folder, "data"), users: [alice, bob], clients, ...settings,
  }));
  const child = spawn(build("./examples/quickstart"), ["-config", config], { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  let log = "";
  child.stderr.on("data", (chunk) => { log += chunk; });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGINT");
    await exited;
    rmSync(folder, { recursive: true });
  };
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries === 200) {
      await stop();
      throw new Error(`the quickstart does not answer: ${log}`);
    }
    const ready = await send(`${base}/oidc/.well-known/openid-configuration`).then((r) => r.status === 200, () => false);
    if (ready) return { base, issuer: `${base}/oidc`, stop };
    await new Promise((wait) => setTimeout(wait, 50));
  }
}

/** Sends one request and follows nothing. The body is bytes, the text is its UTF-8. */
export async function send(url, { method = "GET", headers = {}, form } = {}) {
  const body = form && new URLSearchParams(form).toString();
  const outgoing = request(url, {
    method, headers: body === undefined ? headers : { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  }).end(body);
  const [incoming] = await once(outgoing, "response");
  const chunks = await incoming.toArray();
  const text = Buffer.concat(chunks).toString();
  return { url: String(url), status: incoming.statusCode, headers: incoming.headers, text };
}

/** A browser of the provider's pages: it keeps cookies and fills in forms. */
export class Browser {
  #cookies = new Map();

  constructor(base) {
    this.base = base;
  }

  async #go(url, options = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await send(url, { ...options, headers: cookie ? { Cookie: cookie } : {} });
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [name, value] = line.split(";")[0].split(/=(.*)/s);
      if (/max-age=0/i.test(line) || value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    // A response that is too long for a header is led on by a page.
    const [, led] = /<meta http-equiv="refresh" content="0; url=([^"]*)"/.exec(answer.text) ?? [];
    const to = answer.headers.location ?? led?.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
    const location = to && new URL(to, url);
    if (location?.href.startsWith(`${this.base}/`)) return this.#go(location);
    return { ...answer, location: location?.href };
  }

  /** Opens an address and follows redirects until they leave the provider. */
  open(url) {
    return this.#go(String(url));
  }

  /** Sends the form of a page with these values entered. */
  submit(page, values = {}) {
    const { action, fields } = form(page);
    return this.#go(new URL(action, page.url), { method: "POST", form: { ...fields, ...values } });
  }

  async signIn({ email, password }) {
    await this.submit(await this.open(`${this.base}/signin`), { email, password });
    return this;
  }

  /** Opens an authorization request as somebody who allows it, and returns where the answer goes. */
  async allow(url) {
    let page = await this.open(url);
    if (page.text.includes('value="allow"')) page = await this.submit(page, { action: "allow" });
    return page;
  }
}

/** Where the first form of a page that is posted goes, and what it holds. */
export function form(page) {
  const [, attributes, inner] = /<form([^>]*\bmethod="post"[^>]*)>(.*?)<\/form>/is.exec(page.text) ?? [];
  if (inner === undefined) throw new Error(`no form at ${page.url}: ${page.status} ${page.location ?? ""}\n${page.text}`);
  const fields = {};
  for (const [input] of inner.matchAll(/<input\b[^>]*>/gis)) {
    const name = attribute(input, "name");
    if (name !== undefined) fields[name] = attribute(input, "value") ?? "";
  }
  return { action: attribute(attributes, "action"), fields };
}

const attribute = (tag, name) => new RegExp(`\\s${name}="([^"]*)"`, "s").exec(tag)?.[1].replace(/&(#?\w+);/g, (whole, entity) => {
  if (/^#x/i.test(entity)) return String.fromCodePoint(parseInt(entity.slice(2), 16));
  if (entity.startsWith("#")) return String.fromCodePoint(Number(entity.slice(1)));
  return { amp: "&", lt: "<", gt: ">", quot: '"' }[entity] ?? whole;
});
