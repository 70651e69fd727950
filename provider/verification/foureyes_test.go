package verification

import (
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func TestFourEyes(t *testing.T) {
	two := oneOf("a")
	two[0].Reviewers = 2
	t.Run("TwoAgree", func(t *testing.T) {
		w := newWorld(t, two)
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		w.pass(undoTime)
		if w.status("alice").Verified {
			t.Fatal("one of two approves")
		}
		if _, err := w.Take(t.Context(), rita, c.ID, w.now().Add(time.Hour)); !errors.Is(err, ErrNoCase) {
			t.Errorf("the first is the second, too: %v", err)
		}
		w.deciding(ron, c.ID, approving)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("alice").Verified {
			t.Errorf("%+v", c)
		}
	})
	t.Run("ADifferenceGoesToASenior", func(t *testing.T) {
		w := newWorld(t, two)
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		w.pass(undoTime)
		w.deciding(ron, c.ID, declining)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseReview || !c.Escalated || w.mails.kinds() != "" {
			t.Fatalf("%+v", c)
		}
		if _, err := w.Take(t.Context(), storage.Reviewer{ID: "rob"}, c.ID, w.now().Add(time.Hour)); !errors.Is(err, ErrNoCase) {
			t.Errorf("a reviewer without seniority decides: %v", err)
		}
		w.deciding(stern, c.ID, declining)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseDeclined {
			t.Errorf("%+v", c)
		}
	})
	t.Run("AnOverrideTakesTwo", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		override := Decision{Kind: storage.DecisionOverride, Note: "known to the dean", Subgroups: []string{"University"}}
		w.deciding(rita, c.ID, override)
		w.pass(undoTime)
		if w.status("alice").Verified {
			t.Fatal("one alone overrides")
		}
		w.deciding(ron, c.ID, override)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("alice").Verified {
			t.Errorf("%+v", c)
		}
	})
	t.Run("OneThatIsHandedOnTakesTwo", func(t *testing.T) {
		override := Decision{Kind: storage.DecisionOverride, Note: "known to the dean", Subgroups: []string{"University"}}
		for _, d := range []Decision{approving, override} {
			w := newWorld(t, two)
			c := w.inReview("alice")
			w.deciding(rita, c.ID, Decision{Kind: storage.DecisionEscalate, Note: "please look"})
			w.pass(undoTime)
			w.deciding(stern, c.ID, d)
			w.pass(undoTime)
			if c = w.read(c.ID); c.State != storage.CaseReview || c.Escalated || w.status("alice").Verified {
				t.Fatalf("%s of a senior alone: %+v", d.Kind, c)
			}
			w.deciding(ron, c.ID, d)
			w.pass(undoTime)
			if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("alice").Verified {
				t.Errorf("%+v", c)
			}
		}
	})
	t.Run("ASeniorWhoIsAskedForTheSecondIsBlind", func(t *testing.T) {
		w := newWorld(t, two)
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		w.pass(undoTime)
		w.deciding(ron, c.ID, Decision{Kind: storage.DecisionEscalate, Note: "please look"})
		w.pass(undoTime)
		w.take(stern, c.ID)
		u, err := w.Review(t.Context(), stern, c.ID)
		if err != nil || len(u.Before) != 1 || u.Before[0].Reviewer != "ron" {
			t.Errorf("%+v, %v", u.Before, err)
		}
		w.deciding(stern, c.ID, declining)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseReview || !c.Escalated {
			t.Fatalf("one of two that differ decides: %+v", c)
		}
		w.deciding(storage.Reviewer{ID: "sara", Senior: true}, c.ID, approving)
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseApproved {
			t.Errorf("%+v", c)
		}
	})
}
