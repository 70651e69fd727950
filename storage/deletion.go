package storage

import (
	"context"
	"time"
)

// Deletions are the ends of accounts that their owners want, each after a time in which
// the owner may think again. Until then nothing is issued for the account.
type Deletions interface {
	// SetDeletion has an account that is still in this epoch be removed at a time, or,
	// when that is zero, stay, and begins the next epoch. An account that is to be
	// removed loses its sessions and grants, gets no others, and Person does not
	// have it. ErrChanged when the epoch is over, ErrNotFound when there is no such
	// account.
	SetDeletion(ctx context.Context, id string, epoch int64, deleteAt, at time.Time) error

	// DueAccounts returns up to limit accounts that are to be removed by now, those
	// that are due the longest first.
	DueAccounts(ctx context.Context, now time.Time, limit int) ([]Account, error)

	// DeleteDueAccount is DeleteAccount for an account that is to be removed by now.
	// It does nothing to one whose owner has thought again. Of any number of
	// concurrent calls one reports found.
	DeleteDueAccount(ctx context.Context, id, pseudonym string, now time.Time) (found bool, err error)
}
