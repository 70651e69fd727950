package verification

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// inReview is a case of a user that waits for a reviewer.
func (w *world) inReview(user string) RecordedCase {
	w.t.Helper()
	c := w.saying(w.begin(user, "a"), "review")
	if c.State != storage.CaseReview {
		w.t.Fatalf("%+v", c)
	}
	w.mails.take()
	return c
}

func TestDecision(t *testing.T) {
	t.Run("WaitsTenSeconds", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		c = w.deciding(rita, c.ID, approving)
		if c.State != storage.CaseReview || c.Waiting == nil || !c.Waiting.UndoBefore.Equal(w.now().Add(10*time.Second)) {
			t.Fatalf("%+v", c)
		}
		w.pass(9 * time.Second)
		if w.status("alice").Verified || w.mails.kinds() != "" {
			t.Fatal("carried out before its time")
		}
		w.pass(time.Second)
		if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("alice").Verified {
			t.Errorf("%+v", c)
		}
		if kinds := w.mails.kinds(); kinds != "verification_news" {
			t.Errorf("mails: %q", kinds)
		}
	})
	t.Run("IsCarriedOutWhenTheCaseIsRead", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		w.mu.Lock()
		w.clock = w.clock.Add(undoTime) // and nobody runs
		w.mu.Unlock()
		if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("alice").Verified {
			t.Errorf("%+v", c)
		}
	})
	t.Run("CanBeTakenBack", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		if _, err := w.Take(t.Context(), ron, "", w.now().Add(time.Hour)); !errors.Is(err, ErrNoCase) {
			t.Errorf("another takes up what is decided: %v", err)
		}
		if _, err := w.Undo(t.Context(), ron, c.ID, w.now().Add(time.Hour)); !errors.Is(err, ErrForbidden) {
			t.Errorf("another takes it back: %v", err)
		}
		back, err := w.Undo(t.Context(), rita, c.ID, w.now().Add(time.Hour))
		if err != nil || back.State != storage.CaseReview || back.TakenBy != "rita" || back.Waiting != nil {
			t.Fatalf("%+v, %v", back, err)
		}
		w.pass(time.Minute)
		if c = w.read(c.ID); c.State != storage.CaseReview {
			t.Errorf("carried out all the same: %+v", c)
		}
		c = testkit.Must(w.Decide(t.Context(), rita, c.ID, c.Version, declining))(t)
		w.pass(undoTime)
		if _, err := w.Undo(t.Context(), rita, c.ID, w.now().Add(time.Hour)); !errors.Is(err, ErrNotNow) {
			t.Errorf("taken back after it was carried out: %v", err)
		}
		all, err := w.Decisions(t.Context(), c.ID)
		if err != nil || len(all) != 2 || !all[0].Undone || all[1].Undone || all[1].Reasons[0] != ReasonAltered {
			t.Errorf("%+v, %v", all, err)
		}
	})
	t.Run("IsRefusedForWhatIsMissing", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.take(rita, w.inReview("alice").ID)
		for field, d := range map[string]Decision{
			"Kind":         {Kind: "shred"},
			"Reasons":      {Kind: storage.DecisionDecline},
			"Note":         {Kind: storage.DecisionDecline, Reasons: []Reason{ReasonOther}},
			"Subgroups[0]": {Kind: storage.DecisionApprove, Subgroups: []string{"Kindergarten"}},
			"Until":        {Kind: storage.DecisionApprove, Until: w.now()},
		} {
			var wrong *provider.FieldError
			if _, err := w.Decide(t.Context(), rita, c.ID, c.Version, d); !errors.As(err, &wrong) || wrong.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		if _, err := w.Decide(t.Context(), rita, c.ID, c.Version+1, approving); !errors.Is(err, ErrNotNow) {
			t.Errorf("of another version: %v", err)
		}
	})
	t.Run("IsNoApprovalWithoutANameToCompare", func(t *testing.T) {
		byName := scripted("a")
		byName.ComparesName = true
		w := newWorld(t, Policies{{Group: "student", Rule: By(byName)}})
		c := w.take(rita, w.inReview("alice").ID)
		for _, kind := range []storage.DecisionKind{storage.DecisionApprove, storage.DecisionOverride} {
			var wrong *provider.FieldError
			d := Decision{Kind: kind, NameMatches: true, Note: "Seen."}
			if _, err := w.Decide(t.Context(), rita, c.ID, c.Version, d); !errors.As(err, &wrong) || wrong.Field != "Kind" {
				t.Errorf("%s: %v", kind, err)
			}
		}
		w.deciding(rita, c.ID, declining)
	})
}

