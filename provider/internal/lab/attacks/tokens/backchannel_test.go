package tokens

import (
	"net/http"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackFloodOfLogoutTokens registers an address that is somebody else's, and ends many
// sessions at once.
func TestAttackFloodOfLogoutTokens(t *testing.T) {
	t.Parallel()
	w := lab.New(t, lab.AllowPrivate).WithUsers()
	victim := lab.NewToldParty(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	other := lab.NewToldParty(t, nil)
	w.Tells(victim, "hostile").Tells(other, "other")
	const sessions = 12
	for range sessions {
		b := w.Alice()
		b.TokensOf("hostile")
		b.TokensOf("other")
	}
	w.OK(w.Accounts().SetDisabled(t.Context(), "alice", true))
	w.Runs()
	other.Wait(t, sessions) // it has come round often by then
	lab.Eventually(t, func() bool { return w.Count("client_sessions") == sessions })
	if n := len(victim.Told()); n == 0 || n > 4 {
		t.Errorf("%d calls at once", n)
	}
	w.Advance(11 * time.Second)
	victim.Wait(t, 5)
}
