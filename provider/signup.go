package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showSignUp asks for what a new account needs.
func (p *Provider) showSignUp(w http.ResponseWriter, r *http.Request) error {
	f, err := p.optionalFlow(r.Context(), r)
	if err != nil {
		return err
	}
	email := ""
	if f != nil {
		email = f.request.LoginHint
	}
	p.drawSignUp(w, r, f, email, http.StatusOK)
	return nil
}

func (p *Provider) drawSignUp(w http.ResponseWriter, r *http.Request, f *flow, email string, status int, problems ...ui.Problem) {
	p.renderFor(w, r, f.requestOf(), status, ui.SignUp(ui.SignUpView{
		Page: p.pageView(r, f.requestOf()), Form: p.flowForm(w, r, problems), Email: email,
		MinLength: p.cfg.PasswordMinLength, SignInURL: p.link("/signin", flowParameter, parameter(r, flowParameter)),
	}))
}

// newAccount is the task of a sign-up while it waits for its code.
type newAccount struct {
	Email string `json:"e"`
	Hash  string `json:"h"`
}

// signUp takes e-mail address and password and sends a code. No account exists
// until the code comes back: nobody can take an address that is not theirs, and
// nobody learns whether an address has an account.
func (p *Provider) signUp(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	f, err := p.optionalFlow(ctx, r)
	if err != nil {
		return err
	}
	email, chosen := r.PostForm.Get(ui.FieldEmail), r.PostForm.Get(ui.FieldNewPassword)
	key, err := emailKey(email)
	if problems := p.signUpProblems(f, email, err, chosen); len(problems) > 0 {
		p.drawSignUp(w, r, f, email, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	for _, action := range []throttle.Action{throttle.SignUp, throttle.SendMail} {
		wait, err := p.attempt(ctx, action, p.caller(r, key))
		if err != nil {
			return err
		}
		if wait > 0 {
			p.drawSignUp(w, r, f, email, tooMany(w, wait), throttled(wait))
			return nil
		}
	}
	hash, err := p.passwords.Hash(ctx, chosen)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	task, err := json.Marshal(newAccount{email, hash})
	if err != nil {
		return fmt.Errorf("encode sign-up: %w", err)
	}
	t := ticket{Purpose: forSignUp, Email: email}
	switch _, err := p.cfg.Store.AccountByEmail(ctx, key); {
	case err == nil:
		task = nil
	case !errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("read account: %w", err)
	}
	sealed, err := p.newTicket(w, r, t, task)
	if err != nil {
		return err
	}
	p.redirect(w, p.link("/signup/code", flowParameter, parameter(r, flowParameter), ticketParameter, sealed))
	return nil
}

func (p *Provider) signUpProblems(f *flow, email string, emailErr error, chosen string) []ui.Problem {
	var problems []ui.Problem
	switch {
	case email == "":
		problems = append(problems, ui.Problem{Code: ui.EmailMissing})
	case emailErr != nil:
		problems = append(problems, ui.Problem{Code: ui.EmailInvalid})
	}
	context := []string{email}
	if f != nil {
		context = append(context, f.request.Client.Name)
	}
	if problem := p.passwordProblem(chosen, context...); problem.Code != "" {
		problems = append(problems, problem)
	}
	return problems
}

// passwordProblem says why a password cannot be chosen.
func (p *Provider) passwordProblem(chosen string, context ...string) ui.Problem {
	context = append(context, p.cfg.Brand.Name, p.base.Hostname())
	policy := password.Policy{MinLength: p.cfg.PasswordMinLength}
	var reason password.Reason
	if !errors.As(policy.Check(chosen, context...), &reason) {
		return ui.Problem{}
	}
	switch reason {
	case password.TooShort:
		return ui.Problem{Code: ui.PasswordTooShort, Count: p.cfg.PasswordMinLength}
	case password.TooPersonal:
		return ui.Problem{Code: ui.PasswordContainsContext}
	case password.TooLong, password.NotText:
		return ui.Problem{Code: ui.PasswordTooLong, Count: password.MaxCharacters}
	default:
		return ui.Problem{Code: ui.PasswordCommon}
	}
}

// showSignUpCode asks for the code that was sent.
func (p *Provider) showSignUpCode(w http.ResponseWriter, r *http.Request) error {
	f, err := p.optionalFlow(r.Context(), r)
	if err != nil {
		return err
	}
	t, err := p.openTicket(r, forSignUp)
	if err != nil {
		return err
	}
	p.drawCode(w, r, f.requestOf(), t, p.signUpLink(r), http.StatusOK, "")
	return nil
}

func (p *Provider) signUpLink(r *http.Request) string {
	return p.link("/signup", flowParameter, parameter(r, flowParameter))
}

// signUpCode makes the account and signs its owner in.
func (p *Provider) signUpCode(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	f, err := p.optionalFlow(ctx, r)
	if err != nil {
		return err
	}
	t, err := p.openTicket(r, forSignUp)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.resendCode(w, r, f.requestOf(), t, p.signUpLink(r))
	}
	task, problem, status, err := p.redeem(w, r, t, r.PostForm.Get(ui.FieldCode))
	if err != nil {
		return err
	}
	if problem.Code != "" {
		p.drawCode(w, r, f.requestOf(), t, p.signUpLink(r), status, "", problem)
		return nil
	}
	r, done := usedUp(r)
	defer done()
	account, err := p.finishSignUp(r, task)
	if errors.Is(err, storage.ErrConflict) {
		// The address got its account in the meantime; its owner can sign in.
		p.redirect(w, p.link("/signin", flowParameter, parameter(r, flowParameter)))
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.startSession(w, r, account); err != nil {
		return err
	}
	p.goOn(w, r)
	return nil
}

func (p *Provider) finishSignUp(r *http.Request, task []byte) (storage.Account, error) {
	var n newAccount
	if err := json.Unmarshal(task, &n); err != nil {
		return storage.Account{}, fmt.Errorf("decode sign-up: %w", err)
	}
	key, err := emailKey(n.Email)
	if err != nil {
		return storage.Account{}, err
	}
	now := p.cfg.Clock()
	account := storage.Account{
		ID: newUserID(), Email: n.Email, EmailKey: key, EmailVerified: true,
		PasswordHash: n.Hash, PasswordChangedAt: now, CreatedAt: now,
	}
	if err := p.cfg.Store.CreateAccount(r.Context(), account); err != nil {
		return storage.Account{}, fmt.Errorf("create account: %w", err)
	}
	p.record(r.Context(), Event{Name: EventSignedUp, UserID: account.ID})
	return account, nil
}
