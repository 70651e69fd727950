package verification

import (
	"context"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// simulated is the outcome of a case that its person chooses in a sandbox, where nobody is
// real and no reviewer is waited for.
type simulated struct{ outcome screens.Outcome }

func (simulated) input() {}

// simulationSource is what people read as the source of a membership that a sandbox made up.
const simulationSource = "Sandbox"

// simulated gives the case the outcome, as if its methods and reviewers had.
func (t transition) simulated(in simulated, at time.Time) (transition, bool) {
	t.k.Waiting, t.k.Vouched = nil, true
	switch in.outcome {
	case screens.OutcomeApproved:
		t.simulateAccept(at)
		return t.accept(at), true
	case screens.OutcomeSentBack:
		t.simulateFailure()
		return t.open(at), true
	case screens.OutcomeReview:
		return t.review(review{}, at), t.c.State != storage.CaseReview
	case screens.OutcomeDeclined:
		t.news = true
		return t.end(storage.CaseDeclined, at, ReasonNotInGroup), true
	case screens.OutcomeExpired:
		t.news = true
		return t.end(storage.CaseExpired, at), true
	default:
		return transition{}, false
	}
}

// simulateAccept has the present method accept and, as long as that is not enough, the others.
func (t *transition) simulateAccept(at time.Time) {
	for _, method := range slices.Concat([]string{t.c.Method}, t.k.Terms.Rule.methods()) {
		if method == "" || t.k.Terms.Rule.verdict(t.k.state) == accepted {
			continue
		}
		k := t.simulatedCheck(method)
		k.State, k.Step, k.Reasons = checkAccepted, nil, nil
		k.Found = &finding{Source: simulationSource, Method: method, At: at}
	}
}

// simulateFailure has the present method ask for another try.
func (t *transition) simulateFailure() {
	method := t.c.Method
	if method == "" {
		method = t.k.Terms.Rule.methods()[0]
	}
	k := t.simulatedCheck(method)
	k.State, k.Step, k.Reasons = checkFailed, nil, []Reason{ReasonUnreadable}
	t.c.Method, t.k.Reasons = "", k.Reasons
}

func (t *transition) simulatedCheck(method string) *check {
	if k := t.k.check(method); k != nil {
		return k
	}
	t.k.Checks = append(t.k.Checks, check{Method: method, Attempt: 1})
	return &t.k.Checks[len(t.k.Checks)-1]
}

// sandboxRoutes are the addresses that only a sandbox has.
func (s *casePages) sandboxRoutes() []route {
	if !s.Provider.Rooms().Installation().Sandbox {
		return nil
	}
	return []route{{"/case/{id}/sandbox", s.page(s.simulate)}}
}

// simulate gives the person's case the outcome of the pressed button.
func (s *casePages) simulate(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if !r.posts() {
		return provider.ErrScreenNotFound
	}
	_, err = s.caseSteps.personAct(r.context(), c.ID, action{
		fits: owned(r.User.UserID, r.version()),
		input: func(context.Context, storage.Case, content) (input, string, error) {
			return simulated{screens.Outcome(r.posted(ui.FieldAction))}, "", nil
		},
	})
	return s.answered(r, c, err)
}

// simulation returns the buttons of a sandbox; nil in production, and for a case that has
// ended.
func (s *casePages) simulation(r *request, c RecordedCase) *screens.Simulation {
	if !s.Provider.Rooms().Installation().Sandbox || c.State.IsFinal() {
		return nil
	}
	form := s.formOf(r, c)
	form.Action = s.path("case", c.ID, "sandbox")
	outcomes := []screens.Outcome{screens.OutcomeApproved, screens.OutcomeSentBack, screens.OutcomeReview, screens.OutcomeDeclined, screens.OutcomeExpired}
	if c.State == storage.CaseReview {
		outcomes = slices.DeleteFunc(outcomes, func(o screens.Outcome) bool { return o == screens.OutcomeReview })
	}
	return &screens.Simulation{Form: form, Outcomes: outcomes}
}
