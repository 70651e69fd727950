package pages

import (
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackAssertionDuringTheGrace asks for a token about a user who wants the account gone,
// by a key of the application alone, for which nobody is asked.
func TestAttackAssertionDuringTheGrace(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c, err := w.Clients().Get(t.Context(), "key")
	w.OK(err)
	c.SkipConsent, c.Scopes = true, []string{"openid", "military"} // no decision that could have ended
	w.OK(w.Clients().Save(t.Context(), c))
	b := w.Alice()
	p, body := b.BearerToken(w.AssertionAbout("alice"))
	before := lab.Granted(t, p, body)
	b.AskToBeDeleted(lab.AlicePass)
	w.Advance(2 * time.Second)
	if p := b.Bearer(lab.UserinfoPath, before); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token lives on: %s", p.Status)
	}
	p, _ = b.BearerToken(w.AssertionAbout("alice"))
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// TestAttackBackAfterTheDecision goes back, in a browser that others use too, to the page on
// which somebody has let the deletion stand, and keeps the account: that would sign in.
func TestAttackBackAfterTheDecision(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.Alice()
	b.AskToBeDeleted(lab.AlicePass)
	p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	lab.Shown(t, b.SubmitOnce(p, "action", "go_on"), http.StatusOK)
	lab.Shown(t, b.Get(p.Request.URL.RequestURI()), http.StatusBadRequest)
	lab.Shown(t, b.SubmitOnce(p, "action", "keep"), http.StatusBadRequest)
	if b.IsSignedIn() {
		t.Error("signed in without a password")
	}
	// Its owner, who signs in again, may still think again.
	p = b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	if p = b.Submit(p, "action", "keep"); p.Request.URL.Path != "/account" {
		t.Errorf("kept: %s %s", p.Status, p.Request.URL)
	}
}
