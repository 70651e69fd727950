package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// What owners do on their own pages and the host does for them is the same act, done here.

// EndSession ends the session of an account with this handle (session.Handle), and reports
// whether there was one. done is the event of it.
func (p *Pages) EndSession(ctx context.Context, accountID, handle string, done storage.Event) (found bool, err error) {
	sessions, err := p.Store.Sessions(ctx, accountID)
	if err != nil {
		return false, fmt.Errorf("read sessions: %w", err)
	}
	for _, s := range sessions {
		if session.Handle(s) != handle {
			continue
		}
		done.Subject = accountID
		err := p.Audit.Step(ctx, func(ctx context.Context) error {
			_, err := p.Store.EndSessions(ctx, storage.SessionFilter{Digest: s.Digest})
			return err
		}, done)
		return err == nil, err
	}
	return false, nil
}

// EndConsent removes what a user has allowed an application, and ends its tokens, and reports
// whether anything was allowed. by is how, for the audit log.
func (p *Pages) EndConsent(ctx context.Context, userID, clientID, by string) (found bool, err error) {
	_, err = p.Store.Consent(ctx, userID, clientID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, fmt.Errorf("read consent: %w", err)
	}
	found = err == nil
	var events []storage.Event
	if found {
		events = append(events, storage.Event{Name: event.Revoked, Subject: userID, ClientID: clientID, Detail: by})
	}
	err = p.Audit.Step(ctx, func(ctx context.Context) error { return p.Store.RevokeConsent(ctx, userID, clientID, p.Clock()) }, events...)
	if err != nil {
		return false, fmt.Errorf("revoke consent: %w", err)
	}
	return found, nil
}

// TellOwner sends the owner of an account a notice of what others have done about it, in the
// language of the account. It cannot be undone, so a failure is only logged.
func (p *Pages) TellOwner(ctx context.Context, a storage.Account, v ui.MailView) {
	if err := p.MailOwner(ctx, a, v); err != nil {
		p.Site.Logger.WarnContext(ctx, "user could not be told", slog.String("mail", string(v.Kind)), slog.String("user", a.ID), slog.Any("error", err))
	}
}

// MailOwner sends a mail to the recorded address of an account, and to no other, in the
// language of the account. It does nothing without a mailer, or an address. A caller that
// disconnects does not stop it.
func (p *Pages) MailOwner(ctx context.Context, a storage.Account, v ui.MailView) error {
	if p.SendMail == nil || a.Email == "" {
		return nil
	}
	v.Locale = p.Site.Remembered(a.Language)
	return p.MailTo(context.WithoutCancel(ctx), a.Email, v)
}