func TestAskAgain(t *testing.T) {
	w := newWorld(t, oneOf("a", "b"))
	c := w.inReview("alice")
	w.pass(13 * day)
	w.deciding(rita, c.ID, Decision{Kind: storage.DecisionAskAgain, Reasons: []Reason{ReasonCropped}})
	w.pass(undoTime)
	c = w.read(c.ID)
	if c.State != storage.CaseOpen || len(c.Reasons) != 1 || c.Reasons[0] != ReasonCropped || w.status("alice").Pending {
		t.Fatalf("%+v %+v", c, w.status("alice"))
	}
	if !c.FinishBy.Equal(w.now().Add(14 * day)) {
		t.Errorf("the time of the review is taken from the person: %v", c.FinishBy)
	}
	c = w.saying(w.choosing(c, "a"), "review")
	if c.Round != 2 || c.State != storage.CaseReview {
		t.Fatalf("%+v", c)
	}
	w.take(rita, c.ID) // in another round everybody may decide again
}

func TestRecuse(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.inReview("alice")
	c = w.deciding(rita, c.ID, Decision{Kind: storage.DecisionRecuse})
	if c.State != storage.CaseReview || c.Waiting == nil {
		t.Fatalf("%+v", c)
	}
	if _, err := w.Undo(t.Context(), rita, c.ID, w.now().Add(time.Hour)); err != nil {
		t.Fatalf("it is for good at once: %v", err)
	}
	w.deciding(rita, c.ID, Decision{Kind: storage.DecisionRecuse})
	w.pass(undoTime)
	if _, err := w.Take(t.Context(), rita, c.ID, w.now().Add(time.Hour)); !errors.Is(err, ErrNoCase) {
		t.Error(err)
	}
	w.take(ron, c.ID)
}

func TestAppeal(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	first := w.saying(w.begin("alice", "a"), "refuse")
	if first.State != storage.CaseDeclined || !first.CanAppeal {
		t.Fatalf("%+v", first)
	}
	if _, _, err := w.Start(t.Context(), Request{UserID: "bob", Group: "student", Appeals: first.ID}); !errors.Is(err, ErrNotNow) {
		t.Errorf("somebody else appeals: %v", err)
	}
	w.pass(time.Second)
	c, _, err := w.Start(t.Context(), Request{UserID: "alice", Group: "student", Appeals: first.ID})
	testkit.OK(t, err)
	if c = w.saying(w.choosing(c, "a"), "refuse"); c.State != storage.CaseReview {
		t.Fatalf("a machine refuses an appeal: %+v", c)
	}
	if w.read(first.ID).CanAppeal {
		t.Error("a case can be appealed against twice")
	}
	taken := w.take(rita, c.ID)
	var wrong *provider.FieldError
	if _, err := w.Decide(t.Context(), rita, c.ID, taken.Version, approving); !errors.As(err, &wrong) || wrong.Field != "Kind" {
		t.Errorf("one reviewer approves what no method has found: %v", err)
	}
	c = testkit.Must(w.Decide(t.Context(), rita, c.ID, taken.Version, Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonNotInGroup}}))(t)
	w.pass(undoTime)
	c = w.read(c.ID)
	if c.State != storage.CaseDeclined || c.CanAppeal || w.read(first.ID).CanAppeal {
		t.Errorf("%+v", c)
	}
	if _, _, err := w.Start(t.Context(), Request{UserID: "alice", Group: "student", Appeals: c.ID}); !errors.Is(err, ErrNotNow) {
		t.Errorf("an appeal against an appeal: %v", err)
	}
}

// Threat 1: a reviewer approves their own case.
func TestReviewerOfOneself(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.inReview("alice")
	for _, self := range []storage.Reviewer{{ID: "alice"}, {ID: "staff-7", Subject: "alice"}} {
		if _, err := w.Take(t.Context(), self, c.ID, w.now().Add(time.Hour)); !errors.Is(err, ErrNoCase) {
			t.Errorf("%+v takes it: %v", self, err)
		}
	}
	taken := w.take(rita, c.ID)
	if _, err := w.Decide(t.Context(), storage.Reviewer{ID: "rita", Subject: "alice"}, c.ID, taken.Version, approving); !errors.Is(err, ErrForbidden) {
		t.Error(err)
	}
	if _, err := w.Decide(t.Context(), ron, c.ID, taken.Version, approving); !errors.Is(err, ErrForbidden) {
		t.Errorf("decided by one who has not taken it: %v", err)
	}
}

