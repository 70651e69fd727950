package account

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// showAccount is the home of a user's own pages.
func (p *Pages) showAccount(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	return p.renderAccount(w, r, user, http.StatusOK)
}

func (p *Pages) renderAccount(w http.ResponseWriter, r *http.Request, user *authflow.User, status int, problems ...ui.Problem) error {
	person, err := p.Claims.Person(r.Context(), user.UserID, claims.AccountHandles, nil)
	if err != nil {
		return err
	}
	view := ui.AccountView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Notice: p.Site.Noticed(r),
		Account: ui.Account{Name: person.Name(), Email: person.Text("email")}, EmailVerified: person.EmailVerified() || !p.sendsMail(), AppsURL: p.Site.Link("/account/apps"),
	}
	if p.hasAccounts() {
		view.SessionsURL, view.PasswordURL = p.Site.Link("/account/sessions"), p.Site.Link("/account/password")
	}
	if p.hasAccounts() || p.SignOutURL != "" {
		view.SignOutURL = p.Site.Link("/signout")
	}
	p.Site.Render(w, r, status, p.Site.Screens.AccountHome(view))
	return nil
}

// accountAction sends a code that verifies the account's e-mail address.
func (p *Pages) accountAction(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	if !p.sendsMail() || r.PostForm.Get(ui.FieldAction) != ui.ActionVerify {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
	}
	account := user.Account
	wait, err := p.mayMail(r, account.EmailKey)
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.renderAccount(w, r, user, web.TooMany(w, wait), throttled(wait))
	}
	payload, err := payloadFor(account)
	if err != nil {
		return err
	}
	sealed, err := p.newCode(w, r, codeRequest{Purpose: forVerify, Email: account.Email}, payload)
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/account/verify", web.CodeParameter, sealed))
	return nil
}

func (p *Pages) verifyPage(c codeRequest) codePage { return codePage{nil, c, p.Site.Link("/account")} }

// showVerify asks for the code that verifies an address.
func (p *Pages) showVerify(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	c, err := p.openCode(r, forVerify)
	if err != nil {
		return err
	}
	p.renderCode(w, r, p.verifyPage(c), http.StatusOK, "")
	return nil
}

// verify marks the address as verified, unless it has changed since the code was
// sent.
func (p *Pages) verify(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	c, err := p.openCode(r, forVerify)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.resendCode(w, r, p.verifyPage(c))
	}
	payload, rejected, err := p.verifyCode(w, r, c, r.PostForm.Get(ui.FieldCode))
	if err != nil {
		return err
	}
	if rejected != nil {
		p.renderCode(w, r, p.verifyPage(c), rejected.status, "", rejected.problem)
		return nil
	}
	r, done := usedUp(r)
	defer done()
	account, err := p.addressed(r.Context(), payload)
	if err != nil {
		return err
	}
	err = p.Store.SetEmail(r.Context(), account.ID, account.EmailKey, account.Email, account.EmailKey, true)
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	if err != nil {
		return fmt.Errorf("save e-mail address: %w", err)
	}
	p.Audit.Record(r.Context(), storage.Event{Name: audit.EmailVerified, Subject: account.ID})
	p.Site.Redirect(w, p.Site.Link("/account", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeEmailVerified)))
	return nil
}
