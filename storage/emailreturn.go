package storage

import (
	"context"
	"time"
)

// EmailReturn takes back a change of an account's address.
type EmailReturn struct {
	AccountID string

	// Epoch is the epoch that the change began.
	Epoch int64

	// Email and EmailKey are the address before the change.
	Email    string
	EmailKey string

	// PasswordHash replaces the account's.
	PasswordHash string

	// At is the time of the return.
	At time.Time
}

// EmailReturns are the ways back from changes of addresses. ChangeEmail opens one, which is
// valid until EmailChange.ReturnUntil. It outlasts later epochs, because an attacker who
// has changed the address can begin any number of them.
type EmailReturns interface {
	// EmailReturn returns the current account if the change that began this epoch can be
	// taken back at now. ErrNotFound if it cannot: there was no change, it is too late,
	// this or an earlier change has been taken back, the host has set an address since, or
	// the account is disabled or gone.
	EmailReturn(ctx context.Context, accountID string, epoch int64, now time.Time) (Account, error)

	// ReturnEmail takes a change back and returns the account as it was before the call.
	// The account gets the address, verified, and the password, and begins the next epoch;
	// its sessions, grants and trusted devices end, as with SetPassword. The passkeys, the
	// app, the recovery codes and the links that it has got since the change are removed, since they
	// are of whoever has made it, and those of before stay; this begins a FactorsVersion. A scheduled deletion stays. The
	// ways back from this change and from later ones are removed, those from earlier ones
	// stay. Of any number of concurrent calls for one change exactly one succeeds.
	// ErrNotFound as in EmailReturn, ErrConflict if another account has the address; both
	// change nothing.
	ReturnEmail(ctx context.Context, r EmailReturn) (before Account, err error)
}
