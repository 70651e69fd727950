package provider_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestRing tests that keys of another purpose are looked after as those of tokens are.
func TestRing(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	w := lab.New(t)
	open := func(w *lab.Fixture) *keyring.KeySet {
		t.Helper()
		set := testkit.Must(w.Rooms().Keys.Ring(t.Context(), "credential", 30*day, keyring.TypeCredential))(t)
		return set
	}
	ring := open(w)
	sign := func() string {
		t.Helper()
		token := testkit.Must(ring.SignAs(keyring.TypeCredential, keyring.ES256, []byte(`{}`)))(t)
		return token
	}
	first, token, tokens := ring.KeyID(keyring.ES256), sign(), lab.KeyIDs(w.PublishedKeys())
	if slices.Contains(tokens, first) {
		t.Error("the key of credentials is among those of tokens")
	}
	w.Advance(89*day + time.Hour)
	maintain(w)
	if w.Advance(day); ring.KeyID(keyring.ES256) == first {
		t.Error("no key was made in time")
	}
	if _, err := ring.VerifyAs(keyring.TypeCredential, token); err != nil {
		t.Error(err)
	}
	events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.KeyRotated})
	if err != nil || !slices.ContainsFunc(events, func(e provider.RecordedEvent) bool { return e.Detail == "ES256/credential" }) {
		t.Errorf("recorded %v, %v", events, err)
	}
	if made, err := w.Keys().Rotate(t.Context()); err != nil || !made {
		t.Fatal(made, err)
	}
	second := ring.KeyID(keyring.ES256)
	if w.Advance(day); ring.KeyID(keyring.ES256) == second {
		t.Error("the host has made no next key")
	}
	token = sign()
	testkit.OK(t, w.Keys().Revoke(t.Context()))
	if _, err := ring.VerifyAs(keyring.TypeCredential, token); !errors.Is(err, keyring.ErrToken) {
		t.Errorf("a key that may have leaked is good for credentials: %v", err)
	}
	if again := open(w); again.KeyID(keyring.ES256) != ring.KeyID(keyring.ES256) {
		t.Error("two processes sign with different keys")
	}
}
