import { maria, newWindow, noah, path, pip, program, provider, freePort, shows, signIn, start, write } from "./frame/lab.mjs";

const version = "9.18";
program("pgAdmin", version, async (works) => {
  await pip(`pgadmin4==${version}`);
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/oauth2/authorize`] });
  write({ "venv/lib/python3.11/site-packages/pgadmin4/config_local.py": `SERVER_MODE = True
DATA_DIR = "${path("data")}"
DEFAULT_SERVER, DEFAULT_SERVER_PORT = "localhost", ${port}
MASTER_PASSWORD_REQUIRED = False
AUTHENTICATION_SOURCES = ["oauth2"]
OAUTH2_AUTO_CREATE_USER = True
OAUTH2_CONFIG = [{
    "OAUTH2_NAME": "provider", "OAUTH2_DISPLAY_NAME": "Provider", "OAUTH2_CLIENT_ID": "${p.id}", "OAUTH2_CLIENT_SECRET": "${p.secret}",
    "OAUTH2_SERVER_METADATA_URL": "${p.issuer}/.well-known/openid-configuration", "OAUTH2_SCOPE": "openid email profile",
    "OAUTH2_CHALLENGE_METHOD": "S256", "OAUTH2_RESPONSE_TYPE": "code",
}]
` });
  await start(path("venv/bin/pgadmin4"), [], `${site}/misc/ping`, { env: { PGADMIN_SETUP_EMAIL: "admin@example.com", PGADMIN_SETUP_PASSWORD: "a-password-of-this-script" } });
  for (const [person, what] of [[maria, "sign-in"], [noah, "second user"]]) {
    const page = await newWindow();
    await page.goto(`${site}/login`);
    await page.getByRole("button", { name: /Provider/ }).click();
    await signIn(page, p, "", person);
    await shows(page, person.email);
    works(what);
  }
});
