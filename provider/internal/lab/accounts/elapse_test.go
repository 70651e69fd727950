package accounts

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/persona"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func elapse(w *lab.Fixture, by time.Duration) {
	w.T.Helper()
	testkit.OK(w.T, w.Rooms().Sandbox.Elapse(w.T.Context(), storage.Elapsed{ClientIDs: []string{"std"}, UserPrefix: persona.UserID("acme", ""), By: by}))
}

// twoRealms are those of two organizations that must not move each other's clock.
var twoRealms = map[string]string{"std": "acme", "std2": "globex"}

func isKnown(b *lab.Browser, t *testing.T, pairs ...string) bool {
	t.Helper()
	return lab.Response(t, b.Get(lab.AuthorizeURL(append(lab.Ask("prompt", "none"), pairs...)...))).Get("code") != ""
}

func TestElapsedTimeEndsWhatIsIssued(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.Cast(twoRealms)).WithClients()
	b, other := w.NewBrowser(), w.NewBrowser()
	_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Get(lab.Hinted("revoked"))).Get("code"))...)
	access, refresh := lab.Member(t, tokens, "access_token"), lab.Member(t, tokens, "refresh_token")
	if told := b.Bearer(lab.AttributesPath, access).Text; !strings.Contains(told, `"verified":true`) {
		t.Fatalf("told %s", told)
	}
	elsewhere := []string{"client_id", "std2", "redirect_uri", "https://other.test/cb"}
	other.Get(lab.Hinted("veteran", elsewhere...))

	elapse(w, time.Minute)
	if told := b.Bearer(lab.AttributesPath, access).Text; strings.Contains(told, `"verified":true`) {
		t.Errorf("the status goes on: %s", told)
	}
	elapse(w, 4*time.Minute)
	lab.Works(t, b, access, false)
	elapse(w, 12*time.Hour)
	if isKnown(b, t) {
		t.Error("the session goes on")
	}
	if !isKnown(other, t, elsewhere...) {
		t.Error("the session at another organization ends")
	}
	elapse(w, 7*24*time.Hour)
	p, _ := b.Refresh(refresh)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")

	elapse(w, -7*24*time.Hour-12*time.Hour-5*time.Minute)
	lab.Works(t, b, access, true)
	if !isKnown(b, t) {
		t.Error("moved back, the session is not good again")
	}
	if told := b.Bearer(lab.AttributesPath, access).Text; !strings.Contains(told, `"verified":true`) {
		t.Errorf("moved back, the status is not good again: %s", told)
	}
	if p, _ = b.Refresh(refresh); p.StatusCode != http.StatusOK {
		t.Errorf("moved back, the refresh token is not good again: %s %s", p.Status, p.Text)
	}
}

func TestTheClockOfProductionIsNotMoved(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	err := w.Rooms().Sandbox.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"std"}, UserPrefix: "alice", By: 24 * time.Hour})
	if !errors.Is(err, provider.ErrNoSandbox) || !b.IsSignedIn() {
		t.Errorf("error is %v", err)
	}
}
