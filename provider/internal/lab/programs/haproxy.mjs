import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { apt, freePort, maria, noah, path, program, provider, start, tokens, write } from "./frame/lab.mjs";

const version = await apt("haproxy");
program("HAProxy (jwt_verify)", version, async (works) => {
  const port = await freePort(), api = `http://localhost:${port}/`, callback = `http://localhost:${await freePort()}/callback`;
  const p = await provider({ redirect_uris: [callback], access_token_format: "jwt" }, { resources: [{ uri: api, name: "API" }] });
  const all = [];
  for (const person of [maria, noah]) all.push([person, (await tokens(p, callback, "openid profile", person, { resource: api })).access_token]);
  const part = (token, i) => JSON.parse(Buffer.from(token.split(".")[i], "base64url"));
  const { keys } = await (await fetch(`${p.issuer}/.well-known/jwks`)).json();
  write({
    "key.pem": createPublicKey({ key: keys.find((k) => k.kid === part(all[0][1], 0).kid), format: "jwk" }).export({ type: "spki", format: "pem" }),
    "haproxy.cfg": `defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend api
  bind localhost:${port}
  http-request set-var(txn.token) http_auth_bearer
  http-request deny unless { var(txn.token),jwt_header_query('$.alg') -m str RS256 }
  http-request deny unless { var(txn.token),jwt_verify("RS256","${path("key.pem")}") -m int 1 }
  http-request deny unless { var(txn.token),jwt_payload_query('$.iss') -m str "${p.issuer}" }
  http-request deny unless { var(txn.token),jwt_payload_query('$.aud[0]') -m str "${api}" }
  http-request return status 200 content-type text/plain lf-string '%[var(txn.token),jwt_payload_query("$.sub")]'
`,
  });
  await start("/usr/sbin/haproxy", ["-db", "-f", "haproxy.cfg"], api);
  const asked = async (token) => (await fetch(api, { headers: { authorization: `Bearer ${token}` } })).text();
  for (const [person, token] of all) {
    assert.equal(await asked(token), person.uuid);
    assert.match(await asked(`${token.slice(0, -20)}${"A".repeat(20)}`), /403/);
    works(person === maria ? "API by JWT" : "second user");
  }
}, "JWT access tokens; the API is `$.aud[0]`, as the list of audiences is no text");
