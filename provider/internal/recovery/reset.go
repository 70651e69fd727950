package recovery

import (
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// showReset asks for the address of the account with the forgotten password.
func (p *Pages) showReset(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	p.renderReset(w, r, page, p.GivenEmail(r), http.StatusOK)
	return nil
}

func (p *Pages) renderReset(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.ResetStart(ui.ResetStartView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: email,
		SignInURL: p.link(r, "/signin"),
	}))
}

// reset mails the address a code, or the notice that it has no account; the screen is the
// same.
func (p *Pages) reset(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	email := r.PostForm.Get(ui.FieldEmail)
	sealed, rejected, err := p.requestCode(w, r, account.ForReset, email)
	if err != nil {
		return err
	}
	if rejected != nil {
		p.renderReset(w, r, page, email, rejected.Status, rejected.Problem)
		return nil
	}
	p.Site.Redirect(w, p.link(r, "/reset/finish", web.CodeParameter, sealed))
	return nil
}

// requestCode mails an address a code, or the notice that it has no account, or says why it
// does not. The answer and the work are the same for an address without an account.
func (p *Pages) requestCode(w http.ResponseWriter, r *http.Request, purpose account.Purpose, email string) (sealed string, rejected *account.Rejection, err error) {
	key, err := mailbox.EmailKey(email)
	if err != nil {
		problem := ui.Problem{Code: ui.EmailInvalid}
		if email == "" {
			problem.Code = ui.EmailMissing
		}
		return "", &account.Rejection{Problem: problem, Status: http.StatusUnprocessableEntity}, nil
	}
	of, err := p.Accounts.ByEmail(r.Context(), key)
	if err != nil {
		return "", nil, err
	}
	var payload []byte
	if of.ID != "" && !of.Disabled {
		if payload, err = account.PayloadFor(of); err != nil {
			return "", nil, err
		}
	}
	return p.NewCode(w, r, account.CodeRequest{Purpose: purpose, Email: email}, payload)
}

// showResetFinish asks for the code and a new password.
func (p *Pages) showResetFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForReset)
	if err != nil {
		return err
	}
	p.renderResetFinish(w, r, page, c, http.StatusOK)
	return nil
}

func (p *Pages) renderResetFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page, c account.CodeRequest, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.ResetFinish(ui.ResetFinishView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: c.Email,
		ValidFor: account.CodeLife, MinLength: p.Accounts.MinLength,
		RestartURL: p.link(r, "/reset", web.CodeParameter, p.SealGiven(w, r, c.Email)),
	}))
}

// resetFinish sets the new password, which ends every session and grant of the account, and
// asks to sign in with it, with the address filled in. It checks the password before it
// uses up the code. An account with more than a password asks for one more proof first.
func (p *Pages) resetFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForReset)
	if err != nil {
		return err
	}
	entered, chosen := r.PostForm.Get(ui.FieldCode), r.PostForm.Get(ui.FieldNewPassword)
	if problems := p.resetProblems(entered, chosen, c.Email); len(problems) > 0 {
		p.renderResetFinish(w, r, page, c, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	rejected, err := p.UseCode(w, r, c, entered, func(r *http.Request, code account.Right) error {
		return p.resetBy(w, r, code, chosen)
	})
	if rejected != nil {
		p.renderResetFinish(w, r, page, c, rejected.Status, rejected.Problem)
	}
	return err
}

// resetBy sets the new password by a code that was right, or asks for one more proof first.
func (p *Pages) resetBy(w http.ResponseWriter, r *http.Request, code account.Right, chosen string) error {
	of, set, err := p.reader(r.Context(), code.Payload)
	if err != nil {
		return err
	}
	hash, err := p.Accounts.Hasher.Hash(r.Context(), password.Known, chosen)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	if needsMore(set) {
		return p.goOn(w, r, set, of, code, hash)
	}
	return lapsed(p.setPassword(w, r, set, code.Spend(of.Proof()), hash, byCode))
}

// resetProblems returns the missing fields, in their order. It checks the code only once
// the password is acceptable, so that the code is not used up in vain.
func (p *Pages) resetProblems(entered, chosen, email string) []ui.Problem {
	problem := p.PasswordProblem(chosen, email)
	switch {
	case problem.Code == "":
		return nil
	case account.Digits(entered) == "":
		return []ui.Problem{{Code: ui.CodeMissing}, problem}
	default:
		return []ui.Problem{problem}
	}
}
