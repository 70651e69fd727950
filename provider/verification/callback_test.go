package verification

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// elsewhere is another side: it answers Fetch with the words of a scripted verifier, by
// reference, and its callbacks carry a secret instead of a signature.
type elsewhere struct {
	mu        sync.Mutex
	outcomes  map[string]string
	down      bool
	forgotten []string
}

func (e *elsewhere) decide(reference, words string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.outcomes == nil {
		e.outcomes = map[string]string{}
	}
	e.outcomes[reference] = words
}

func (e *elsewhere) verifier(name, secret string) Verifier {
	v := scripted(name)
	v.Receive = func(_ context.Context, r *http.Request, body []byte) (Message, error) {
		if r.Header.Get("Authorization") != secret {
			return Message{}, errScript
		}
		id, reference, _ := strings.Cut(string(body), " ")
		return Message{ID: id, Reference: reference}, nil
	}
	v.Fetch = func(_ context.Context, reference string) ([]byte, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.down {
			return nil, errScript
		}
		words := e.outcomes[reference]
		if words == "" {
			words = "wait " + reference
		}
		return []byte(words), nil
	}
	v.Forget = func(_ context.Context, reference string) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.down {
			return errScript
		}
		e.forgotten = append(e.forgotten, reference)
		return nil
	}
	return v
}

// post sends a callback, and returns the status of the answer.
func (w *world) post(method, secret, body string) int {
	w.t.Helper()
	r := testkit.Must(http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL+"/verification/callback/"+method, strings.NewReader(body)))(w.t)
	r.Header.Set("Authorization", secret)
	answer, err := w.server.Client().Do(r)
	testkit.OK(w.t, err)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// away is a case of a user who was sent elsewhere with a reference.
func (w *world) away(user, reference string) RecordedCase {
	w.t.Helper()
	c := w.saying(w.begin(user, "office"), "go "+reference)
	if goTo, ok := c.Step.(GoTo); !ok || goTo.Reference != reference {
		w.t.Fatalf("%+v", c.Step)
	}
	return c
}

const officeSecret = "whsec_right"

func newElsewhere(t *testing.T) (*world, *elsewhere) {
	e := &elsewhere{}
	return newWorld(t, Policies{{Group: "student", Rule: AnyOf(By(e.verifier("office", officeSecret)), By(scripted("a")))}}), e
}

// Threat 7: a forged callback.
func TestForgedCallback(t *testing.T) {
	w, office := newElsewhere(t)
	c := w.away("alice", "r1")
	if got := w.post("office", "whsec_wrong", "m1 r1"); got != http.StatusUnauthorized {
		t.Errorf("a wrong signature gets %d", got)
	}
	if got := w.post("office", officeSecret, "m1 r1"); got != http.StatusNoContent {
		t.Errorf("a right signature gets %d", got)
	}
	if c = w.read(c.ID); c.State == storage.CaseApproved {
		t.Error("the callback decides, and not what is fetched")
	}
	office.decide("r1", "accept")
	w.post("office", "whsec_wrong", "m2 r1")
	if c = w.read(c.ID); c.State == storage.CaseApproved {
		t.Error("a forged callback wakes")
	}
	if got := w.post("office", officeSecret, strings.Repeat("x", maxCallback+1)); got != http.StatusRequestEntityTooLarge {
		t.Errorf("a large one gets %d", got)
	}
	if got := w.post("a", officeSecret, "m2 r1"); got != http.StatusNotFound {
		t.Errorf("a method without callbacks gets %d", got)
	}
	answer := testkit.Must(w.server.Client().Get(w.server.URL + "/verification/callback/office"))(t)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET gets %d", answer.StatusCode)
	}
}

// Threats 8 and 9: repeated, reordered, late callbacks, and those about others.
func TestRepeatedCallback(t *testing.T) {
	t.Run("AnswersTheSameForKnownAndUnknown", func(t *testing.T) {
		w, _ := newElsewhere(t)
		w.away("alice", "r1")
		for _, body := range []string{"m1 r1", "m1 r1", "m2 unknown"} {
			if got := w.post("office", officeSecret, body); got != http.StatusNoContent {
				t.Errorf("%s gets %d", body, got)
			}
		}
	})
	t.Run("AnEarlierAttemptLands", func(t *testing.T) {
		w, office := newElsewhere(t)
		c := w.away("alice", "r1")
		c = testkit.Must(w.stepBack(t.Context(), "alice", c.ID, c.Version))(t)
		w.saying(w.choosing(c, "office"), "go r2")
		office.decide("r1", "refuse")
		w.post("office", officeSecret, "m1 r1")
		if c = w.read(c.ID); c.State != storage.CaseOpen || c.Methods[0].State != string(checkAsked) {
			t.Errorf("the former attempt ends the present one: %+v", c)
		}
		office.decide("r1", "accept with row 1")
		w.post("office", officeSecret, "m2 r1")
		if c = w.read(c.ID); c.State != storage.CaseApproved {
			t.Errorf("the former attempt is lost: %+v", c)
		}
	})
	t.Run("AFinalCaseStays", func(t *testing.T) {
		w, office := newElsewhere(t)
		c := w.away("alice", "r1")
		testkit.OK(t, w.Withdraw(t.Context(), "alice", c.ID))
		office.decide("r1", "accept")
		if got := w.post("office", officeSecret, "m1 r1"); got != http.StatusNoContent {
			t.Error(got)
		}
		next := w.away("alice", "r2")
		w.post("office", officeSecret, "m2 r1")
		if c = w.read(c.ID); c.State != storage.CaseWithdrawn || w.status("alice").Verified || w.read(next.ID).State != storage.CaseOpen {
			t.Errorf("%+v", c)
		}
	})
	t.Run("AReferenceIsOfOneCaseAndMethod", func(t *testing.T) {
		w, office := newElsewhere(t)
		c := w.away("alice", "r1")
		bob := w.begin("bob", "office")
		if _, err := w.answer(t.Context(), "bob", bob.ID, bob.Version, map[string]string{"say": "go r1"}); !errors.Is(err, errVerifier) {
			t.Errorf("a reference is taken over: %v", err)
		}
		office.decide("r1", "accept")
		w.post("office", officeSecret, "m1 r1")
		if w.status("bob").Verified || !w.status("alice").Verified {
			t.Errorf("%+v", w.read(c.ID))
		}
	})
	t.Run("ACallbackOfAnotherPolicyIsNone", func(t *testing.T) {
		e := &elsewhere{}
		w := newWorld(t, Policies{
			{Group: "student", Rule: By(e.verifier("office", officeSecret))},
			{Group: "teacher", Rule: By(e.verifier("office", "whsec_other"))},
		})
		w.away("alice", "r1")
		e.decide("r1", "accept")
		if got := w.post("office", "whsec_other", "m1 r1"); got != http.StatusNoContent {
			t.Error(got)
		}
		if w.status("alice").Verified {
			t.Error("the secret of one group wakes a case of another")
		}
	})
}

