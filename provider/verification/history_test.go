package verification

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// declined is a case of a user that a reviewer has declined.
func (w *world) declined(user string, d Decision) RecordedCase {
	w.t.Helper()
	c := w.inReview(user)
	w.deciding(rita, c.ID, d)
	w.pass(undoTime)
	if c = w.read(c.ID); c.State != storage.CaseDeclined {
		w.t.Fatalf("%+v", c)
	}
	return c
}

// ahead calls do at a process whose clock is ahead.
func (w *world) ahead(d time.Duration, do func()) {
	move := func(by time.Duration) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.clock = w.clock.Add(by)
	}
	move(d)
	do()
	move(-d)
}

// appeals starts an appeal against a case.
func (w *world) appeals(c RecordedCase) RecordedCase {
	w.t.Helper()
	appeal, created, err := w.Start(w.t.Context(), Request{UserID: c.UserID, Group: c.Group, Appeals: c.ID})
	if err != nil || !created {
		w.t.Fatalf("%v, %v", created, err)
	}
	return appeal
}

func (w *world) withdraws(c RecordedCase) {
	w.t.Helper()
	if err := w.Withdraw(w.t.Context(), c.UserID, c.ID); err != nil {
		w.t.Fatal(err)
	}
}

// barred fails unless a user must wait a time before another case.
func (w *world) barred(user string, wait time.Duration) {
	w.t.Helper()
	var limit LimitError
	if _, _, err := w.Start(w.t.Context(), Request{UserID: user, Group: "student"}); !errors.As(err, &limit) || limit.Wait != wait {
		w.t.Errorf("another case after a forged document: %v", err)
	}
}

// readsBefore calls then after cases were read.
type readsBefore struct {
	storage.Verification
	then func()
}

func (s *readsBefore) Cases(ctx context.Context, f storage.CaseFilter) ([]storage.Case, error) {
	defer s.then()
	return s.Verification.Cases(ctx, f)
}

func TestBarAfterAForgery(t *testing.T) {
	t.Run("OutlastsAnAppealThatIsWithdrawn", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.declined("alice", declining)
		w.barred("alice", retryAfter)
		w.withdraws(w.appeals(c))
		w.barred("alice", retryAfter)
		if w.read(c.ID).CanAppeal {
			t.Error("a case can be appealed against twice")
		}
	})
	t.Run("OutlastsAnAppealThatExpires", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		appeal := w.appeals(w.declined("alice", declining))
		w.pass(15 * day)
		if appeal = w.read(appeal.ID); appeal.State != storage.CaseExpired {
			t.Fatalf("%+v", appeal)
		}
		w.barred("alice", retryAfter-15*day)
	})
	t.Run("EndsWithTheDecisionAboutTheAppeal", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		appeal := w.appeals(w.declined("alice", declining))
		w.saying(w.choosing(appeal, "a"), "review")
		w.deciding(ron, appeal.ID, Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonCropped}})
		w.pass(undoTime)
		w.begin("alice", "")
	})
	t.Run("IsThereWhateverAnEarlierCaseWasBegunAt", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		w.ahead(2*time.Hour, func() { w.withdraws(w.begin("alice", "")) })
		c := w.declined("alice", declining)
		w.barred("alice", retryAfter)
		if !c.CanAppeal {
			t.Error("the decline cannot be appealed against")
		}
		latest, err := w.Cases(t.Context(), storage.CaseFilter{Subject: "alice", Limit: 1})
		if err != nil || latest[0].ID != c.ID {
			t.Errorf("another case is the latest: %+v, %v", latest, err)
		}
		w.appeals(c)
	})
	t.Run("HoldsForARequestThatHasReadBefore", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		store := w.Service.Store
		w.Service.Store = &readsBefore{store, func() {
			w.Service.Store = store
			w.declined("alice", declining)
		}}
		w.barred("alice", retryAfter)
	})
	t.Run("IsThereAlthoughTheDeclineCannotBeRead", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.declined("alice", declining)
		w.damage(`UPDATE cases SET content = x'00' WHERE id = ?`, c.ID)
		w.barred("alice", retryAfter)
		w.appeals(c)
	})
}

func TestAppealAfterAnotherCase(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	first := w.declined("alice", Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonCropped}})
	second := w.begin("alice", "")
	if w.read(first.ID).CanAppeal {
		t.Error("one is in progress")
	}
	w.withdraws(second)
	if !w.read(first.ID).CanAppeal {
		t.Error("a case that was withdrawn takes the appeal away")
	}
	second = w.declined("alice", Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonCropped}})
	if w.read(first.ID).CanAppeal || !second.CanAppeal {
		t.Error("not the decline that stands can be appealed against")
	}
	w.appeals(second)
}
