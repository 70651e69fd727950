package signin

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/factor"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/signin"
)

// firstPasskey is the passkey with which an account is created, and its recovery codes.
type firstPasskey struct {
	key      storage.Passkey
	asked    factor.Challenge
	codes    []string
	recovery storage.RecoveryCodes
}

// firstLife is how long the owner of a proved address may take to create a passkey.
const firstLife = 15 * time.Minute

// goToFirstPasskey redirects the owner of an address, which the code has proved, to the page that
// creates the passkey.
func (p *signUpPages) goToFirstPasskey(w http.ResponseWriter, r *http.Request, email string, code account.Right) error {
	sealed, err := p.seal(w, r, forSignUp, web.Parameter(r, web.FlowParameter), state{Email: email})
	if err == nil {
		err = p.SpendCode(r.Context(), code)
	}
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.link(r, "/signup/passkey", web.CodeParameter, sealed))
	return nil
}

// showFirstPasskey asks the owner of a proved address for a passkey, or else a password.
func (p *signUpPages) showFirstPasskey(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	s, err := p.open(r, forSignUp, firstLife)
	if err != nil {
		return err
	}
	return p.renderFirst(w, r, page, s.Email, http.StatusOK)
}

func (p *signUpPages) renderFirst(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) error {
	key, err := mailbox.EmailKey(email)
	if err != nil {
		return err
	}
	prompt, err := p.promptCreation(w, r, factor.ToSignUp, storage.Account{Email: email, EmailKey: key})
	if err != nil {
		return err
	}
	p.Site.RenderFor(w, r, page.Request(), status, screens.FirstPasskey(screens.FirstPasskeyView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems),
		Email: email, Passkey: prompt, MinLength: p.Accounts.MinLength,
	}))
	return nil
}

// firstPasskey creates the account with the passkey or the password of the form.
func (p *signUpPages) firstPasskey(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	s, err := p.open(r, forSignUp, firstLife)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldPasskey) == "" {
		return p.firstPassword(w, r, page, s.Email)
	}
	key, err := mailbox.EmailKey(s.Email)
	if err != nil {
		return err
	}
	var first firstPasskey
	var ok bool
	if first.key, first.asked, ok = p.created(r, factor.ToSignUp, key); !ok {
		return p.renderFirst(w, r, page, s.Email, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasskeyWrong})
	}
	first.codes = factor.NewRecoveryCodes()
	if first.recovery, err = factor.RecoverySet(first.codes); err != nil {
		return err
	}
	first.recovery.CreatedAt = p.Clock()
	return p.createByPasskey(w, r, page, s.Email, first)
}

// firstPassword creates the account with a password after all.
func (p *signUpPages) firstPassword(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string) error {
	chosen := r.PostForm.Get(ui.FieldNewPassword)
	if problems := p.passwordProblems(page, email, chosen); len(problems) > 0 {
		return p.renderFirst(w, r, page, email, http.StatusUnprocessableEntity, problems...)
	}
	hash, err := p.Accounts.Hasher.Hash(r.Context(), password.Known, chosen)
	if err != nil {
		return err
	}
	return p.createByPassword(w, r, page, newAccount{Email: email, Hash: hash}, storage.Proof{})
}

// createByPasskey creates an account with a passkey, signs its owner in, and shows the recovery
// codes.
func (p *signUpPages) createByPasskey(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, first firstPasskey) error {
	e, err := p.newEntry(r, email, first.asked.Spend(storage.Proof{}))
	if err != nil {
		return err
	}
	now := e.account.CreatedAt
	first.key.AccountID, e.account.UserHandle = e.account.ID, first.key.UserHandle
	*e.signUp = storage.FirstFactors{Passkey: first.key, Recovery: first.recovery}
	e = e.by(storage.Factor{Method: storage.PasskeyVerified, At: now, Since: now, Credential: first.key.ID})
	if err := p.startSession(w, r, page, e); err != nil {
		return p.orSignIn(w, r, err)
	}
	return p.showFirstCodes(w, r, page, first.codes)
}

// showFirstCodes shows the recovery codes of a new account, once, before it continues.
func (p *signUpPages) showFirstCodes(w http.ResponseWriter, r *http.Request, page *authflow.Page, codes []string) error {
	next, err := p.Flows.NextURL(w, r, page)
	if err != nil {
		return err
	}
	return p.ShowCodes(w, r, page.Request(), codes, next)
}
