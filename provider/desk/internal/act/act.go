// Package act is the room in which the staff acts: a form for every action of the book, which
// says what it would do before it is done.
package act

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Options are what the room is made with.
type Options struct {
	Frame *frame.Frame
	Book  *action.Book

	// Name is what the target of an action is called on the form. One that cannot be named
	// is called by its ID.
	Name func(r *frame.Request, kind action.Kind, id string) (ui.Label, error)
}

// Routes returns the forms of the actions. They stand below the pages of their targets.
func Routes(o Options) []frame.Route {
	routes := []frame.Route{
		o.route("/matters/{matter}/do/{action}", action.Staff.Helps, action.Person),
		o.route("/applications/{target}/do/{action}", action.Staff.Operates, action.Application),
		o.route("/hosts/{target}/do/{action}", action.Staff.Operates, action.Host),
		o.route("/organizations/{target}/do/{action}", action.Staff.Operates, action.Organization),
		o.route("/service/do/{action}", action.Staff.Operates, action.Service),
	}
	if len(o.Book.On(action.Receiver)) > 0 { // somebody may be told
		routes = append(routes, o.route("/receivers/{target}/do/{action}", action.Staff.Operates, action.Receiver))
	}
	return routes
}

func (o Options) route(path string, needs func(action.Staff) bool, kind action.Kind) frame.Route {
	on := func(h func(*form) error) frame.Handler {
		return func(r *frame.Request) error {
			f, err := o.open(r, kind)
			if err != nil {
				return err
			}
			return h(f)
		}
	}
	return frame.Route{Path: path, Needs: needs, Show: on((*form).show), Act: on((*form).act), Power: true}
}

// partActions is the part of a person that is looked at by a form.
const partActions = "actions"

// form is a request for the form of one action.
type form struct {
	*frame.Request
	o      Options
	action action.Action
	order  action.Order
	name   ui.Label
	needs
}

// open reads which action is asked for. One that somebody has no role for is not found, and
// neither is any on themselves.
func (o Options) open(r *frame.Request, kind action.Kind) (*form, error) {
	a, ok := o.Book.Action(r.Value("action"))
	if !ok || a.Target != kind {
		return nil, frame.NotFound
	}
	target := r.Value("target")
	if kind == action.Person {
		target = r.Matter.Subject
	}
	if !r.Staff.Is(a.Roles...) {
		return nil, r.Refuse(frame.Refusal{Action: a.Name, Person: personOf(kind, target), Alarm: true})
	}
	f := &form{Request: r, o: o, action: a, order: action.Order{
		Target: target, Values: map[string]string{}, Locale: r.Locale().Lang, Staff: r.Staff.ID, As: r.User.UserID,
	}}
	for _, field := range a.Fields {
		value := r.Posted(field.Name)
		if r.Screen.Request.Method == http.MethodGet && !field.Sensitive { // never in an address
			value = r.Query(field.Name)
		}
		if field.Many {
			value = strings.Join(append(strings.Fields(value), f.ticked(field.Name)...), " ")
		}
		f.order.Values[field.Name] = value
	}
	var err error
	if f.needs, err = needsOf(r, a.Rule, target); err != nil {
		return nil, err
	}
	if kind == action.Person { // what it would do says how they are
		if err := r.LookedAt(partActions); errors.Is(err, audit.ErrMatter) {
			return nil, frame.NotFound
		} else if err != nil {
			return nil, err
		}
	}
	f.name, err = o.Name(r, kind, target)
	return f, err
}

func personOf(kind action.Kind, target string) string {
	if kind == action.Person {
		return target
	}
	return ""
}

// show shows what the action would do, or first asks for its values.
func (f *form) show() error {
	if f.lacks() != "" {
		return f.render(http.StatusOK, action.Effect{}, false)
	}
	return f.check(http.StatusOK)
}