// A callback that comes while the other side cannot be asked is not lost.
func TestCallbackWhileTheOtherSideFails(t *testing.T) {
	w, office := newElsewhere(t)
	c := w.away("alice", "r1")
	office.decide("r1", "accept")
	office.down = true
	if got := w.post("office", officeSecret, "m1 r1"); got != http.StatusNoContent {
		t.Errorf("gets %d", got)
	}
	w.pass(time.Second)
	office.down = false
	w.pass(time.Hour)
	if got := w.read(c.ID); got.State != storage.CaseApproved {
		t.Errorf("%+v", got)
	}
}

// Threat 10: to come back decides nothing.
func TestReturnDecidesNothing(t *testing.T) {
	w, _ := newElsewhere(t)
	c := w.away("alice", "r1")
	if _, err := w.comeBack(t.Context(), "bob", c.ID, map[string]string{"approved": "1"}); !errors.Is(err, ErrNoCase) {
		t.Errorf("somebody else comes back: %v", err)
	}
	c, err := w.comeBack(t.Context(), "alice", c.ID, map[string]string{"approved": "1"})
	if err != nil || c.State != storage.CasePending || w.status("alice").Verified {
		t.Errorf("%+v, %v", c, err)
	}
}

// Threat 25: the other side forgets, and is asked until it does.
func TestForgetElsewhere(t *testing.T) {
	w, office := newElsewhere(t)
	c := w.away("alice", "r1")
	office.decide("r1", "accept")
	w.post("office", officeSecret, "m1 r1")
	office.down = true
	w.pass(time.Second)
	if len(office.forgotten) != 0 {
		t.Fatal("forgotten while it fails")
	}
	office.down = false
	w.pass(dueLease)
	w.pass(dueLease)
	if len(office.forgotten) != 1 || office.forgotten[0] != "r1" {
		t.Errorf("forgotten: %v, %+v", office.forgotten, w.read(c.ID))
	}
	w.away("bob", "r2")
	office.down = true
	testkit.OK(t, w.id.Accounts().Delete(t.Context(), "bob"))
	left, err := w.store.Cases(t.Context(), storage.CaseFilter{Subject: "bob"})
	if _, gone := w.id.Accounts().Get(t.Context(), "bob"); err != nil || len(left) > 0 || !errors.Is(gone, provider.ErrNoUser) {
		t.Errorf("who is deleted waits for the other side: %d cases, %v, %v", len(left), err, gone)
	}
	w.sweep(t.Context())
	office.down = false
	w.pass(dueLease)
	w.sweep(t.Context())
	if len(office.forgotten) != 2 || office.forgotten[1] != "r2" {
		t.Errorf("a deleted account is not forgotten elsewhere: %v", office.forgotten)
	}
	w.pass(day)
	w.sweep(t.Context())
	if len(office.forgotten) != 2 {
		t.Errorf("forgotten again: %v", office.forgotten)
	}
}

func TestReport(t *testing.T) {
	w, _ := newElsewhere(t)
	c := w.begin("alice", "office")
	if _, err := w.Report(t.Context(), c.ID, "office", Accept{}); !errors.Is(err, ErrNotNow) {
		t.Errorf("reported before the person was sent there: %v", err)
	}
	c = w.saying(c, "go r1")
	for _, wrong := range []Result{Ask{}, nil, Accept{Subgroups: []string{"Kindergarten"}}} {
		if _, err := w.Report(t.Context(), c.ID, "office", wrong); err == nil {
			t.Errorf("%#v is reported", wrong)
		}
	}
	c, err := w.Report(t.Context(), c.ID, "office", Accept{Subgroups: []string{"University"}})
	if err != nil || c.State != storage.CaseApproved {
		t.Errorf("%+v, %v", c, err)
	}
}

// Threat 30: calls that never return hold up nobody for long.
func TestVerifierThatHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a call may")
	}
	hangs := scripted("hangs")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hangs.Next = func(context.Context, *Case, Event) (Result, error) {
		<-release
		return nil, nil
	}
	w := newWorld(t, Policies{{Group: "student", Rule: AnyOf(By(hangs), By(scripted("a")))}})
	c := w.begin("alice", "")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := w.choose(ctx, "alice", c.ID, c.Version, "hangs"); !errors.Is(err, errVerifier) {
		t.Errorf("%v", err)
	}
	if c := w.saying(w.choosing(w.read(c.ID), "a"), "accept"); c.State != storage.CaseApproved {
		t.Errorf("%+v", c)
	}
}
