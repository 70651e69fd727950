package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showSignUp asks for the data of a new account.
func (p *Pages) showSignUp(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	p.renderSignUp(w, r, page, loginHint(page), http.StatusOK)
	return nil
}

func (p *Pages) renderSignUp(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.SignUp(ui.SignUpView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: email,
		MinLength: p.Accounts.MinLength, SignInURL: p.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)),
	}))
}

// newAccount is the payload of a sign-up that waits for its code.
type newAccount struct {
	Email string `json:"e"`
	Hash  string `json:"h"`
}

// signUp takes e-mail address and password and sends a code. No account exists until the
// code is entered: nobody can take a foreign address, and nobody learns whether an address
// has an account.
func (p *Pages) signUp(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	ctx := r.Context()
	email, chosen := r.PostForm.Get(ui.FieldEmail), r.PostForm.Get(ui.FieldNewPassword)
	key, err := EmailKey(email)
	if problems := p.signUpProblems(page, email, err, chosen); len(problems) > 0 {
		p.renderSignUp(w, r, page, email, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	account, err := p.Accounts.ByEmail(ctx, key)
	if err != nil {
		return err
	}
	wait, err := p.Limits.Allow(ctx, p.Actions.SignUp, p.mailCaller(r, key, account))
	if err != nil {
		return err
	}
	if wait > 0 {
		p.renderSignUp(w, r, page, email, web.TooMany(w, wait), Throttled(wait))
		return nil
	}
	payload, err := p.newAccount(r, email, chosen)
	if err != nil {
		return err
	}
	if account.ID != "" {
		payload = nil
	}
	if wait, err = p.MayMail(r, key); err != nil {
		return err
	}
	if wait > 0 {
		p.renderSignUp(w, r, page, email, web.TooMany(w, wait), Throttled(wait))
		return nil
	}
	sealed, err := p.NewCode(w, r, CodeRequest{Purpose: ForSignUp, Email: email}, payload)
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/signup/code", web.FlowParameter, web.Parameter(r, web.FlowParameter), web.CodeParameter, sealed))
	return nil
}

func (p *Pages) newAccount(r *http.Request, email, chosen string) ([]byte, error) {
	hash, err := p.Accounts.Hasher.Hash(r.Context(), password.Strangers, chosen)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	payload, err := json.Marshal(newAccount{email, hash})
	if err != nil {
		return nil, fmt.Errorf("encode sign-up: %w", err)
	}
	return payload, nil
}

func (p *Pages) signUpProblems(page *authflow.Page, email string, emailErr error, chosen string) []ui.Problem {
	var problems []ui.Problem
	switch {
	case email == "":
		problems = append(problems, ui.Problem{Code: ui.EmailMissing})
	case emailErr != nil:
		problems = append(problems, ui.Problem{Code: ui.EmailInvalid})
	case !HasDot(email):
		problems = append(problems, ui.Problem{Code: ui.EmailNoDot})
	}
	words := []string{email}
	if page.Flow != nil {
		words = append(words, page.Request().Client.Name)
	}
	if problem := p.PasswordProblem(chosen, words...); problem.Code != "" {
		problems = append(problems, problem)
	}
	return problems
}

// PasswordProblem returns why a password is refused; words are further ones that it must
// not consist of.
func (p *Pages) PasswordProblem(chosen string, words ...string) ui.Problem {
	words = append(words, p.Site.Brand.Name, p.Site.Base.Hostname())
	policy := password.Policy{MinLength: p.Accounts.MinLength}
	var reason password.Reason
	if !errors.As(policy.Check(chosen, words...), &reason) {
		return ui.Problem{}
	}
	switch reason {
	case password.TooShort:
		return ui.Problem{Code: ui.PasswordTooShort, Count: p.Accounts.MinLength}
	case password.TooPersonal:
		return ui.Problem{Code: ui.PasswordContainsContext}
	case password.TooLong, password.NotText:
		return ui.Problem{Code: ui.PasswordTooLong, Count: password.MaxCharacters}
	default:
		return ui.Problem{Code: ui.PasswordCommon}
	}
}

// showSignUpCode asks for the mailed code.
func (p *Pages) showSignUpCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, ForSignUp)
	if err != nil {
		return err
	}
	p.RenderCode(w, r, p.signUpCodePage(r, page, c), http.StatusOK, p.Site.Noticed(r))
	return nil
}

func (p *Pages) signUpCodePage(r *http.Request, page *authflow.Page, c CodeRequest) CodePage {
	return CodePage{page.Request(), c, "/signup/code", p.Site.Link("/signup", web.FlowParameter, web.Parameter(r, web.FlowParameter))}
}

// signUpCode creates the account and signs its owner in.
func (p *Pages) signUpCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, ForSignUp)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.ResendCode(w, r, p.signUpCodePage(r, page, c))
	}
	payload, rejected, err := p.VerifyCode(w, r, c, r.PostForm.Get(ui.FieldCode))
	if err != nil {
		return err
	}
	if rejected != nil {
		p.RenderCode(w, r, p.signUpCodePage(r, page, c), rejected.Status, "", rejected.Problem)
		return nil
	}
	r, done := UsedUp(r)
	defer done()
	account, err := p.finishSignUp(r, payload)
	if errors.Is(err, storage.ErrConflict) {
		// The address got its account in the meantime; its owner can sign in.
		p.Site.Redirect(w, p.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)))
		return nil
	}
	if err != nil {
		return err
	}
	return p.enter(w, r, page, account)
}

func (p *Pages) finishSignUp(r *http.Request, payload []byte) (storage.Account, error) {
	var n newAccount
	if err := json.Unmarshal(payload, &n); err != nil {
		return storage.Account{}, fmt.Errorf("decode sign-up: %w", err)
	}
	key, err := EmailKey(n.Email)
	if err != nil {
		return storage.Account{}, err
	}
	now := p.Clock()
	account := storage.Account{
		ID: random.UUID(), Email: n.Email, EmailKey: key, EmailVerified: true,
		PasswordHash: n.Hash, PasswordChangedAt: now, CreatedAt: now,
	}
	if err := p.Store.CreateAccount(r.Context(), account); err != nil {
		return storage.Account{}, fmt.Errorf("create account: %w", err)
	}
	p.Audit.Record(r.Context(), storage.Event{Name: audit.SignedUp, Subject: account.ID})
	return account, nil
}
