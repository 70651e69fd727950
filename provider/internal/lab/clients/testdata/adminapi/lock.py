# Locks an account with the client that openapi-python-client has made of the document of the
# Admin API: lock.py FOLDER API TOKEN ADDRESS
import sys
import uuid

folder, api, token, address = sys.argv[1:]
sys.path.insert(0, folder)

from adminapi import AuthenticatedClient
from adminapi.api.events import list_events
from adminapi.api.matters import close_matter, open_matter
from adminapi.api.people import find_person, get_person, lock, lock_check
from adminapi.models import Find, FindBy, LockBody, LockCheckBody, NewMatter, Nothing, Problem


def good(response):
    if isinstance(response.parsed, Problem) or response.parsed is None:
        sys.exit(f"{response.status_code}: {response.content.decode()}")
    return response.parsed


client = AuthenticatedClient(base_url=api, token=token, raise_on_unexpected_status=True)
found = good(find_person.sync_detailed(client=client, body=Find(by=FindBy.EMAIL, value=address)))
person = found.people[0].id
matter = good(open_matter.sync_detailed(client=client, idempotency_key=str(uuid.uuid4()), body=NewMatter(person=person, reason="caller"))).id
shown = good(get_person.sync_detailed(person, client=client, desk_matter=matter))
assert shown.account.disabled is False and address not in shown.account.email, shown

check = lock_check.sync_detailed(person, client=client, desk_matter=matter, body=LockCheckBody())
assert good(check).facts is not None
key = str(uuid.uuid4())
for _ in range(2):  # the second one is a repetition
    done = good(lock.sync_detailed(
        person, client=client, desk_matter=matter, if_match=check.headers["ETag"], idempotency_key=key, body=LockBody(),
    ))
    assert done.action == "lock" and done.target == person, done

stale = lock.sync_detailed(
    person, client=client, desk_matter=matter, if_match=check.headers["ETag"], idempotency_key=str(uuid.uuid4()), body=LockBody(),
)
assert isinstance(stale.parsed, Problem) and stale.parsed.code == "changed", stale
assert good(get_person.sync_detailed(person, client=client, desk_matter=matter)).account.disabled is True
assert any(e.name == "account_disabled" for e in good(list_events.sync_detailed(client=client)).data)
good(close_matter.sync_detailed(matter, client=client, idempotency_key=str(uuid.uuid4()), body=Nothing()))
print("locked", person)
