package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// TellVerification notifies the owner of an account of the result of a pending
// verification. The result cannot be undone, so a failure is only logged. An unverified
// address gets no mail: a person's groups are no stranger's business.
func (p *Pages) TellVerification(ctx context.Context, userID, group string, verified bool) {
	ctx = context.WithoutCancel(ctx) // a caller that disconnects does not stop the mail
	if err := p.tellVerification(ctx, userID, group, verified); err != nil {
		p.Site.Logger.ErrorContext(ctx, "user could not be notified of a verification", slog.String("user", userID), slog.Any("error", err))
	}
}

// TellDeleted sends the last mail to the address of an account. Nothing can be undone, so a
// failure is only logged.
func (p *Pages) TellDeleted(ctx context.Context, a storage.Account) {
	if p.SendMail == nil || a.Email == "" {
		return
	}
	if err := p.MailTo(ctx, a.Email, ui.MailView{Kind: ui.MailDeleted, Locale: p.Site.Remembered(a.Language)}); err != nil {
		p.Site.Logger.WarnContext(ctx, "user could not be notified of the account's deletion", slog.Any("error", err))
	}
}

func (p *Pages) tellVerification(ctx context.Context, userID, group string, verified bool) error {
	owner, err := p.Store.Account(ctx, userID)
	if errors.Is(err, storage.ErrNotFound) || err == nil && (owner.Disabled || !owner.EmailVerified) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	v := ui.MailView{
		Kind: ui.MailVerificationRefused, Locale: p.Site.Remembered(owner.Language), GroupsURL: p.Site.BaseURL + "/account/groups",
	}
	if verified {
		v.Kind = ui.MailVerificationDone
	}
	v.Group = p.Claims.Catalogue.GroupWords(v.Locale, group).Text
	return p.MailTo(ctx, owner.Email, v)
}
