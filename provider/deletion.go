package provider

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// deletionBatch is the number of accounts that are removed before other requests get their
// turn.
const deletionBatch = 16

// deleteDue removes accounts that are due for deletion, and returns their number. Of
// several processes, one removes an account and tells its owner.
func (p upkeep) deleteDue(ctx context.Context, now time.Time) (removed int, err error) {
	due, err := p.store.DueAccounts(ctx, now, deletionBatch)
	if err != nil {
		return 0, fmt.Errorf("list due accounts: %w", err)
	}
	for _, a := range due {
		pseudonym := "deleted-" + account.NewID()
		if err := p.companions.forget(ctx, a.ID, pseudonym); err != nil {
			return removed, err
		}
		found, err := p.store.DeleteDueAccount(ctx, a.ID, pseudonym, now)
		if err != nil {
			return removed, fmt.Errorf("delete due account: %w", err)
		}
		if !found { // another process was first, or the owner has withdrawn the request
			continue
		}
		removed++
		p.audit.Record(ctx, storage.Event{Name: audit.AccountDeleted, Subject: pseudonym, Detail: "as its user wanted"})
		p.tellDeleted(ctx, a)
	}
	return removed, nil
}

// tellDeleted sends the last mail to an address. Nothing can be undone, so a failure is
// only logged.
func (p upkeep) tellDeleted(ctx context.Context, a storage.Account) {
	if p.cfg.Mailer == nil || a.Email == "" {
		return
	}
	err := p.pages.MailTo(ctx, a.Email, ui.MailView{Kind: ui.MailDeleted, Locale: p.pages.Site.AccountLocale(a)})
	if err != nil {
		p.cfg.Logger.WarnContext(ctx, "user could not be notified of the account's deletion", slog.Any("error", err))
	}
}
