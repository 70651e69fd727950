// A client of the v3 interface, written from its description alone, with nothing
// but Node's standard library.
import { createPublicKey, verify } from "node:crypto";
import { get, request } from "node:http";
import { runInNewContext } from "node:vm";

export class V3Client {
  constructor({ base, clientID, clientSecret, redirectURI }) {
    Object.assign(this, { base, clientID, clientSecret, redirectURI });
  }

  /** The address to send a user to. What is undefined in changes is left out. */
  authorizeURL(changes = {}) {
    const parameters = {
      client_id: this.clientID, redirect_uri: this.redirectURI, response_type: "code", scope: "military", ...changes,
    };
    const url = new URL(`${this.base}/oauth/authorize`);
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.append(name, value);
    }
    return url;
  }

  /** Asks the token endpoint. */
  token(changes = {}) {
    const parameters = {
      client_id: this.clientID, client_secret: this.clientSecret, redirect_uri: this.redirectURI,
      grant_type: "authorization_code", ...changes,
    };
    const sent = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const outgoing = request(`${this.base}/oauth/token`, {
      method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    outgoing.end(new URLSearchParams(sent).toString());
    return answer(outgoing);
  }

  userinfo(query, headers) {
    return this.#data("userinfo", query, headers);
  }

  attributes(query, headers) {
    return this.#data("attributes.json", query, headers);
  }

  #data(resource, query = {}, headers = {}) {
    const url = new URL(`${this.base}/api/public/v3/${resource}`);
    url.search = new URLSearchParams(query);
    return answer(get(url, { headers }));
  }

  async discovery() {
    return JSON.parse((await answer(get(`${this.base}/oidc/.well-known/openid-configuration`))).text);
  }

  /** Takes kid from the header, the key from the key set, and verifies before it decodes. */
  async verify(jwt) {
    const [header, payload, signature] = jwt.split(".");
    const { alg, kid } = decode(header);
    if (alg !== "RS256") throw new Error(`alg is ${alg}`);
    const { keys } = JSON.parse((await answer(get(`${this.base}/oidc/.well-known/jwks`))).text);
    const key = createPublicKey({ key: keys.find((k) => k.kid === kid), format: "jwk" });
    if (!verify("RSA-SHA256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))) {
      throw new Error("the signature is wrong");
    }
    return decode(payload);
  }
}

const decode = (part) => JSON.parse(Buffer.from(part, "base64url").toString());

async function answer(outgoing) {
  const incoming = await new Promise((resolve, reject) => outgoing.on("response", resolve).on("error", reject));
  const text = Buffer.concat(await incoming.toArray()).toString();
  const type = incoming.headers["content-type"]?.split(";")[0];
  return {
    status: incoming.statusCode, headers: incoming.headers, type, text,
    json: type === "application/json" ? JSON.parse(text) : undefined,
  };
}

/** What a page gets that loads a script with this callback. */
export function callback(name, script) {
  let received;
  const page = {};
  const path = name.split(".");
  const last = path.pop();
  path.reduce((object, part) => (object[part] ??= {}), page)[last] = (value) => { received = value; };
  runInNewContext(script, page);
  return received;
}
