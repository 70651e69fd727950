package verification

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// program is a newer program on the same store.
func (w *world) program(policies Policies) {
	w.t.Helper()
	s := testkit.Must(New(Config{Provider: w.id, Store: w.store, Policies: policies, Blobs: w.Blobs, Mailer: w.mails, Logger: w.Logger, Clock: w.now}))(w.t)
	w.Service = s
}

// refuses fails unless a decision about a case is refused for its kind.
func (w *world) refuses(c RecordedCase, d Decision) {
	w.t.Helper()
	var wrong *provider.FieldError
	c = w.take(rita, c.ID)
	if _, err := w.Decide(w.t.Context(), rita, c.ID, c.Version, d); !errors.As(err, &wrong) || wrong.Field != "Kind" {
		w.t.Errorf("%s: %v", d.Kind, err)
	}
}

func TestPolicyThatIsGone(t *testing.T) {
	short := oneOf("a")
	short[0].Holds = func(_ string, verified time.Time) time.Time { return verified.Add(7 * day) }
	other := Policies{{Group: "teacher", Rule: By(scripted("a"))}}
	override := Decision{Kind: storage.DecisionOverride, Note: "known to the dean"}
	t.Run("ApprovesNothing", func(t *testing.T) {
		w := newWorld(t, short)
		c, decided := w.inReview("alice"), w.inReview("bob")
		w.deciding(ron, decided.ID, approving)
		w.program(other)
		w.refuses(c, Decision{Kind: storage.DecisionApprove})
		w.refuses(c, override)
		w.pass(undoTime)
		if c = w.read(decided.ID); c.State != storage.CaseReview || c.Waiting == nil || w.status("bob").Verified {
			t.Fatalf("%+v", c)
		}
		w.program(short) // that of a newer program, which an older one has seen
		if c = w.read(decided.ID); c.State != storage.CaseApproved || !w.status("bob").ExpiresAt.Equal(w.now().Add(7*day)) {
			t.Errorf("%+v %+v", c, w.status("bob"))
		}
	})
	t.Run("EndsItsCases", func(t *testing.T) {
		w := newWorld(t, short)
		open, waiting, declined := w.begin("alice", "a"), w.inReview("bob"), w.inReview("carol")
		w.program(other)
		w.deciding(ron, declined.ID, declining)
		w.pass(undoTime)
		if c := w.read(declined.ID); c.State != storage.CaseDeclined {
			t.Errorf("%+v", c)
		}
		w.pass(14 * day)
		for _, id := range []string{open.ID, waiting.ID} {
			if c := w.read(id); c.State != storage.CaseExpired || len(c.Reasons) != 1 || c.Reasons[0] != ReasonPolicyEnded {
				t.Errorf("%+v", c)
			}
		}
	})
}

// A reviewer who is not asked what a file must show has not answered.
func TestMethodThatIsRenamed(t *testing.T) {
	document := func(name string) Policies {
		v := scripted(name)
		v.Upload = []Requirement{{Name: "card", Title: Text{English: "Card"}, Must: []Text{{English: "The name can be read."}}}}
		return Policies{{Group: "student", Rule: By(v)}}
	}
	blobs := testkit.Must(Folder(filepath.Join(t.TempDir(), "evidence")))(t)
	w := newWorld(t, document("a"), func(c *Config) { c.Blobs = blobs })
	c := w.inReview("alice")
	w.program(document("b"))
	w.refuses(c, approving)
	u, err := w.Review(t.Context(), rita, c.ID)
	if err != nil || !u.NeedsOverride {
		t.Errorf("%+v, %v", u, err)
	}
	for _, by := range []storage.Reviewer{rita, ron} {
		w.deciding(by, c.ID, Decision{Kind: storage.DecisionOverride, Note: "the card was seen", Subgroups: []string{"University"}})
		w.pass(undoTime)
	}
	if c = w.read(c.ID); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
}

func TestWithdrawal(t *testing.T) {
	t.Run("EscapesNoDecision", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.inReview("alice")
		w.deciding(rita, c.ID, declining)
		w.withdraws(c)
		if c = w.read(c.ID); c.State != storage.CaseDeclined || w.mails.kinds() != "verification_news" {
			t.Errorf("%+v", c)
		}
		w.barred("alice", retryAfter)
	})
	t.Run("InReviewIsATry", func(t *testing.T) {
		policies := oneOf("a")
		policies[0].Tries = Tries{Short: 4, Long: 100}
		w := newWorld(t, policies)
		for range 2 {
			w.withdraws(w.inReview("alice"))
		}
		c := w.begin("alice", "")
		var limit LimitError
		if _, err := w.choose(t.Context(), "alice", c.ID, c.Version, "a"); !errors.As(err, &limit) {
			t.Errorf("a fifth try: %v", err)
		}
		w.withdraws(c) // whatever the limit
	})
}
