#!/usr/bin/env bash
# The Python package standardwebhooks signs the wall clock of a time and forgets its offset: noon in Berlin
# is signed as noon in UTC, two hours away, and a receiver refuses the message as too new. A time in UTC
# is right, and so is one without a zone, which is read as UTC. Seen in 1.1.0. What helps:
# sign(…, timestamp.astimezone(timezone.utc), …).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check standardwebhooks==1.1.0

cat >seen.py <<'PY'
from datetime import datetime, timedelta, timezone
from standardwebhooks import Webhook

hook = Webhook("whsec_" + "A" * 32)
utc = datetime(2026, 6, 1, 10, tzinfo=timezone.utc)
same_moment = utc.astimezone(timezone(timedelta(hours=2)))
assert utc == same_moment
signed = lambda time: hook.sign("msg_1", time, "{}")
print("the same moment with an offset:", "same" if signed(same_moment) == signed(utc) else "another signature")
print("its wall clock in UTC:", "same" if signed(same_moment) == signed(utc + timedelta(hours=2)) else "another signature")
PY
got=$(venv/bin/python seen.py)
want='the same moment with an offset: another signature
its wall clock in UTC: same'
printf 'standardwebhooks 1.1.0\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
