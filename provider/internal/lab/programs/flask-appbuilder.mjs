import { freePort, maria, newWindow, noah, path, pip, program, provider, shows, signIn, start, write } from "./frame/lab.mjs";

const version = "5.3.0";
program("Flask-AppBuilder (Airflow, Superset)", version, async (works) => {
  await pip(`flask-appbuilder[oauth]==${version}`, "requests==2.32.5");
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/oauth-authorized/provider`] });
  write({ "app.py": `from flask import Flask
from flask_appbuilder import AppBuilder
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.security.manager import AUTH_OAUTH
from flask_appbuilder.security.sqla.manager import SecurityManager
from flask_login import current_user

class Security(SecurityManager):
    def get_oauth_user_info(self, provider, response=None):
        me = self.appbuilder.sm.oauth_remotes[provider].userinfo()
        return {"username": me["sub"], "email": me["email"], "first_name": me["given_name"], "last_name": me["family_name"]}

app = Flask(__name__)
app.config.update(SECRET_KEY="s", SQLALCHEMY_DATABASE_URI="sqlite:///app.db", AUTH_TYPE=AUTH_OAUTH, AUTH_USER_REGISTRATION=True, AUTH_USER_REGISTRATION_ROLE="Public",
    FAB_SECURITY_MANAGER_CLASS="app.Security", OAUTH_PROVIDERS=[{"name": "provider", "icon": "fa-key", "token_key": "access_token", "remote_app": {
        "client_id": "${p.id}", "client_secret": "${p.secret}", "server_metadata_url": "${p.issuer}/.well-known/openid-configuration", "client_kwargs": {"scope": "openid profile email"}}}])

@app.get("/who")
def who():
    return getattr(current_user, "email", "nobody")

with app.app_context():
    AppBuilder(app, SQLA(app).session)
` });
  await start(path("venv/bin/flask"), ["run", "--host=localhost", `--port=${port}`], site);
  for (const [person, what] of [[maria, "sign-in"], [noah, "second user"]]) {
    const page = await signIn(await newWindow(), p, `${site}/login/provider`, person);
    await page.goto(`${site}/who`);
    await shows(page, person.email);
    works(what);
  }
}, "`get_oauth_user_info` of your own: it knows only names of its own list");
