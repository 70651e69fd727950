import { freePort, npm, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = "5.4.24";
program("grant", version, async (works) => {
  await npm(`grant@${version}`, "express@5.3.0", "express-session@1.19.0");
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/connect/mine/callback`] });
  write({ "server.mjs": `import express from "express";
import session from "express-session";
import grant from "grant";

const app = express();
app.use(session({ secret: "s", resave: false, saveUninitialized: true }));
app.use(grant.express({
  defaults: { origin: "${site}", transport: "session", state: true },
  mine: {
    oauth: 2, authorize_url: "${p.base}/oauth/authorize", access_url: "${p.base}/oauth/token", profile_url: "${p.base}/api/public/v3/userinfo",
    key: "${p.id}", secret: "${p.secret}", scope: ["openid", "profile", "email"], scope_delimiter: " ", nonce: true, pkce: true,
    response: ["tokens", "profile"], callback: "/who",
  },
}));
app.get("/who", (request, response) => response.json(request.session.grant.response));
app.listen(${port});
` });
  await start("node", ["server.mjs"], site);
  await walkSite(works, p, `${site}/connect/mine`);
}, '`scope_delimiter: " "`; it joins by commas');
