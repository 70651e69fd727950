package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// An attacker who has changed an account's address has the password and has read the old
// mailbox for a moment, or has found it open. The owner reads it every day: the mail about
// the change has a link that reverts it, and the password with it. Like a code that resets
// a password, it needs nothing else. Only the store knows whether it is still valid; it is
// not bound to a browser, and opening it changes nothing, because mail scanners open links.

// ReturnLife is how long a change of an address can be reverted. It is shorter than the
// usual minimum for the deletion of an account, and longer than a week away.
const ReturnLife = 7 * 24 * time.Hour

// wayBack is the sealed content of the link in such a mail: which change of which account
// it reverts, and to which address.
type wayBack struct {
	AccountID string `json:"i"`
	Epoch     int64  `json:"n"` // which the change has begun
	Email     string `json:"e"`
	EmailKey  string `json:"k"`
	Made      int64  `json:"t"`
}

func (p *Pages) sealReturnPurpose() string { return "email return " + p.Site.Issuer }

// ReturnURL returns the absolute address of the link that reverts an imminent change of an
// account.
func (p *Pages) ReturnURL(before storage.Account, at time.Time) (string, error) {
	plain, err := json.Marshal(wayBack{before.ID, before.Epoch + 1, before.Email, before.EmailKey, at.Unix()})
	if err != nil {
		return "", fmt.Errorf("encode way back: %w", err)
	}
	return p.Site.BaseURL + "/email/return?" + web.CodeParameter + "=" + p.Site.Secrets.SealString(p.sealReturnPurpose(), plain), nil
}

// unsealReturn returns the content of a link, valid or not.
func (p emailReturns) unsealReturn(r *http.Request) (wayBack, error) {
	var back wayBack
	plain, err := p.Site.Secrets.OpenString(p.sealReturnPurpose(), web.Parameter(r, web.CodeParameter))
	if err == nil {
		err = json.Unmarshal(plain, &back)
	}
	return back, err
}

// openReturn returns the content of a valid link.
func (p emailReturns) openReturn(r *http.Request) (wayBack, error) {
	back, err := p.unsealReturn(r)
	if err != nil {
		return wayBack{}, &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	now := p.Clock()
	if !clock.Within(now, time.Unix(back.Made, 0), ReturnLife) {
		return wayBack{}, returnFailed(storage.ErrNotFound)
	}
	if _, err := p.Store.EmailReturn(r.Context(), back.AccountID, back.Epoch, now); err != nil {
		return wayBack{}, returnFailed(err)
	}
	other, err := p.Accounts.ByEmail(r.Context(), back.EmailKey)
	if err != nil {
		return wayBack{}, err
	}
	if other.ID != "" && other.ID != back.AccountID {
		return wayBack{}, returnFailed(storage.ErrConflict)
	}
	return back, nil
}

// returnFailed is the error of a change that cannot be reverted: it is too late, or the
// address is taken.
func returnFailed(err error) error {
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorReturn, Cause: err}
	case errors.Is(err, storage.ErrConflict):
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorReturnTaken, Cause: err}
	default:
		return fmt.Errorf("take change of address back: %w", err)
	}
}

// showReturn explains the link, and asks for a new password.
func (p emailReturns) showReturn(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	back, err := p.openReturn(r)
	if err != nil {
		return err
	}
	p.renderReturn(w, r, back, http.StatusOK)
	return nil
}

func (p emailReturns) renderReturn(w http.ResponseWriter, r *http.Request, back wayBack, status int, problems ...ui.Problem) {
	p.Site.Render(w, r, status, p.Site.Screens.EmailReturn(ui.EmailReturnView{
		Page: p.Site.PageView(r, nil), Form: p.Site.Form(w, r, problems), Email: back.Email, MinLength: p.Accounts.MinLength,
	}))
}

// returnEmail reverts the change and asks to sign in with the new password. Attempts have
// the limit of code entries, because each costs a hash.
func (p emailReturns) returnEmail(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	back, err := p.openReturn(r)
	if err != nil {
		return err
	}
	chosen := r.PostForm.Get(ui.FieldNewPassword)
	if problem := p.PasswordProblem(chosen, back.Email); problem.Code != "" {
		p.renderReturn(w, r, back, http.StatusUnprocessableEntity, problem)
		return nil
	}
	by := p.caller(r, back.EmailKey, storage.Account{})
	by.Account = "return " + back.AccountID + " " + strconv.FormatInt(back.Epoch, 10)
	wait, err := p.Limits.Allow(r.Context(), p.Actions.EnterCode, by)
	if err != nil {
		return err
	}
	if wait > 0 {
		p.renderReturn(w, r, back, web.TooMany(w, wait), Throttled(wait))
		return nil
	}
	hash, err := p.Accounts.Hasher.Hash(r.Context(), password.Known, chosen)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	r, done := Outlasting(r)
	defer done()
	var before storage.Account
	err = p.Audit.Step(r.Context(), func(ctx context.Context) (err error) {
		before, err = p.Store.ReturnEmail(ctx, storage.EmailReturn{
			AccountID: back.AccountID, Epoch: back.Epoch, Email: back.Email, EmailKey: back.EmailKey, PasswordHash: hash, At: p.Clock(),
		})
		return err
	}, storage.Event{Name: event.EmailReturned, Subject: back.AccountID})
	if err != nil {
		return returnFailed(err)
	}
	p.Limits.Reset(r.Context(), p.Actions.EnterCode, by)
	p.tellReturned(r, before, back)
	p.Site.Redirect(w, p.Site.Link("/signin", web.CodeParameter, web.Parameter(r, web.CodeParameter),
		web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeEmailReturned)))
	return nil
}

// tellReturned notifies both addresses of an account.
func (p emailReturns) tellReturned(r *http.Request, before storage.Account, back wayBack) {
	owner := before
	owner.Email = back.Email
	p.NoticeMail(r, owner, ui.MailView{Kind: ui.MailEmailReturned})
	if before.EmailKey != back.EmailKey {
		p.NoticeMail(r, before, ui.MailView{Kind: ui.MailEmailReturned})
	}
}

// sealGivenPurpose differs for each browser, so that no other learns the address.
func (p *Pages) sealGivenPurpose(browser string) string {
	return "given address " + p.Site.Issuer + " " + browser
}

// SealGiven returns the sealed address that was just given in this browser, for the next page that
// would ask for it: no address stands in one of a page, which others log.
func (p *Pages) SealGiven(w http.ResponseWriter, r *http.Request, email string) string {
	return p.Site.Secrets.SealString(p.sealGivenPurpose(p.Site.Browser(w, r)), []byte(email))
}

// GivenEmail returns the address that was just given in this browser, or that of an account which
// the link of a mail has given back, or "".
func (p *Pages) GivenEmail(r *http.Request) string {
	plain, err := p.Site.Secrets.OpenString(p.sealGivenPurpose(p.Site.Cookies.Get(r, session.Browser)), web.Parameter(r, web.CodeParameter))
	if err == nil {
		return string(plain)
	}
	back, err := emailReturns{p}.unsealReturn(r)
	if err != nil {
		return ""
	}
	return back.Email
}
