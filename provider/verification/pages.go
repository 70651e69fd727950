package verification

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// fresh is the maximum age of the sign-in of a person who begins a case. Whoever is verified
// in somebody else's account gives it a name: an unlocked browser must not be enough for
// that. The account pages ask for the password in the form of such a change; here it is asked
// before the first page, so that nothing is lost that was entered, and people may read for
// longer than the five minutes of those who look after applications.
const fresh = 15 * time.Minute

// returnPath is the page to which a page elsewhere returns. No group is called so: its own
// page would not be found.
const returnPath = "return"

// pageRoutes are the pages of the person.
func (s *casePages) pageRoutes() []route {
	return []route{
		{"/{$}", s.page(onlyLooked(s.showList))},
		{"/{group}", s.page(s.atGroup)},
		{"/case/{id}", s.page(s.atCase)},
		{"/case/{id}/withdraw", s.page(s.atWithdraw)},
		{"/case/{id}/appeal", s.page(s.atAppeal)},
		{"/" + returnPath, s.page(onlyLooked(s.comeFromElsewhere))},
	}
}

// onlyLooked is for pages without a form.
func onlyLooked(h func(*request) error) func(*request) error {
	return func(r *request) error {
		if r.posts() {
			return provider.ScreenError{Status: http.StatusMethodNotAllowed, Code: ui.ErrorMethod, Err: errors.New("there is no form here")}
		}
		return h(r)
	}
}

func (r *request) posts() bool { return r.Request.Method == http.MethodPost }

// posted returns a field of the posted form.
func (r *request) posted(name string) string { return r.Request.PostForm.Get(name) }

func (r *request) context() context.Context { return r.Request.Context() }

// version returns the version of the case that the form was made for. One that is no number
// is none.
func (r *request) version() int64 {
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil || version < 1 {
		return -1 // 0 would be any
	}
	return version
}

// own returns the case in the path. Nobody learns whether there is one of somebody else.
func (s *casePages) own(r *request) (RecordedCase, error) {
	c, err := s.caseSteps.Case(r.context(), r.Request.PathValue("id"))
	switch {
	case errors.Is(err, ErrNoCase), err == nil && c.UserID != r.User.UserID:
		return RecordedCase{}, provider.ErrScreenNotFound
	default:
		r.Room().Speak(c.Language)
		return c, err
	}
}

// toCase redirects to the page of a case.
func (s *casePages) toCase(r *request, id string) error {
	r.Redirect(s.path("case", id))
	return nil
}

// groupPage is the frame of every page about a group.
func (s *casePages) groupPage(r *request, group string) screens.CasePage {
	p := screens.CasePage{Page: r.Page(), Notice: screens.Notice(r.Room().Notice()), ListURL: s.path("")}
	p.Group, _ = s.Provider.Rooms().Pages.GroupWords(p.Locale, group)
	return p
}

// flowPage is the frame of a page about no case yet. It shows the application of the flow.
func (s *casePages) flowPage(r *request, p *Policy) (screens.CasePage, error) {
	v, begins := s.groupPage(r, p.Group), s.requested(r, p)
	if begins.ClientID == "" {
		return v, nil
	}
	var err error
	v.ApplicationURL = begins.ReturnTo
	v.Client, err = r.Room().Client(begins.ClientID)
	return v, err
}

// casePage is the frame of every page about a case.
func (s *casePages) casePage(r *request, c RecordedCase) (screens.CasePage, error) {
	p := s.groupPage(r, c.Group)
	if !c.State.IsFinal() {
		p.WithdrawURL, p.Simulation = s.path("case", c.ID, "withdraw"), s.simulation(r, c)
		k, err := s.contentOf(r, c)
		if err != nil {
			return p, err
		}
		p.Steps = s.stages(p.Locale, c.Group, c.Method, k)
	}
	status, err := s.released(r, c.Group)
	if err != nil {
		return p, err
	}
	if c.State != storage.CaseApproved && status.Verified {
		p.KeptUntil = status.ExpiresAt
	}
	p.ApplicationURL, p.Client, err = s.wayBack(r, c)
	return p, err
}

// contentOf returns what only the service reads of a case.
func (s *casePages) contentOf(r *request, c RecordedCase) (*content, error) {
	_, k, err := s.engine.read(r.context(), c.ID)
	return &k, err
}

// released returns the person's status in a group, as applications get it.
func (s *casePages) released(r *request, group string) (provider.Status, error) {
	statuses, err := s.Provider.People().Statuses(r.context(), r.User.UserID, group)
	if err != nil || len(statuses) == 0 {
		return provider.Status{}, err
	}
	return statuses[0], nil
}

// formOf is a form about a case in the version that is shown.
func (s *casePages) formOf(r *request, c RecordedCase, problems ...ui.Problem) ui.Form {
	f := r.Form(problems...)
	f.Action = s.path("case", c.ID)
	f.Hidden = append(f.Hidden, ui.Field{Name: screens.FieldVersion, Value: strconv.FormatInt(c.Version, 10)})
	return f
}

// stages are the steps of a case of which all have to be taken; nil if there is one.
func (s *casePages) stages(l *ui.Locale, group, method string, k *content) []screens.Step {
	rule := k.Terms.Rule
	if !rule.All || len(rule.Of) < 2 {
		return nil
	}
	steps := make([]screens.Step, len(rule.Of))
	now := rule.stage(method, k.state)
	for i, of := range rule.Of {
		for _, way := range of.methods() {
			steps[i].Ways = append(steps[i].Ways, s.MethodTitle(l, group, way))
		}
		switch {
		case of.verdict(k.state) == accepted:
			steps[i].State = screens.StepDone
		case i == now:
			steps[i].State = screens.StepNow
		default:
			steps[i].State = screens.StepLater
		}
	}
	return steps
}

// stage returns the step of an AllOf that the person is in: that of the method in progress,
// or else the first that is not done. It is -1 if all are.
func (s shape) stage(method string, of func(string) checkState) int {
	first := -1
	for i, rule := range s.Of {
		if rule.verdict(of) == accepted {
			continue
		}
		if first < 0 {
			first = i
		}
		for _, m := range rule.methods() {
			if m == method {
				return i
			}
		}
	}
	return first
}

// present are the methods of the step of an AllOf that the person is in, or of the whole
// rule.
func (s shape) present(method string, of func(string) checkState) []string {
	if s.All && len(s.Of) > 1 {
		if i := s.stage(method, of); i >= 0 {
			return s.Of[i].methods()
		}
	}
	return s.methods()
}

// MethodTitle returns what a method of a group is called in the language of a screen. One that
// the host has removed has no other name than its own.
func (s *casePages) MethodTitle(l *ui.Locale, group, method string) ui.Label {
	if p := s.policies[group]; p != nil {
		if v := p.verifier(method); v != nil {
			return translated(l, v.Title)
		}
	}
	return ui.Label{Text: method, Lang: ui.Undetermined}
}

// translated is a text of a verifier in the language of a screen.
func translated(l *ui.Locale, t Text) ui.Label {
	for lang := l.Lang; lang != ""; {
		if said := t.Translations[lang]; said != "" {
			return ui.Label{Text: said}
		}
		i := strings.LastIndexByte(lang, '-')
		lang = lang[:max(i, 0)]
	}
	return screens.Word(l, t.English)
}

// public are the reasons that the person reads, each once.
func public(reasons []Reason) []screens.Reason {
	var said []screens.Reason
	for _, r := range reasons {
		one := screens.Reason(r.Public())
		if !slices.Contains(said, one) {
			said = append(said, one)
		}
	}
	return said
}
