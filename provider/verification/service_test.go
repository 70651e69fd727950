package verification

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

func TestStart(t *testing.T) {
	t.Run("ReturnsTheOpenCase", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		first, created, err := w.Start(t.Context(), Request{UserID: "alice", Group: "student"})
		if err != nil || !created || first.State != storage.CaseOpen {
			t.Fatalf("%+v, %v, %v", first, created, err)
		}
		second, created, err := w.Start(t.Context(), Request{UserID: "alice", Group: "student", ClientID: "shop"})
		if err != nil || created || second.ID != first.ID || second.ClientID != "shop" {
			t.Errorf("%+v, %v, %v", second, created, err)
		}
		if kinds := w.mails.kinds(); kinds != "verification_started" {
			t.Errorf("mails: %q", kinds)
		}
	})
	t.Run("RefusesWhatHasNoPolicy", func(t *testing.T) {
		p := oneOf("a")
		p[0].Ended = true
		w := newWorld(t, p)
		for _, group := range []string{"student", "nurse", "unknown"} {
			if _, _, err := w.Start(t.Context(), Request{UserID: "alice", Group: group}); !errors.Is(err, ErrNoPolicy) {
				t.Errorf("%s: %v", group, err)
			}
		}
	})
	t.Run("RefusesAUserWithoutAccount", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		if _, _, err := w.Start(t.Context(), Request{UserID: "nobody", Group: "student"}); !errors.Is(err, provider.ErrNoUser) {
			t.Error(err)
		}
	})
}

func TestApproval(t *testing.T) {
	t.Run("RecordsTheStatusOfWhatWasFound", func(t *testing.T) {
		w := newWorld(t, oneOf("a", "b"))
		c := w.saying(w.begin("alice", "b"), "accept in University")
		if c.State != storage.CaseApproved || c.Method != "b" {
			t.Fatalf("%+v", c)
		}
		got := w.status("alice")
		want := provider.Status{
			Group: "student", Subgroups: []string{"University"}, Verified: true, VerifiedBy: w.name, VerifiedAt: w.now(),
			Source: "Script", Method: "record", ExpiresAt: w.now().AddDate(1, 0, 0), Origin: c.ID, Revision: got.Revision,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if kinds := w.mails.kinds(); kinds != "verification_started" {
			t.Errorf("mails to somebody who looks at the result: %q", kinds)
		}
	})
	t.Run("TakesAllOfAllOf", func(t *testing.T) {
		w := newWorld(t, allOf("a", "b"))
		c := w.saying(w.begin("alice", "a"), "accept in University")
		if c.State != storage.CaseOpen || w.status("alice").Verified {
			t.Fatalf("approved by half of the rule: %+v", c)
		}
		if diff := cmp.Diff([]string{"b"}, c.Choices); diff != "" {
			t.Error(diff)
		}
		c = w.saying(w.choosing(c, "b"), "accept in High School")
		if c.State != storage.CaseApproved || len(w.status("alice").Subgroups) != 0 {
			t.Errorf("the methods agree on no subgroup: %+v, %+v", c, w.status("alice"))
		}
	})
	t.Run("LeavesOtherMethodsAfterARefusal", func(t *testing.T) {
		w := newWorld(t, oneOf("a", "b"))
		c := w.saying(w.begin("alice", "a"), "refuse")
		if diff := cmp.Diff([]string{"b"}, c.Choices); diff != "" || c.State != storage.CaseOpen {
			t.Fatalf("%+v %s", c, diff)
		}
		if c = w.saying(w.choosing(c, "b"), "refuse"); c.State != storage.CaseDeclined {
			t.Errorf("%+v", c)
		}
		if status := w.status("alice"); status.Verified || status.Pending {
			t.Errorf("%+v", status)
		}
	})
	t.Run("LooksAtANameThatDiffers", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c := w.saying(w.begin("alice", "a"), "accept as Mallory Forger")
		if c.State != storage.CaseReview || !c.WholeCase || len(c.Facts) != 1 {
			t.Fatalf("%+v", c)
		}
		if status := w.status("alice"); status.Verified || !status.Pending {
			t.Errorf("%+v", status)
		}
		w.deciding(rita, c.ID, Decision{Kind: storage.DecisionApprove})
		w.pass(undoTime)
		if c = w.read(c.ID); c.State != storage.CaseApproved || !w.status("alice").Verified {
			t.Errorf("%+v", c)
		}
	})
	t.Run("LooksAtANameThatWasChangedAfterTheCheck", func(t *testing.T) {
		w := newWorld(t, allOf("a", "b"))
		c := w.saying(w.begin("alice", "a"), "accept as Alice Example")
		w.rename("alice", "Mallory", "Forger")
		if c = w.saying(w.choosing(c, "b"), "accept"); c.State != storage.CaseReview {
			t.Errorf("a name that was changed after the check is approved: %+v", c)
		}
	})
	t.Run("NeverShortensWhatARenewalHolds", func(t *testing.T) {
		p := oneOf("a")
		holds := 300 * day
		p[0].Holds = func(_ string, at time.Time) time.Time { return at.Add(holds) }
		w := newWorld(t, p)
		first := w.saying(w.begin("alice", "a"), "accept with 1")
		end := w.status("alice").ExpiresAt
		if _, _, err := w.Start(t.Context(), Request{UserID: "alice", Group: "student"}); !errors.Is(err, ErrNotNow) {
			t.Errorf("renewed before its time: %v", err)
		}
		w.pass(250 * day)
		holds = day
		c := w.begin("alice", "a")
		if !c.Renewal || !w.status("alice").Verified {
			t.Fatalf("%+v", c)
		}
		c = w.saying(c, "accept with 2")
		if got := w.status("alice"); !got.ExpiresAt.Equal(end) || got.Origin != c.ID {
			t.Errorf("%+v, want the end %v", got, end)
		}
		if ended, err := w.RevokeCase(t.Context(), first.ID, ""); ended || err != nil {
			t.Errorf("the former case still speaks of the membership: %v", err)
		}
		if !w.status("alice").Verified {
			t.Error("the end of the former membership ends the present one")
		}
	})
}

