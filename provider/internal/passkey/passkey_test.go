package passkey_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

const origin = "https://login.example.com"

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func newParty(t testing.TB) *passkey.Party {
	t.Helper()
	party := testkit.Must(passkey.New("installation", origin+"/id", "", "Example"))(t)
	return party
}

// create makes a passkey for a new user handle.
func create(t testing.TB, party *passkey.Party, device *authenticator.Authenticator) (storage.Passkey, error) {
	t.Helper()
	challenge, handle := random.Bytes(32), party.NewHandle()
	options := testkit.Must(party.CreateOptions(challenge, passkey.User{Handle: handle, Name: "ada@example.com"}, nil))(t)
	response := testkit.Must(device.Create(options, origin))(t)
	return party.Created(challenge, handle, response, now)
}

// get has a device sign a challenge.
func get(t testing.TB, party *passkey.Party, device *authenticator.Authenticator, challenge []byte, verify bool) passkey.Assertion {
	t.Helper()
	options := testkit.Must(party.GetOptions(challenge, nil, verify))(t)
	response := testkit.Must(device.Get(options, origin))(t)
	assertion := testkit.Must(passkey.ReadAssertion(response))(t)
	return assertion
}

func TestPasskeySignsIn(t *testing.T) {
	party, device := newParty(t), authenticator.NewSecurityKey()
	k := testkit.Must(create(t, party, device))(t)
	challenge := random.Bytes(32)
	assertion := get(t, party, device, challenge, true)
	if !party.IsOurs(assertion.Handle) || !bytes.Equal(assertion.Handle, k.UserHandle) {
		t.Errorf("handle %x", assertion.Handle)
	}
	use, verified, err := party.Verify(challenge, assertion, k, true)
	if err != nil || !verified {
		t.Fatalf("verified %t, %v", verified, err)
	}
	if !bytes.Equal(use.ID, k.ID) || use.SignCount != 1 || passkey.CounterFell(k, use) {
		t.Errorf("use %+v of %+v", use, k)
	}
	sum := sha256.Sum256(challenge)
	if _, _, err := party.Verify(sum[:], assertion, k, true); !errors.Is(err, passkey.ErrRefused) {
		t.Errorf("another challenge: %v", err)
	}
}

func TestWhatIsRecorded(t *testing.T) {
	party, device := newParty(t), authenticator.New()
	device.AAGUID = [16]byte{1, 2, 3}
	device.Transports = []string{"internal", "hybrid", "internal", "", "Two words", "smoke-signals"}
	no := false
	device.Change = func(a *authenticator.Answer) { a.SignCount, a.Discoverable = 7, &no }
	k := testkit.Must(create(t, party, device))(t)
	made := device.Credentials[0]
	const attested = 1 << 6
	want := storage.Passkey{
		ID: made.ID, UserHandle: made.UserHandle, RPID: "login.example.com", PublicKey: k.PublicKey, Flags: device.Flags | attested, SignCount: 7,
		AAGUID: device.AAGUID, Transports: []string{"internal", "hybrid", "smoke-signals"}, CreatedAt: now,
	}
	if diff := cmp.Diff(want, k); diff != "" {
		t.Error(diff)
	}
}

// The flags about backups change when a passkey begins to be synchronized, which locks
// nobody out.
func TestFlagsOfBackupsMayChange(t *testing.T) {
	party, device := newParty(t), authenticator.New()
	device.Flags = authenticator.UserPresent | authenticator.UserVerified
	k := testkit.Must(create(t, party, device))(t)
	for _, more := range []byte{authenticator.BackupEligible, authenticator.BackupEligible | authenticator.BackedUp, 0} {
		device.Flags = authenticator.UserPresent | authenticator.UserVerified | more
		challenge := random.Bytes(32)
		use, _, err := party.Verify(challenge, get(t, party, device, challenge, true), k, true)
		if err != nil || use.Flags != device.Flags {
			t.Errorf("flags %#x recorded as %#x, %v", device.Flags, use.Flags, err)
		}
		k.Flags = use.Flags
	}
}

func TestCounterFell(t *testing.T) {
	for _, c := range []struct {
		was, is uint32
		fell    bool
	}{{0, 0, false}, {0, 1, false}, {1, 2, false}, {1, 1, true}, {2, 1, true}, {1, 0, true}} {
		if passkey.CounterFell(storage.Passkey{SignCount: c.was}, storage.PasskeyUse{SignCount: c.is}) != c.fell {
			t.Errorf("%d after %d: fell %t", c.is, c.was, !c.fell)
		}
	}
}

// A security key that keeps no user handle adds to what is known of an account, and a user
// who is not verified by it proves less.
func TestSecondFactorNeedsNoHandleAndNoVerification(t *testing.T) {
	party, device := newParty(t), authenticator.NewSecurityKey()
	k := testkit.Must(create(t, party, device))(t)
	device.Undiscoverable, device.Flags = true, authenticator.UserPresent
	challenge := random.Bytes(32)
	options := testkit.Must(party.GetOptions(challenge, []storage.Passkey{k}, false))(t)
	response := testkit.Must(device.Get(options, origin))(t)
	assertion, err := passkey.ReadAssertion(response)
	testkit.OK(t, err)
	if party.IsOurs(assertion.Handle) {
		t.Error("no handle is ours")
	}
	if _, verified, err := party.Verify(challenge, assertion, k, false); err != nil || verified {
		t.Errorf("verified %t, %v", verified, err)
	}
	_, _, err = party.Verify(challenge, assertion, k, true)
	requireRefused(t, err, "the user was not verified")
}
