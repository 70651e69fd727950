package selfservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// accountAction sends a code that verifies the account's e-mail address.
func (p *appPages) accountAction(w http.ResponseWriter, r *http.Request, user *authflow.User) error {
	if !p.SendsMail() || r.PostForm.Get(ui.FieldAction) != ui.ActionVerify {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
	}
	payload, err := account.PayloadFor(user.Account)
	if err != nil {
		return err
	}
	sealed, rejected, err := p.NewCode(w, r, account.CodeRequest{Purpose: account.ForVerify, Email: user.Account.Email}, payload)
	if rejected != nil {
		return p.renderAccount(w, r, user, rejected.Status, rejected.Problem)
	}
	if err != nil {
		return err
	}
	p.Site.Redirect(w, p.Site.Link("/account/verify", web.CodeParameter, sealed))
	return nil
}

func (p *appPages) verifyPage(c account.CodeRequest) account.CodePage {
	return account.CodePage{Code: c, Path: "/account/verify", Back: p.Site.Link("/account")}
}

// showVerify asks for the code that verifies an address.
func (p *appPages) showVerify(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForVerify)
	if err != nil {
		return err
	}
	p.RenderCode(w, r, p.verifyPage(c), http.StatusOK, p.Site.Noticed(r))
	return nil
}

// verify marks the address as verified, unless it has changed since the code was sent.
func (p *appPages) verify(w http.ResponseWriter, r *http.Request, _ *authflow.Page) error {
	c, err := p.OpenCode(r, account.ForVerify)
	if err != nil {
		return err
	}
	if r.PostForm.Get(ui.FieldAction) == ui.ActionResend {
		return p.ResendCode(w, r, p.verifyPage(c))
	}
	rejected, err := p.UseCode(w, r, c, r.PostForm.Get(ui.FieldCode), func(r *http.Request, code account.Right) error {
		return p.verifyBy(w, r, code)
	})
	if rejected != nil {
		p.RenderCode(w, r, p.verifyPage(c), rejected.Status, "", rejected.Problem)
	}
	return err
}

func (p *appPages) verifyBy(w http.ResponseWriter, r *http.Request, code account.Right) error {
	owner, err := p.Addressed(r.Context(), code.Payload)
	if err != nil {
		return err
	}
	err = p.Audit.Step(r.Context(), func(ctx context.Context) error { return p.Store.VerifyEmail(ctx, owner.ID, code.Spend(owner.Proof())) },
		storage.Event{Name: event.EmailVerified, Subject: owner.ID})
	if errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrProof) {
		return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorExpired, Cause: err}
	}
	if err != nil {
		return fmt.Errorf("save e-mail address: %w", err)
	}
	p.Site.Redirect(w, p.Site.Link("/account", web.NoticeParameter, p.Site.Notice(w, r, ui.NoticeEmailVerified)))
	return nil
}