func TestDeclineOfARenewal(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	w.saying(w.begin("alice", "a"), "accept")
	w.pass(330 * day)
	if c := w.saying(w.begin("alice", "a"), "review"); !w.status("alice").Verified || w.status("alice").Pending {
		t.Fatalf("a renewal in review takes what holds: %+v", c)
	}
	c := w.begin("alice", "")
	w.deciding(rita, c.ID, declining)
	w.pass(undoTime)
	if c = w.read(c.ID); c.State != storage.CaseDeclined || !w.status("alice").Verified {
		t.Errorf("%+v %+v", c, w.status("alice"))
	}
}

func TestCode(t *testing.T) {
	sent := func(w *world) (RecordedCase, string) {
		c := w.saying(w.begin("alice", "a"), "code alice@uni.example")
		mails := w.mails.take()
		last := mails[len(mails)-1]
		if last.To != "alice@uni.example" || !mailedDigits.MatchString(last.Code) || strings.Contains(last.Subject+last.Text, "tudent") {
			w.t.Fatalf("%+v", last)
		}
		return c, last.Code
	}
	t.Run("ProvesTheAddress", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c, code := sent(w)
		if _, ok := c.Step.(SendCode); !ok {
			t.Fatalf("%+v", c.Step)
		}
		c, err := w.enterCode(t.Context(), "alice", c.ID, c.Version, code[:3]+" "+code[3:])
		if err != nil || c.State != storage.CaseApproved {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("CanBeTriedFiveTimes", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c, code := sent(w)
		var err error
		for range maxCodeTries {
			if c, err = w.enterCode(t.Context(), "alice", c.ID, c.Version, "000000x"); !errors.Is(err, errWrongCode) {
				t.Fatal(err)
			}
		}
		if _, err = w.enterCode(t.Context(), "alice", c.ID, c.Version, code); !errors.As(err, &LimitError{}) {
			t.Errorf("the right code after five wrong ones: %v", err)
		}
		c = testkit.Must(w.sendAgain(t.Context(), "alice", c.ID, c.Version))(t)
		another := w.mails.take()[0].Code
		if _, err := w.enterCode(t.Context(), "alice", c.ID, c.Version, code); code != another && !errors.Is(err, errWrongCode) {
			t.Errorf("the former code still fits: %v", err)
		}
		c = w.read(c.ID)
		if c, err = w.enterCode(t.Context(), "alice", c.ID, c.Version, another); err != nil || c.State != storage.CaseApproved {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("Ends", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		c, code := sent(w)
		w.pass(codeLife + time.Second)
		c = w.read(c.ID)
		if _, err := w.enterCode(t.Context(), "alice", c.ID, c.Version, code); !errors.Is(err, errWrongCode) {
			t.Error(err)
		}
	})
	t.Run("IsOfOneCase", func(t *testing.T) {
		w := newWorld(t, oneOf("a"))
		_, code := sent(w)
		c := w.saying(w.begin("bob", "a"), "code bob@uni.example")
		if other := w.mails.take(); other[len(other)-1].Code == code {
			t.Skip("both codes are the same by chance")
		}
		if _, err := w.enterCode(t.Context(), "bob", c.ID, c.Version, code); !errors.Is(err, errWrongCode) {
			t.Error(err)
		}
	})
}

func TestVerifierThatFails(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.begin("alice", "a")
	for _, word := range []string{"fail", "panic", "remember " + strings.Repeat("x", 400)} {
		if word[0] == 'r' {
			c = w.saying(c, word)
			continue
		}
		_, err := w.answer(t.Context(), "alice", c.ID, c.Version, map[string]string{"say": word})
		if !errors.Is(err, errVerifier) {
			t.Errorf("%s: %v", word, err)
		}
		if now := w.read(c.ID); now.Version != c.Version {
			t.Errorf("%s: the case has moved", word)
		}
	}
	if c = w.saying(c, "accept"); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
}

func TestTries(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.begin("alice", "a")
	for range 4 {
		c = w.choosing(w.saying(c, "later"), "a")
	}
	c = w.saying(c, "later")
	var limit LimitError
	if _, err := w.choose(t.Context(), "alice", c.ID, c.Version, "a"); !errors.As(err, &limit) || limit.Wait <= 0 {
		t.Errorf("a sixth try in six hours: %v", err)
	}
	if c := w.begin("bob", "a"); c.State != storage.CaseOpen {
		t.Error("the tries of one person are those of another")
	}
	w.pass(limit.Wait)
	w.choosing(w.read(c.ID), "a")
}
