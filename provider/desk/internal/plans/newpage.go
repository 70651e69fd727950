package plans

import (
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/plans"
)

// bulk are the actions that somebody may plan for many.
func (s pages) bulk(r *frame.Request) (actions []action.Action) {
	for _, kind := range []action.Kind{action.Person, action.Application, action.Organization} {
		for _, a := range s.Book.On(kind) {
			if a.Bulk && r.Staff.Is(a.Roles...) {
				actions = append(actions, a)
			}
		}
	}
	return actions
}

// showNew offers what can be planned for many, or asks for the targets of one of these.
func (s pages) showNew(r *frame.Request) error {
	name, lines := r.Query(screens.FieldName), r.Query(screens.FieldLines)
	switch {
	case name != "" && lines != "":
		return s.showWhom(r, name, lines)
	case name != "":
		return s.renderMany(r, http.StatusOK, Request{Action: name})
	}
	page, err := s.page(r, desk.SectionPlans)
	if err != nil {
		return err
	}
	v := screens.NewView{Page: page, PlansURL: r.Path("plans")}
	for _, a := range s.bulk(r) {
		query := url.Values{screens.FieldName: {a.Name}}
		if lines != "" {
			query.Set(screens.FieldLines, lines)
		}
		if lines == "" || a.Target != action.Organization { // of which no line is
			v.Actions = append(v.Actions, screens.ActionLink{Action: a.Name, URL: r.Path("plans", "new") + "?" + query.Encode()})
		}
	}
	r.Render(http.StatusOK, screens.New(v))
	return nil
}

// showWhom asks for the values of an action for all whom some lines of the audit log are about:
// the list is made now, to be looked at, and does not grow with the log.
func (s pages) showWhom(r *frame.Request, name, lines string) error {
	a, ok := s.Book.Action(name)
	if !ok || !a.Bulk || !r.Staff.Is(a.Roles...) || s.Whom == nil {
		return frame.NotFound
	}
	ids, more, err := s.Whom(r.Context(), lines, a.Target, MaxTargets)
	if err != nil {
		return err
	}
	if more || len(ids) == 0 {
		return s.renderMany(r, http.StatusUnprocessableEntity, Request{Action: name}, problemOf(r, screens.FieldTargets))
	}
	return s.renderMany(r, http.StatusOK, Request{Action: name, Targets: ids})
}

// renderMany asks for the targets of an action for many.
func (s pages) renderMany(r *frame.Request, status int, q Request, problems ...ui.Problem) error {
	a, ok := s.Book.Action(q.Action)
	if !ok || !a.Bulk || !r.Staff.Is(a.Roles...) {
		return frame.NotFound
	}
	page, err := s.page(r, desk.SectionPlans)
	if err != nil {
		return err
	}
	v := screens.ManyView{
		Page: page, Form: r.Form(problems...), NewURL: r.Path("plans", "new"), Action: a.Name, Targets: strings.Join(q.Targets, "\n"),
		Reasons: s.reasons(page.Locale, q.Reason), Note: q.Note,
	}
	for _, f := range a.Fields {
		v.Fields = append(v.Fields, screens.Value{Name: f.Name, Value: q.Values[f.Name]})
	}
	r.Render(status, screens.Many(v))
	return nil
}

// reasons are those that can be chosen.
func (s pages) reasons(l *ui.Locale, chosen string) (options []ui.Option) {
	for _, reason := range s.Frame.AllReasons() {
		option := ui.Option{Value: reason.Name, Label: screens.Reason(l, reason.Name), Chosen: reason.Name == chosen}
		if option.Label == "" {
			option.Title = s.reasonLabel(l, reason.Name)
		}
		options = append(options, option)
	}
	return options
}

// draft looks at what a plan would do, shows it, and proposes it if it is what was shown.
func (s pages) draft(r *frame.Request) error {
	q, err := s.read(r)
	if err != nil {
		return asPage(r, err)
	}
	button := r.Action()
	if button == screens.ActionChange {
		return s.renderMany(r, http.StatusOK, q)
	}
	if button != screens.ActionCheck && button != screens.ActionDraft && button != screens.ActionPropose {
		return frame.Malformed("no such action")
	}
	d, err := s.Draft(r.Context(), MemberOf(r), q)
	var wrong *provider.FieldError
	if errors.As(err, &wrong) && q.isMany(s) {
		return s.renderMany(r, http.StatusUnprocessableEntity, q, problemOf(r, wrong.Field))
	}
	if err != nil {
		return asPage(r, err)
	}
	if _, known := s.Frame.Reason(q.Reason); !known && (button == screens.ActionPropose || button == screens.ActionCheck) {
		problem := screens.ProblemOf(r.Screen.Page().Locale, screens.FieldReason, screens.WrongReason)
		if q.isMany(s) {
			return s.renderMany(r, http.StatusUnprocessableEntity, q, problem)
		}
		return s.renderDraft(r, http.StatusUnprocessableEntity, d, false, problem)
	}
	if button != screens.ActionPropose {
		return s.renderDraft(r, http.StatusOK, d, false)
	}
	if shown := d.Digest; r.Posted(screens.FieldShown) != hex.EncodeToString(shown[:]) {
		return s.renderDraft(r, http.StatusConflict, d, true)
	}
	p, err := s.Propose(r.Context(), MemberOf(r), d)
	if err != nil {
		return asPage(r, err)
	}
	return done(r, r.Path("plans", p.ID), screens.NoticeProposed)
}

