package verification

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
)

var t0 = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// situation is a state of a case, as something that happens finds it.
type situation struct {
	name string
	c    storage.Case
	k    content
}

// situations are all states of a case with the rule AnyOf(a, b), those included in which a
// decision waits.
func situations() []situation {
	base := func(name string, state storage.CaseState, checks ...check) situation {
		return situation{name, storage.Case{ID: "1", Subject: "alice", Group: "student", State: state, Version: 7, Method: "a"}, content{
			Terms: terms{
				Rule:      shape{Of: []shape{{Method: "a"}, {Method: "b"}}},
				Reviewers: 1, Finish: 14 * day, Promise: 2 * day, Keep: 7 * day,
			},
			Since: t0, Checks: checks,
		}}
	}
	asked := check{Method: "a", State: checkAsked, Attempt: 1, Step: &step{Code: &code{SentAt: t0}}}
	all := []situation{
		base("open", storage.CaseOpen),
		base("asked", storage.CaseOpen, asked),
		base("pending", storage.CasePending, check{Method: "a", State: checkWaiting, Attempt: 1, Step: &step{Wait: &Wait{}}}),
	}
	all[0].c.Method = ""
	reviewed := check{Method: "a", State: checkReview, Attempt: 1}
	review1 := base("review", storage.CaseReview, reviewed)
	review1.k.Review = &review{Method: "a"}
	second := base("second", storage.CaseReview, reviewed)
	second.k.Terms.Reviewers = 2
	second.k.Review = &review{Method: "a", Opinions: []opinion{{ID: "d0", Kind: storage.DecisionApprove, Reviewer: "rita", At: t0}}}
	all = append(all, review1, second)
	for _, kind := range []storage.DecisionKind{
		storage.DecisionApprove, storage.DecisionDecline, storage.DecisionAskAgain, storage.DecisionEscalate, storage.DecisionOverride,
	} {
		s := base("waiting "+string(kind), storage.CasePending, reviewed)
		s.k.Review = &review{Method: "a"}
		s.k.Waiting = &opinion{ID: "d1", Kind: kind, Reviewer: "ron", At: t0, Reasons: []Reason{ReasonAltered}}
		all = append(all, s)
	}
	for _, state := range []storage.CaseState{storage.CaseApproved, storage.CaseDeclined, storage.CaseWithdrawn, storage.CaseExpired} {
		all = append(all, base(string(state), state))
	}
	return all
}

// happenings are all inputs, at a time.
var happenings = []struct {
	name string
	in   input
	at   time.Time
}{
	{"ask", resulted{method: "a", result: Ask{}}, t0},
	{"code", resulted{method: "a", result: SendCode{}, code: &code{}}, t0},
	{"upload", resulted{method: "a", result: Upload{}}, t0},
	{"go", resulted{method: "a", result: GoTo{Reference: "r"}}, t0},
	{"wait", resulted{method: "a", result: Wait{Reference: "r"}}, t0},
	{"review", resulted{method: "a", result: Review{}}, t0},
	{"accept", resulted{method: "a", result: Accept{}, found: &finding{Method: "a"}}, t0},
	{"accept other name", resulted{method: "a", result: Accept{}, found: &finding{Method: "a", NameDiffers: true}}, t0},
	{"later", resulted{method: "a", result: Refuse{[]Reason{ReasonNotNow}}}, t0},
	{"refuse", resulted{method: "a", result: Refuse{[]Reason{ReasonNotInGroup}}}, t0},
	{"unknown method", resulted{method: "c", result: Accept{}, found: &finding{}}, t0},
	{"no result", resulted{method: "a"}, t0},
	{"step back", steppedBack{}, t0},
	{"mistype", mistyped{}, t0},
	{"approve", decided{opinion{Kind: storage.DecisionApprove}}, t0},
	{"recuse", decided{opinion{Kind: storage.DecisionRecuse}}, t0},
	{"undo", undone{}, t0.Add(9 * time.Second)},
	{"undo late", undone{}, t0.Add(undoTime)},
	{"carry out early", carriedOut{}, t0.Add(9 * time.Second)},
	{"carry out", carriedOut{}, t0.Add(undoTime)},
	{"withdraw", withdrew{}, t0},
	{"run out early", ranOut{}, t0.Add(13 * day)},
	{"run out", ranOut{}, t0.Add(14 * day)},
	{"policy ends", policyEnded{}, t0},
}

