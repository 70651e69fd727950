#!/usr/bin/env bash
# @badgateway/oauth2-client writes credentials for HTTP Basic in a form of its own unless discovery or a
# setting names client_secret_basic: a colon becomes %3A, and nothing else is encoded. RFC 6749 section
# 2.3.1 has both parts form-encoded, so a server that decodes them reads another secret where there is a
# plus or a percent sign, and one that does not decode reads another where there is a colon. Seen in
# 3.3.1. What helps: authenticationMethod: "client_secret_basic".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @badgateway/oauth2-client@3.3.1

cat >seen.mjs <<'JS'
import { OAuth2Client } from "@badgateway/oauth2-client";

for (const authenticationMethod of [undefined, "client_secret_basic"]) {
  let sent;
  const client = new OAuth2Client({
    server: "https://id.example/", tokenEndpoint: "/token", clientId: "a:b", clientSecret: "50%25+x:y", authenticationMethod,
    fetch: async (address, { headers }) => {
      sent = atob(new Headers(headers).get("authorization").split(" ")[1]);
      return Response.json({ access_token: "t", token_type: "bearer" });
    },
  });
  await client.clientCredentials();
  console.log(`${authenticationMethod ?? "by default"}: ${sent}`);
}
JS
got=$(node seen.mjs)
want='by default: a%3Ab:50%25+x%3Ay
client_secret_basic: a%3Ab:50%2525%2Bx%3Ay'
printf '@badgateway/oauth2-client 3.3.1\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
