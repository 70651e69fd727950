package plans

import (
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/plans"
)

// parameterAll says that breaks are listed that are signed off, too.
const parameterAll = "all"

// showBreaks lists what was done alone: what waits, or all of it.
func (s pages) showBreaks(r *frame.Request) error {
	all := r.Query(parameterAll) != ""
	list := []string{"breaks", r.Query(parameterAll)}
	after, err := r.After(list...)
	if err != nil {
		return err
	}
	page, err := s.page(r, desk.SectionBreaks)
	if err != nil {
		return err
	}
	if err := r.Looked("", provider.Event{Name: event.StaffLooked, Detail: "breaks"}); err != nil {
		return err
	}
	breaks, err := s.store.Breaks(r.Context(), storage.BreakFilter{Open: !all, BeforeID: after, Limit: frame.Few})
	if err != nil {
		return err
	}
	v := screens.BreaksView{Page: page, Form: r.Form(), All: all, OtherURL: r.Path("breaks") + "?" + parameterAll + "=1"}
	if all {
		v.OtherURL = r.Path("breaks")
	}
	for _, b := range breaks {
		v.Breaks = append(v.Breaks, screens.Break{
			ID: b.ID, By: b.Staff, Yours: b.Staff == r.Staff.ID, At: b.At, Action: b.Action, Target: b.Target, Sentence: s.sentence(r.Context(), b),
			Told: b.Told, Unfinished: !b.Done, Overdue: s.isOverdue(b), SignedOffBy: b.SignedOffBy, SignedOffAt: b.SignedOffAt,
			MaySignOff: b.SignedOffBy == "" && b.Staff != r.Staff.ID,
		})
	}
	if len(breaks) == frame.Few {
		v.MoreURL = r.Path("breaks") + "?" + frame.ParameterAfter + "=" + r.Next(breaks[len(breaks)-1].ID, list...)
		if all {
			v.MoreURL += "&" + parameterAll + "=1"
		}
	}
	r.Render(http.StatusOK, screens.Breaks(v))
	return nil
}

// signOff records that somebody has looked at what another did alone.
func (s pages) signOff(r *frame.Request) error {
	if err := r.Only(screens.FieldBreak); err != nil {
		return err
	}
	if r.Action() != screens.ActionSignOff {
		return frame.Malformed("no such action")
	}
	err := s.SignOff(r.Context(), MemberOf(r), r.Posted(screens.FieldBreak))
	if errors.Is(err, ErrOwn) {
		return done(r, r.Path("breaks"), screens.NoticeOwnBreak)
	}
	return answer(r, r.Path("breaks"), err, screens.NoticeSignedOff)
}

// alone is what somebody would do alone, with what is known of it.
type alone struct {
	Alone
	action action.Action
	matter *storage.Matter
}

// aloneOf reads what somebody would do alone, from the address or the form.
func (s pages) aloneOf(r *frame.Request, get func(string) string) (alone, error) {
	w := alone{Alone: Alone{
		Action: get(screens.FieldName), Target: get(screens.FieldTargets), Values: map[string]string{}, Sentence: get(screens.FieldSentence),
		Revision: get(screens.FieldRevision),
	}}
	var err error
	if w.action, err = s.MayBreak(r.Context(), MemberOf(r), w.Action, w.Target); err != nil {
		return w, s.refuseAlone(r, w, err)
	}
	if w.action.Target == action.Service {
		w.Target = ServiceTarget
	}
	for _, f := range w.action.Fields {
		if value := get(f.Name); value != "" {
			w.Values[f.Name] = value
		}
	}
	if w.matter, err = s.matter(r, w.action, []string{w.Target}); err != nil {
		return w, asPage(r, err)
	}
	switch {
	case w.matter != nil:
		w.Matter = w.matter.ID
	case w.action.Target == action.Person:
		return w, frame.NotFound
	}
	return w, nil
}

func (s pages) refuseAlone(r *frame.Request, w alone, err error) error {
	if errors.Is(err, ErrForbidden) || errors.Is(err, ErrOwn) {
		return r.Refuse(frame.Refusal{Action: w.Action, Person: w.Target, Alarm: errors.Is(err, ErrOwn)})
	}
	return err
}

// showAlone asks why somebody does alone what takes two.
func (s pages) showAlone(r *frame.Request) error {
	w, err := s.aloneOf(r, r.Query)
	if err != nil {
		return err
	}
	return s.renderAlone(r, http.StatusOK, w)
}

