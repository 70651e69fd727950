import { django } from "./frame/django.mjs";
import { known, newWindow, noah, pip, program, shows, signIn } from "./frame/lab.mjs";

const version = "65.21.1";
program("django-allauth", version, async (works) => {
  await pip(`django-allauth[socialaccount]==${version}`);
  const p = await known("django-allauth");
  await django(p.port, {
    apps: ["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"],
    middleware: ["allauth.account.middleware.AccountMiddleware"],
    backends: ["django.contrib.auth.backends.ModelBackend", "allauth.account.auth_backends.AuthenticationBackend"],
    urls: 'path("accounts/", include("allauth.urls"))',
  });
  const come = async (person) => {
    const page = await newWindow();
    await page.goto(`${p.site}/accounts/oidc/provider/login/`);
    await page.getByRole("button", { name: "Continue" }).click();
    await signIn(page, p, "", person);
    await page.goto(p.site);
    await shows(page, person?.email ?? "maria@example.com");
  };
  await come();
  works("sign-in");
  await come(noah);
  works("second user");
});
