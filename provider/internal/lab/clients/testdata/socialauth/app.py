"""An application that signs in with social-auth and Flask: app.py ISSUER CLIENT_ID CLIENT_SECRET HOST PORT"""
import sys
from types import SimpleNamespace
from urllib.parse import urlencode

from flask import Flask, redirect, request, session, url_for
from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.exceptions import SocialAuthBaseException
from social_core.strategy import BaseStrategy

issuer, client_id, client_secret, host, port = sys.argv[1:]
app = Flask(__name__)
app.secret_key = "n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU"
settings = {
    "SOCIAL_AUTH_OIDC_OIDC_ENDPOINT": issuer, "SOCIAL_AUTH_OIDC_KEY": client_id, "SOCIAL_AUTH_OIDC_SECRET": client_secret,
    "SOCIAL_AUTH_OIDC_SCOPE": ["offline_access"],
}


class Nonces:
    """What social-auth remembers of requests, which a framework keeps in a table."""
    kept = []

    @classmethod
    def store(cls, server_url, association):
        cls.kept.append(SimpleNamespace(id=len(cls.kept), server_url=server_url, **vars(association)))

    @classmethod
    def get(cls, server_url, handle):
        return [n for n in cls.kept if n and n.server_url == server_url and n.handle == handle]

    @classmethod
    def remove(cls, ids):
        cls.kept = [None if n and n.id in ids else n for n in cls.kept]


class Strategy(BaseStrategy):
    """What social-auth asks a framework for; here there is no table of users."""
    def get_setting(self, name): return settings[name]
    def request_data(self, merge=True): return request.values.to_dict()
    def request_host(self): return request.host
    def build_absolute_uri(self, path=None): return path if "://" in (path or "") else request.host_url.rstrip("/") + path
    def redirect(self, url): return redirect(url)
    def session_get(self, name, default=None): return session.get(name, default)
    def session_set(self, name, value): session[name] = value
    def session_pop(self, name): return session.pop(name, None)
    def authenticate(self, backend, *args, **kwargs): return kwargs["response"]


def backend():
    return OpenIdConnectAuth(Strategy(SimpleNamespace(association=Nonces)), url_for("callback"))


@app.get("/")
def home():
    if "who" not in session:
        return backend().start()
    session["refresh_token"] = backend().refresh_token(session["refresh_token"])["refresh_token"]
    return session["who"]


@app.get("/callback")
def callback():
    b = backend()
    response = b.auth_complete()  # with state, nonce and signature
    details = b.get_user_details(response)
    session["who"] = f"{details['fullname']} {details['email']} as {details['username']}"
    session["refresh_token"], session["id_token"] = response["refresh_token"], response["id_token"]
    return redirect(url_for("home"))


@app.get("/sign-out")
def sign_out():
    query = {"id_token_hint": session["id_token"], "post_logout_redirect_uri": url_for("bye", _external=True)}
    session.clear()
    return redirect(backend().oidc_config()["end_session_endpoint"] + "?" + urlencode(query))


@app.get("/bye")
def bye():
    return "Bye"


@app.errorhandler(SocialAuthBaseException)
def refused(error):
    return str(error), 400


app.run(host, int(port))
