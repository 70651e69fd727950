package verification

import (
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/verification"
)

// atWithdraw asks whether to end a case, and ends it.
func (s *casePages) atWithdraw(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if c.State.IsFinal() {
		return s.toCase(r, c.ID)
	}
	if r.posts() {
		if err := s.caseSteps.Withdraw(r.context(), r.User.UserID, c.ID); err != nil && !errors.Is(err, ErrNotNow) {
			return err
		}
		return s.toCase(r, c.ID)
	}
	p, err := s.casePage(r, c)
	if err != nil {
		return err
	}
	p.Steps = nil
	r.Render(http.StatusOK, screens.Withdraw(screens.WithdrawView{CasePage: p, Form: r.Form(), CancelURL: s.path("case", c.ID)}))
	return nil
}

// atAppeal asks whether to have a declined case decided again, and begins the case that does
// that.
func (s *casePages) atAppeal(r *request) error {
	c, err := s.own(r)
	if err != nil {
		return err
	}
	if c.State != storage.CaseDeclined || !c.CanAppeal {
		return s.toCase(r, c.ID)
	}
	if !r.Fresh(fresh) {
		r.SignIn(fresh)
		return nil
	}
	if r.posts() {
		return s.appeal(r, c)
	}
	p, err := s.casePage(r, c)
	if err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Appeal(screens.AppealView{
		CasePage: p, Form: r.Form(), Reasons: public(c.Reasons), CancelURL: s.path("case", c.ID),
	}))
	return nil
}

// appeal begins a case that another reviewer decides. It leads back to the application that
// the first one did.
func (s *casePages) appeal(r *request, c RecordedCase) error {
	_, k, err := s.engine.read(r.context(), c.ID)
	if err != nil {
		return err
	}
	appealed, _, err := s.caseSteps.Start(r.context(), Request{
		UserID: r.User.UserID, Group: c.Group, Appeals: c.ID, Language: r.Page().Locale.Lang,
		ClientID: k.ClientID, ReturnTo: k.ReturnTo,
	})
	var limited LimitError
	switch {
	case errors.Is(err, ErrNotNow), errors.Is(err, ErrNoPolicy):
		return s.toCase(r, c.ID)
	case errors.As(err, &limited):
		p, err := s.casePage(r, c)
		if err != nil {
			return err
		}
		v := screens.AppealView{CasePage: p, Reasons: public(c.Reasons), CancelURL: s.path("case", c.ID)}
		v.Form = r.Form(screens.TooMany(p.Locale, s.until(limited)))
		r.Render(r.Room().TooMany(limited.Wait), screens.Appeal(v))
		return nil
	case err != nil:
		return err
	}
	return s.toCase(r, appealed.ID)
}

// caseParameter names the case in the address to which a page elsewhere returns.
const caseParameter = "case"

// comeFromElsewhere tells the verifier that the person is back. It decides nothing, whatever
// the address says: the verifier asks the other side, or opens what that has sealed.
func (s *casePages) comeFromElsewhere(r *request) error {
	query := r.Request.URL.Query()
	c, err := s.caseSteps.Case(r.context(), query.Get(caseParameter))
	switch {
	case errors.Is(err, ErrNoCase), err == nil && c.UserID != r.User.UserID:
		return provider.ErrScreenNotFound
	case err != nil:
		return err
	}
	told := make(map[string]string, len(query))
	for name := range query {
		if name != caseParameter {
			told[name] = query.Get(name)
		}
	}
	_, err = s.caseSteps.comeBack(r.context(), r.User.UserID, c.ID, told)
	return s.answered(r, c, err)
}
