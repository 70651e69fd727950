package provider

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showReset asks for the address of the account whose password is forgotten.
func (p *Provider) showReset(w http.ResponseWriter, r *http.Request) error {
	f, err := p.optionalFlow(r.Context(), r)
	if err != nil {
		return err
	}
	p.drawReset(w, r, f, "", http.StatusOK)
	return nil
}

func (p *Provider) drawReset(w http.ResponseWriter, r *http.Request, f *flow, email string, status int, problems ...ui.Problem) {
	p.renderFor(w, r, f.requestOf(), status, ui.ResetStart(ui.ResetStartView{
		Page: p.pageView(r, f.requestOf()), Form: p.flowForm(w, r, problems), Email: email,
		SignInURL: p.link("/signin", flowParameter, parameter(r, flowParameter)),
	}))
}

// reset sends a code to the address, or a word that it has no account; the screen
// says the same.
func (p *Provider) reset(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	f, err := p.optionalFlow(ctx, r)
	if err != nil {
		return err
	}
	email := r.PostForm.Get(ui.FieldEmail)
	key, err := emailKey(email)
	if err != nil {
		problem := ui.Problem{Code: ui.EmailInvalid}
		if email == "" {
			problem.Code = ui.EmailMissing
		}
		p.drawReset(w, r, f, email, http.StatusUnprocessableEntity, problem)
		return nil
	}
	wait, err := p.mayMail(r, key)
	if err != nil {
		return err
	}
	if wait > 0 {
		p.drawReset(w, r, f, email, tooMany(w, wait), throttled(wait))
		return nil
	}
	var task []byte
	account, err := p.cfg.Store.AccountByEmail(ctx, key)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("read account: %w", err)
	}
	if err == nil && !account.Disabled {
		if task, err = taskFor(account); err != nil {
			return err
		}
	}
	sealed, err := p.newTicket(w, r, ticket{Purpose: forReset, Email: email}, task)
	if err != nil {
		return err
	}
	p.redirect(w, p.link("/reset/finish", flowParameter, parameter(r, flowParameter), ticketParameter, sealed))
	return nil
}

// showResetFinish asks for the code and a new password.
func (p *Provider) showResetFinish(w http.ResponseWriter, r *http.Request) error {
	f, err := p.optionalFlow(r.Context(), r)
	if err != nil {
		return err
	}
	t, err := p.openTicket(r, forReset)
	if err != nil {
		return err
	}
	p.drawResetFinish(w, r, f, t, http.StatusOK)
	return nil
}

func (p *Provider) drawResetFinish(w http.ResponseWriter, r *http.Request, f *flow, t ticket, status int, problems ...ui.Problem) {
	p.renderFor(w, r, f.requestOf(), status, ui.ResetFinish(ui.ResetFinishView{
		Page: p.pageView(r, f.requestOf()), Form: p.flowForm(w, r, problems), Email: t.Email,
		ValidFor: codeLife, MinLength: p.cfg.PasswordMinLength,
		RestartURL: p.link("/reset", flowParameter, parameter(r, flowParameter)),
	}))
}

// resetFinish sets the new password, which ends every session and grant of the
// account, and asks to sign in with it. The password is checked before the code is
// used up.
func (p *Provider) resetFinish(w http.ResponseWriter, r *http.Request) error {
	f, err := p.optionalFlow(r.Context(), r)
	if err != nil {
		return err
	}
	t, err := p.openTicket(r, forReset)
	if err != nil {
		return err
	}
	chosen := r.PostForm.Get(ui.FieldNewPassword)
	if problem := p.passwordProblem(chosen, t.Email); problem.Code != "" {
		p.drawResetFinish(w, r, f, t, http.StatusUnprocessableEntity, problem)
		return nil
	}
	task, problem, status, err := p.redeem(w, r, t, r.PostForm.Get(ui.FieldCode))
	if err != nil {
		return err
	}
	if problem.Code != "" {
		p.drawResetFinish(w, r, f, t, status, problem)
		return nil
	}
	r, done := usedUp(r)
	defer done()
	account, err := p.addressed(r.Context(), task)
	if err != nil {
		return err
	}
	if err := p.setPassword(r.Context(), account.ID, chosen, storage.Digest{}, "by a code sent to the user"); err != nil {
		return err
	}
	p.noticeMail(r, account.Email, ui.MailView{Kind: ui.MailPasswordChanged})
	p.redirect(w, p.link("/signin", flowParameter, parameter(r, flowParameter), noticeParameter, string(ui.NoticePasswordChanged)))
	return nil
}
