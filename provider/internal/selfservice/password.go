package selfservice

import (
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showPassword asks for the old password and a new one.
func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	p.renderPassword(w, r, user.Account, http.StatusOK)
	return nil
}

func (p *Pages) renderPassword(w http.ResponseWriter, r *http.Request, of storage.Account, status int, problems ...ui.Problem) {
	p.Site.Render(w, r, status, p.Site.Screens.Password(ui.PasswordView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: of.Email,
		MinLength: p.Accounts.MinLength, AccountURL: p.Site.Link("/account"),
	}))
}

// changePassword sets a new password. Every session and grant of the account ends, to lock
// out anybody who knew the old password. This browser gets a new session in the same step.
func (p *Pages) changePassword(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	mine := user.Account
	old, chosen := r.PostForm.Get(ui.FieldPassword), r.PostForm.Get(ui.FieldNewPassword)
	if problem := p.changeProblem(old, chosen, mine.Email); problem.Code != "" {
		p.renderPassword(w, r, mine, http.StatusUnprocessableEntity, problem)
		return nil
	}
	checked, wait, err := p.CheckPassword(r, mine.Email, old)
	switch {
	case err != nil:
		return err
	case wait > 0:
		p.renderPassword(w, r, mine, web.TooMany(w, wait), account.Throttled(wait))
		return nil
	case checked == nil:
		p.renderPassword(w, r, mine, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasswordWrong})
		return nil
	}
	begin, send := p.Sessions.New(authflow.Authentication(r, *checked, p.Flows.Password(*checked)))
	err = p.Accounts.SetPassword(r.Context(), *checked, chosen, "by the user", begin)
	if errors.Is(err, storage.ErrChanged) { // the password that was checked has changed
		p.renderPassword(w, r, mine, http.StatusUnprocessableEntity, ui.Problem{Code: ui.PasswordWrong})
		return nil
	}
	if err != nil {
		return err
	}
	send(w)
	checked.Epoch++ // which the change has begun
	p.MarkDevice(w, r, *checked)
	p.NoticeMail(r, mine, ui.MailView{Kind: ui.MailPasswordChanged})
	p.Site.Redirect(w, p.Site.Link("/account", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticePasswordChanged)))
	return nil
}

func (p *Pages) changeProblem(old, chosen, email string) ui.Problem {
	switch {
	case old == "":
		return ui.Problem{Code: ui.PasswordMissing}
	case old == chosen:
		return ui.Problem{Code: ui.PasswordUnchanged}
	default:
		return p.PasswordProblem(chosen, email)
	}
}
