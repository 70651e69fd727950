import { setTimeout } from "node:timers/promises";
import { npm, program, write } from "./frame/lab.mjs";
import { relyingParty, restarted, reverse } from "./frame/upstream.mjs";

const version = "9.13.3";
program("oidc-provider (Node.js)", version, async (works) => {
  await npm(`oidc-provider@${version}`, "jose@6.1.0");
  const r = await reverse();
  write({ "op.mjs": `import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

const algs = process.env.ALGS.split(" ");
const keys = await Promise.all(algs.map(async (alg) => ({ ...await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey), alg, use: "sig" })));
const provider = new Provider("${r.at}", {
  clients: [{ client_id: "rp", client_secret: "a secret of this script, long enough", redirect_uris: ["${r.redirectURI}"], id_token_signed_response_alg: process.env.ALG }],
  jwks: { keys }, enabledJWA: { idTokenSigningAlgValues: algs },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] }, conformIdTokenClaims: false,
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, email: id + "@upstream.example", email_verified: true, name: id }) }),
  cookies: { keys: ["s"] }, pkce: { required: () => true },
});
provider.proxy = true;
provider.listen(${r.behind}, "localhost");
` });
  const again = await restarted("node", ["op.mjs"], `http://localhost:${r.behind}/.well-known/openid-configuration`, { env: { ALG: "RS256", ALGS: "RS256" } });
  const { comes, stays } = await relyingParty(r, { issuer: r.at, client_secret: "a secret of this script, long enough" }, async (page, email) => {
    await page.fill("[name=login]", email.split("@")[0]);
    await page.fill("[name=password]", "any");
    await page.click("button[type=submit]");
    await page.getByRole("button", { name: "Continue" }).click();
  });
  await comes("una@upstream.example");
  works("sign-in, odd keys", "RS256");
  await stays("una@upstream.example", again);
  works("rotation");
  for (const ALG of ["ES256", "PS256", "EdDSA", "Ed25519"]) { // of which discovery, read before, says nothing
    await stays("una@upstream.example", () => Promise.all([again({ ALG, ALGS: `RS256 ${ALG}` }), setTimeout(5000)]));
    works(ALG);
  }
  await comes("vito@upstream.example");
  works("second user");
});
