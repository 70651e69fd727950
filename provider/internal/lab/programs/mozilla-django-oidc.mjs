import { django } from "./frame/django.mjs";
import { known, pip, program, walkSite } from "./frame/lab.mjs";

const version = "5.0.2";
program("mozilla-django-oidc", version, async (works) => {
  await pip(`mozilla-django-oidc==${version}`);
  const p = await known("mozilla-django-oidc");
  await django(p.port, {
    apps: ["mozilla_django_oidc"], backends: ["mozilla_django_oidc.auth.OIDCAuthenticationBackend"], urls: 'path("oidc/", include("mozilla_django_oidc.urls"))',
  });
  await walkSite(works, p, `${p.site}/oidc/authenticate/`);
});