// isMany reports whether a request came from the form for many.
func (q Request) isMany(s pages) bool {
	a, ok := s.Book.Action(q.Action)
	return ok && a.Bulk && q.Matter == ""
}

// problemOf returns what is wrong with a field, in words.
func problemOf(r *frame.Request, field string) ui.Problem {
	w := screens.WrongValue
	switch field {
	case screens.FieldTargets:
		w = screens.WrongTargets
	case screens.FieldNote:
		w = screens.WrongNote
	}
	return screens.ProblemOf(r.Screen.Page().Locale, field, w)
}

// read reads the form of a plan. Any field that the action does not have is refused.
func (s pages) read(r *frame.Request) (Request, error) {
	q := Request{
		Action: r.Posted(screens.FieldName), Targets: strings.Fields(r.Posted(screens.FieldTargets)), Values: map[string]string{},
		Reason: r.Posted(screens.FieldReason), Note: r.Posted(screens.FieldNote), Locale: r.Screen.Page().Locale.OrEnglish().Lang,
	}
	a, ok := s.Book.Action(q.Action)
	if !ok {
		return q, frame.NotFound
	}
	fields := []string{
		screens.FieldName, screens.FieldTargets, screens.FieldReason, screens.FieldNote, screens.FieldShown, screens.FieldMatter,
	}
	for _, f := range a.Fields {
		fields = append(fields, f.Name)
		if value := r.Posted(f.Name); value != "" {
			q.Values[f.Name] = value
		}
	}
	if err := r.Only(fields...); err != nil {
		return q, err
	}
	m, err := s.matter(r, a, q.Targets)
	if m != nil {
		q.Matter, q.Reason = m.ID, m.Reason
		q.Proof, err = s.proof(r, a, *m)
	}
	return q, err
}

// matter returns the open matter of a form about one person, nil for another form: without one no
// single person is planned about.
func (s pages) matter(r *frame.Request, a action.Action, targets []string) (*storage.Matter, error) {
	id := r.Posted(screens.FieldMatter)
	if id == "" {
		id = r.Query(screens.FieldMatter)
	}
	if id == "" {
		if a.Target == action.Person && !a.Bulk {
			return nil, frame.NotFound
		}
		return nil, nil
	}
	m, err := storage.One(s.Frame.Store.Matters(r.Context(), storage.MatterFilter{ID: new(id)}))
	switch now := s.Frame.Now(); {
	case errors.Is(err, storage.ErrNotFound):
		return nil, frame.NotFound
	case err != nil:
		return nil, err
	case m.Staff != r.Staff.ID, len(targets) != 1, targets[0] != m.Subject, a.Target != action.Person:
		return nil, r.Refuse(frame.Refusal{Action: a.Name})
	case !m.ClosedAt.IsZero(), !now.Before(m.EndsAt):
		return nil, audit.ErrMatter
	}
	return &m, nil
}

// proof returns what the caller has proved, which is enough for the action: audit.ErrProof if it
// is not. The host's word makes a mailbox a session, and of who works here another operator knows
// whether it is they.
func (s pages) proof(r *frame.Request, a action.Action, m storage.Matter) (storage.CallerProof, error) {
	proved := storage.NoProof
	if s.Frame.Now().Before(m.ProvedUntil) {
		proved = m.Proof
	}
	if proved >= a.Proof {
		return proved, nil
	}
	standing, err := r.StandingOf(m.Subject)
	if err != nil || standing == frame.Protected {
		return proved, err
	}
	if proved == storage.MailboxProof && a.Proof == storage.SessionProof {
		vouches, err := r.Vouches(m.Subject)
		if err != nil || vouches {
			return proved, err
		}
	}
	return proved, audit.ErrProof
}

// renderDraft shows what a plan would do.
func (s pages) renderDraft(r *frame.Request, status int, d Draft, changed bool, problems ...ui.Problem) error {
	page, err := s.page(r, desk.SectionPlans)
	if err != nil {
		return err
	}
	form := r.Form(problems...)
	hide := func(name, value string) { form.Hidden = append(form.Hidden, ui.Field{Name: name, Value: value}) }
	hide(screens.FieldName, d.Action)
	hide(screens.FieldTargets, strings.Join(d.Request.Targets, " "))
	hide(screens.FieldShown, hex.EncodeToString(d.Digest[:]))
	v := screens.DraftView{
		Page: page, Changed: changed, Action: d.Action, Count: len(d.Targets), Facts: factViews(d.Facts), Left: leftViews(d.Left), Note: d.Note,
	}
	for _, f := range d.Rule.Fields {
		if value := d.Values[f.Name]; value != "" {
			hide(f.Name, value)
			v.Values = append(v.Values, screens.Value{Name: f.Name, Value: value})
		}
	}
	switch {
	case d.Matter != "":
		hide(screens.FieldMatter, d.Matter)
		v.BackURL, v.AskNote = r.Path("matters", d.Matter), true
	case d.isMany(s):
		hide(screens.FieldReason, d.Reason)
		hide(screens.FieldNote, d.Note)
	default:
		v.BackURL, v.AskNote, v.Reasons = r.Path("plans"), true, s.reasons(page.Locale, d.Reason)
	}
	if len(d.Request.Targets) > 1 {
		for _, t := range d.Targets[:min(len(d.Targets), firstTargets)] {
			v.First = append(v.First, t.ID)
		}
	}
	v.Form = form
	r.Render(status, screens.Draft(v))
	return nil
}
