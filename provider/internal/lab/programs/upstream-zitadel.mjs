import { go, path, program } from "./frame/lab.mjs";
import { relyingParty, restarted, reverse } from "./frame/upstream.mjs";

const version = "v3.45.6";
program("zitadel/oidc (Go)", version, async (works) => {
  await go(`github.com/zitadel/oidc/v3/example/server@${version}`);
  const r = await reverse();
  const env = { PORT: String(r.behind), REDIRECT_URI: r.redirectURI };
  const again = await restarted(path("bin/server"), [], `http://localhost:${r.behind}/.well-known/openid-configuration`, { env });
  const { comes, stays } = await relyingParty(r, { client_id: "web", client_secret: "secret", issuer: `http://localhost:${r.behind}/` }, async (page, email) => {
    await page.fill("[name=username]", email.startsWith("test-user@") ? "test-user@localhost" : "test-user2");
    await page.fill("[name=password]", "verysecure");
    await page.click("button[type=submit]");
  });
  await comes("test-user@zitadel.ch");
  works("sign-in");
  await stays("test-user@zitadel.ch", again);
  works("rotation");
});
