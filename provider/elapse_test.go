package provider_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

func (w *fixture) elapse(by time.Duration) {
	w.t.Helper()
	err := w.Elapse(w.t.Context(), provider.Elapsed{ClientIDs: []string{"std"}, UserPrefix: provider.PersonaID("acme", ""), By: by})
	if err != nil {
		w.t.Fatal(err)
	}
}

// twoRealms are those of two organizations that must not move each other's clock.
var twoRealms = map[string]string{"std": "acme", "std2": "globex"}

func (b *browser) isKnown(t *testing.T, pairs ...string) bool {
	t.Helper()
	return response(t, b.get(authorizeURL(append(ask("prompt", "none"), pairs...)...))).Get("code") != ""
}

func TestElapsedTimeEndsWhatIsIssued(t *testing.T) {
	t.Parallel()
	w := newFixture(t, cast(twoRealms)).withClients()
	b, other := w.newBrowser(), w.newBrowser()
	_, tokens := b.token(std("code", response(t, b.get(hinted("revoked"))).Get("code"))...)
	access, refresh := text(t, tokens, "access_token"), text(t, tokens, "refresh_token")
	if told := b.bearer(attributesPath, access).body; !strings.Contains(told, `"verified":true`) {
		t.Fatalf("told %s", told)
	}
	elsewhere := []string{"client_id", "std2", "redirect_uri", "https://other.test/cb"}
	other.get(hinted("veteran", elsewhere...))

	w.elapse(time.Minute)
	if told := b.bearer(attributesPath, access).body; strings.Contains(told, `"verified":true`) {
		t.Errorf("the status goes on: %s", told)
	}
	w.elapse(4 * time.Minute)
	works(t, b, access, false)
	w.elapse(12 * time.Hour)
	if b.isKnown(t) {
		t.Error("the session goes on")
	}
	if !other.isKnown(t, elsewhere...) {
		t.Error("the session at another organization ends")
	}
	w.elapse(7 * 24 * time.Hour)
	p, _ := b.refresh(refresh)
	refused(t, p, http.StatusBadRequest, "invalid_grant")

	w.elapse(-7*24*time.Hour - 12*time.Hour - 5*time.Minute)
	works(t, b, access, true)
	if !b.isKnown(t) {
		t.Error("moved back, the session is not good again")
	}
	if told := b.bearer(attributesPath, access).body; !strings.Contains(told, `"verified":true`) {
		t.Errorf("moved back, the status is not good again: %s", told)
	}
	if p, _ = b.refresh(refresh); p.StatusCode != http.StatusOK {
		t.Errorf("moved back, the refresh token is not good again: %s %s", p.Status, p.body)
	}
}

func TestTheClockOfProductionIsNotMoved(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	err := w.Elapse(t.Context(), provider.Elapsed{ClientIDs: []string{"std"}, UserPrefix: "alice", By: 24 * time.Hour})
	if !errors.Is(err, provider.ErrNoSandbox) || !b.isSignedIn() {
		t.Errorf("error is %v", err)
	}
}