// TestAdvance has what becomes of a case in each situation, whatever happens; a dash where
// nothing does.
func TestAdvance(t *testing.T) {
	const no = "-"
	results := func(ask, wait, review, accept, other, later, refuse string) []string {
		return []string{ask, ask, ask, ask, wait, review, accept, other, later, refuse, no, no}
	}
	want := map[string][]string{
		// step back, mistype | approve, recuse | undo, late | carry out early, carry out | withdraw, run out early, run out, policy
		"open":    append(results("open", "pending", "review", "approved", "review", "open", "open"), no, no, no, no, no, no, no, no, "withdrawn", no, "expired", "expired"),
		"asked":   append(results("open", "pending", "review", "approved", "review", "open", "open"), "open", "open", no, no, no, no, no, no, "withdrawn", no, "expired", "expired"),
		"pending": append(results("open", "pending", "review", "approved", "review", "open", "open"), no, no, no, no, no, no, no, no, "withdrawn", no, "expired", "expired"),

		"review": {no, no, no, no, no, no, no, no, no, no, no, no, no, no, "pending", "pending", no, no, no, no, "withdrawn", no, no, "expired"},
		"second": {no, no, no, no, no, no, no, no, no, no, no, no, no, no, "pending", "pending", no, no, no, no, "withdrawn", no, no, "expired"},
	}
	waiting := func(carriedOut, withdrawn string) []string {
		return []string{no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, "review", no, no, carriedOut, withdrawn, no, no, "expired"}
	}
	want["waiting approve"] = waiting("approved", "withdrawn")
	want["waiting decline"] = waiting("declined", "declined")
	want["waiting ask_again"] = waiting("open", "withdrawn")
	want["waiting escalate"] = waiting("review", "withdrawn")
	want["waiting override"] = waiting("review", "withdrawn") // another one has to agree
	nothing := slices.Repeat([]string{no}, len(happenings))
	for _, state := range []string{"approved", "declined", "withdrawn", "expired"} {
		want[state] = nothing
	}
	for _, s := range situations() {
		var got []string
		for _, h := range happenings {
			before := fmt.Sprintf("%+v %+v", s.c, s.k.Checks)
			result := no
			if n, ok := advance(s.c, s.k, h.in, h.at); ok {
				result = string(n.c.State)
				holds(t, s, h.name, n, h.at)
			}
			if after := fmt.Sprintf("%+v %+v", s.c, s.k.Checks); after != before {
				t.Errorf("%s, %s: changes its arguments", s.name, h.name)
			}
			got = append(got, result)
		}
		if diff := cmp.Diff(want[s.name], got); diff != "" {
			t.Errorf("%s: %s", s.name, diff)
		}
	}
}

// holds are the laws of every transition.
func holds(t *testing.T, s situation, happening string, n transition, at time.Time) {
	t.Helper()
	fail := func(what string) { t.Errorf("%s, %s: %s: %+v %+v", s.name, happening, what, n.c, n.k) }
	if n.c.ID != s.c.ID || n.c.Subject != s.c.Subject || n.c.Group != s.c.Group || n.c.Version != s.c.Version {
		fail("is another case")
	}
	if n.c.State.IsFinal() != !n.c.EndedAt.IsZero() || n.c.State.IsFinal() && !n.c.EndedAt.Equal(at) {
		fail("the end has another time")
	}
	if n.c.State.IsFinal() && (n.evidenceUntil.IsZero() || n.evidenceUntil.After(at.Add(n.k.Terms.Keep))) {
		fail("evidence is kept without end")
	}
	if n.c.State == storage.CaseReview && (n.k.Review == nil || n.c.DueAt.IsZero() && s.c.State != storage.CaseReview && s.k.Review == nil) {
		fail("a review of nothing")
	}
	if n.k.Waiting != nil && n.c.State != storage.CasePending {
		fail("a decision waits in a case that others can take up")
	}
	if n.c.State == storage.CaseApproved {
		_, accepts := n.k.Terms.Rule.found(n.k.check)
		overridden := s.k.Waiting != nil && s.k.Waiting.Kind == storage.DecisionOverride
		if !accepts && !overridden || n.k.Member == nil {
			fail("approved without an accepted method")
		}
	}
	if n.c.State.IsFinal() {
		for _, k := range n.k.Checks {
			if k.Memory != nil || k.Step != nil || k.Found != nil && k.Found.Name != nil {
				fail("keeps what nobody needs any more")
			}
		}
	}
}

// TestLaws walks through many cases at random.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	methods := []string{"a", "b", "c"}
	for range 3000 {
		s := situation{"random", storage.Case{ID: "1", State: storage.CaseOpen}, content{
			Terms: terms{Rule: randomRule(r, methods, 3), Reviewers: 1 + r.IntN(2), Finish: 14 * day, Promise: day, Keep: day}, Since: t0,
		}}
		at := t0
		if r.IntN(4) == 0 {
			s.c.Appeals = "0"
		}
		for range 12 {
			at = at.Add(time.Duration(r.IntN(20)) * time.Second)
			in := randomInput(r, methods, at)
			n, ok := advance(s.c, s.k, in, at)
			if !ok {
				continue
			}
			holds(t, s, fmt.Sprintf("%T", in), n, at)
			if s.c.State != n.c.State && s.c.State.IsFinal() {
				t.Errorf("a final case moves: %+v", n)
			}
			s.c, s.k = n.c, n.k
		}
		if t.Failed() {
			return
		}
	}
}

