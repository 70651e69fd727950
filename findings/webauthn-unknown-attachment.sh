#!/usr/bin/env bash
# The Python package webauthn refuses an answer whose authenticatorAttachment is a word it does not know.
# Web Authentication has that member as a plain text so that new words can come, and has a relying party
# take an unknown one as if there were none. A browser with a third kind of authenticator would lock its
# users out. Seen in 2.8.0. What helps: to drop the member before parsing, which nothing rests on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check webauthn==2.8.0

cat >seen.py <<'PY'
from webauthn.helpers import parse_authentication_credential_json

answer = {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "clientExtensionResults": {},
          "response": {"clientDataJSON": "AAAA", "authenticatorData": "AAAA", "signature": "AAAA"}}
for attachment in ("platform", "something-new", None):
    members = dict(answer) if attachment is None else dict(answer, authenticatorAttachment=attachment)
    try:
        parse_authentication_credential_json(members)
        print(f"{attachment}: read")
    except Exception as refused:
        print(f"{attachment}: {type(refused).__name__}")
PY
got=$(venv/bin/python seen.py)
want='platform: read
something-new: InvalidJSONStructure
None: read'
printf 'webauthn 2.8.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
