package verification

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// atGroup lets the person choose a method and begins the case, or leads to the one that is in
// progress.
func (s *casePages) atGroup(r *request) error {
	p := s.policies[r.Request.PathValue("group")]
	if p == nil {
		return provider.ErrScreenNotFound
	}
	begins := s.requested(r, p)
	latest, err := s.Store.Cases(r.context(), storage.CaseFilter{Subject: r.User.UserID, Group: p.Group, Limit: 1})
	if err != nil {
		return err
	}
	if len(latest) > 0 && !latest[0].State.IsFinal() {
		c, err := s.caseSteps.resume(r.context(), latest[0].ID, begins)
		if err != nil && !errors.Is(err, ErrNotNow) {
			return err
		}
		if err == nil && r.posts() {
			return s.chooses(r, c)
		}
		return s.toCase(r, latest[0].ID)
	}
	status, err := s.released(r, p.Group)
	switch {
	case err != nil:
		return err
	case status.Verified && !p.canRenew(status, s.Clock()):
		return s.showMember(r, p, status)
	case p.Ended:
		r.Render(http.StatusOK, screens.Ended(screens.EndedView{CasePage: s.groupPage(r, p.Group), How: screens.EndingClosed}))
		return nil
	case !r.Fresh(fresh):
		r.SignIn(fresh)
		return nil
	case r.posts():
		return s.begin(r, p, status, begins)
	default:
		return s.showBeginning(r, p, status, http.StatusOK)
	}
}

// requested is what a case of this request begins with. A return address that was not made
// for this person in this browser is left out: it is that of somebody else.
func (s *casePages) requested(r *request, p *Policy) Request {
	begins := Request{UserID: r.User.UserID, Group: p.Group}
	address := s.returnTo(r)
	clientID, until, ok := s.Provider.Rooms().Pages.VerificationReturn(r.Request, r.User.UserID, address)
	if ok && (until.IsZero() || s.Clock().Before(until)) {
		begins.ClientID, begins.ReturnTo = clientID, address
	}
	begins.Language = r.Page().Locale.Lang // that of the flow, known now
	return begins
}

// returnTo is the return address of a flow, in the address of the page or its form.
func (s *casePages) returnTo(r *request) string {
	if r.posts() {
		return r.posted(returnParameter)
	}
	return r.Request.URL.Query().Get(returnParameter)
}

// begin starts a case by the chosen method.
func (s *casePages) begin(r *request, p *Policy, status provider.Status, begins Request) error {
	method := r.posted(screens.FieldMethod)
	if !slices.Contains(p.Rule.shape().methods(), method) {
		return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: errors.New("there is no such method")}
	}
	c, _, err := s.caseSteps.Start(r.context(), begins)
	var limited LimitError
	switch {
	case errors.As(err, &limited):
		return s.showBeginning(r, p, status, r.Room().TooMany(limited.Wait), screens.TooMany(r.Page().Locale, s.until(limited)))
	case errors.Is(err, ErrNotNow), errors.Is(err, ErrNoPolicy): // it has changed in this moment
		r.Redirect(s.path(p.Group))
		return nil
	case err != nil:
		return err
	}
	return s.chooses(r, c)
}

// chooses begins a method of a case.
func (s *casePages) chooses(r *request, c RecordedCase) error {
	_, err := s.caseSteps.choose(r.context(), r.User.UserID, c.ID, c.Version, r.posted(screens.FieldMethod))
	return s.answered(r, c, err)
}

// until is when a limit lets through again; the zero time for not in this case.
func (s *casePages) until(e LimitError) time.Time {
	if e.Wait <= 0 {
		return time.Time{}
	}
	return s.Clock().Add(e.Wait)
}

// showBeginning lets the person choose a method for a case that has yet to begin.
func (s *casePages) showBeginning(r *request, p *Policy, status provider.Status, code int, problems ...ui.Problem) error {
	page, err := s.flowPage(r, p)
	if err != nil {
		return err
	}
	v := screens.ChooseView{CasePage: page, Form: r.Form(problems...), Renewal: status.Verified}
	if address := s.returnTo(r); address != "" {
		v.Hidden = append(v.Hidden, ui.Field{Name: returnParameter, Value: address})
	}
	if status.Verified {
		v.KeptUntil = status.ExpiresAt
	}
	shape := p.Rule.shape()
	none := &content{Terms: terms{Rule: shape}}
	v.Steps = s.stages(v.Locale, p.Group, "", none)
	for _, method := range shape.present("", none.state) {
		v.Methods = append(v.Methods, s.way(v.Locale, p, MethodState{Name: method}))
	}
	byWait(v.Methods)
	r.Render(code, screens.Choose(v))
	return nil
}

// way shows a method.
func (s *casePages) way(l *ui.Locale, p *Policy, m MethodState) screens.Method {
	way := screens.Method{Name: m.Name, Title: ui.Label{Text: m.Name, Lang: ui.Undetermined}}
	if v := p.verifier(m.Name); v != nil {
		way.Title, way.Takes = translated(l, v.Title), v.Takes
		if v.Asks.English != "" {
			way.Asks = translated(l, v.Asks)
		}
		if v.Keeps.English != "" {
			way.Keeps = translated(l, v.Keeps)
		} else if len(v.Upload) > 0 {
			way.Keeps = screens.KeepsFiles(l, p.Keep)
		}
	}
	way.Refused = m.State == string(checkRefused)
	way.Failed = m.State == string(checkFailed) && len(m.Reasons) > 0
	way.Reasons = public(m.Reasons)
	return way
}

// byWait sorts methods by the time until the result; those that are over come last.
func byWait(ways []screens.Method) {
	slices.SortStableFunc(ways, func(a, b screens.Method) int {
		switch {
		case a.Refused != b.Refused && a.Refused:
			return 1
		case a.Refused != b.Refused:
			return -1
		case a.Takes < b.Takes:
			return -1
		case a.Takes > b.Takes:
			return 1
		default:
			return 0
		}
	})
}

// showMember says that the person is a member, where nothing is to be renewed yet.
func (s *casePages) showMember(r *request, p *Policy, status provider.Status) error {
	page, err := s.flowPage(r, p)
	if err != nil {
		return err
	}
	v := screens.ApprovedView{CasePage: page, Until: status.ExpiresAt, Source: status.Source}
	_, v.Subgroups = s.Provider.Rooms().Pages.GroupWords(v.Locale, p.Group, status.Subgroups...)
	if !v.Until.IsZero() && !p.Ended {
		v.RenewFrom = v.Until.Add(-p.RenewFrom)
	}
	r.Render(http.StatusOK, screens.Approved(v))
	return nil
}
