package plans

import (
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/plans"
)

// firstTargets is how many targets a page shows.
const firstTargets = 50

func (s pages) showPlan(r *frame.Request) error { return s.renderPlan(r, http.StatusOK) }

// renderPlan shows a plan with what was shown to who proposed it.
func (s pages) renderPlan(r *frame.Request, status int, problems ...ui.Problem) error {
	o, err := s.Open(r.Context(), r.Value("plan"))
	altered := errors.Is(err, ErrMoved)
	if err != nil && !altered {
		return asPage(r, err)
	}
	if err := s.looked(r.Context(), MemberOf(r), matterOf(o.Plan, o.content), "plan", o.Plan, o.Targets); err != nil {
		return err
	}
	page, err := s.page(r, desk.SectionPlans)
	if err != nil {
		return err
	}
	v := screens.PlanView{
		Page: page, Form: r.Form(problems...), Row: s.row(r, o.Plan), PlansURL: r.Path("plans"), Altered: altered,
		Reason: s.reasonLabel(page.Locale, o.Reason), Note: o.content.Note, Values: s.values(o), Facts: s.facts(o),
		Left: leftViews(o.content.Left), Person: o.content.Matter != "", Proof: proofs[o.content.Proof],
		DecidedBy: shortName(o.ApprovedBy), DecidedAt: o.DecidedAt, Shown: hex.EncodeToString(o.Digest[:]),
	}
	if v.State == screens.StateScheduled || v.State == screens.StateWaiting {
		if v.NotBefore = o.NotBefore; v.NotBefore.IsZero() {
			v.NotBefore = s.notBefore(o.Action, s.Frame.Now())
		}
	}
	s.addTargets(r, &v, o)
	if err := s.addDecisions(r, &v, o); err != nil {
		return err
	}
	r.Render(status, screens.Plan(v))
	return nil
}

// addTargets adds the first targets, and why others were skipped.
func (s pages) addTargets(r *frame.Request, v *screens.PlanView, o Opened) {
	skips := map[string]int{}
	for _, t := range o.Targets {
		if t.Number <= firstTargets {
			v.First = append(v.First, screens.Target{Number: t.Number, ID: t.ID, State: targetStates[t.State], Why: t.Why})
		}
		if t.State == storage.TargetSkipped {
			skips[t.Why]++
		}
	}
	for why, n := range skips {
		v.Skips = append(v.Skips, screens.Left{Why: why, Count: n})
	}
	slices.SortFunc(v.Skips, func(a, b screens.Left) int { return strings.Compare(a.Why, b.Why) })
	if len(o.Targets) > 1 {
		v.CSVURL = r.Path("plans", o.ID, "targets.csv")
	}
}

// addDecisions adds what the reader may decide.
func (s pages) addDecisions(r *frame.Request, v *screens.PlanView, o Opened) error {
	switch v.State {
	case screens.StateRunning, screens.StateScheduled:
		v.MayStop = true
	case screens.StateWaiting:
		v.MayTakeBack = v.Yours
		v.MayRefuse = !v.Yours
		err := s.mayDecide(r.Context(), MemberOf(r), o)
		v.MayApprove = err == nil && !v.Altered
		if err != nil && !errors.Is(err, ErrOwn) && !errors.Is(err, ErrForbidden) {
			return err
		}
	}
	return nil
}

// values are the values of a plan. A sensitive one is masked once there is nothing left to decide.
func (s pages) values(o Opened) (values []screens.Value) {
	a, ok := s.Book.Action(o.Action)
	if !ok {
		return nil
	}
	for _, f := range a.Fields {
		value := o.content.Values[f.Name]
		if f.Sensitive && s.state(o.Plan) != screens.StateWaiting {
			value = frame.Mask(value)
		}
		if value != "" {
			values = append(values, screens.Value{Name: f.Name, Value: value})
		}
	}
	return values
}

// facts are what the dry run of a plan has found, without sensitive values once there is nothing
// left to decide.
func (s pages) facts(o Opened) []desk.ActFact {
	facts := factViews(o.content.Facts)
	a, _ := s.Book.Action(o.Action)
	for _, f := range a.Fields {
		value := o.content.Values[f.Name]
		if !f.Sensitive || value == "" || s.state(o.Plan) == screens.StateWaiting {
			continue
		}
		for i := range facts {
			facts[i].Value = strings.ReplaceAll(facts[i].Value, value, frame.Mask(value))
		}
	}
	return facts
}

// decide approves or ends a plan.
func (s pages) decide(r *frame.Request) error {
	if err := r.Only(screens.FieldShown, screens.FieldCount); err != nil {
		return err
	}
	id, by := r.Value("plan"), MemberOf(r)
	here := r.Path("plans", id)
	switch r.Action() {
	case screens.ActionEnd:
		return answer(r, here, s.End(r.Context(), by, id), screens.NoticeEnded)
	case screens.ActionApprove:
	default:
		return frame.Malformed("no such decision")
	}
	shown, err := hex.DecodeString(r.Posted(screens.FieldShown))
	if err != nil || len(shown) != len(storage.Digest{}) {
		return frame.Malformed("no digest of what was shown")
	}
	p, err := storage.One(s.store.Plans(r.Context(), storage.PlanFilter{ID: new(id)}))
	if err != nil {
		return asPage(r, err)
	}
	if n, err := strconv.Atoi(r.Posted(screens.FieldCount)); p.Targets > 1 && (err != nil || n != p.Targets) {
		return s.renderPlan(r, http.StatusUnprocessableEntity, screens.ProblemOf(r.Screen.Page().Locale, screens.FieldCount, screens.WrongCount))
	}
	_, err = s.Approve(r.Context(), by, id, storage.Digest(shown))
	if errors.Is(err, ErrOwn) {
		_ = r.Refuse(frame.Refusal{Action: p.Action, Alarm: true})
	}
	return answer(r, here, err, screens.NoticeApproved)
}

var proofs = map[storage.CallerProof]screens.Proof{
	storage.NoProof: screens.ProofNone, storage.MailboxProof: screens.ProofMailbox, storage.SessionProof: screens.ProofSession,
}

func factViews(facts []action.Fact) (views []desk.ActFact) {
	for _, f := range facts {
		views = append(views, desk.ActFact(f))
	}
	return views
}

func leftViews(left []Left) (views []screens.Left) {
	for _, l := range left {
		views = append(views, screens.Left{Why: string(l.Why), Count: l.Count})
	}
	return views
}

// shortName is the name of a member without what it begins with for the staff.
func shortName(name string) string { return strings.TrimPrefix(name, staffPrefix) }

// reasonLabel says a reason in words.
func (s pages) reasonLabel(l *ui.Locale, name string) ui.Label {
	if word := screens.Reason(l, name); word != "" {
		return ui.Label{Text: word}
	}
	r, ok := s.Frame.Reason(name)
	if !ok {
		return ui.Label{Text: name}
	}
	if word, ok := r.Translations[l.OrEnglish().Lang]; ok {
		return ui.Label{Text: word}
	}
	return ui.Label{Text: r.Title, Lang: ui.Undetermined}
}

var targetStates = map[storage.TargetState]screens.TargetState{
	storage.TargetWaiting: screens.TargetWaiting,
	storage.TargetDone:    screens.TargetDone,
	storage.TargetSkipped: screens.TargetSkipped,
}
