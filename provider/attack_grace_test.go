package provider_test

import (
	"net/http"
	"testing"
	"time"
)

// TestAttackAssertionDuringTheGrace asks for a token about a user who wants the account gone,
// by a key of the application alone, for which nobody is asked.
func TestAttackAssertionDuringTheGrace(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.SkipConsent, c.Scopes = true, []string{"openid", "military"} // no decision that could have ended
	w.ok(w.SaveClient(t.Context(), c))
	b := w.alice()
	p, body := b.bearerToken(w.assertionAbout("alice"))
	before := granted(t, p, body)
	b.askToBeDeleted(alicePass)
	w.advance(2 * time.Second)
	if p := b.bearer(userinfoPath, before); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token lives on: %s", p.Status)
	}
	p, _ = b.bearerToken(w.assertionAbout("alice"))
	refused(t, p, http.StatusBadRequest, "invalid_grant")
}

// TestAttackBackAfterTheDecision goes back, in a browser that others use too, to the page on
// which somebody has let the deletion stand, and keeps the account: that would sign in.
func TestAttackBackAfterTheDecision(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.alice()
	b.askToBeDeleted(alicePass)
	p := b.submit(b.open("/signin"), "email", "alice@example.com", "password", alicePass)
	shown(t, b.submitOnce(p, "action", "go_on"), http.StatusOK)
	shown(t, b.get(p.Request.URL.RequestURI()), http.StatusBadRequest)
	shown(t, b.submitOnce(p, "action", "keep"), http.StatusBadRequest)
	if b.isSignedIn() {
		t.Error("signed in without a password")
	}
	// Its owner, who signs in again, may still think again.
	p = b.submit(b.open("/signin"), "email", "alice@example.com", "password", alicePass)
	if p = b.submit(p, "action", "keep"); p.Request.URL.Path != "/account" {
		t.Errorf("kept: %s %s", p.Status, p.Request.URL)
	}
}
