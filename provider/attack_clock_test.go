package provider_test

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// One process whose clock is ahead, or behind, removes nothing for good: not while the other one
// works, after a pause of it, or on the first day of a database, whichever is heard first.
func TestAClockThatIsAheadRemovesNothing(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	alice, bob := w.Alice(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	tokens := alice.StandardTokens()
	bob.AskToBeDeleted(lab.BobPass)
	w.AddApp("alice")
	w.OK(w.Rooms().Accounts.StartRecovery(t.Context(), "alice"))
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true, ExpiresAt: w.Now().Add(60 * time.Hour)}))
	var lead time.Duration
	ahead := w.Twin(func(c *provider.Config) { c.Clock = func() time.Time { return w.Now().Add(lead) } })
	events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{}))(w.T)
	leads := append([]time.Duration{-lab.Leaps[0], -lab.Leaps[3]}, lab.Leaps...)
	for _, lead = range leads {
		for _, pause := range []time.Duration{0, time.Minute, 4 * time.Minute, 23 * time.Hour} {
			for _, first := range []*lab.Fixture{w, ahead} {
				w.MustExec(`DELETE FROM clock`)
				maintain(first)
				maintain(w)
				if pause > 0 { // on a database that has agreed
					w.AgreeOnTime()
				}
				w.Advance(pause)
				maintain(first)
				maintain(ahead)
				maintain(w)
				maintain(ahead)
				w.Advance(-pause)
			}
		}
	}
	if !w.Exists("bob") {
		t.Error("an account is deleted within its grace")
	}
	if !alice.IsSignedIn() {
		t.Error("a session is swept")
	}
	if _, answer := alice.Refresh(lab.Member(t, tokens, "refresh_token")); answer["error"] != nil {
		t.Errorf("a refresh token is swept: %v", answer)
	}
	if set, err := w.Accounts().Authenticators(t.Context(), "alice"); err != nil || set.Recovery == nil || !set.Recovery.ApprovedAt.IsZero() {
		t.Errorf("the recovery is %+v, %v", set.Recovery, err)
	}
	if all, err := w.People().Statuses(t.Context(), "alice", "student"); err != nil || len(all) != 1 || !all[0].Verified {
		t.Errorf("the membership is %+v, %v", all, err)
	}
	after := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{}))(w.T)
	if len(after) < len(events) {
		t.Errorf("%d events, before there were %d", len(after), len(events))
	}
	t.Run("UntilItHasBeenSoForADay", func(t *testing.T) {
		w.Advance(storage.ClockDoubt)
		w.OK(storagetest.AgreeOnTime(t.Context(), w.Store, w.Now().Add(lead)))
		maintain(ahead)
		if w.Exists("bob") {
			t.Error("the only clock that is left counts for nothing")
		}
	})
}
