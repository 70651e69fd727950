import { known, path, pip, program, start, walkSite, write } from "./frame/lab.mjs";

const version = "2.4.0";
program("Flask-OIDC", version, async (works) => {
  await pip(`flask-oidc==${version}`);
  const p = await known("flask-oidc");
  write({ "app.py": `from flask import Flask
from flask_oidc import OpenIDConnect

app = Flask(__name__)
app.config.from_pyfile("settings.py")
app.secret_key = "s"
oidc = OpenIDConnect(app)

@app.get("/")
@oidc.require_login
def who():
    return oidc.user_getinfo(["email"])["email"]
` });
  await start(path("venv/bin/flask"), ["run", "--host=localhost", `--port=${p.port}`], p.site);
  await walkSite(works, p, p.site);
}, "redirect address `/authorize`");
