package provider

import (
	"net/http"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showPassword asks for the old password and a new one.
func (p *Provider) showPassword(w http.ResponseWriter, r *http.Request) error {
	_, account, ok, err := p.sessions.Current(r.Context(), r)
	if err != nil {
		return err
	}
	if !ok {
		p.redirect(w, p.link("/signin"))
		return nil
	}
	p.drawPassword(w, r, account, http.StatusOK)
	return nil
}

func (p *Provider) drawPassword(w http.ResponseWriter, r *http.Request, account storage.Account, status int, problems ...ui.Problem) {
	p.render(w, r, status, ui.Password(ui.PasswordView{
		Page: p.pageView(r, nil), Form: p.flowForm(w, r, problems), Email: account.Email,
		MinLength: p.cfg.PasswordMinLength, AccountURL: p.link("/account"),
	}))
}

// changePassword sets a new password. Every other session of the account ends, and
// every grant: whoever knew the old password is out. This browser gets a new
// session in place of its own.
func (p *Provider) changePassword(w http.ResponseWriter, r *http.Request) error {
	current, account, ok, err := p.sessions.Current(r.Context(), r)
	if err != nil {
		return err
	}
	if !ok {
		p.redirect(w, p.link("/signin"))
		return nil
	}
	old, chosen := r.PostForm.Get(ui.FieldPassword), r.PostForm.Get(ui.FieldNewPassword)
	if problem := p.changeProblem(old, chosen, account.Email); problem.Code != "" {
		p.drawPassword(w, r, account, http.StatusUnprocessableEntity, problem)
		return nil
	}
	checked, wait, err := p.checkPassword(r, account.Email, old)
	switch {
	case err != nil:
		return err
	case wait > 0:
		p.drawPassword(w, r, account, tooMany(w, wait), throttled(wait))
		return nil
	case checked == nil:
		p.drawPassword(w, r, account, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasswordWrong})
		return nil
	}
	if err := p.setPassword(r.Context(), account.ID, chosen, current.Digest, "by the user"); err != nil {
		return err
	}
	if err := p.startSession(w, r, account); err != nil {
		return err
	}
	p.noticeMail(r, account.Email, ui.MailView{Kind: ui.MailPasswordChanged})
	p.redirect(w, p.link("/account", noticeParameter, string(ui.NoticePasswordChanged)))
	return nil
}

func (p *Provider) changeProblem(old, chosen, email string) ui.Problem {
	switch {
	case old == "":
		return ui.Problem{Code: ui.PasswordMissing}
	case old == chosen:
		return ui.Problem{Code: ui.PasswordUnchanged}
	default:
		return p.passwordProblem(chosen, email)
	}
}
