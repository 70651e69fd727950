package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// recipient returns the recipient of mail about a typed address, as its account spells it,
// if there is one, the account, and the mail's language. Spellings with the same key can be mailboxes of
// different people, and a code for alİce@example.com must not give alice's account to a
// stranger.
func (p *Pages) recipient(r *http.Request, typed string) (string, *ui.Locale, storage.Account, error) {
	key, err := mailbox.EmailKey(typed)
	if err != nil {
		return "", nil, storage.Account{}, err
	}
	account, err := p.Accounts.ByEmail(r.Context(), key)
	if err != nil {
		return "", nil, storage.Account{}, err
	}
	return cmp.Or(account.Email, typed), p.LocaleOf(r, account), account, nil
}

// LocaleOf returns the language of mails to an account: its owner's choice, or else that of
// the request, which may be a stranger's.
func (p *Pages) LocaleOf(r *http.Request, account storage.Account) *ui.Locale {
	if account.Language != "" {
		return p.Site.Remembered(account.Language)
	}
	return p.Site.Locale(r)
}

// MailTo composes a mail in the language of the view and passes it to the mailer.
func (p *Pages) MailTo(ctx context.Context, to string, v ui.MailView) error {
	v.Brand, v.Theme, v.BaseURL, v.Time = p.Site.Brand, p.Site.Theme, p.Site.BaseURL, p.Clock()
	v.SignInURL, v.SignUpURL, v.ResetURL = p.Site.BaseURL+"/signin", p.mailLink("/signup", to), p.mailLink("/reset", to)
	v.RecoverURL = p.mailLink("/recover", to)
	v.SecurityURL = p.Site.BaseURL + SecurityPath
	_, err := host.Call(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, p.SendMail(ctx, to, v)
	})
	switch {
	case errors.Is(err, host.ErrRecipientRefused):
		return fmt.Errorf("send mail: %w", err)
	case err != nil:
		return fmt.Errorf("%w: send mail: %w", host.ErrFailed, err)
	}
	return nil
}

// NoticeMail sends a notice of an event. The event cannot be undone, so a failure is only
// logged.
func (p *Pages) NoticeMail(r *http.Request, account storage.Account, v ui.MailView) {
	if p.SendMail == nil || account.Email == "" {
		return
	}
	v.Locale = p.LocaleOf(r, account)
	// A caller that disconnects does not stop the mail.
	err := p.MailTo(context.WithoutCancel(r.Context()), account.Email, v)
	switch {
	case errors.Is(err, host.ErrRecipientRefused):
		p.logRefused(r.Context(), v.Kind, err)
	case err != nil:
		p.Site.LogFailure(r, http.StatusServiceUnavailable, err)
	}
}

// logRefused tells the operator of a mail that nobody gets. It is no fault of the service: anybody
// can mistype an address.
func (p *Pages) logRefused(ctx context.Context, kind ui.MailKind, err error) {
	p.Site.Logger.InfoContext(ctx, "mail cannot be delivered", slog.String("mail", string(kind)), slog.Any("error", err))
}
