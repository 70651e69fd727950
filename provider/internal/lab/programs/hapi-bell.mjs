import { freePort, npm, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = "13.2.0";
program("@hapi/bell", version, async (works) => {
  await npm(`@hapi/bell@${version}`, "@hapi/hapi@21.4.10");
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/callback`] });
  write({ "server.mjs": `import Bell from "@hapi/bell";
import Hapi from "@hapi/hapi";

const server = Hapi.server({ port: ${port}, host: "localhost" });
await server.register(Bell);
server.auth.strategy("provider", "bell", {
  provider: {
    name: "provider", protocol: "oauth2", pkce: "S256", auth: "${p.base}/oauth/authorize", token: "${p.base}/oauth/token", scope: ["openid", "profile", "email"],
    profile: async (credentials, params, get) => { credentials.profile = await get("${p.base}/api/public/v3/userinfo"); },
  },
  password: "a secret of this script, long enough", clientId: "${p.id}", clientSecret: "${p.secret}", isSecure: false, location: "${site}",
});
server.route({ method: "GET", path: "/callback", options: { auth: "provider" }, handler: (request) => request.auth.credentials.profile });
await server.start();
` });
  await start("node", ["server.mjs"], site);
  await walkSite(works, p, `${site}/callback`);
});
