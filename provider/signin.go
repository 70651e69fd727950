package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// noticeParameter tells a screen what has just happened.
const noticeParameter = "notice"

// showSignIn asks for e-mail address and password, or for the password only when
// the user who is signed in has to prove it again.
func (p *Provider) showSignIn(w http.ResponseWriter, r *http.Request) error {
	f, err := p.optionalFlow(r.Context(), r)
	if err != nil {
		return err
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if f == nil && user != nil {
		p.redirect(w, p.link("/account"))
		return nil
	}
	email := ""
	if f != nil {
		email = f.request.LoginHint
	}
	again, err := p.mustReauthenticate(r, f, user)
	if err != nil {
		return err
	}
	return p.drawSignIn(w, r, f, again, email, http.StatusOK)
}

// mustReauthenticate returns the user who is signed in when the flow asks for that
// user's password again.
func (p *Provider) mustReauthenticate(r *http.Request, f *flow, user *SignedIn) (*SignedIn, error) {
	if f == nil || user == nil {
		return nil, nil
	}
	s, err := p.situation(r, f)
	if err != nil || nextStep(s).step != stepReauthenticate {
		return nil, err
	}
	return user, nil
}

func (p *Provider) drawSignIn(w http.ResponseWriter, r *http.Request, f *flow, again *SignedIn, email string, status int, problems ...ui.Problem) error {
	form := p.flowForm(w, r, problems)
	resetURL, signUpURL := "", ""
	if p.sendsMail() {
		resetURL = p.link("/reset", flowParameter, parameter(r, flowParameter))
		signUpURL = p.link("/signup", flowParameter, parameter(r, flowParameter))
	}
	page := p.pageView(r, f.requestOf())
	if again == nil {
		p.renderFor(w, r, f.requestOf(), status, ui.SignIn(ui.SignInView{
			Page: page, Form: form, Notice: ui.Notice(r.URL.Query().Get(noticeParameter)),
			Email: email, ResetURL: resetURL, SignUpURL: signUpURL,
		}))
		return nil
	}
	account, err := p.accountView(r.Context(), again.UserID)
	if err != nil {
		return err
	}
	p.renderFor(w, r, f.requestOf(), status, ui.Reauthenticate(ui.ReauthenticateView{
		Page: page, Form: form, Account: account, ResetURL: resetURL,
	}))
	return nil
}

// flowForm returns the form of a page that belongs to a flow, or stands alone.
func (p *Provider) flowForm(w http.ResponseWriter, r *http.Request, problems []ui.Problem) ui.Form {
	form := ui.Form{Action: p.link(p.path(r)), Problems: problems}
	var more []ui.Field
	for _, name := range []string{flowParameter, ticketParameter} {
		if value := parameter(r, name); value != "" {
			more = append(more, ui.Field{Name: name, Value: value})
		}
	}
	form.Hidden = p.hidden(w, r, more...)
	return form
}

// signIn checks e-mail address and password, and signs the browser in.
func (p *Provider) signIn(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	f, err := p.optionalFlow(ctx, r)
	if err != nil {
		return err
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionSwitch {
		return p.switchAccount(w, r)
	}
	again, err := p.mustReauthenticate(r, f, user)
	if err != nil {
		return err
	}
	email := r.PostForm.Get(ui.FieldEmail)
	if again != nil {
		account, err := p.accountOf(ctx, again)
		if err != nil {
			return err
		}
		email = account.Email
	}
	if problem := signInProblem(again, email, r.PostForm.Get(ui.FieldPassword)); problem.Code != "" {
		return p.drawSignIn(w, r, f, again, email, http.StatusUnprocessableEntity, problem)
	}
	account, wait, err := p.checkPassword(r, email, r.PostForm.Get(ui.FieldPassword))
	switch {
	case err != nil:
		return err
	case wait > 0:
		return p.drawSignIn(w, r, f, again, email, tooMany(w, wait), throttled(wait))
	case account == nil && again != nil:
		return p.drawSignIn(w, r, f, again, email, http.StatusUnauthorized, ui.Problem{Code: ui.PasswordWrong})
	case account == nil:
		return p.drawSignIn(w, r, f, again, email, http.StatusUnauthorized, ui.Problem{Code: ui.CredentialsWrong})
	}
	if err := p.startSession(w, r, *account); err != nil {
		return err
	}
	p.goOn(w, r)
	return nil
}

func signInProblem(again *SignedIn, email, password string) ui.Problem {
	switch {
	case again == nil && email == "":
		return ui.Problem{Code: ui.EmailMissing}
	case password == "":
		return ui.Problem{Code: ui.PasswordMissing}
	default:
		return ui.Problem{}
	}
}

// checkPassword returns the account that e-mail address and password belong to, or
// nil, or how long to wait before another attempt. It takes the same time and says
// the same whether there is no such account, it has no password, is disabled, or
// the password is wrong.
func (p *Provider) checkPassword(r *http.Request, email, password string) (*storage.Account, time.Duration, error) {
	ctx := r.Context()
	key, err := emailKey(email)
	if err != nil {
		key = email // nobody's, but counted and hashed like any other
	}
	caller := p.caller(r, key)
	wait, err := p.attempt(ctx, throttle.SignIn, caller)
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	account, err := p.cfg.Store.AccountByEmail(ctx, key)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nil, 0, fmt.Errorf("read account: %w", err)
	}
	ok, _, err := p.passwords.Verify(ctx, account.PasswordHash, password)
	if err != nil {
		return nil, 0, fmt.Errorf("verify password: %w", err)
	}
	if !ok || account.Disabled {
		p.record(ctx, Event{Name: EventSignInFailed, UserID: account.ID, Detail: whyNot(account)})
		return nil, 0, nil
	}
	if err := p.limits.Forget(ctx, throttle.SignIn, caller); err != nil {
		return nil, 0, err
	}
	return &account, 0, nil
}

// whyNot tells the audit trail, and nobody else, why a password was not accepted.
func whyNot(account storage.Account) string {
	switch {
	case account.ID == "":
		return "no such account"
	case account.Disabled:
		return "the account is disabled"
	default:
		return "wrong password"
	}
}

// startSession signs the browser in with an account.
func (p *Provider) startSession(w http.ResponseWriter, r *http.Request, account storage.Account) error {
	ctx := r.Context()
	err := p.sessions.Begin(ctx, w, r, session.Authentication{
		AccountID: account.ID, AMR: []string{"pwd"},
		UserAgent: strings.ToValidUTF8(truncate(r.UserAgent(), 256), ""), Address: throttle.Network(p.clientAddr(r)),
	})
	if errors.Is(err, storage.ErrNotFound) {
		return &pageError{status: http.StatusForbidden, code: ui.ErrorForbidden, cause: err}
	}
	if err != nil {
		return err
	}
	p.markDevice(w, r, account.EmailKey)
	p.record(ctx, Event{Name: EventSignedIn, UserID: account.ID})
	return nil
}

// goOn sends the browser back to its flow, or to the account.
func (p *Provider) goOn(w http.ResponseWriter, r *http.Request) {
	if sealed := parameter(r, flowParameter); sealed != "" {
		p.redirect(w, p.link("/oauth/authorize", flowParameter, sealed))
		return
	}
	p.redirect(w, p.link("/account"))
}

// switchAccount signs the browser out so that somebody else can sign in. A host
// with users of its own is asked to do so.
func (p *Provider) switchAccount(w http.ResponseWriter, r *http.Request) error {
	if !p.hasAccounts() {
		f, err := p.openFlow(r.Context(), r)
		if err != nil {
			return err
		}
		return p.sendTo(w, r, stepReauthenticate, f)
	}
	user, err := p.signedIn(r)
	if err != nil {
		return err
	}
	if err := p.sessions.End(r.Context(), w, r); err != nil {
		return err
	}
	if user != nil {
		p.record(r.Context(), Event{Name: EventSignedOut, UserID: user.UserID, Detail: "to change the account"})
	}
	p.redirect(w, p.link("/signin", flowParameter, parameter(r, flowParameter)))
	return nil
}

func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}
