package verification

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

func TestUnfinishedCase(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.begin("alice", "a")
	w.mails.take()
	w.pass(11*day - time.Second)
	if kinds := w.mails.kinds(); kinds != "" {
		t.Errorf("reminded too early: %q", kinds)
	}
	w.pass(time.Second)
	w.pass(day)
	if kinds := w.mails.kinds(); kinds != "verification_unfinished" {
		t.Errorf("mails: %q", kinds)
	}
	w.pass(2*day - time.Second)
	if c = w.read(c.ID); c.State != storage.CaseOpen {
		t.Fatalf("expired too early: %+v", c)
	}
	w.pass(time.Second)
	if c = w.read(c.ID); c.State != storage.CaseExpired {
		t.Errorf("%+v", c)
	}
	if kinds := w.mails.kinds(); kinds != "verification_news" {
		t.Errorf("mails: %q", kinds)
	}
}

func TestReviewDoesNotRunOut(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.inReview("alice")
	if !c.DueAt.Equal(w.now().Add(48 * time.Hour)) {
		t.Errorf("promised until %v", c.DueAt)
	}
	w.pass(60 * day)
	if c = w.read(c.ID); c.State != storage.CaseReview {
		t.Errorf("the person loses by the reviewers' delay: %+v", c)
	}
}

// Threat 19: the end of a membership, and its reminders.
func TestMembershipEnds(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.saying(w.begin("alice", "a"), "accept with row 1")
	w.mails.take()
	end := w.status("alice").ExpiresAt
	var told []time.Duration
	for w.now().Before(end) {
		w.pass(12 * time.Hour)
		for _, mail := range w.mails.take() {
			if mail.Kind != "verification_ending" {
				t.Errorf("mail %q", mail.Kind)
				continue
			}
			if strings.Contains(mail.Subject+mail.Text, "tudent") {
				t.Errorf("the mail names the group: %s", mail.Text)
			}
			told = append(told, end.Sub(w.now()))
		}
	}
	if len(told) != 3 || told[0] != 30*day || told[1] != 7*day || told[2] != day {
		t.Errorf("reminded %v before the end", told)
	}
	if w.status("alice").Verified {
		t.Error("the membership is released after its end")
	}
	who, err := w.id.People().Get(t.Context(), "alice")
	if err != nil || who.Statuses[0].Verified || who.Statuses[0].Reason != "expired" {
		t.Errorf("%+v, %v", who.Statuses, err)
	}
	events := testkit.Must(w.id.Events().List(t.Context(), provider.EventFilter{UserID: "alice"}))(t)
	ended := 0
	for _, e := range events {
		if e.Name == event.VerificationEnded && e.Detail == "student approved" {
			ended++
		}
	}
	if ended != 1 {
		t.Errorf("the approval is recorded %d times", ended)
	}
	if c = w.read(c.ID); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
}

// One process whose clock is ahead for a while ends no membership and no case.
func TestAClockThatIsAheadEndsNothing(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	w.saying(w.begin("alice", "a"), "accept with row 1")
	open := w.begin("bob", "a")
	testkit.OK(t, storagetest.AgreeOnTime(t.Context(), w.store, w.now()))
	for _, ahead := range lab.Leaps {
		w.pass(ahead)
		w.pass(-ahead)
		if !w.status("alice").Verified {
			t.Errorf("%v ahead: the membership has ended", ahead)
		}
		if c := w.read(open.ID); c.State != storage.CaseOpen {
			t.Errorf("%v ahead: the case is %s", ahead, c.State)
		}
	}
}

// The clock of a sandbox moves the times in a case, too, which the store cannot read.
func TestElapsedCase(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.saying(w.begin("alice", "a"), "code alice@uni.example")
	mails := w.mails.take()
	testkit.OK(t, w.store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "alice", By: codeLife + time.Second}))
	before := c.FinishBy
	c = w.read(c.ID)
	if !c.FinishBy.Equal(before.Add(-codeLife - time.Second)) {
		t.Errorf("finish by %v, before %v", c.FinishBy, before)
	}
	if _, err := w.enterCode(t.Context(), "alice", c.ID, c.Version, mails[len(mails)-1].Code); !errors.Is(err, errWrongCode) {
		t.Errorf("a code outlives its time: %v", err)
	}
	testkit.OK(t, w.store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "alice", By: 14 * day}))
	w.pass(0)
	if c = w.read(c.ID); c.State != storage.CaseExpired {
		t.Errorf("%+v", c)
	}
}

