package signin

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showSignIn asks for e-mail address and password, or a passkey; or for what is missing, if
// somebody is signed in who must authenticate again or further.
func (p *firstPages) showSignIn(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return err
	}
	if asked.Enrol {
		p.Site.Redirect(w, p.link(r, "/signin/enrol"))
		return nil
	}
	if asked.User != nil {
		q, err := p.askAgain(r, asked)
		if err != nil {
			return err
		}
		status, problems := p.problems(w, r)
		return p.render(w, r, page, q, "/signin", status, problems...)
	}
	if page.Flow == nil {
		user, err := page.User()
		if err != nil {
			return err
		}
		if user != nil {
			return p.Flows.Continue(w, r, page)
		}
	}
	if done, err := p.elsewhere.followHint(w, r, page); done || err != nil {
		return err
	}
	status, problems := p.problems(w, r)
	return p.renderSignIn(w, r, page, cmp.Or(p.GivenEmail(r), loginHint(page)), status, problems...)
}

// loginHint returns the address that the page's application expects.
func loginHint(page *authflow.Page) string {
	if page.Flow == nil || page.HintsPersona() {
		return ""
	}
	return page.Request().LoginHint
}

func (p *frame) renderSignIn(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) error {
	return p.renderSignal(w, r, page, email, status, nil, problems...)
}

// renderSignal is renderSignIn with a signal to the browser about a passkey that nobody has.
func (p *frame) renderSignal(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, signal []byte, problems ...ui.Problem) error {
	view := ui.SignInView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Notice: p.Site.Noticed(r), Email: email,
		Upstreams: p.buttons(r, page), HomeRealm: p.findsHome(r, page), Connecting: p.connecting(r, page),
	}
	if p.SendsMail() {
		view.ResetURL, view.SignUpURL = p.link(r, "/reset"), p.link(r, "/signup")
	}
	var err error
	if view.Personas, err = p.Flows.PersonaViews(r.Context(), view.Locale, page); err != nil {
		return err
	}
	if view.Passkey, err = p.Factors.PromptAnybody(w, r); err != nil {
		return err
	}
	// An extension that answers by itself would send what was refused again and again.
	view.Passkey.Conditional = view.Passkey.Conditional && r.PostForm.Get(ui.FieldPasskey) == ""
	view.Signals = string(signal)
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.SignIn(view))
	return nil
}

// renderPassword asks the user who is signed in for the password.
func (p *frame) renderPassword(w http.ResponseWriter, r *http.Request, page *authflow.Page, q question, status int, problems ...ui.Problem) error {
	account, err := p.Flows.AccountView(r.Context(), q.set.Account.ID)
	if err != nil {
		return err
	}
	view := ui.ReauthenticateView{Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Account: account, Upstreams: p.linked(r, q.links())}
	if p.SendsMail() {
		view.ResetURL = p.link(r, "/reset")
	}
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.Reauthenticate(view))
	return nil
}

// signIn takes the form of the page: a passkey, or address and password.
func (p *firstPages) signIn(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	if r.PostForm.Get(ui.FieldAction) == ui.ActionSwitch {
		return p.Flows.SwitchAccount(w, r, page)
	}
	if name := r.PostForm.Get(ui.FieldPersona); name != "" {
		return p.signInAsPersona(w, r, page, name)
	}
	asked, err := p.Flows.Asked(r, page)
	switch {
	case err != nil:
		return err
	case asked.User != nil:
		q, err := p.askAgain(r, asked)
		if err != nil {
			return err
		}
		return p.answer(w, r, page, q, "/signin")
	case r.PostForm.Get(ui.FieldPasskey) != "":
		return p.signInByPasskey(w, r, page)
	default:
		return p.signInByPassword(w, r, page, asked)
	}
}

// signInByPasskey signs in whoever has a passkey here. That is two factors.
func (p *firstPages) signInByPasskey(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	account, presented, rejected, err := p.Factors.Discover(r)
	if err != nil {
		return err
	}
	if rejected == nil {
		factors := []storage.Factor{presented.Factor}
		err = p.enter(w, r, page, entry{account: account, on: presented.Join(account.Proof()), factors: factors, presented: factors})
		if !isRefused(err) {
			presented.Ended(r.Context(), err)
			return err
		}
		rejected = factor.Wrong(storage.PasskeyVerified)
	}
	return p.renderSignal(w, r, page, r.PostForm.Get(ui.FieldEmail), rejected.Status(w), rejected.Unknown, rejected.Problem)
}