// act checks the values that were given, or does what was checked.
func (f *form) act() error {
	fields := []string{screens.FieldRevision}
	for _, field := range f.action.Fields {
		fields = append(fields, field.Name)
		for _, value := range f.ticked(field.Name) {
			fields = append(fields, screens.FieldTick(field.Name, value))
		}
	}
	if err := f.Only(fields...); err != nil {
		return err
	}
	if lacks := f.lacks(); lacks != "" {
		return f.render(http.StatusUnprocessableEntity, action.Effect{}, false, f.problem(lacks, screens.WrongMissing))
	}
	switch f.Action() {
	case screens.ActionCheck:
		return f.check(http.StatusOK)
	case screens.ActionDo:
		return f.do()
	}
	return frame.Malformed("no such button")
}

// ticked returns the values of a field that are ticked.
func (f *form) ticked(field string) (values []string) {
	for name := range f.Screen.Request.PostForm {
		if value, ok := strings.CutPrefix(name, screens.FieldTick(field, "")); ok && value != "" {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}

// options returns what can be ticked for a field, or nil.
func (f *form) options(field action.Field) (options []ui.Option, err error) {
	if f.action.Offer == nil || !field.Many {
		return nil, nil
	}
	offered, err := f.action.Offer(f.Context(), f.order)
	if errors.Is(err, action.ErrNoTarget) {
		return nil, frame.NotFound
	}
	given := strings.Fields(f.order.Values[field.Name])
	for _, value := range offered {
		options = append(options, ui.Option{Value: value, Label: value, Chosen: slices.Contains(given, value)})
	}
	return options, err
}

// lacks returns a required value that was not given.
func (f *form) lacks() string {
	for _, field := range f.action.Fields {
		if field.Required && f.order.Values[field.Name] == "" {
			return field.Name
		}
	}
	return ""
}

// check looks at what the order would do, and shows it.
func (f *form) check(status int, problems ...ui.Problem) error {
	effect, err := f.action.Check(f.Context(), f.order)
	var wrong *provider.FieldError
	switch {
	case errors.As(err, &wrong):
		return f.render(http.StatusUnprocessableEntity, action.Effect{}, false, f.problem(wrong.Field, screens.WrongValue))
	case errors.Is(err, action.ErrNoTarget):
		return frame.NotFound
	case err != nil:
		return err
	}
	return f.render(status, effect, true, problems...)
}

// do carries the order out, if its target still is what was shown.
func (f *form) do() error {
	if f.stands != screens.NeedsNothing {
		if f.stands == screens.NeedsProtected {
			if err := f.Refuse(frame.Refusal{Action: f.action.Name, Person: f.order.Target, Alarm: true}); !errors.Is(err, frame.NotFound) {
				return err
			}
		}
		return f.check(http.StatusForbidden)
	}
	page, err := f.Page(screens.SectionFind) // before the act: what it shows, nobody gets a second time
	if err != nil {
		return err
	}
	result, err := f.action.Do(f.By(f.proof), f.order, f.Posted(screens.FieldRevision))
	var wrong *provider.FieldError
	switch {
	case errors.Is(err, provider.ErrChanged):
		return f.check(http.StatusConflict, f.problem("", screens.WrongMoved))
	case errors.Is(err, audit.ErrMatter):
		return f.Done(f.Path(), screens.NoticeMatterEnded)
	case errors.Is(err, audit.ErrProof):
		f.stands = needOf(f.action.Proof)
		return f.check(http.StatusForbidden)
	case errors.As(err, &wrong):
		return f.render(http.StatusUnprocessableEntity, action.Effect{}, false, f.problem(wrong.Field, screens.WrongValue))
	case errors.Is(err, action.ErrNoTarget):
		return frame.NotFound
	case err != nil:
		return err
	case result.Shown != "":
		return f.reveal(page, result.Shown)
	}
	return f.Done(f.back(), screens.NoticeActed)
}

// reveal shows a value, on this page alone.
func (f *form) reveal(page screens.Page, value string) error {
	of := f.o.Frame.Provider.Rooms().Pages.AttributeWords(f.Locale(), f.order.Values[action.FieldHandle])
	f.Room().RenderSecret(http.StatusOK, screens.Shown(screens.ShownView{
		Page: page, Name: f.action.Name, Target: f.name, Of: of, Value: value, BackURL: f.back(),
	}))
	return nil
}

func (f *form) problem(field string, w screens.Wrong) ui.Problem {
	return screens.ProblemOf(f.Locale(), field, w)
}

// back is the page of the target.
func (f *form) back() string {
	switch f.action.Target {
	case action.Person:
		return f.MatterPath()
	case action.Application:
		return f.Path("applications", f.order.Target)
	case action.Host:
		return f.Path("hosts", f.order.Target)
	case action.Receiver:
		return f.Path("receivers", f.order.Target)
	case action.Organization:
		return f.Path("organizations", f.order.Target)
	default:
		return f.Path("keys")
	}
}

// sections are where the forms of actions belong in the navigation.
var sections = map[action.Kind]screens.Section{
	action.Person: screens.SectionFind, action.Application: screens.SectionApplications,
	action.Host: screens.SectionHosts, action.Receiver: screens.SectionReceivers, action.Organization: screens.SectionOrganizations, action.Service: screens.SectionKeys,
}

func (f *form) render(status int, effect action.Effect, checked bool, problems ...ui.Problem) error {
	page, err := f.Page(sections[f.action.Target])
	if err != nil {
		return err
	}
	v := screens.ActView{
		Page: page, Form: f.Form(problems...), Name: f.action.Name, Target: f.name, BackURL: f.back(),
		Checked: checked, Void: effect.Void, Revision: effect.Revision, Needs: f.stands,
	}
	for _, field := range f.action.Fields {
		value := screens.ActValue{Name: field.Name, Value: f.order.Values[field.Name]}
		if !checked {
			if value.Options, err = f.options(field); err != nil {
				return err
			}
			v.Entries = append(v.Entries, value)
		} else if value.Value != "" {
			v.Values = append(v.Values, value)
		}
	}
	for _, fact := range effect.Facts {
		v.Facts = append(v.Facts, screens.ActFact(fact))
	}
	f.offer(&v)
	f.Room().RenderSecret(status, screens.Act(v))
	return nil
}

// offer says how to go on where the action cannot be done at once.
func (f *form) offer(v *screens.ActView) {
	if f.stands == screens.NeedsNothing {
		return
	}
	if f.stands == screens.NeedsMailbox || f.stands == screens.NeedsSession {
		v.ProofURL = f.MatterPath("proof")
	}
	if !f.Staff.Operates() {
		return
	}
	query := url.Values{screens.FieldName: {f.action.Name}, screens.FieldTargets: {f.target()}}
	if f.Matter != nil {
		query.Set(screens.FieldMatter, f.Matter.ID)
	}
	for _, field := range f.action.Fields {
		if value := f.order.Values[field.Name]; !field.Sensitive && value != "" {
			query.Set(field.Name, value)
		}
	}
	if f.action.Wait == 0 {
		v.BreakURL = f.Path("breaks", "new") + "?" + query.Encode()
	}
	if f.stands == screens.NeedsEyes || f.stands == screens.NeedsProtected && !slices.Contains([]string{action.ShowValue, action.ShowSensitive}, f.action.Name) {
		plan := f.Form()
		plan.Action = f.Path("plans", "new")
		for _, name := range []string{screens.FieldName, screens.FieldTargets, screens.FieldMatter} {
			if value := query.Get(name); value != "" {
				plan.Hidden = append(plan.Hidden, ui.Field{Name: name, Value: value})
			}
		}
		v.PlanForm = &plan
	}
}

// target is how a plan names the target.
func (f *form) target() string {
	if f.action.Target == action.Service {
		return "service"
	}
	return f.order.Target
}
