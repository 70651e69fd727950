import { django } from "./frame/django.mjs";
import { freePort, maria, newWindow, noah, pip, program, provider, shows, signIn, write } from "./frame/lab.mjs";

const version = "8.0.0";
program("social-auth-app-django", version, async (works) => {
  await pip(`social-auth-app-django==${version}`);
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/complete/oidc/`] });
  write({ "settings.py": `SOCIAL_AUTH_OIDC_OIDC_ENDPOINT = "${p.issuer}"
SOCIAL_AUTH_OIDC_KEY = "${p.id}"
SOCIAL_AUTH_OIDC_SECRET = "${p.secret}"
SOCIAL_AUTH_LOGIN_REDIRECT_URL = "/"
` });
  const backend = "social_core.backends.open_id_connect.OpenIdConnectAuth";
  await django(port, { apps: ["social_django"], backends: [backend, "django.contrib.auth.backends.ModelBackend"], urls: 'path("", include("social_django.urls", namespace="social"))' });
  for (const [person, what] of [[maria, "sign-in"], [noah, "second user"]]) {
    const page = await newWindow();
    await page.goto(site);
    await page.evaluate(() => { // a sign-in begins by POST
      const form = Object.assign(document.createElement("form"), { method: "post", action: "/login/oidc/" });
      form.append(document.querySelector("[name=csrfmiddlewaretoken]"));
      document.body.append(form);
      form.submit();
    });
    await signIn(page, p, "", person);
    await shows(page, person.email);
    works(what);
  }
});
