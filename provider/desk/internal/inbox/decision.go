package inbox

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// kinds are the decisions by action.
var kinds = map[string]storage.DecisionKind{
	screens.ActionApprove:  storage.DecisionApprove,
	screens.ActionAskAgain: storage.DecisionAskAgain,
	screens.ActionDecline:  storage.DecisionDecline,
	screens.ActionEscalate: storage.DecisionEscalate,
	screens.ActionRecuse:   storage.DecisionRecuse,
	screens.ActionOverride: storage.DecisionOverride,
}

// actions are the actions by decision.
var actions = func() map[storage.DecisionKind]string {
	actions := make(map[storage.DecisionKind]string, len(kinds))
	for action, kind := range kinds {
		actions[kind] = action
	}
	return actions
}()

// decide records what the reviewer decides, about the version that they have seen.
func (d *Inbox) decide(r *request) error {
	ctx := r.Context()
	action := r.posted(ui.FieldAction)
	if action == screens.ActionReturn {
		if err := d.Verification.Return(ctx, r.by, r.Value("case")); err != nil {
			return err
		}
		return r.Done(d.list(), screens.NoticeReturned)
	}
	kind, known := kinds[action]
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if !known || err != nil {
		return frame.Malformed("no such decision")
	}
	c, over, err := d.reviewed(r)
	if over || err != nil {
		return err
	}
	if !c.offers(kind) {
		return frame.Malformed("a decision that the page does not have")
	}
	e := c.read(r)
	if problems := c.problems(r.Locale(), kind, e, d.frame.Now()); len(problems) > 0 {
		return d.renderCase(r, http.StatusUnprocessableEntity, c, e, problems...)
	}
	decided, err := d.Verification.Decide(ctx, r.by, c.ID, version, c.decision(kind, e))
	var wrong *provider.FieldError
	switch {
	case isOver(err):
		return r.Done(d.list(), screens.NoticeMovedOn)
	case errors.As(err, &wrong): // what the form does not offer
		return frame.Malformed(wrong.Error())
	case err != nil:
		return err
	}
	address := d.list()
	if decided.Waiting != nil {
		address += "?" + parameterUndo + "=" + c.ID
	}
	return r.Done(address, screens.NoticeDecided)
}

// offers reports whether the page of a case has a decision: what can be approved is not
// overridden, which would take no answer.
func (c review) offers(kind storage.DecisionKind) bool {
	switch kind {
	case storage.DecisionApprove, storage.DecisionOverride:
		return c.NeedsOverride == (kind == storage.DecisionOverride)
	case storage.DecisionEscalate:
		return !c.Escalated
	default:
		return true
	}
}

// read reads the form of a case.
func (c review) read(r *request) entered {
	e := entered{
		answers: map[string]string{}, subgroups: map[string]bool{}, reasons: map[verification.Reason]bool{},
		note: strings.TrimSpace(r.posted(screens.FieldNote)), day: strings.TrimSpace(r.posted(screens.FieldUntil)),
	}
	for _, field := range c.questions() {
		if answer := r.posted(field); answer == screens.AnswerYes || answer == screens.AnswerNo {
			e.answers[field] = answer
		}
	}
	for _, s := range c.Subgroups {
		e.subgroups[s] = r.posted(screens.FieldSubgroup+"."+s) != ""
	}
	for _, reason := range reviewReasons {
		e.reasons[reason] = r.posted(screens.FieldReasons+"."+string(reason)) != ""
	}
	if day, err := time.Parse(time.DateOnly, e.day); err == nil {
		e.until = day
	}
	return e
}

// questions are the fields of all that the files must show.
func (c review) questions() (fields []string) {
	if c.asksName() {
		fields = append(fields, screens.FieldName)
	}
	for _, file := range c.current() {
		if required := c.requirement(file.Kind); required != nil {
			for n := range required.Must {
				fields = append(fields, answerField(file.Kind, n))
			}
		}
	}
	return fields
}

