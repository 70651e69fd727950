package passkey_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/passkey"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

const origin = "https://login.example.com"

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func newParty(t testing.TB) *passkey.Party {
	t.Helper()
	party, err := passkey.New(origin+"/id", origin+"/id", "", "Example")
	if err != nil {
		t.Fatal(err)
	}
	return party
}

// create makes a passkey for a new user handle.
func create(t testing.TB, party *passkey.Party, device *authenticator.Authenticator) (storage.Passkey, error) {
	t.Helper()
	challenge, handle := random.Bytes(32), party.NewHandle()
	options, err := party.CreateOptions(challenge, passkey.User{Handle: handle, Name: "ada@example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := device.Create(options, origin)
	if err != nil {
		t.Fatal(err)
	}
	return party.Created(challenge, handle, response, now)
}

// get has a device sign a challenge.
func get(t testing.TB, party *passkey.Party, device *authenticator.Authenticator, challenge []byte, verify bool) passkey.Assertion {
	t.Helper()
	options, err := party.GetOptions(challenge, nil, verify)
	if err != nil {
		t.Fatal(err)
	}
	response, err := device.Get(options, origin)
	if err != nil {
		t.Fatal(err)
	}
	assertion, err := passkey.ReadAssertion(response)
	if err != nil {
		t.Fatal(err)
	}
	return assertion
}

func TestPasskeySignsIn(t *testing.T) {
	party, device := newParty(t), authenticator.NewSecurityKey()
	k, err := create(t, party, device)
	if err != nil {
		t.Fatal(err)
	}
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
