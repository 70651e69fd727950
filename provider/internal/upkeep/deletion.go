package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// deletionBatch is the number of accounts that are removed before other requests get their
// turn.
const deletionBatch = 16

// removeDeparted removes what is left of deleted people, one after another, in short steps.
// Where writers do not pause in time, the next round goes on.
func (u *Upkeep) removeDeparted(ctx context.Context) {
	_, err := batch.Over(ctx, &u.departed, deletionBatch, u.Store.Departed, func(d storage.Departed) string { return d.Subject },
		func(ctx context.Context, d storage.Departed) error {
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
		})
	u.failed(ctx, "remove what is left of deleted people", err)
}

// deleteDue removes accounts that are due for deletion, and returns their number. Of
// several processes, one removes an account and tells its owner.
func (u *Upkeep) deleteDue(ctx context.Context, now time.Time) (removed int, err error) {
	due, err := u.Store.DueAccounts(ctx, now, deletionBatch)
	if err != nil {
		return 0, fmt.Errorf("list due accounts: %w", err)
	}
	for _, a := range due {
		pseudonym := "deleted-" + random.UUID()
		if err := u.Companions.Forget(ctx, a.ID, pseudonym); err != nil {
			return removed, err
		}
		found, err := audit.StepIf(ctx, u.Audit, func(ctx context.Context) (bool, error) {
			return u.Store.DeleteDueAccount(ctx, a.ID, pseudonym, now, u.Trail.Erase)
		}, storage.Event{Name: audit.AccountDeleted, Subject: pseudonym, Detail: "as its user wanted"})
		if err != nil {
			return removed, fmt.Errorf("delete due account: %w", err)
		}
		if !found { // another process was first, or the owner has withdrawn the request
			continue
		}
		removed++
		u.TellDeleted(ctx, a)
	}
	return removed, nil
}
