package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// deletionBatch is the number of accounts that are removed before other requests get their
// turn.
const deletionBatch = 16

// removeDeparted carries on the deletions that are decided.
func (u *Upkeep) removeDeparted(ctx context.Context) {
	list := func(ctx context.Context, after string, limit int) ([]storage.Departed, error) {
		return u.Store.Departed(ctx, after, limit)
	}
	_, err := batch.Over(ctx, &u.departed, deletionBatch, list, func(d storage.Departed) string { return d.Subject }, u.finish)
	u.failed(ctx, "complete deletions of accounts", err)
}

// FinishDeletion carries out the deletion of a person that is decided, as far as it can: what
// is left is for Run, of any process. It tells the operator of failures.
func (u *Upkeep) FinishDeletion(ctx context.Context, subject string) {
	d, err := storage.One(u.Store.Departed(ctx, "", 1, subject))
	if errors.Is(err, storage.ErrNotFound) {
		return // another process was faster
	}
	if err == nil {
		err = u.finish(ctx, d)
	}
	u.failed(ctx, "complete the deletion of an account", err)
}

// finish has everybody beside forget a deleted person, and then removes what is left, in short
// steps. Where writers do not pause in time, the next round goes on.
func (u *Upkeep) finish(ctx context.Context, d storage.Departed) error {
	if err := u.Companions.Forget(ctx, d.Subject, d.Pseudonym); err != nil {
		return err
	}
	for {
		begin := time.Now()
		left, err := u.Store.RemoveDeparted(ctx, d, u.Trail.Erase)
		if errors.Is(err, storage.ErrUnavailable) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("remove deleted person: %w", err)
		}
		if !left {
			return nil
		}
		if err := batch.Rest(ctx, rest*time.Since(begin)); err != nil {
			return err
		}
	}
}

// deleteDue deletes the accounts that are due. Of several processes, one deletes an account and
// tells its owner. Whoever wants to keep it comes before that step or too late.
func (u *Upkeep) deleteDue(ctx context.Context, now time.Time) {
	list := func(ctx context.Context, after string, limit int) ([]storage.Account, error) {
		return u.Store.Accounts(ctx, after, limit, now)
	}
	deleted, err := batch.Over(ctx, &u.due, deletionBatch, list, func(a storage.Account) string { return a.ID },
		func(ctx context.Context, a storage.Account) error {
			pseudonym := "deleted-" + random.UUID()
			in, err := u.Deleting(ctx, a.ID, pseudonym)
			if err != nil {
				return err
			}
			found, err := audit.StepIf(in, u.Audit, func(ctx context.Context) (bool, error) {
				return u.Store.DeleteAccount(ctx, a.ID, pseudonym, u.Trail.Erase, now)
			}, storage.Event{Name: event.AccountDeleted, Subject: pseudonym, Detail: "as its user wanted"})
			if err != nil {
				return fmt.Errorf("delete due account: %w", err)
			}
			switch {
			case found && a.Unreadable:
				u.Logger.ErrorContext(ctx, "an account was deleted, and its owner cannot be told: its address cannot be decrypted",
					slog.String("pseudonym", pseudonym))
			case found:
				u.TellDeleted(ctx, a)
			}
			return nil
		})
	u.failed(ctx, "delete accounts whose users wanted that", err)
	if deleted > 0 {
		u.removeDeparted(ctx)
	}
}
