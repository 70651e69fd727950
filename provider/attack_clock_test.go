package provider_test

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

func TestAClockThatIsAheadRemovesNothing(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.AgreeOnTime()
	alice, bob := w.Alice(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	tokens := alice.StandardTokens()
	bob.AskToBeDeleted(lab.BobPass)
	ahead := w.Twin(func(c *provider.Config) {
		c.Clock = func() time.Time { return w.Now().Add(800 * 24 * time.Hour) }
	})
	events, err := w.Events().List(t.Context(), provider.EventFilter{})
	w.OK(err)
	for range 3 {
		maintain(ahead)
		w.Advance(time.Minute)
		maintain(w)
		w.Advance(time.Minute)
	}
	maintain(ahead)
	if !w.Exists("bob") {
		t.Error("an account is deleted within its grace")
	}
	if !alice.IsSignedIn() {
		t.Error("a session is swept")
	}
	if _, answer := alice.Refresh(lab.Member(t, tokens, "refresh_token")); answer["error"] != nil {
		t.Errorf("a refresh token is swept: %v", answer)
	}
	after, err := w.Events().List(t.Context(), provider.EventFilter{})
	w.OK(err)
	if len(after) < len(events) {
		t.Errorf("%d events, before there were %d", len(after), len(events))
	}
	t.Run("UntilItHasBeenSoForADay", func(t *testing.T) {
		w.Advance(storage.ClockDoubt)
		maintain(ahead)
		if w.Exists("bob") {
			t.Error("the only clock that is left counts for nothing")
		}
	})
}
