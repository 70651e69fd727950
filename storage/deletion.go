package storage

import (
	"context"
	"time"
)

// Deletions are account deletions that owners have requested. After a grace period, in
// which the owner may withdraw the request and no token is issued, the account is removed.
type Deletions interface {
	// SetDeletion schedules the deletion of an account, or cancels it if the time is zero,
	// and begins the next epoch. A scheduled account loses its sessions and grants, gets no
	// others, and Person leaves it out. ErrChanged if the proof is of an earlier version of
	// the account, ErrProof if another part of it does not hold, ErrNotFound if there is no
	// such account.
	SetDeletion(ctx context.Context, id string, on Proof, deleteAt, at time.Time) error

	// DueAccounts returns up to limit accounts that are due for deletion at now, the
	// longest due first.
	DueAccounts(ctx context.Context, now time.Time, limit int) ([]Account, error)

	// DeleteDueAccount is DeleteAccount for an account that is due for deletion at now. It
	// does nothing if the owner has withdrawn the request. Of any number of concurrent
	// calls one reports found.
	DeleteDueAccount(ctx context.Context, id, pseudonym string, now time.Time, erase Erase) (found bool, err error)
}