// Threat 18: one proof on two accounts.
func TestOneProofOnePerson(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	w.saying(w.begin("alice", "a"), "accept with row 7")
	c := w.saying(w.begin("bob", "a"), "accept with row 7")
	if c.State != storage.CaseReview || w.status("bob").Verified || !w.status("bob").Pending {
		t.Fatalf("%+v %+v", c, w.status("bob"))
	}
	if len(c.Facts) != 1 || !strings.Contains(c.Facts[0].English, "another account") {
		t.Errorf("the reviewer is not told: %+v", c.Facts)
	}
	w.deciding(rita, c.ID, Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonTaken}})
	w.pass(undoTime)
	c = w.read(c.ID)
	if c.State != storage.CaseDeclined || c.Reasons[0].Public() != ReasonOther {
		t.Errorf("%+v", c)
	}
	var limit LimitError
	if _, _, err := w.Start(t.Context(), Request{UserID: "bob", Group: "student"}); !errors.As(err, &limit) || limit.Wait != retryAfter {
		t.Errorf("another case at once: %v", err)
	}

	// A reviewer may approve it all the same; the proof stays where it is.
	c = w.saying(w.begin("carol", "a"), "accept with row 7")
	w.deciding(rita, c.ID, Decision{Kind: storage.DecisionApprove})
	w.pass(undoTime)
	if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("carol").Verified {
		t.Errorf("%+v", c)
	}
	bound, err := w.store.Fingerprints(t.Context(), "student", "roster", storage.Digest{}, 10)
	if err != nil || len(bound) != 1 || bound[0].Subject != "alice" {
		t.Errorf("%+v, %v", bound, err)
	}
}

// Threat 13: a proof is another person's only some time after the membership has ended.
func TestProofAfterTheEnd(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.saying(w.begin("alice", "a"), "accept with row 7")
	if ended, err := w.Revoke(t.Context(), "alice", "student", "not_found"); err != nil || !ended || w.status("alice").Verified {
		t.Fatalf("%v, %v", ended, err)
	}
	if ended, err := w.RevokeCase(t.Context(), c.ID, ""); err != nil || ended {
		t.Errorf("ended twice: %v", err)
	}
	w.pass(heldProof - time.Hour)
	if c := w.saying(w.begin("bob", "a"), "accept with row 7"); c.State != storage.CaseReview {
		t.Errorf("%+v", c)
	}
	w.pass(time.Hour)
	if c := w.saying(w.begin("carol", "a"), "accept with row 7"); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
}

// Threat 20: the host's word, and the end of the account, win over an approval.
func TestHostRevokesMeanwhile(t *testing.T) {
	t.Run("Status", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		testkit.OK(t, w.id.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Reason: "not_eligible"}))
		w.deciding(rita, c.ID, approving)
		w.pass(undoTime)
		c = w.read(c.ID)
		if c.State != storage.CaseExpired || len(c.Reasons) != 1 || c.Reasons[0] != ReasonSuperseded {
			t.Errorf("%+v", c)
		}
		if got := w.status("alice"); got.Verified || got.Pending {
			t.Errorf("%+v", got)
		}
	})
	t.Run("Account", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		testkit.OK(t, w.id.Accounts().SetDisabled(t.Context(), "alice", true))
		w.pass(undoTime)
		if c = w.read(c.ID); c.State == storage.CaseApproved {
			t.Errorf("%+v", c)
		}
		testkit.OK(t, w.id.Accounts().SetDisabled(t.Context(), "alice", false))
		if w.status("alice").Verified {
			t.Error("a disabled account was approved")
		}
	})
	t.Run("Deletion", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, approving)
		testkit.OK(t, w.id.Accounts().Delete(t.Context(), "alice"))
		w.pass(undoTime)
		if _, err := w.Case(t.Context(), c.ID); !errors.Is(err, ErrNoCase) {
			t.Error(err)
		}
	})
}

func TestPendingStatus(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.saying(w.begin("alice", "a"), "wait r1")
	if got := w.status("alice"); c.State != storage.CasePending || !got.Pending || got.Verified {
		t.Fatalf("%+v %+v", c, got)
	}
	if err := w.Withdraw(t.Context(), "bob", c.ID); !errors.Is(err, ErrNoCase) {
		t.Errorf("somebody else withdraws: %v", err)
	}
	testkit.OK(t, w.Withdraw(t.Context(), "alice", c.ID))
	if got := w.status("alice"); got.Pending || got.Verified {
		t.Errorf("%+v", got)
	}
	// The pending status of the host is not that of the case.
	c = w.saying(w.begin("bob", "a"), "wait r2")
	testkit.OK(t, w.id.People().SetStatus(t.Context(), "bob", provider.Status{Group: "student", Pending: true}))
	testkit.OK(t, w.Withdraw(t.Context(), "bob", c.ID))
	if got := w.status("bob"); !got.Pending {
		t.Errorf("a withdrawn case ends the host's pending status: %+v", got)
	}
}
