"""Verifies ID tokens with PyJWT, which finds their keys at an address: verify.py JWKS_URI ISSUER

Each line of its standard input is an algorithm, an audience and a token. It prints the subject, or why it refuses."""
import sys

import jwt

keys = jwt.PyJWKClient(sys.argv[1])
for line in sys.stdin:
    algorithm, audience, token = line.split()
    try:
        key = keys.get_signing_key_from_jwt(token).key
        print(jwt.decode(token, key, algorithms=[algorithm], audience=audience, issuer=sys.argv[2])["sub"])
    except jwt.PyJWTError as error:
        print(type(error).__name__)