// asked is what a question of a file says.
func (c review) asked(l *ui.Locale, field string) ui.Label {
	for _, required := range c.Requirements {
		for n, must := range required.Must {
			if answerField(required.Name, n) == field {
				return said(l, must)
			}
		}
	}
	return ui.Label{}
}

// asksName reports whether there is a name to compare, and something that has it.
func (c review) asksName() bool { return c.ComparesName && c.Claimed != "" }

// problems are what has to be corrected before a decision: whoever approves, sends back or
// declines has looked at everything, and approves only what shows all of it.
func (c review) problems(l *ui.Locale, kind storage.DecisionKind, e entered, now time.Time) (problems []ui.Problem) {
	problem := func(field string, w screens.Wrong) { problems = append(problems, screens.ProblemOf(l, field, w)) }
	approves := kind == storage.DecisionApprove
	if approves || kind == storage.DecisionAskAgain || kind == storage.DecisionDecline {
		for _, field := range c.questions() {
			switch {
			case e.answers[field] == "":
				problems = append(problems, screens.Unanswered(l, field, c.asked(l, field)))
			case approves && e.answers[field] == screens.AnswerNo:
				problem(field, screens.WrongAnsweredNo)
			}
		}
	}
	if (approves || kind == storage.DecisionOverride) && e.day != "" && !e.until.After(now) {
		problem(screens.FieldUntil, screens.WrongDate)
	}
	if (kind == storage.DecisionAskAgain || kind == storage.DecisionDecline) && len(e.chosen()) == 0 {
		problem(screens.FieldReasons, screens.WrongNoReason)
	}
	explains := kind == storage.DecisionEscalate || kind == storage.DecisionOverride || e.reasons[verification.ReasonOther] && !approves
	if explains && kind != storage.DecisionRecuse && e.note == "" {
		problem(screens.FieldNote, screens.WrongNoNote)
	}
	return problems
}

// chosen are the reasons, in their order.
func (e entered) chosen() (reasons []verification.Reason) {
	for _, reason := range reviewReasons {
		if e.reasons[reason] {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// decision is what is recorded: of a decision of one kind, what belongs to it.
func (c review) decision(kind storage.DecisionKind, e entered) verification.Decision {
	decision := verification.Decision{
		Kind: kind, Note: e.note, NameMatches: e.answers[screens.FieldName] == screens.AnswerYes, Answers: map[string][]bool{},
	}
	unanswered := func(field string) bool { return e.answers[field] == "" }
	for _, file := range c.current() {
		required := c.requirement(file.Kind)
		if required == nil || slices.ContainsFunc(c.questions(), unanswered) {
			continue // whoever hands a case on may have looked at nothing
		}
		seen := make([]bool, len(required.Must))
		for n := range seen {
			seen[n] = e.answers[answerField(file.Kind, n)] == screens.AnswerYes
		}
		decision.Answers[file.Kind] = seen
	}
	switch kind {
	case storage.DecisionApprove, storage.DecisionOverride:
		decision.Until = e.until
		for _, s := range c.Subgroups {
			if e.subgroups[s] {
				decision.Subgroups = append(decision.Subgroups, s)
			}
		}
	case storage.DecisionAskAgain:
		decision.Reasons, decision.Kinds = e.chosen(), c.failed(e)
	case storage.DecisionDecline:
		decision.Reasons = e.chosen()
	}
	return decision
}

// failed are the requirements of which something is not shown, so that only their files are
// asked for again; none stands for all.
func (c review) failed(e entered) (failed []string) {
	for _, file := range c.current() {
		required := c.requirement(file.Kind)
		if required == nil {
			continue
		}
		for n := range required.Must {
			if e.answers[answerField(file.Kind, n)] == screens.AnswerNo {
				failed = append(failed, file.Kind)
				break
			}
		}
	}
	return failed
}
