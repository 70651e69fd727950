package provider_test

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// agreeOnTime has it be as if Run had gone on until now.
func (w *fixture) agreeOnTime() {
	w.t.Helper()
	for _, now := range []time.Time{w.now().Add(-storage.ClockDoubt), w.now()} {
		_, err := w.store.HearClock(w.t.Context(), now)
		w.ok(err)
	}
}

func TestAClockThatIsAheadRemovesNothing(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.agreeOnTime()
	alice, bob := w.alice(), w.newBrowser().signIn("bob@example.com", bobPass)
	tokens := alice.standardTokens()
	bob.askToBeDeleted(bobPass)
	ahead := w.twin(func(c *provider.Config) {
		c.Clock = func() time.Time { return w.now().Add(800 * 24 * time.Hour) }
	})
	events, err := w.Events(t.Context(), provider.EventFilter{})
	w.ok(err)
	for range 3 {
		ahead.maintain()
		w.advance(time.Minute)
		w.maintain()
		w.advance(time.Minute)
	}
	ahead.maintain()
	if !w.exists("bob") {
		t.Error("an account is deleted within its grace")
	}
	if !alice.isSignedIn() {
		t.Error("a session is swept")
	}
	if _, answer := alice.refresh(text(t, tokens, "refresh_token")); answer["error"] != nil {
		t.Errorf("a refresh token is swept: %v", answer)
	}
	after, err := w.Events(t.Context(), provider.EventFilter{})
	w.ok(err)
	if len(after) < len(events) {
		t.Errorf("%d events, before there were %d", len(after), len(events))
	}
	t.Run("UntilItHasBeenSoForADay", func(t *testing.T) {
		w.advance(storage.ClockDoubt)
		ahead.maintain()
		if w.exists("bob") {
			t.Error("the only clock that is left counts for nothing")
		}
	})
}
