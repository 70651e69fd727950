package provider_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

func elapse(w *Fixture, by time.Duration) {
	w.T.Helper()
	err := w.Elapse(w.T.Context(), provider.Elapsed{ClientIDs: []string{"std"}, UserPrefix: provider.PersonaID("acme", ""), By: by})
	if err != nil {
		w.T.Fatal(err)
	}
}

// twoRealms are those of two organizations that must not move each other's clock.
var twoRealms = map[string]string{"std": "acme", "std2": "globex"}

func isKnown(b *Browser, t *testing.T, pairs ...string) bool {
	t.Helper()
	return Response(t, b.Get(AuthorizeURL(append(Ask("prompt", "none"), pairs...)...))).Get("code") != ""
}

func TestElapsedTimeEndsWhatIsIssued(t *testing.T) {
	t.Parallel()
	w := New(t, Cast(twoRealms)).WithClients()
	b, other := w.NewBrowser(), w.NewBrowser()
	_, tokens := b.Token(Std("code", Response(t, b.Get(Hinted("revoked"))).Get("code"))...)
	access, refresh := Member(t, tokens, "access_token"), Member(t, tokens, "refresh_token")
	if told := b.Bearer(AttributesPath, access).Text; !strings.Contains(told, `"verified":true`) {
		t.Fatalf("told %s", told)
	}
	elsewhere := []string{"client_id", "std2", "redirect_uri", "https://other.test/cb"}
	other.Get(Hinted("veteran", elsewhere...))

	elapse(w, time.Minute)
	if told := b.Bearer(AttributesPath, access).Text; strings.Contains(told, `"verified":true`) {
		t.Errorf("the status goes on: %s", told)
	}
	elapse(w, 4*time.Minute)
	Works(t, b, access, false)
	elapse(w, 12*time.Hour)
	if isKnown(b, t) {
		t.Error("the session goes on")
	}
	if !isKnown(other, t, elsewhere...) {
		t.Error("the session at another organization ends")
	}
	elapse(w, 7*24*time.Hour)
	p, _ := b.Refresh(refresh)
	Refused(t, p, http.StatusBadRequest, "invalid_grant")

	elapse(w, -7*24*time.Hour-12*time.Hour-5*time.Minute)
	Works(t, b, access, true)
	if !isKnown(b, t) {
		t.Error("moved back, the session is not good again")
	}
	if told := b.Bearer(AttributesPath, access).Text; !strings.Contains(told, `"verified":true`) {
		t.Errorf("moved back, the status is not good again: %s", told)
	}
	if p, _ = b.Refresh(refresh); p.StatusCode != http.StatusOK {
		t.Errorf("moved back, the refresh token is not good again: %s %s", p.Status, p.Text)
	}
}

func TestTheClockOfProductionIsNotMoved(t *testing.T) {
	t.Parallel()
	w := New(t).WithClients().WithUsers()
	b := w.Alice()
	err := w.Elapse(t.Context(), provider.Elapsed{ClientIDs: []string{"std"}, UserPrefix: "alice", By: 24 * time.Hour})
	if !errors.Is(err, provider.ErrNoSandbox) || !b.IsSignedIn() {
		t.Errorf("error is %v", err)
	}
}
