import { django } from "./frame/django.mjs";
import { command, path, pip, program, write } from "./frame/lab.mjs";
import { relyingParty, restarted, reverse } from "./frame/upstream.mjs";

const version = "3.4.1";
program("django-oauth-toolkit", version, async (works) => {
  await pip(`django-oauth-toolkit==${version}`);
  const r = await reverse(), key = () => command("openssl", ["genrsa", "-out", "rsa.pem", "2048"]);
  await key();
  write({
    "settings.py": `LOGIN_URL = "/login/"
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": open("rsa.pem").read(), "OIDC_ISS_ENDPOINT": "${r.at}/o", "OAUTH2_VALIDATOR_CLASS": "validator.Validator",
    "SCOPES": {"openid": "o", "profile": "p", "email": "e"},
}
`,
    "validator.py": `from oauth2_provider.oauth2_validators import OAuth2Validator

class Validator(OAuth2Validator):
    oidc_claim_scope = None

    def get_additional_claims(self, request):
        return {"email": request.user.email, "email_verified": True}
`,
    "templates/registration/login.html": '<form method="post">{% csrf_token %}{{ form }}<button>In</button></form>',
    "fill.py": `import django; django.setup()
from django.contrib.auth.models import User
from oauth2_provider.models import Application
for name in ("una", "vito"):
    User.objects.create_user(name, name + "@upstream.example", "any-password-of-this")
Application.objects.create(client_id="rp", client_secret="secret", redirect_uris="${r.redirectURI}", client_type="confidential",
    authorization_grant_type="authorization-code", algorithm="RS256", skip_authorization=True)
`,
  });
  let again;
  await django(r.behind, {
    apps: ["oauth2_provider"], backends: ["django.contrib.auth.backends.ModelBackend"], settings: 'TEMPLATES[0]["DIRS"] = ["templates"]',
    urls: 'path("o/", include("oauth2_provider.urls")), path("", include("django.contrib.auth.urls"))',
    run: async (...args) => { await command(path("venv/bin/python"), ["fill.py"], args[3]); again = await restarted(...args); },
  });
  const { comes, stays } = await relyingParty(r, { issuer: `${r.at}/o`, client_secret: "secret" }, async (page, email) => {
    await page.fill("[name=username]", email.split("@")[0]);
    await page.fill("[name=password]", "any-password-of-this");
    await page.getByRole("button", { name: "In" }).click();
  });
  await comes("una@upstream.example");
  works("sign-in, odd keys");
  await stays("una@upstream.example", async () => { await key(); await again(); });
  works("rotation");
  await comes("vito@upstream.example");
  works("second user");
});