// signInByPassword checks e-mail address and password. They sign in unless the account has a
// second step, or the page asks for more.
func (p *firstPages) signInByPassword(w http.ResponseWriter, r *http.Request, page *authflow.Page, asked authflow.Asked) error {
	if done, err := p.elsewhere.sendHome(w, r, page); done || err != nil {
		return err
	}
	email, entered := r.PostForm.Get(ui.FieldEmail), r.PostForm.Get(ui.FieldPassword)
	if problems := missing(email, entered); len(problems) > 0 {
		return p.renderSignIn(w, r, page, email, http.StatusUnprocessableEntity, problems...)
	}
	checked, wait, err := p.CheckSignIn(r, email, entered)
	switch {
	case errors.Is(err, account.ErrLocked):
		return p.renderSignIn(w, r, page, email, http.StatusForbidden, ui.Problem{Code: ui.AccountLocked})
	case err != nil:
		return err
	case wait > 0:
		return p.renderSignIn(w, r, page, email, web.TooMany(w, wait), account.Throttled(wait))
	case checked == nil:
		return p.renderSignIn(w, r, page, email, http.StatusUnauthorized, ui.Problem{Code: ui.CredentialsWrong})
	}
	factors := []storage.Factor{p.Flows.Password(*checked)}
	err = p.afterFirst(w, r, page, asked, entry{account: *checked, on: checked.Proof(), factors: factors, presented: factors})
	if isRefused(err) { // the password that was checked has changed
		return p.renderSignIn(w, r, page, email, http.StatusUnauthorized, ui.Problem{Code: ui.CredentialsWrong})
	}
	return err
}

// afterFirst signs the owner of an account in who has presented the password, or has come back
// from an upstream provider, or asks for the next factor.
func (p *frame) afterFirst(w http.ResponseWriter, r *http.Request, page *authflow.Page, asked authflow.Asked, e entry) error {
	checked, factors := e.account, e.factors
	if !checked.SecondStep && asked.Demand.IsZero() {
		return p.enter(w, r, page, e)
	}
	set, err := p.Store.Authenticators(r.Context(), checked.ID)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrChanged
	}
	if err != nil {
		return err
	}
	set.Account = checked // the account whose factor it was: the write compares the two
	q := p.ask(asked, set, factors)
	if q.requirement.MetBy(factors, p.Clock()) {
		return p.enter(w, r, page, e)
	}
	if digest, ok := p.Trusted(r, set); ok && p.TrustDevices > 0 && checked.SecondStep {
		set.Account.SecondStep = false
		if p.ask(asked, set, factors).requirement.MetBy(factors, p.Clock()) {
			e.on.Device = digest
			return p.enter(w, r, page, e)
		}
	}
	return p.goOn(w, r, checked, factors)
}

// signInAsPersona signs the browser in as the selected persona.
func (p *firstPages) signInAsPersona(w http.ResponseWriter, r *http.Request, page *authflow.Page, name string) error {
	err := p.Flows.SignInAsPersona(w, r, page, name)
	switch {
	case errors.Is(err, authflow.ErrNoPersona): // the set has changed
		return p.renderSignIn(w, r, page, "", http.StatusUnprocessableEntity)
	case errors.Is(err, authflow.ErrLocked):
		return p.renderSignIn(w, r, page, "", http.StatusForbidden, ui.Problem{Code: ui.AccountLocked})
	case err != nil:
		return err
	}
	return p.Flows.Continue(w, r, page)
}

func missing(email, password string) []ui.Problem {
	var problems []ui.Problem
	if email == "" {
		problems = append(problems, ui.Problem{Code: ui.EmailMissing})
	}
	if password == "" {
		problems = append(problems, ui.Problem{Code: ui.PasswordMissing})
	}
	return problems
}
