import { freePort, maria, newWindow, noah, npm, program, provider, serve, shows, signIn, write } from "./frame/lab.mjs";

const version = "8.0.1";
program("okta-auth-js", version, async (works) => {
  await npm(`@okta/okta-auth-js@${version}`);
  const site = `http://localhost:${await freePort()}`;
  const p = await provider({ public: true, redirect_uris: [`${site}/`], origins: [site] });
  write({ "index.html": `<!doctype html>
<meta charset="utf-8">
<title>Page</title>
<p id="who"></p>
<button id="sign-in">Sign in</button>
<script src="/okta.js"></script>
<script>
  const okta = new OktaAuth({
    issuer: "${p.issuer}", clientId: "${p.id}", redirectUri: location.origin + "/", scopes: ["openid", "profile", "email"],
    authorizeUrl: "${p.base}/oauth/authorize", tokenUrl: "${p.base}/oauth/token", userinfoUrl: "${p.base}/api/public/v3/userinfo", logoutUrl: "${p.base}/signout",
  });
  document.getElementById("sign-in").onclick = () => okta.token.getWithRedirect();
  const show = (text) => { document.getElementById("who").textContent = text; };
  if (okta.isLoginRedirect()) okta.token.parseFromUrl().then(({ tokens }) => show(tokens.idToken.claims.email), (error) => show(error.message));
  else show("nobody");
</script>
` });
  await serve(site, { "/": "index.html", "/okta.js": "node_modules/@okta/okta-auth-js/dist/okta-auth-js.min.js" });
  for (const [person, what] of [[maria, "sign-in"], [noah, "second user"]]) {
    const page = await newWindow();
    await page.goto(site);
    await page.click("#sign-in");
    await signIn(page, p, "", person);
    await shows(page, person.email);
    works(what);
  }
}, "its four endpoints by hand: it derives `/oauth2/v1/…`");
