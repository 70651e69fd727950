import { django } from "./frame/django.mjs";
import { freePort, pip, program, provider, walkSite, write } from "./frame/lab.mjs";

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
  await walkSite(works, p, `${site}/login/oidc/`);
});
