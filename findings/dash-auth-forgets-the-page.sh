#!/usr/bin/env bash
# dash-auth sends whoever opens a page of a Dash site to sign in, and then to the first page, whichever it
# was: a link to a page, with what is chosen in its query, never arrives for somebody who is not signed in
# yet. Its other way to sign in, BasicAuth, shows the page that was asked for. Seen in 2.3.0 with Dash 4.4.1.
# What helps: to keep the address in the session by a before_request of your own, and to send people on from
# the first page.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --no-compile dash-auth==2.3.0 dash==4.4.1 authlib==1.9.6 requests==2.32.5

cat >seen.py <<'PY'
import base64, json, threading, time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit
from authlib.jose import JsonWebKey, jwt
from dash import Dash, html
from dash_auth import BasicAuth, OIDCAuth

key = JsonWebKey.generate_key("RSA", 2048, {"kid": "k"}, is_private=True)
asked = {}

class Provider(BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def say(self, value):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())
    def do_GET(self):
        self.say({"issuer": address, "authorization_endpoint": address + "/authorize", "token_endpoint": address + "/token",
                  "jwks_uri": address + "/keys", "keys": [key.as_dict()]})
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        claims = {"iss": address, "sub": "s", "aud": "app", "iat": int(time.time()), "exp": int(time.time()) + 300, "nonce": asked["nonce"][0], "email": "s@id.example"}
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, key).decode()
        self.say({"access_token": "t", "token_type": "Bearer", "id_token": token})

server = HTTPServer(("127.0.0.1", 0), Provider)
address = f"http://127.0.0.1:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()

app = Dash("site")
app.layout = html.Div("Dash")
auth = OIDCAuth(app, secret_key="s" * 32)
auth.register_provider("idp", client_id="app", client_secret="c", server_metadata_url=address + "/.well-known/openid-configuration", client_kwargs={"scope": "openid email"})
visitor = app.server.test_client()
response = visitor.get("/reports?year=2026")
while response.status_code == 302 and not response.location.startswith(address):
    response = visitor.get(response.location)
asked.update(parse_qs(urlsplit(response.location).query))
back = urlsplit(asked["redirect_uri"][0]).path
print("OIDCAuth leads from /reports?year=2026 to", visitor.get(f"{back}?code=c&state={asked['state'][0]}").location)

app = Dash("other")
app.layout = html.Div("Dash")
BasicAuth(app, {"s": "p"}, secret_key="s" * 32)
shown = app.server.test_client().get("/reports?year=2026", headers={"Authorization": "Basic " + base64.b64encode(b"s:p").decode()})
print("BasicAuth answers there with", shown.status_code)
PY
got=$(venv/bin/python seen.py 2>/dev/null)
want='OIDCAuth leads from /reports?year=2026 to /
BasicAuth answers there with 200'
printf 'dash-auth 2.3.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
