import { freePort, npm, program, provider, start, walkSite, write } from "./frame/lab.mjs";

const version = "3.7.0";
program("arctic", version, async (works) => {
  await npm(`arctic@${version}`);
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/callback`] });
  write({ "server.mjs": `import { createServer } from "node:http";
import { CodeChallengeMethod, decodeIdToken, generateCodeVerifier, generateState, OAuth2Client } from "arctic";

const client = new OAuth2Client("${p.id}", "${p.secret}", "${site}/callback"), flows = new Map();
createServer(async (request, response) => {
  const asked = new URL(request.url, "${site}"), state = asked.searchParams.get("state");
  if (asked.pathname === "/login") {
    const state = generateState(), verifier = generateCodeVerifier();
    flows.set(state, verifier);
    const to = client.createAuthorizationURLWithPKCE("${p.base}/oauth/authorize", state, CodeChallengeMethod.S256, verifier, ["openid", "profile", "email", "offline_access"]);
    return response.writeHead(302, { location: to.href }).end();
  }
  if (!flows.has(state)) return response.end("nobody");
  const tokens = await client.validateAuthorizationCode("${p.base}/oauth/token", asked.searchParams.get("code"), flows.get(state));
  const next = await client.refreshAccessToken("${p.base}/oauth/token", tokens.refreshToken(), []);
  response.end(decodeIdToken(next.idToken()).email);
}).listen(${port}, "localhost");
` });
  await start("node", ["server.mjs"], site);
  await walkSite(works, p, `${site}/login`);
  if (p.refreshed()) works("refresh");
});
