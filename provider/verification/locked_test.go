package verification

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func (w *world) lock(user string, locked bool) {
	w.t.Helper()
	testkit.OK(w.t, w.id.Accounts().SetDisabled(w.t.Context(), user, locked))
}

func TestLockedAccount(t *testing.T) {
	t.Run("EndsWhatWasApproved", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		w.lock("alice", true)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseExpired || c.Reasons[0] != ReasonSuperseded {
			t.Errorf("%+v", c)
		}
		w.lock("alice", false)
		if got := w.status("alice"); got.Verified || got.Pending {
			t.Errorf("%+v", got)
		}
	})
	t.Run("EndsWhatIsNotFinished", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.begin("alice", "a")
		w.lock("alice", true)
		w.pass(15 * day)
		if c = w.read(c.ID); c.State != storage.CaseExpired || strings.Contains(w.log.String(), "ERROR") {
			t.Errorf("%+v %s", c, w.log)
		}
	})
	t.Run("HasNobodyAsked", func(t *testing.T) {
		asked := 0
		v := scripted("a")
		v.Fetch = func(context.Context, string) ([]byte, error) { asked++; return nil, nil }
		v.Next = func(_ context.Context, _ *Case, e Event) (Result, error) {
			return Wait{Reference: "r", Again: e.At.Add(day)}, nil
		}
		w := newWorld(t, Policies{{Group: "student", Rule: By(v)}})
		w.begin("alice", "a")
		w.lock("alice", true)
		for range 30 {
			w.pass(day / 24)
		}
		if asked != 0 {
			t.Errorf("the other side is asked %d times", asked)
		}
		w.lock("alice", false)
		w.pass(maxRest)
		if asked != 1 {
			t.Errorf("after the lock it is asked %d times", asked)
		}
	})
	t.Run("IsAskedAboutAfterwards", func(t *testing.T) {
		w, e := newElsewhere(t)
		c := w.away("alice", "r1")
		w.lock("alice", true)
		if got := w.post("office", officeSecret, "m1 r1"); got != http.StatusNoContent {
			t.Errorf("the message is answered with %d", got)
		}
		e.decide("r1", "accept")
		w.pass(dueLease)
		w.lock("alice", false)
		w.pass(maxRest)
		if c = w.read(c.ID); c.State != storage.CaseApproved {
			t.Errorf("%+v", c)
		}
	})
	t.Run("HoldsUpNobody", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		again := Decision{Kind: storage.DecisionAskAgain, Reasons: []Reason{ReasonCropped}}
		for i := range dueBatch {
			user := fmt.Sprintf("user-%d", i)
			testkit.Must(w.id.Accounts().Save(t.Context(), provider.Account{ID: user, Email: user + "@mail.example", EmailVerified: true}))(t)
			w.deciding(rita, w.inReview(user).ID, again)
			w.lock(user, true)
		}
		w.pass(undoTime) // returns
		due, err := w.store.DueCases(t.Context(), w.now().Add(dueLease-time.Second), time.Second, dueBatch)
		if err != nil || len(due) != 0 {
			t.Errorf("%d cases are due again at once, %v", len(due), err)
		}
	})
}
