package plans

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
)

// checkers is how many targets are looked at together.
const checkers = 8

// maxNote is the length of a note, in characters.
const maxNote = 1000

// Why is why a target is left out of a list, or skipped.
type Why string

// The reasons. The void reasons of actions are others.
const (
	// WhyGone means that there is no such target, or not any longer.
	WhyGone Why = "gone"
	// WhyChanged means that the target is not what it was when the plan was proposed.
	WhyChanged Why = "changed"
	// WhySelf means that the target is somebody who decides about the plan.
	WhySelf Why = "self"
	// WhyProtected means that the target works here, and not both who decide are operators.
	WhyProtected Why = "protected"
	// WhyRefused means that the action cannot be done to the target.
	WhyRefused Why = "refused"
	// WhyFailed means that it was tried several times, and failed.
	WhyFailed Why = "failed"
)

// Request is what somebody wants to plan.
type Request struct {
	Action string
	// Targets are the IDs, in their order; that of the service is "service". One that is
	// named twice counts once.
	Targets []string
	Values  map[string]string
	// Reason is one of the list of the desk, Note what who approves should know.
	Reason, Note string
	// Matter is the open matter about the person, and Proof what the caller has proved in it;
	// for a plan about one person.
	Matter string
	Proof  storage.CallerProof
	// Locale is the language in which effects are told.
	Locale string
}

// Draft is a plan that is not proposed yet: what a dry run has found.
type Draft struct {
	Request
	Rule action.Rule
	// Targets are those that it would act on.
	Targets []storage.PlanTarget
	// Left is what it would not act on, Facts what would happen to all together.
	Left  []Left
	Facts []action.Fact
	// Digest is of all that was looked at. Reason and note are what its author says to it.
	Digest storage.Digest

	// Answer returns what a repetition of a client's request gets, which is recorded with the
	// plan; nil for none.
	Answer func(storage.Plan) (*storage.Answer, error)

	plan    storage.Plan
	content content
}

// ServiceTarget stands for the provider itself, which has no ID.
const ServiceTarget = "service"

// Draft looks at what a plan would do, and changes nothing. A value or a list that is wrong is a
// provider.FieldError with the name of its field, which for the list is "targets". ErrForbidden
// if the member may not propose it, ErrNotPlanned if it is no plan.
func (s *Service) Draft(ctx context.Context, by Member, r Request) (Draft, error) {
	a, err := s.plannable(by, r)
	if err != nil {
		return Draft{}, err
	}
	r.Targets = unique(r.Targets)
	if err := checkRequest(a, r); err != nil {
		return Draft{}, err
	}
	if !a.Eyes && len(r.Targets) == 1 && a.Target == action.Person {
		standing, err := s.Frame.StandingOf(ctx, by.staffID(), by.As, r.Targets[0])
		if err != nil {
			return Draft{}, err
		}
		if standing == frame.Anybody && !a.Bulk {
			return Draft{}, ErrNotPlanned
		}
	}
	of := storage.Plan{Action: a.Name, Kind: string(a.Target), Targets: len(r.Targets)}
	if err := s.looked(ctx, by, r.Matter, "draft of a plan", of, []storage.PlanTarget{{ID: r.Targets[0]}}); err != nil {
		return Draft{}, err
	}
	looked, err := s.look(ctx, by, a, r)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{Request: r, Rule: a.Rule}
	d.collect(looked)
	d.plan = storage.Plan{
		Action: a.Name, Kind: string(a.Target), ProposedBy: by.Name, ProposedAs: by.As, Targets: len(d.Targets),
	}
	d.content = content{Values: r.Values, Matter: r.Matter, Proof: r.Proof, Facts: d.Facts, Left: d.Left}
	d.Digest = s.digest(d.plan, d.content, s.bind("", d.Targets))
	d.plan.Reason, d.content.Note = r.Reason, r.Note
	return d, nil
}

// plannable returns the action of a request if the member may propose it. What is shown is for
// who has asked alone: no plan shows anything.
func (s *Service) plannable(by Member, r Request) (action.Action, error) {
	a, ok := s.Book.Action(r.Action)
	switch {
	case !ok, !by.Staff.Is(a.Roles...):
		return action.Action{}, ErrForbidden
	case a.Name == action.ShowValue, a.Name == action.ShowSensitive:
		return action.Action{}, ErrNotPlanned
	case len(r.Targets) > 1 && !a.Bulk, !a.Eyes && !a.Bulk && a.Target != action.Person:
		return action.Action{}, ErrNotPlanned
	case !by.Staff.Operates() && (len(r.Targets) > 1 || a.Eyes):
		return action.Action{}, ErrForbidden
	}
	return a, nil
}

