#!/usr/bin/env bash
# grant, the sign-in of many Node servers, joins an array of scopes by a comma, so that a provider reads
# ["openid","email"] as one unknown scope; RFC 6749 section 3.3 has a space. The generic provider has
# this default, too: oauth: 2 alone does not change it. Seen in 5.4.24. What helps: scope_delimiter: " ",
# or the scopes as one text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund grant@5.4.24

cat >seen.cjs <<'JS'
const http = require("node:http");
const grant = require("grant");

const ask = async (settings) => {
  const handler = grant.node({
    config: { defaults: { origin: "http://localhost", transport: "querystring" }, mine: {
      oauth: 2, authorize_url: "https://id.example/oauth/authorize", access_url: "https://id.example/oauth/token", key: "app", scope: ["openid", "email"], ...settings,
    } },
    session: { secret: "a secret of this script" },
  });
  const server = http.createServer(async (request, response) => {
    const { response: answer, redirect } = await handler(request, response);
    if (!redirect) response.end(JSON.stringify(answer));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/connect/mine`, { redirect: "manual" });
  server.close();
  return new URL(answer.headers.get("location")).searchParams.get("scope");
};

(async () => {
  console.log(`by default: ${await ask({})}`);
  console.log(`with a delimiter: ${await ask({ scope_delimiter: " " })}`);
})();
JS
got=$(node seen.cjs)
want='by default: openid,email
with a delimiter: openid email'
printf 'grant 5.4.24\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
