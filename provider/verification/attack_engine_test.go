package verification

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// everything returns what the database files, the log, the events and the mails to others
// hold.
func (w *world) everything() map[string]string {
	w.t.Helper()
	found := map[string]string{"log": w.log.String()}
	files, err := filepath.Glob(filepath.Dir(w.path) + "/*")
	if err != nil || len(files) == 0 {
		w.t.Fatal(files, err)
	}
	for _, file := range files {
		content := testkit.Must(os.ReadFile(file))(w.t)
		found[filepath.Base(file)] = string(content)
	}
	events := testkit.Must(w.id.Events().List(w.t.Context(), provider.EventFilter{}))(w.t)
	found["events"] = fmt.Sprintf("%+v", events)
	return found
}

// Threats 17 and 25: a stolen database, a log, an event tells nothing of a case.
func TestCanaries(t *testing.T) {
	const (
		address = "canary-address@uni.example"
		row     = "canary-row-4711"
		secret  = "canary-memory"
		note    = "canary-note"
		name    = "Canaryname"
	)
	w := newWorld(t, oneOf("a", "b"))
	c := w.saying(w.begin("alice", "a"), "code "+address)
	var code string
	for _, mail := range w.mails.take() {
		if mail.To == address {
			code = mail.Code
		}
	}
	w.saying(w.begin("bob", "a"), "remember "+secret)
	testkit.Must(w.enterCode(t.Context(), "alice", c.ID, c.Version, code))(t)
	w.saying(w.begin("carol", "a"), "accept as Carol "+name)
	reviewed := w.begin("carol", "")
	w.deciding(rita, reviewed.ID, Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonAltered, ReasonOther}, Note: note})
	w.pass(undoTime)
	bob := w.begin("bob", "")
	_, err := w.answer(t.Context(), "bob", bob.ID, bob.Version, map[string]string{"say": "accept with " + row})
	testkit.OK(t, err)
	if w.read(bob.ID).State != storage.CaseApproved || w.read(reviewed.ID).State != storage.CaseDeclined {
		t.Fatal("the cases did not end as they should")
	}
	for where, content := range w.everything() {
		for _, canary := range []string{address, "canary-address", row, secret, note, name, string(ReasonAltered), " " + code + " "} {
			if strings.Contains(content, canary) {
				t.Errorf("%s holds %q", where, canary)
			}
		}
	}
	for _, mail := range w.mails.take() {
		for _, word := range []string{"tudent", "approved", "declined", note, row} {
			if strings.Contains(mail.Subject+mail.Text+mail.HTML, word) {
				t.Errorf("the mail %s says %q", mail.Kind, word)
			}
		}
	}
}

// Threat 9, by the record: whoever can write to the database, and not read it, cannot give a
// case to somebody else.
func TestMovedRow(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	alice := w.saying(w.begin("alice", "a"), "accept")
	bob := w.begin("bob", "a")
	stored := testkit.Must(w.store.Case(t.Context(), alice.ID))(t)
	testkit.OK(t, w.store.PostponeCase(t.Context(), bob.ID, bob.Version, time.Time{}, stored.Content))
	if _, err := w.Case(t.Context(), bob.ID); !errors.Is(err, provider.ErrSealed) {
		t.Errorf("another case's content opens: %v", err)
	}
}

// Threat 21: what is pending or declined is never released as verified, nor what was asked
// for in place of what was found.
func TestNothingButAnApprovalVerifies(t *testing.T) {
	w := newWorld(t, oneOf("a", "b"))
	for user, words := range map[string]string{"alice": "review", "bob": "wait r1", "carol": "refuse"} {
		w.saying(w.begin(user, "a"), words)
		if w.status(user).Verified {
			t.Errorf("%s is verified by %q", user, words)
		}
	}
	c := w.begin("alice", "")
	w.deciding(rita, c.ID, Decision{Kind: storage.DecisionApprove, Subgroups: []string{"High School"}})
	w.pass(undoTime)
	if got := w.status("alice"); !got.Verified || len(got.Subgroups) != 1 || got.Subgroups[0] != "High School" {
		t.Errorf("%+v", got)
	}
	if got, err := w.id.People().Statuses(t.Context(), "alice", "teacher"); err != nil || got[0].Verified {
		t.Errorf("%+v, %v", got, err)
	}
}

// Threat 22: a check counts in its own case and group alone.
func TestCheckOfAnotherCase(t *testing.T) {
	student, teacher := allOf("a", "b")[0], allOf("a", "b")[0]
	teacher.Group = "teacher"
	w := newWorld(t, Policies{student, teacher})
	c := w.saying(w.begin("alice", "a"), "accept")
	testkit.OK(t, w.Withdraw(t.Context(), "alice", c.ID))
	w.pass(time.Second)
	again := w.begin("alice", "")
	if len(again.Choices) != 2 {
		t.Errorf("a withdrawn case's check counts: %+v", again)
	}
	other, _, err := w.Start(t.Context(), Request{UserID: "alice", Group: "teacher"})
	if err != nil || len(other.Choices) != 2 {
		t.Errorf("another group's check counts: %+v, %v", other, err)
	}
}

// Threat 24: what people are told teaches no forger.
func TestNoOracle(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	w.saying(w.begin("alice", "a"), "accept with row 7")
	taken := w.saying(w.begin("bob", "a"), "accept with row 7")
	named := w.saying(w.begin("carol", "a"), "accept as Mallory Forger")
	if taken.State != named.State || len(taken.Reasons) != 0 || len(named.Reasons) != 0 {
		t.Errorf("a taken proof and another name differ: %+v, %+v", taken, named)
	}
	waits := map[time.Duration]bool{}
	for user, reason := range map[string]Reason{"bob": ReasonTaken, "carol": ReasonGenerated} {
		c := w.begin(user, "")
		w.deciding(rita, c.ID, Decision{Kind: storage.DecisionDecline, Reasons: []Reason{reason}})
		w.pass(undoTime)
		c = w.read(c.ID)
		waits[c.RetryFrom.Sub(c.EndedAt)] = true
		if c.Reasons[0].Public() != ReasonOther {
			t.Errorf("%s is told", reason)
		}
	}
	if len(waits) != 1 {
		t.Errorf("the time until another case tells the reason: %v", waits)
	}
}

// Threat 30: one person does not flood the queue.
func TestFloodedQueue(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	var limit LimitError
	for i := range 100 {
		c, _, err := w.Start(t.Context(), Request{UserID: "alice", Group: "student"})
		if errors.As(err, &limit) {
			if i < startLimit.Burst {
				t.Errorf("after %d", i)
			}
			return
		}
		testkit.OK(t, err)
		testkit.OK(t, w.Withdraw(t.Context(), "alice", c.ID))
		w.pass(time.Second)
	}
	t.Error("a hundred cases of one person in two minutes")
}

// TestExport: a person reads their cases, and not what reviewers say among themselves.
func TestExport(t *testing.T) {
	w := newWorld(t, oneOf("a"))
	c := w.inReview("alice")
	w.deciding(rita, c.ID, Decision{Kind: storage.DecisionDecline, Reasons: []Reason{ReasonGenerated}, Note: "looks drawn"})
	w.pass(undoTime)
	got := testkit.Must(companion{w.Service}.Export(t.Context(), "alice"))(t)
	list := got["verifications"].([]exportedCase)
	if len(list) != 1 || list[0].State != "declined" || list[0].Reasons[0] != ReasonOther {
		t.Errorf("%+v", list)
	}
	if text := fmt.Sprintf("%+v", got); strings.Contains(text, "drawn") || strings.Contains(text, "rita") {
		t.Error(text)
	}
}
