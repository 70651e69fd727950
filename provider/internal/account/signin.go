package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showSignIn asks for e-mail address and password, or only for the password if the
// signed-in user must prove it again.
func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	user, err := page.User()
	if err != nil {
		return err
	}
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return err
	}
	again := asked.User
	if page.Flow == nil && user != nil && again == nil {
		return p.Flows.Continue(w, r, page)
	}
	return p.renderSignIn(w, r, page, again, cmp.Or(p.resetEmail(r), p.returnedEmail(r), loginHint(page)), http.StatusOK)
}

// loginHint returns the address that the page's application expects.
func loginHint(page *authflow.Page) string {
	if page.Flow == nil || page.HintsPersona() {
		return ""
	}
	return page.Request().LoginHint
}

func (p *Pages) renderSignIn(w http.ResponseWriter, r *http.Request, page *authflow.Page, again *authflow.User, email string, status int, problems ...ui.Problem) error {
	form := p.Site.Form(w, r, problems)
	resetURL, signUpURL := "", ""
	if p.SendsMail() {
		resetURL = p.Site.Link("/reset", web.FlowParameter, web.Parameter(r, web.FlowParameter))
		signUpURL = p.Site.Link("/signup", web.FlowParameter, web.Parameter(r, web.FlowParameter))
	}
	view := p.Site.PageView(r, page.Request())
	if again == nil {
		personas, err := p.Flows.PersonaViews(r.Context(), view.Locale, page)
		if err != nil {
			return err
		}
		p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.SignIn(ui.SignInView{
			Page: view, Form: form, Notice: p.Site.Noticed(r),
			Personas: personas, Email: email, ResetURL: resetURL, SignUpURL: signUpURL,
		}))
		return nil
	}
	account, err := p.Flows.AccountView(r.Context(), again.UserID)
	if err != nil {
		return err
	}
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.Reauthenticate(ui.ReauthenticateView{
		Page: view, Form: form, Account: account, ResetURL: resetURL,
	}))
	return nil
}

// signIn checks e-mail address and password, and starts a session.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	if r.PostForm.Get(ui.FieldAction) == ui.ActionSwitch {
		return p.Flows.SwitchAccount(w, r, page)
	}
	if name := r.PostForm.Get(ui.FieldPersona); name != "" {
		return p.signInAsPersona(w, r, page, name)
	}
	asked, err := p.Flows.Asked(r, page)
	if err != nil {
		return err
	}
	again := asked.User
	email := r.PostForm.Get(ui.FieldEmail)
	if again != nil {
		email = again.Account.Email
	}
	if problems := signInProblems(again, email, r.PostForm.Get(ui.FieldPassword)); len(problems) > 0 {
		return p.renderSignIn(w, r, page, again, email, http.StatusUnprocessableEntity, problems...)
	}
	account, wait, err := p.CheckPassword(r, email, r.PostForm.Get(ui.FieldPassword))
	switch {
	case err != nil:
		return err
	case wait > 0:
		return p.renderSignIn(w, r, page, again, email, web.TooMany(w, wait), Throttled(wait))
	case account == nil && again != nil:
		return p.renderSignIn(w, r, page, again, email, http.StatusUnauthorized, ui.Problem{Code: ui.PasswordWrong})
	case account == nil:
		return p.renderSignIn(w, r, page, again, email, http.StatusUnauthorized, ui.Problem{Code: ui.CredentialsWrong})
	}
	err = p.enter(w, r, page, *account)
	if errors.Is(err, storage.ErrChanged) { // the password that was checked has changed
		return p.renderSignIn(w, r, page, again, email, http.StatusUnauthorized, ui.Problem{Code: ui.CredentialsWrong})
	}
	return err
}

// enter starts a session and continues the flow. An account that is due for deletion is
// asked to confirm or cancel it.
func (p *Pages) enter(w http.ResponseWriter, r *http.Request, page *authflow.Page, account storage.Account) error {
	if !account.DeleteAt.IsZero() {
		return p.askToKeep(w, r, account)
	}
	if err := p.startSession(w, r, page, account); err != nil {
		return err
	}
	return p.Flows.Continue(w, r, page)
}

