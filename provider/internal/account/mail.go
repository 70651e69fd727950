package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// recipient returns the address that mail about a typed one goes to: as its account
// has it, where there is one. Spellings that are one to us can be mailboxes of
// different people, and a code for alİce@example.com must not leave alice's
// account to a stranger.
func (p *Pages) recipient(ctx context.Context, typed string) (string, error) {
	key, err := EmailKey(typed)
	if err != nil {
		return "", err
	}
	account, err := p.Store.AccountByEmail(ctx, key)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return typed, nil
	case err != nil:
		return "", fmt.Errorf("read account: %w", err)
	default:
		return account.Email, nil
	}
}

// mail writes a mail and hands it to the mailer.
func (p *Pages) mail(r *http.Request, to string, v ui.MailView) error {
	v.Locale = p.Site.Locale(r, nil)
	return p.send(r.Context(), to, v)
}

// send is mail outside of a request, in the language of the view.
func (p *Pages) send(ctx context.Context, to string, v ui.MailView) error {
	v.Brand, v.BaseURL, v.Time = p.Site.Brand, p.Site.BaseURL, p.Clock()
	v.SignInURL, v.SignUpURL, v.ResetURL = p.Site.BaseURL+"/signin", p.mailLink("/signup", to), p.mailLink("/reset", to)
	_, err := host.Call(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, p.SendMail(ctx, to, v)
	})
	if err != nil {
		return fmt.Errorf("%w: send mail: %w", host.ErrFailed, err)
	}
	return nil
}

// MayMail reports whether another mail may go to an address now, or how long to
// wait: nobody's mailbox can be flooded from here.
func (p *Pages) MayMail(r *http.Request, key string) (time.Duration, error) {
	account, err := p.Accounts.ByEmail(r.Context(), key)
	if err != nil {
		return 0, err
	}
	return p.Limits.Allow(r.Context(), p.Actions.SendMail, p.mailCaller(r, key, account))
}

// NoticeMail sends a notice of something that has happened. It cannot undo
// it, so a failure is only logged.
func (p *Pages) NoticeMail(r *http.Request, to string, v ui.MailView) {
	if p.SendMail == nil || to == "" {
		return
	}
	// Nobody keeps it from its reader by leaving.
	r = r.WithContext(context.WithoutCancel(r.Context()))
	if err := p.mail(r, to, v); err != nil {
		p.Site.LogFailure(r, http.StatusServiceUnavailable, err)
	}
}
