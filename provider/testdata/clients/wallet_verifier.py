"""Reads a credential with all its disclosures by the library sd-jwt, and prints what it says."""

import json
import sys

from jwcrypto.jwk import JWK
from sd_jwt.verifier import SDJWTVerifier

asked = json.load(sys.stdin)


def key_of(issuer, header):
    """Returns the key of the issuer, which the header names."""
    assert issuer == asked["issuer"] and header["kid"] == asked["key"]["kid"]
    return JWK.from_json(json.dumps(asked["key"]))


print(json.dumps(SDJWTVerifier(asked["credential"], key_of).get_verified_payload()))
