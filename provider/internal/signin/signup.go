package signin

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// showSignUp asks for the data of a new account.
func (p *signUpPages) showSignUp(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	p.renderSignUp(w, r, page, loginHint(page), http.StatusOK)
	return nil
}

func (p *signUpPages) renderSignUp(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.SignUp(ui.SignUpView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: email,
		MinLength: p.Accounts.MinLength, SignInURL: p.link(r, "/signin"), Passkeys: p.signsUpByPasskey(),
		Upstreams: p.buttons(r, page),
	}))
}

// newAccount is the payload of a sign-up that waits for its code. Without a hash it goes on with
// a passkey.
type newAccount struct {
	Email string `json:"e"`
	Hash  string `json:"h"`
}

// signUp takes e-mail address and password, or the wish to have a passkey in its place, and sends a
// code. No account exists until the
// code is entered: nobody can take a foreign address, and nobody learns whether an address
// has an account.
func (p *signUpPages) signUp(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	ctx := r.Context()
	email, chosen := r.PostForm.Get(ui.FieldEmail), r.PostForm.Get(ui.FieldNewPassword)
	byPasskey := p.signsUpByPasskey() && r.PostForm.Get(ui.FieldAction) == ui.ActionPasskey
	key, err := mailbox.EmailKey(email)
	problems := emailProblems(email, err)
	if !byPasskey {
		problems = append(problems, p.passwordProblems(page, email, chosen)...)
	}
	if len(problems) > 0 {
		p.renderSignUp(w, r, page, email, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	known, err := p.Accounts.ByEmail(ctx, key)
	if err != nil {
		return err
	}
	wait, err := p.Limits.Allow(ctx, p.Actions.SignUp, p.MailCaller(r, key, known))
	if err != nil {
		return err
	}
	if wait > 0 {
		p.renderSignUp(w, r, page, email, web.TooMany(w, wait), account.Throttled(wait))
		return nil
	}
	payload, err := p.newAccount(r, email, chosen, byPasskey)
	if err != nil {
		return err
	}
	if known.ID != "" {
		payload = nil
	}
	sealed, rejected, err := p.NewCode(w, r, account.CodeRequest{Purpose: account.ForSignUp, Email: email}, payload)
	if rejected != nil {
		p.renderSignUp(w, r, page, email, rejected.Status, rejected.Problem)
	}
	if rejected != nil || err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, "/signup/code", web.CodeParameter, sealed))
	return nil
}

func (p *signUpPages) newAccount(r *http.Request, email, chosen string, byPasskey bool) ([]byte, error) {
	n := newAccount{Email: email}
	if !byPasskey {
		var err error
		if n.Hash, err = p.Accounts.Hasher.Hash(r.Context(), password.Strangers, chosen); err != nil {
			return nil, fmt.Errorf("hash password: %w", err)
		}
	}
	payload, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("encode sign-up: %w", err)
	}
	return payload, nil
}

func emailProblems(email string, wrong error) []ui.Problem {
	switch {
	case email == "":
		return []ui.Problem{{Code: ui.EmailMissing}}
	case wrong != nil:
		return []ui.Problem{{Code: ui.EmailInvalid}}
	case !mailbox.HasDot(email):
		return []ui.Problem{{Code: ui.EmailNoDot}}
	}
	return nil
}

func (p *signUpPages) passwordProblems(page *authflow.Page, email, chosen string) []ui.Problem {
	words := []string{email}
	if page.Flow != nil {
		words = append(words, page.Request().Client.Name)
	}
	if problem := p.PasswordProblem(chosen, words...); problem.Code != "" {
		return []ui.Problem{problem}
	}
	return nil
}

// showSignUpCode asks for the mailed code.
func (p *signUpPages) showSignUpCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForSignUp)
	if err != nil {
		return err
	}
	p.RenderCode(w, r, p.signUpCodePage(r, page, c), http.StatusOK, p.Site.Noticed(r))
	return nil
}

func (p *signUpPages) signUpCodePage(r *http.Request, page *authflow.Page, c account.CodeRequest) account.CodePage {
	return account.CodePage{Request: page.Request(), Code: c, Path: "/signup/code", Back: p.link(r, "/signup"), Able: p.able()}
}

// signUpCode creates the account and signs its owner in.
func (p *signUpPages) signUpCode(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForSignUp)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.ResendCode(w, r, p.signUpCodePage(r, page, c))
	}
	rejected, err := p.UseCode(w, r, c, r.PostForm.Get(ui.FieldCode), func(r *http.Request, code account.Right) error {
		var n newAccount
		if err := json.Unmarshal(code.Payload, &n); err != nil {
			return fmt.Errorf("decode sign-up: %w", err)
		}
		if n.Hash == "" {
			return p.goToFirstPasskey(w, r, n.Email, code)
		}
		return p.createByPassword(w, r, page, n, code.Spend(storage.Proof{}))
	})
	if rejected != nil {
		p.RenderCode(w, r, p.signUpCodePage(r, page, c), rejected.Status, "", rejected.Problem)
	}
	return err
}

// newEntry is the entry of the owner of an account that is created with it, by one factor.
func (p *frame) newEntry(r *http.Request, email string, on storage.Proof) (e entry, err error) {
	key, err := mailbox.EmailKey(email)
	e.account = storage.Account{ID: random.UUID(), Email: email, EmailKey: key, EmailVerified: true, CreatedAt: p.Clock(), Language: p.Site.LanguageOf(r)}
	e.on, e.signUp = on, &storage.FirstFactors{}
	return e, err
}

func (e entry) by(f storage.Factor) entry {
	e.factors = []storage.Factor{f}
	e.presented = e.factors
	return e
}

// createByPassword creates an account with a password and signs its owner in.
func (p *signUpPages) createByPassword(w http.ResponseWriter, r *http.Request, page *authflow.Page, n newAccount, on storage.Proof) error {
	e, err := p.newEntry(r, n.Email, on)
	if err != nil {
		return err
	}
	e.account.PasswordHash, e.account.PasswordChangedAt = n.Hash, e.account.CreatedAt
	return p.orSignIn(w, r, p.enter(w, r, page, e.by(p.Flows.Password(e.account))))
}

// orSignIn redirects to the sign-in if an address, or an identity, got its account in the
// meantime: its owner can sign in.
func (p *frame) orSignIn(w http.ResponseWriter, r *http.Request, err error) error {
	if errors.Is(err, storage.ErrConflict) {
		p.Site.Redirect(w, p.link(r, "/signin"))
		return nil
	}
	return orExpired(err)
}

// able is the name of the field that says whether the browser can create a passkey.
func (p *signUpPages) able() string {
	if p.hasPasskeys() {
		return screens.FieldAble
	}
	return ""
}
