package provider_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

func TestEvents(t *testing.T) {
	w := newWorld(t).withClients().withUsers()
	b := w.newBrowser()
	b.submit(b.open("/signin"), "email", "alice@example.com", "password", "not-her-password-1")
	b.signIn("alice@example.com", alicePass)
	b.allow()
	got, err := w.Events(t.Context(), provider.EventFilter{UserID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.EventName{provider.EventConsent, provider.EventSignedIn, provider.EventSignInFailed}
	if len(got) != len(want) {
		t.Fatalf("%d events: %v", len(got), got)
	}
	for i, e := range got {
		if e.Name != want[i] || e.Address == "" || e.At.IsZero() {
			t.Errorf("event %d: %+v, want %s", i, e, want[i])
		}
	}
	next, err := w.Events(t.Context(), provider.EventFilter{UserID: "alice", Before: got[0].ID, Limit: 1})
	if err != nil || len(next) != 1 || next[0].Name != provider.EventSignedIn {
		t.Errorf("second page: %v %v", next, err)
	}
}
