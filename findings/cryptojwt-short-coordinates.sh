#!/usr/bin/env bash
# The Python package cryptojwt writes the coordinates of an EC key as numbers, without zeros before them:
# RFC 7518 section 6.2.1.2 has as many bytes as the curve needs, 66 for P-521, whose first is 0 or 1. So
# three of four such keys have a coordinate that is a byte short, and a strict reader refuses them. The same
# goes for one P-256 key in 128. Seen in 1.11.0. What helps: to fill x and y up before they are published.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --no-compile cryptojwt==1.11.0

cat >seen.py <<'PY'
import base64
from cryptography.hazmat.primitives.asymmetric import ec
from cryptojwt.jwk.ec import ECKey

def short(curve, size, private):
    key = ECKey().load_key(ec.derive_private_key(private, curve))
    part = key.serialize()
    return any(len(base64.urlsafe_b64decode(part[c] + "==")) < size for c in ("x", "y"))

keys = range(1, 401)  # the same at each run
print("P-521 keys with a short coordinate, of 400:", sum(short(ec.SECP521R1(), 66, n) for n in keys))
print("P-256 keys with a short coordinate, of 400:", sum(short(ec.SECP256R1(), 32, n) for n in keys))
PY
got=$(venv/bin/python seen.py)
want='P-521 keys with a short coordinate, of 400: 289
P-256 keys with a short coordinate, of 400: 0'
printf 'cryptojwt 1.11.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
