import { freePort, npm, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = "8.3.0";
program("@fastify/oauth2", version, async (works) => {
  await npm(`@fastify/oauth2@${version}`, "fastify@5.12.8", "@fastify/cookie@11.1.5");
  const site = `http://localhost:${await freePort()}`;
  const p = await provider({ redirect_uris: [`${site}/callback`] });
  write({ "server.mjs": `import oauth from "@fastify/oauth2";
import Fastify from "fastify";

const app = Fastify();
app.register(oauth, {
  name: "provider", scope: ["openid", "profile", "email", "offline_access"], credentials: { client: { id: "${p.id}", secret: "${p.secret}" } },
  discovery: { issuer: "${p.issuer}" }, startRedirectPath: "/login", callbackUri: "${site}/callback", pkce: "S256", cookie: { secure: false, sameSite: "lax", path: "/" },
});
app.get("/callback", async (request) => {
  const { token } = await app.provider.getAccessTokenFromAuthorizationCodeFlow(request);
  const next = await app.provider.getNewAccessTokenUsingRefreshToken(token, {});
  return app.provider.userinfo(next.token);
});
app.get("/", () => "nobody");
app.listen({ port: ${new URL(site).port}, host: "localhost" });
` });
  await start("node", ["server.mjs"], site);
  await walkSite(works, p, `${site}/login`);
  if (p.refreshed()) works("refresh");
});
