package provider

import (
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/ui"
)

// showAccount is the home of a user's own pages.
func (p *Provider) showAccount(w http.ResponseWriter, r *http.Request) error {
	user, err := p.mustBeSignedIn(w, r)
	if err != nil || user == nil {
		return err
	}
	return p.drawAccount(w, r, user, http.StatusOK)
}

func (p *Provider) drawAccount(w http.ResponseWriter, r *http.Request, user *SignedIn, status int, problems ...ui.Problem) error {
	person, err := p.person(r.Context(), user.UserID, []string{"email"}, nil)
	if err != nil {
		return err
	}
	account, err := p.accountView(r.Context(), user.UserID)
	if err != nil {
		return err
	}
	view := ui.AccountView{
		Page: p.pageView(r, nil), Form: p.flowForm(w, r, problems), Notice: ui.Notice(r.URL.Query().Get(noticeParameter)),
		Account: account, EmailVerified: person.emailVerified || !p.sendsMail(), AppsURL: p.link("/account/apps"),
	}
	if p.hasAccounts() {
		view.SessionsURL, view.PasswordURL = p.link("/account/sessions"), p.link("/account/password")
	}
	if p.hasAccounts() || p.cfg.Users.SignOutURL != "" {
		view.SignOutURL = p.link("/signout")
	}
	p.render(w, r, status, ui.AccountHome(view))
	return nil
}

// accountAction sends a code that verifies the account's e-mail address.
func (p *Provider) accountAction(w http.ResponseWriter, r *http.Request) error {
	user, err := p.mustBeSignedIn(w, r)
	if err != nil || user == nil {
		return err
	}
	if !p.sendsMail() || r.PostForm.Get(ui.FieldAction) != ui.ActionVerify {
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest}
	}
	account, err := p.accountOf(r.Context(), user)
	if err != nil {
		return err
	}
	wait, err := p.mayMail(r, account.EmailKey)
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.drawAccount(w, r, user, tooMany(w, wait), throttled(wait))
	}
	task, err := taskFor(account)
	if err != nil {
		return err
	}
	sealed, err := p.newTicket(w, r, ticket{Purpose: forVerify, Email: account.Email}, task)
	if err != nil {
		return err
	}
	p.redirect(w, p.link("/account/verify", ticketParameter, sealed))
	return nil
}

// showVerify asks for the code that verifies an address.
func (p *Provider) showVerify(w http.ResponseWriter, r *http.Request) error {
	t, err := p.openTicket(r, forVerify)
	if err != nil {
		return err
	}
	p.drawCode(w, r, nil, t, p.link("/account"), http.StatusOK, "")
	return nil
}

// verify marks the address as verified, unless it has changed since the code was
// sent.
func (p *Provider) verify(w http.ResponseWriter, r *http.Request) error {
	t, err := p.openTicket(r, forVerify)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.resendCode(w, r, nil, t, p.link("/account"))
	}
	task, problem, status, err := p.redeem(w, r, t, r.PostForm.Get(ui.FieldCode))
	if err != nil {
		return err
	}
	if problem.Code != "" {
		p.drawCode(w, r, nil, t, p.link("/account"), status, "", problem)
		return nil
	}
	r, done := usedUp(r)
	defer done()
	account, err := p.addressed(r.Context(), task)
	if err != nil {
		return err
	}
	if err := p.cfg.Store.SetEmail(r.Context(), account.ID, account.Email, account.EmailKey, true); err != nil {
		return fmt.Errorf("save e-mail address: %w", err)
	}
	p.record(r.Context(), Event{Name: EventEmailVerified, UserID: account.ID})
	p.redirect(w, p.link("/account", noticeParameter, string(ui.NoticeEmailVerified)))
	return nil
}
