package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// deletionBatch is the number of accounts that are removed before other requests get their
// turn.
const deletionBatch = 16

// departedAtOnce is how many deleted people are read at a time.
const departedAtOnce = 16

// removeDeparted removes more of what is left of deleted people, in one step for each, and
// returns of how many something is still left. Where writers do not pause in time, the next round goes on.
func (u *Upkeep) removeDeparted(ctx context.Context) (left int, err error) {
	for after := ""; ; {
		departed, err := u.Store.Departed(ctx, after, departedAtOnce)
		if err != nil {
			return 0, fmt.Errorf("list deleted people: %w", err)
		}
		for _, d := range departed {
			after = d.Subject
			more, err := u.Store.RemoveDeparted(ctx, d, u.Trail.Erase)
			switch {
			case errors.Is(err, storage.ErrUnavailable):
			case err != nil:
				return left, fmt.Errorf("remove deleted person: %w", err)
			case more:
				left++
			}
		}
		if len(departed) < departedAtOnce {
			return left, nil
		}
	}
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
