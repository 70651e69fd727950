"""An application that signs in with Authlib and Flask: app.py ISSUER CLIENT_ID CLIENT_SECRET HOST PORT"""
import sys
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, session, url_for

issuer, client_id, client_secret, host, port = sys.argv[1:]
app = Flask(__name__)
app.secret_key = "n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU"


def update_token(name, token, refresh_token=None, access_token=None):
    session["token"] = {k: token[k] for k in ("access_token", "refresh_token", "token_type", "expires_at")}


oauth = OAuth(app, update_token=update_token)
oauth.register(
    "bonafide", client_id=client_id, client_secret=client_secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email offline_access", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    if "token" not in session:
        return oauth.bonafide.authorize_redirect(url_for("callback", _external=True))
    # An access token that has expired is refreshed before it is used.
    token = {**session["token"], "expires_at": 1}
    claims = oauth.bonafide.userinfo(token=token)
    return f"{claims['name']} {claims['email']}"


@app.get("/callback")
def callback():
    token = oauth.bonafide.authorize_access_token()  # with state, nonce and signature
    if token["userinfo"]["sub"] != oauth.bonafide.userinfo(token=token)["sub"]:
        return "the subjects differ", 400
    update_token("bonafide", token)
    session["id_token"] = token["id_token"]
    return redirect(url_for("home"))


@app.get("/sign-out")
def sign_out():
    query = {"id_token_hint": session["id_token"], "post_logout_redirect_uri": url_for("bye", _external=True)}
    session.clear()
    return redirect(oauth.bonafide.load_server_metadata()["end_session_endpoint"] + "?" + urlencode(query))


@app.get("/bye")
def bye():
    return "Bye"


@app.errorhandler(OAuthError)
def refused(error):
    return f"{error.error}: {error.description}", 400


app.run(host, int(port))
