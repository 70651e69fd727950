import { freePort, maria, newWindow, noah, path, pip, program, provider, shows, signIn, start, write } from "./frame/lab.mjs";

const version = "2.3.0";
program("dash-auth (Plotly Dash)", version, async (works) => {
  await pip(`dash-auth==${version}`, "dash==4.4.1", "authlib==1.9.6");
  const port = await freePort(), site = `http://localhost:${port}`;
  const p = await provider({ redirect_uris: [`${site}/oidc/idp/callback`] });
  write({ "app.py": `from dash import Dash, html
from dash_auth import OIDCAuth
from flask import session

app = Dash(__name__)
app.layout = html.Div("Dash")
auth = OIDCAuth(app, secret_key="s" * 32, logout_page="Bye")
auth.register_provider("idp", token_endpoint_auth_method="client_secret_post", client_id="${p.id}", client_secret="${p.secret}",
    server_metadata_url="${p.issuer}/.well-known/openid-configuration", client_kwargs={"scope": "openid profile email"})

@app.server.get("/who")
def who():
    return session["user"]["email"]

app.run(host="localhost", port=${port})
` });
  await start(path("venv/bin/python"), ["app.py"], site);
  let page;
  for (const [person, what] of [[maria, "sign-in"], [noah, "second user"]]) { // it leads to its first page
    page = await signIn(await newWindow(), p, site, person);
    await page.goto(`${site}/who`);
    await shows(page, person.email);
    works(what);
  }
  await page.goto(`${site}/oidc/logout`);
  await page.getByText("Bye").waitFor();
  works("sign-out");
});
