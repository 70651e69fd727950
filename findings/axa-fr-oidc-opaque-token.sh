#!/usr/bin/env bash
# The Python package axa-fr-oidc, a client for access tokens of its own, reads the token that it has got as a
# JWT, to know how long to keep it: expires_in stands beside it in the answer, and RFC 6749 section 1.4
# has the token opaque to a client. With one that is no JWT the call ends in an error of the reader, after
# the server has issued it. Seen in 2.2.0. What helps: a server that issues JWTs (RFC 9068).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --no-compile axa-fr-oidc==2.2.0

cat >seen.py <<'PY'
import json, threading, time
from http.server import BaseHTTPRequestHandler, HTTPServer
import jwt
from axa_fr_oidc import OidcClient
from cryptography.hazmat.primitives.asymmetric import rsa

key = rsa.generate_private_key(65537, 2048)
jwk = {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": "k", "alg": "RS256", "use": "sig"}

class Server(BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def say(self, value):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())
    def do_GET(self):
        self.say({"issuer": address, "token_endpoint": address + "/token", "jwks_uri": address + "/keys", "keys": [jwk]})
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.say({"access_token": tokens[kind], "token_type": "Bearer", "expires_in": 300})

server = HTTPServer(("127.0.0.1", 0), Server)
address = f"http://127.0.0.1:{server.server_port}"
claims = {"iss": address, "sub": "a", "aud": "a", "iat": int(time.time()), "exp": int(time.time()) + 300, "jti": "1", "scope": "s"}
tokens = {"an opaque token": "2YotnFZFEjr1zCsicMWpAA", "a JWT": jwt.encode(claims, key, algorithm="RS256", headers={"kid": "k"})}
threading.Thread(target=server.serve_forever, daemon=True).start()
for kind in tokens:
    client = OidcClient(issuer=address, client_id="a", client_secret="a secret of this script, long enough", scopes=["s"], auth_method="client_secret_basic")
    try:
        got = client.get_access_token()
        print(f"{kind}: {'returned' if got == tokens[kind] else got}")
    except Exception as refused:
        print(f"{kind}: {type(refused).__name__}")
PY
got=$(venv/bin/python seen.py 2>/dev/null)
want='an opaque token: InvalidJwt
a JWT: returned'
printf 'axa-fr-oidc 2.2.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
