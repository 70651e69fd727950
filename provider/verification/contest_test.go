package verification

import (
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// Two processes do what is due once.
func TestTwoProcesses(t *testing.T) {
	onBoth(t, oneOf("a"), func(t *testing.T, w *world) {
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		w.mu.Lock()
		w.clock = w.clock.Add(undoTime)
		w.mu.Unlock()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { w.carryOn(t.Context()) })
			all.Go(func() { _, _ = w.Case(t.Context(), c.ID) })
		}
		all.Wait()
		if kinds := w.mails.kinds(); kinds != "verification_news" || !w.status("alice").Verified {
			t.Errorf("mails: %q", kinds)
		}
	})
}

// One proof makes one person a member, whoever is first.
func TestProofOfManyAtOnce(t *testing.T) {
	onBoth(t, oneOf("a"), func(t *testing.T, w *world) {
		var cases []RecordedCase
		for _, user := range []string{"alice", "bob", "carol"} {
			cases = append(cases, w.begin(user, "a"))
		}
		var all sync.WaitGroup
		for _, c := range cases {
			all.Go(func() {
				if _, err := w.answer(t.Context(), c.UserID, c.ID, c.Version, map[string]string{"say": "accept with row 7"}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		members := 0
		for _, c := range cases {
			switch c = w.read(c.ID); {
			case c.State == storage.CaseApproved && w.status(c.UserID).Verified:
				members++
			case c.State != storage.CaseReview || w.status(c.UserID).Verified:
				t.Errorf("%+v", c)
			}
		}
		if members != 1 {
			t.Errorf("%d members", members)
		}
	})
}

// A decision that is carried out, taken back and withdrawn from at once is one of them.
func TestDecisionOfManyAtOnce(t *testing.T) {
	onBoth(t, oneOf("a"), func(t *testing.T, w *world) {
		c := w.inReview("alice")
		w.deciding(rita, c.ID, declining)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { _ = w.Withdraw(t.Context(), "alice", c.ID) })
			all.Go(func() { _, _ = w.Undo(t.Context(), rita, c.ID, w.now().Add(undoTime)) })
		}
		all.Wait()
		made, err := w.Decisions(t.Context(), c.ID)
		if err != nil || len(made) != 1 {
			t.Fatalf("%+v, %v", made, err)
		}
		c = w.read(c.ID)
		if want := map[bool]storage.CaseState{false: storage.CaseDeclined, true: storage.CaseWithdrawn}[made[0].Undone]; c.State != want {
			t.Errorf("the decision was taken back: %v, the case is %s", made[0].Undone, c.State)
		}
	})
}
