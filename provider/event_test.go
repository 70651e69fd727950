package provider_test

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
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

func TestRunRemovesEventsThatAreOlderThanTheyAreKept(t *testing.T) {
	const day = 24 * time.Hour
	w := newWorld(t, func(c *provider.Config) { c.KeepEvents = day })
	for _, e := range []storage.Event{
		{At: w.now().Add(-day - time.Minute), Name: "sign_in", Detail: "old"},
		{At: w.now().Add(-day + time.Hour), Name: "sign_in", Detail: "recent"},
	} {
		if err := w.store.AppendEvent(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	go func() { _ = w.Run(t.Context()) }() // until the world ends
	for range 1000 {
		left, err := w.Events(t.Context(), provider.EventFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 1 && left[0].Detail == "recent" {
			return
		}
		if len(left) == 0 {
			t.Fatal("the recent event is gone, too")
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Error("the old event is still there")
}