// renderAlone shows what would happen, as far as it is known, and asks for a sentence. The form
// has the revision that was looked at.
func (s pages) renderAlone(r *frame.Request, status int, w alone, problems ...ui.Problem) error {
	if w.matter != nil {
		if err := r.Looked(w.Matter, provider.Event{Name: event.SupportLooked, UserID: w.Target, Detail: "actions"}); err != nil {
			return err
		}
	}
	effect, err := w.action.Check(r.Context(), order(w.action, w.Target, w.Values, r.Screen.Page().Locale.OrEnglish().Lang, MemberOf(r)))
	var wrong *provider.FieldError
	switch {
	case errors.As(err, &wrong):
		if len(problems) == 0 && len(w.Values) > 0 {
			status, problems = http.StatusUnprocessableEntity, []ui.Problem{problemOf(r, wrong.Field)}
		}
	case errors.Is(err, action.ErrNoTarget):
		return frame.NotFound
	case err != nil:
		return err
	}
	page, err := s.page(r, desk.SectionBreaks)
	if err != nil {
		return err
	}
	form := r.Form(problems...)
	hide := func(name, value string) { form.Hidden = append(form.Hidden, ui.Field{Name: name, Value: value}) }
	hide(screens.FieldName, w.Action)
	hide(screens.FieldTargets, w.Target)
	hide(screens.FieldRevision, effect.Revision)
	v := screens.AloneView{Page: page, BackURL: r.Path("breaks"), Action: w.Action, Target: w.Target, Facts: factViews(effect.Facts), Sentence: w.Sentence}
	if effect.Void != "" {
		v.Left = []screens.Left{{Why: effect.Void, Count: 1}}
	}
	if w.matter != nil {
		hide(screens.FieldMatter, w.Matter)
		v.BackURL = r.Path("matters", w.Matter)
	}
	for _, f := range w.action.Fields {
		v.Entries = append(v.Entries, screens.Value{Name: f.Name, Value: w.Values[f.Name]})
	}
	v.Form = form
	r.Render(status, screens.Alone(v))
	return nil
}

// doAlone does it. What was not looked at with these values yet is shown first.
func (s pages) doAlone(r *frame.Request) error {
	w, err := s.aloneOf(r, r.Posted)
	if err != nil {
		return err
	}
	fields := []string{screens.FieldName, screens.FieldTargets, screens.FieldMatter, screens.FieldRevision, screens.FieldSentence}
	for _, f := range w.action.Fields {
		fields = append(fields, f.Name)
	}
	if err := r.Only(fields...); err != nil {
		return err
	}
	if r.Action() != screens.ActionAlone || w.Revision == "" {
		return s.renderAlone(r, http.StatusOK, w)
	}
	page, err := s.page(r, desk.SectionBreaks) // before the act: what it shows, nobody gets a second time
	if err != nil {
		return err
	}
	result, err := s.Break(r.Context(), MemberOf(r), w.Alone)
	var wrong *provider.FieldError
	switch {
	case errors.As(err, &wrong) && wrong.Field == screens.FieldSentence:
		return s.renderAlone(r, http.StatusUnprocessableEntity, w, screens.ProblemOf(r.Screen.Page().Locale, screens.FieldSentence, screens.WrongSentence))
	case errors.As(err, &wrong):
		return s.renderAlone(r, http.StatusUnprocessableEntity, w, problemOf(r, wrong.Field))
	case errors.Is(err, provider.ErrChanged):
		return answer(r, r.Path("breaks"), err, "")
	case errors.Is(err, action.ErrNoTarget), errors.Is(err, provider.ErrNoUser):
		return frame.NotFound
	case err != nil:
		return asPage(r, err)
	case result.Shown == "":
		return r.Done(s.backAlone(r, w), desk.NoticeActed)
	}
	r.Room().RenderSecret(http.StatusOK, screens.AloneDone(screens.AloneDoneView{Page: page, Shown: result.Shown, BreaksURL: r.Path("breaks")}))
	return nil
}

// backAlone is where somebody comes from who does something alone.
func (s pages) backAlone(r *frame.Request, w alone) string {
	if w.Matter != "" {
		return r.Path("matters", w.Matter)
	}
	return r.Path("breaks")
}