func randomRule(r *rand.Rand, methods []string, depth int) shape {
	if len(methods) == 1 || depth == 1 {
		return shape{Method: methods[0]}
	}
	cut := 1 + r.IntN(len(methods)-1)
	return shape{All: r.IntN(2) == 0, Of: []shape{randomRule(r, methods[:cut], depth-1), randomRule(r, methods[cut:], depth-1)}}
}

func randomInput(r *rand.Rand, methods []string, at time.Time) input {
	method := methods[r.IntN(len(methods))]
	results := []Result{Ask{}, Wait{}, Review{}, Accept{}, Accept{}, Refuse{[]Reason{ReasonNotNow}}, Refuse{[]Reason{ReasonNotInGroup}}}
	kinds := []storage.DecisionKind{storage.DecisionApprove, storage.DecisionDecline, storage.DecisionAskAgain, storage.DecisionEscalate, storage.DecisionRecuse}
	switch r.IntN(5) {
	case 0:
		return decided{opinion{Kind: kinds[r.IntN(len(kinds))], At: at, Reasons: []Reason{ReasonCropped}}}
	case 1:
		return carriedOut{}
	case 2:
		if r.IntN(2) == 0 {
			return steppedBack{}
		}
		return undone{}
	default:
		in := resulted{method: method, result: results[r.IntN(len(results))], anew: r.IntN(3) == 0}
		if _, ok := in.result.(Accept); ok {
			in.found = randomFinding(r, method)
		}
		return in
	}
}

var someSubgroups = []string{"x", "y", "z"}

func randomFinding(r *rand.Rand, method string) *finding {
	f := &finding{Method: method, Level: r.IntN(4), NameDiffers: r.IntN(5) == 0, Name: &Name{Family: "N"}}
	if r.IntN(2) == 0 {
		f.Until = t0.Add(time.Duration(1+r.IntN(1000)) * time.Hour)
	}
	for _, subgroup := range someSubgroups {
		if r.IntN(2) == 0 {
			f.Subgroups = append(f.Subgroups, subgroup)
		}
	}
	return f
}

// FuzzRules holds the laws of composition.
func FuzzRules(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkRules(t, rand.New(rand.NewPCG(a, b))) })
}

func TestRules(t *testing.T) {
	for seed := range uint64(2000) {
		checkRules(t, rand.New(rand.NewPCG(seed, 1)))
		if t.Failed() {
			return
		}
	}
}

func checkRules(t *testing.T, r *rand.Rand) {
	methods := []string{"a", "b", "c", "d"}
	rule := randomRule(r, methods, 3)
	states := []checkState{"", checkAsked, checkWaiting, checkReview, checkAccepted, checkFailed, checkRefused}
	checks := map[string]*check{}
	for _, method := range methods {
		k := &check{Method: method, State: states[r.IntN(len(states))]}
		if k.State == checkAccepted {
			k.Found = randomFinding(r, method)
		}
		checks[method] = k
	}
	of := func(method string) *check { return checks[method] }
	state := func(method string) checkState { return checks[method].State }
	verdict := rule.verdict(state)
	found, ok := rule.found(of)
	if ok != (verdict == accepted) {
		t.Fatalf("%+v: found %v, verdict %v", rule, ok, verdict)
	}
	if (len(rule.needs(state)) > 0) != (verdict == undecided) {
		t.Errorf("%+v: needs %v, verdict %v", rule, rule.needs(state), verdict)
	}
	// Without an accepted method nothing is accepted; without a refused one nothing is refused.
	any := func(want checkState) bool {
		return slices.ContainsFunc(methods, func(m string) bool { return state(m) == want })
	}
	if verdict == accepted && !any(checkAccepted) || verdict == refused && !any(checkRefused) {
		t.Errorf("%+v is %v by nothing", rule, verdict)
	}
	// One more accepted method never takes away what was accepted.
	method := methods[r.IntN(len(methods))]
	more := func(m string) checkState {
		if m == method {
			return checkAccepted
		}
		return state(m)
	}
	if verdict == accepted && rule.verdict(more) != accepted {
		t.Errorf("%+v: %s accepts, and the rule no longer does", rule, method)
	}
	if ok && rule.All {
		for _, part := range rule.Of {
			one, _ := part.found(of)
			if !one.Until.IsZero() && (found.Until.IsZero() || found.Until.After(one.Until)) || found.Level > one.Level {
				t.Errorf("AllOf has a later end or a higher level than one of its rules: %+v, %+v", found, one)
			}
			if one.NameDiffers && !found.NameDiffers {
				t.Errorf("AllOf loses that a name differs: %+v", rule)
			}
			for _, subgroup := range found.Subgroups {
				if len(one.Subgroups) > 0 && !slices.Contains(one.Subgroups, subgroup) {
					t.Errorf("AllOf has the subgroup %q, which one of its rules does not: %+v", subgroup, one)
				}
			}
		}
	}
}