func TestEndedPolicy(t *testing.T) {
	policies := oneOf("a")
	w := newWorld(t, policies)
	open := w.begin("alice", "a")
	waiting := w.inReview("bob")
	w.saying(w.begin("carol", "a"), "accept")
	policies[0].Ended = true
	again := testkit.Must(New(Config{Provider: w.id, Store: w.store, Policies: policies, Logger: w.Logger, Clock: w.now}))(t)
	again.endPolicies(t.Context())
	for _, id := range []string{open.ID, waiting.ID} {
		c, err := w.store.Case(t.Context(), id)
		if err != nil || c.State != storage.CaseExpired {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if !w.status("carol").Verified || w.status("bob").Pending {
		t.Error("the end of a policy takes what was verified, or leaves what waits")
	}
}

// A policy that changes does not touch open cases.
func TestChangedPolicy(t *testing.T) {
	w := newWorld(t, allOf("a", "b"))
	c := w.saying(w.begin("alice", "a"), "accept")
	again := testkit.Must(New(Config{Provider: w.id, Store: w.store, Policies: oneOf("a", "b"), Logger: w.Logger, Clock: w.now}))(t)
	w.Service = again
	if c = w.read(c.ID); c.State != storage.CaseOpen || len(c.Choices) != 1 {
		t.Errorf("half of the former rule is all of the new one: %+v", c)
	}
	if c := w.saying(w.begin("bob", "a"), "accept"); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
}

// A host that keeps memberships itself is told until it has heard.
func TestRecord(t *testing.T) {
	var mu sync.Mutex
	var got []provider.Status
	fails := true
	w := newWorld(t, oneOf("a"), func(c *Config) {
		c.Record = func(_ context.Context, userID string, s provider.Status) error {
			mu.Lock()
			defer mu.Unlock()
			if fails {
				return errScript
			}
			if userID == "alice" {
				got = append(got, s)
			}
			return nil
		}
	})
	w.saying(w.begin("alice", "a"), "accept in University")
	fails = false
	w.pass(time.Second)
	w.pass(dueLease)
	w.pass(dueLease)
	if len(got) != 1 || !got[0].Verified || got[0].Subgroups[0] != "University" {
		t.Fatalf("%+v", got)
	}
	testkit.Must(w.Revoke(t.Context(), "alice", "student", "not_found"))(t)
	w.pass(time.Hour)
	if len(got) != 2 || got[1].Verified {
		t.Errorf("%+v", got)
	}
}

// A process that ends between the steps of a revocation leaves the rest to the timer.
func TestRevocationIsFinished(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.saying(w.begin("alice", "a"), "accept with row 7")
	w.mails.take()
	_, _, err := w.rewrite(t.Context(), c.ID, func(k *content) bool {
		k.Ending = &ending{Reason: "not_found"}
		return true
	})
	testkit.OK(t, err)
	w.pass(0)
	if w.status("alice").Verified || w.mails.kinds() != "verification_news" {
		t.Error("the membership is still in force")
	}
	w.pass(time.Hour)
	if kinds := w.mails.kinds(); kinds != "" {
		t.Errorf("told twice: %q", kinds)
	}
}

// Threat 19: clocks that go back, or differ, neither end nor prolong anything by much.
func TestClockGoesBack(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.inReview("alice")
	w.deciding(rita, c.ID, approving)
	w.pass(-5 * time.Minute)
	if got := w.read(c.ID); got.Waiting == nil || w.status("alice").Verified {
		t.Errorf("carried out before its time: %+v", got)
	}
	if _, err := w.Undo(t.Context(), rita, c.ID, w.now().Add(time.Hour)); err != nil {
		t.Errorf("not taken back: %v", err)
	}
	open := w.begin("bob", "a")
	w.pass(-time.Hour)
	if got := w.read(open.ID); got.State != storage.CaseOpen {
		t.Errorf("%+v", got)
	}
	w.pass(14*day + time.Hour + 5*time.Minute)
	if got := w.read(open.ID); got.State != storage.CaseExpired {
		t.Errorf("%+v", got)
	}
}

// Other sides that fail hold up no decision.
func TestDecisionBesideFailures(t *testing.T) {
	w := newWorld(t, Policies{
		{Group: "student", Rule: By(scripted("a"))},
		{Group: "teacher", Rule: By((&elsewhere{down: true}).verifier("office", officeSecret))},
	})
	for _, user := range []string{"alice", "bob"} {
		c, _, err := w.Start(t.Context(), Request{UserID: user, Group: "teacher"})
		testkit.OK(t, err)
		w.saying(w.choosing(c, "office"), "go "+user)
		testkit.OK(t, w.Withdraw(t.Context(), user, c.ID))
	}
	c := w.inReview("carol")
	w.deciding(rita, c.ID, approving)
	w.pass(undoTime)
	if !w.status("carol").Verified {
		t.Errorf("%+v", w.read(c.ID))
	}
	// What fails is tried less and less often.
	due, err := w.store.DueCases(t.Context(), w.now().Add(dueLease/2), time.Second, 10)
	if err != nil || len(due) != 0 {
		t.Errorf("%d cases are due again at once, %v", len(due), err)
	}
}

// What is over is removed: proofs when they are free, cases when Config.Keep is over.
func TestRemoveEnded(t *testing.T) {
	for _, keep := range []time.Duration{100 * day, -1} {
		w := newWorld(t, oneOf("a"), func(c *Config) { c.Keep = keep })
		c := w.saying(w.begin("alice", "a"), "accept with row 7")
		remove := func() {
			for {
				removed := testkit.Must(companion{w.Service}.RemoveEnded(t.Context(), w.now(), 10))(t)
				if removed == 0 {
					return
				}
			}
		}
		left := func() (proofs int, there bool) {
			bound, err := w.store.Fingerprints(t.Context(), "student", "roster", storage.Digest{}, 10)
			testkit.OK(t, err)
			_, err = w.store.Case(t.Context(), c.ID)
			return len(bound), err == nil
		}
		w.pass(200 * day)
		remove()
		if proofs, there := left(); proofs != 1 || !there {
			t.Errorf("keep %v: a membership in force lost its case or proof: %d, %v", keep, proofs, there)
		}
		testkit.Must(w.RevokeCase(t.Context(), c.ID, ""))(t)
		w.pass(heldProof)
		remove()
		if proofs, there := left(); proofs != 0 || there != (keep < 0) {
			t.Errorf("keep %v: left are %d proofs, the case: %v", keep, proofs, there)
		}
	}
}