// checkRequest returns what is wrong with the form of a request.
func checkRequest(a action.Action, r Request) error {
	switch {
	case len(r.Targets) == 0:
		return wrong("targets", "must name at least one")
	case len(r.Targets) > MaxTargets:
		return wrong("targets", "are "+strconv.Itoa(len(r.Targets))+", of at most "+strconv.Itoa(MaxTargets))
	case slices.ContainsFunc(r.Targets, func(id string) bool { return len(id) > 200 || !utf8.ValidString(id) }):
		return wrong("targets", "must be IDs, one a line")
	case (a.Target == action.Service) != slices.Equal(r.Targets, []string{ServiceTarget}):
		return wrong("targets", "are of another kind")
	case utf8.RuneCountInString(r.Note) > maxNote:
		return wrong("note", "must be at most "+strconv.Itoa(maxNote)+" characters")
	}
	for _, f := range a.Fields {
		if f.Required && strings.TrimSpace(r.Values[f.Name]) == "" {
			return wrong(f.Name, "is missing")
		}
	}
	for name := range r.Values {
		if !slices.ContainsFunc(a.Fields, func(f action.Field) bool { return f.Name == name }) {
			return wrong(name, "is no value of this action")
		}
	}
	return nil
}

func wrong(field, what string) error {
	return &provider.FieldError{Field: field, Err: errors.New(what)}
}

// unique returns the IDs without empty and repeated ones, in their order.
func unique(ids []string) (once []string) {
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id = strings.TrimSpace(id); id != "" && !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	return once
}

// looked is what a dry run has found of one target.
type looked struct {
	id     string
	effect action.Effect
	why    Why
}

// look looks at each target.
func (s *Service) look(ctx context.Context, by Member, a action.Action, r Request) ([]looked, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found := make([]looked, len(r.Targets))
	places := make(chan struct{}, checkers)
	var looking sync.WaitGroup
	for i, id := range r.Targets {
		if ctx.Err() != nil {
			break
		}
		places <- struct{}{}
		looking.Go(func() {
			defer func() { <-places }()
			one, err := s.lookAt(ctx, by, a, r, id)
			if err != nil {
				cancel(err)
			}
			found[i] = one
		})
	}
	looking.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return found, nil
}

func (s *Service) lookAt(ctx context.Context, by Member, a action.Action, r Request, id string) (looked, error) {
	one := looked{id: id}
	why, err := s.bars(ctx, a, id, by)
	if err != nil || why != "" {
		one.why = why
		return one, err
	}
	one.effect, err = a.Check(ctx, order(a, id, r.Values, r.Locale, by))
	if errors.Is(err, action.ErrNoTarget) {
		one.why = WhyGone
		return one, nil
	}
	one.why = Why(one.effect.Void)
	return one, err
}

// bars returns why an action is not done to a person by these, or the empty string: nobody acts
// on themselves, and on who works here only operators do. What bars somebody from acting on a
// target of another kind the action finds itself.
func (s *Service) bars(ctx context.Context, a action.Action, id string, by ...Member) (Why, error) {
	if a.Target != action.Person {
		return "", nil
	}
	for _, m := range by {
		standing, err := s.Frame.StandingOf(ctx, m.staffID(), m.As, id)
		switch {
		case err != nil:
			return "", err
		case standing == frame.Self:
			return WhySelf, nil
		case standing == frame.Protected && (!m.Staff.Operates() || m.staffID() == ""): // a client is no second operator
			return WhyProtected, nil
		}
	}
	return "", nil
}

// order is an action's order for one target by somebody.
func order(a action.Action, id string, values map[string]string, locale string, by Member) action.Order {
	if a.Target == action.Service {
		id = ""
	}
	return action.Order{Target: id, Values: values, Locale: locale, Staff: by.staffID(), As: by.As}
}

// collect sorts what was found into targets and what is left out, and adds up the facts. A name
// among the facts counts for a plan with one target alone.
func (d *Draft) collect(found []looked) {
	left := map[Why]int{}
	sums := map[string]int{}
	var names []string
	for _, one := range found {
		if one.why != "" {
			left[one.why]++
			continue
		}
		d.Targets = append(d.Targets, storage.PlanTarget{
			Number: len(d.Targets) + 1, ID: one.id, Revision: one.effect.Revision, State: storage.TargetWaiting,
		})
		for _, f := range one.effect.Facts {
			if n, err := strconv.Atoi(f.Value); err == nil && len(found) > 1 {
				if _, known := sums[f.Name]; !known {
					names = append(names, f.Name)
				}
				sums[f.Name] += n
			} else if len(found) == 1 {
				d.Facts = append(d.Facts, f)
			}
		}
	}
	for _, name := range names {
		d.Facts = append(d.Facts, action.Fact{Name: name, Value: strconv.Itoa(sums[name])})
	}
	for why, n := range left {
		d.Left = append(d.Left, Left{Why: why, Count: n})
	}
	slices.SortFunc(d.Left, func(a, b Left) int { return cmp.Compare(a.Why, b.Why) })
}
