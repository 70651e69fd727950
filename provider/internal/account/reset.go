package account

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showReset asks for the address of the account with the forgotten password.
func (p *Pages) showReset(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	p.renderReset(w, r, page, "", http.StatusOK)
	return nil
}

func (p *Pages) renderReset(w http.ResponseWriter, r *http.Request, page *authflow.Page, email string, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.ResetStart(ui.ResetStartView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: email,
		SignInURL: p.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter)),
	}))
}

// reset mails the address a code, or the notice that it has no account; the screen is the
// same.
func (p *Pages) reset(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	ctx := r.Context()
	email := r.PostForm.Get(ui.FieldEmail)
	key, err := EmailKey(email)
	if err != nil {
		problem := ui.Problem{Code: ui.EmailInvalid}
		if email == "" {
			problem.Code = ui.EmailMissing
		}
		p.renderReset(w, r, page, email, http.StatusUnprocessableEntity, problem)
		return nil
	}
	wait, err := p.MayMail(r, key)
	if err != nil {
		return err
	}
	if wait > 0 {
		p.renderReset(w, r, page, email, web.TooMany(w, wait), Throttled(wait))
		return nil
	}
	var payload []byte
	account, err := p.Store.AccountByEmail(ctx, key)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("read account: %w", err)
	}
	if err == nil && !account.Disabled {
		if payload, err = PayloadFor(account); err != nil {
			return err
		}
	}
	sealed, err := p.NewCode(w, r, CodeRequest{Purpose: ForReset, Email: email}, payload)
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/reset/finish", web.FlowParameter, web.Parameter(r, web.FlowParameter), web.CodeParameter, sealed))
	return nil
}

// showResetFinish asks for the code and a new password.
func (p *Pages) showResetFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, ForReset)
	if err != nil {
		return err
	}
	p.renderResetFinish(w, r, page, c, http.StatusOK)
	return nil
}

func (p *Pages) renderResetFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page, c CodeRequest, status int, problems ...ui.Problem) {
	p.Site.RenderFor(w, r, page.Request(), status, p.Site.Screens.ResetFinish(ui.ResetFinishView{
		Page: p.Site.PageView(r, page.Request()), Form: p.Site.Form(w, r, problems), Email: c.Email,
		ValidFor: CodeLife, MinLength: p.Accounts.MinLength,
		RestartURL: p.Site.Link("/reset", web.FlowParameter, web.Parameter(r, web.FlowParameter)),
	}))
}

// resetFinish sets the new password, which ends every session and grant of the account, and
// asks to sign in with it, with the address filled in. It checks the password before it
// uses up the code.
func (p *Pages) resetFinish(w http.ResponseWriter, r *http.Request, page *authflow.Page) error {
	c, err := p.OpenCode(r, ForReset)
	if err != nil {
		return err
	}
	entered, chosen := r.PostForm.Get(ui.FieldCode), r.PostForm.Get(ui.FieldNewPassword)
	if problems := p.resetProblems(entered, chosen, c.Email); len(problems) > 0 {
		p.renderResetFinish(w, r, page, c, http.StatusUnprocessableEntity, problems...)
		return nil
	}
	payload, rejected, err := p.VerifyCode(w, r, c, entered)
	if err != nil {
		return err
	}
	if rejected != nil {
		p.renderResetFinish(w, r, page, c, rejected.Status, rejected.Problem)
		return nil
	}
	r, done := UsedUp(r)
	defer done()
	account, err := p.Addressed(r.Context(), payload)
	if err != nil {
		return err
	}
	err = p.Accounts.SetPassword(r.Context(), account, chosen, "by a code sent to the user")
	if errors.Is(err, storage.ErrChanged) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	if err != nil {
		return err
	}
	p.NoticeMail(r, account, ui.MailView{Kind: ui.MailPasswordChanged})
	p.Site.Redirect(w, p.Site.Link("/signin", web.FlowParameter, web.Parameter(r, web.FlowParameter),
		web.CodeParameter, web.Parameter(r, web.CodeParameter), web.NoticeParameter, p.Site.Notice(w, r, ui.NoticePasswordChanged)))
	return nil
}

// resetProblems returns the missing fields, in their order. It checks the code only once
// the password is acceptable, so that the code is not used up in vain.
func (p *Pages) resetProblems(entered, chosen, email string) []ui.Problem {
	problem := p.PasswordProblem(chosen, email)
	switch {
	case problem.Code == "":
		return nil
	case digitsOf(entered) == "":
		return []ui.Problem{{Code: ui.CodeMissing}, problem}
	default:
		return []ui.Problem{problem}
	}
}
