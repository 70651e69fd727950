package provider_test

import (
	"net/http"
	"testing"
	"time"
)

// TestAttackFloodOfLogoutTokens registers an address that is somebody else's, and ends many
// sessions at once.
func TestAttackFloodOfLogoutTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t, allowPrivate).withUsers()
	victim := newToldParty(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	other := newToldParty(t, nil)
	w.tells(victim, "hostile").tells(other, "other")
	const sessions = 12
	for range sessions {
		b := w.alice()
		b.tokensOf("hostile")
		b.tokensOf("other")
	}
	w.ok(w.SetAccountDisabled(t.Context(), "alice", true))
	w.runs()
	other.wait(t, sessions) // it has come round often by then
	eventually(t, func() bool { return w.count("client_sessions") == sessions })
	if n := len(victim.told()); n == 0 || n > 4 {
		t.Errorf("%d calls at once", n)
	}
	w.advance(11 * time.Second)
	victim.wait(t, 5)
}