// signInAsPersona signs the browser in as the selected persona.
func (p *Pages) signInAsPersona(w http.ResponseWriter, r *http.Request, page *authflow.Page, name string) error {
	err := p.Flows.SignInAsPersona(w, r, page, name)
	switch {
	case errors.Is(err, authflow.ErrNoPersona): // the set has changed
		return p.renderSignIn(w, r, page, nil, "", http.StatusUnprocessableEntity)
	case errors.Is(err, authflow.ErrLocked):
		return p.renderSignIn(w, r, page, nil, "", http.StatusUnauthorized, ui.Problem{Code: ui.CredentialsWrong})
	case err != nil:
		return err
	}
	return p.Flows.Continue(w, r, page)
}

func signInProblems(again *authflow.User, email, password string) []ui.Problem {
	var problems []ui.Problem
	if again == nil && email == "" {
		problems = append(problems, ui.Problem{Code: ui.EmailMissing})
	}
	if password == "" {
		problems = append(problems, ui.Problem{Code: ui.PasswordMissing})
	}
	return problems
}

// CheckPassword returns the account of an e-mail address and password, or nil, or how long
// to wait before another attempt. Time and answer are the same whether there is no such
// account, it has no password, is disabled, or the password is wrong.
func (p *Pages) CheckPassword(r *http.Request, email, presented string) (*storage.Account, time.Duration, error) {
	ctx := r.Context()
	key, err := EmailKey(email)
	if err != nil {
		key = email // nobody's, but counted and hashed like any other
	}
	account, err := p.Accounts.ByEmail(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	caller := p.caller(r, key, account)
	wait, err := p.Limits.Allow(ctx, p.Actions.SignIn, caller)
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	share, done := p.seats.share(caller)
	defer done()
	ok, outdated, err := p.Accounts.Hasher.Verify(ctx, share, account.PasswordHash, presented)
	if err != nil {
		return nil, 0, fmt.Errorf("verify password: %w", err)
	}
	if !ok || account.Disabled {
		p.signInFailed(ctx, account)
		return nil, 0, nil
	}
	p.Limits.Reset(ctx, p.Actions.SignIn, caller)
	if outdated {
		p.Accounts.Rehash(ctx, account, presented, share)
	}
	return &account, 0, nil
}

// signInFailed records a failed sign-in. Without an account it does so only once in a
// while: strangers must not make the log grow at will.
func (p *Pages) signInFailed(ctx context.Context, account storage.Account) {
	e := storage.Event{Name: audit.SignInFailed, Subject: account.ID, Detail: failureReason(account)}
	if account.ID == "" {
		p.Audit.RecordOnce(ctx, e)
		return
	}
	p.Audit.Record(ctx, e)
}

// failureReason is why a password was not accepted, for the audit log only.
func failureReason(account storage.Account) string {
	switch {
	case account.ID == "":
		return "no such account"
	case account.Disabled:
		return "the account is disabled"
	default:
		return "wrong password"
	}
}

// startSession starts a session of an account, as it was at its owner's authentication.
// storage.ErrChanged if its epoch has ended since.
func (p *Pages) startSession(w http.ResponseWriter, r *http.Request, page *authflow.Page, account storage.Account) error {
	ctx := r.Context()
	err := p.Flows.BeginSession(w, r, page, authflow.Authentication(r, account, p.Flows.Password(account)))
	if errors.Is(err, storage.ErrNotFound) {
		return &web.PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden, Cause: err}
	}
	if err != nil {
		return err
	}
	p.MarkDevice(w, r, account)
	if account.Language != "" && p.Site.Cookies.Get(r, session.Language) == "" { // nothing was chosen here
		p.Site.Cookies.Set(w, session.Language, account.Language, web.DeviceLife)
	}
	p.Audit.Record(ctx, storage.Event{Name: audit.SignedIn, Subject: account.ID})
	return nil
}
