#!/usr/bin/env bash
# @auth/express has its route as app.use("/auth/*", ExpressAuth(…)) in its manual, which Express 5 refuses,
# though the package names that as a peer. In the spelling of Express 5, "/auth/*any", it starts, and
# answers every action but none: where it is mounted it reads off params[0], which names no longer
# fill, so that "/auth/signin" as a whole counts as the mount. Seen in 0.12.3 with Express 5.3.0. What
# helps: app.use("/auth", …), without a wildcard.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @auth/express@0.12.3 express@5.3.0

cat >seen.mjs <<'JS'
import { once } from "node:events";
import { ExpressAuth } from "@auth/express";
import express from "express";

console.error = () => {};
for (const route of ["/auth/*", "/auth/*any", "/auth"]) {
  const app = express();
  try {
    app.use(route, ExpressAuth({ providers: [], secret: "a secret of this script", trustHost: true }));
  } catch (error) {
    console.log(`${route}: refused by Express`);
    continue;
  }
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { status } = await fetch(`http://127.0.0.1:${server.address().port}/auth/csrf`);
  console.log(`${route}: ${status}`);
  server.close();
}
JS
got=$(node seen.mjs)
want='/auth/*: refused by Express
/auth/*any: 400
/auth: 200'
printf '@auth/express 0.12.3, Express 5.3.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
