#!/usr/bin/env bash
# @kubernetes/client-node with the auth-provider oidc of a kubeconfig: while the ID token is good it is
# sent; when it has expired, and client, refresh token and issuer are all there, nobody is asked for a
# new one. The issuer stands in the file as text, discovery wants a URL object, and each call of the API
# fails with that, before any request leaves the machine. Seen in 2.0.1. What helps: an exec plugin, which
# the same library does well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @kubernetes/client-node@2.0.1 node@22.20.0 # it wants a Node.js newer than many have

cat >seen.mjs <<'JS'
import { createServer } from "node:http";
import { KubeConfig } from "@kubernetes/client-node";

let asked = 0;
const issuer = createServer((request, response) => { asked++; response.writeHead(404).end(); });
await new Promise((ready) => issuer.listen(0, "127.0.0.1", ready));

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const token = (seconds) => `${part({ alg: "none" })}.${part({ exp: Math.floor(Date.now() / 1000) + seconds })}.AA`;

for (const [name, seconds] of [["good", 600], ["expired", -600]]) {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "c", server: "https://127.0.0.1" }], contexts: [{ name: "x", cluster: "c", user: "u" }], currentContext: "x",
    users: [{ name: "u", authProvider: { name: "oidc", config: {
      "client-id": "kubernetes", "id-token": token(seconds), "refresh-token": "r", "idp-issuer-url": `http://127.0.0.1:${issuer.address().port}`,
    } } }],
  });
  const options = { headers: {} };
  const ended = await config.applyToHTTPSOptions(options).then(() => options.headers.Authorization ? "token sent" : "no token", (e) => e.name);
  console.log(`${name}: ${ended}, requests to the issuer: ${asked}`);
}
issuer.close();
JS
got=$(node_modules/.bin/node seen.mjs)
want='good: token sent, requests to the issuer: 0
expired: TypeError, requests to the issuer: 0'
printf '@kubernetes/client-node 2.0.1\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
