package storage

import (
	"context"
	"time"
)

// Recovery is the way back into an account whose owner has lost its factors: a wait, during
// which the owner is told and can cancel. It is of the epoch in which it has begun, and over
// when the next one begins: a new password, another address or a lock ends it, and so does
// the return of an address that somebody else has changed.
type Recovery struct {
	AccountID string

	StartedAt time.Time

	// ReadyAt is when it can be finished, EndsAt when it lapses.
	ReadyAt time.Time
	EndsAt  time.Time

	// ApprovedAt is when the host has ended the wait; zero if it has not.
	ApprovedAt time.Time
}

// RecoveryFinish ends a recovery: the account has a new password and nothing beside it.
type RecoveryFinish struct {
	AccountID    string
	PasswordHash string
	At           time.Time

	// On is what it rests on: with a RecoveryCode no recovery need be running.
	On Proof
}

// Recoveries stores the recoveries of accounts, at most one for each.
type Recoveries interface {
	// BeginRecovery records a recovery of an account in this epoch. ErrConflict if one of
	// the epoch has not lapsed at StartedAt, ErrChanged if the epoch has ended, ErrNotFound if there is no
	// such account or it is disabled.
	BeginRecovery(ctx context.Context, r Recovery, epoch int64) error

	// CancelRecovery removes the recovery of an account. It reports whether there was one.
	CancelRecovery(ctx context.Context, accountID string) (bool, error)

	// ApproveRecovery ends the wait of a recovery. ErrNotFound if none is running at that
	// time, or the account is disabled.
	ApproveRecovery(ctx context.Context, accountID string, at time.Time) error

	// FinishRecovery removes everything that the account has beside its password, sets the
	// password, and begins the next epoch: sessions and grants end as with SetPassword.
	// ErrNotFound if no recovery of the account is ready by the agreed time (Clock.Certain), it
	// has lapsed or was cancelled, or the account is disabled; ErrChanged and ErrProof as with Authenticators.
	FinishRecovery(ctx context.Context, f RecoveryFinish) error
}
