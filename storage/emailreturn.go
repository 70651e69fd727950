package storage

import (
	"context"
	"time"
)

// EmailReturn takes a change of the address of an account back.
type EmailReturn struct {
	AccountID string

	// Epoch is the one that the change has begun.
	Epoch int64

	// Email and EmailKey are the address that the account had before.
	Email    string
	EmailKey string

	// PasswordHash takes the place of the one that the account has.
	PasswordHash string

	// At is the time of the return.
	At time.Time
}

// EmailReturns are the ways back from changes of addresses. ChangeEmail opens one, which is
// good until EmailChange.ReturnUntil. It outlasts later epochs: whoever has moved an account
// can begin any number.
type EmailReturns interface {
	// EmailReturn returns the account as it is now if the change that began this epoch can
	// be taken back at now. ErrNotFound when it cannot: there was none, it is too late, it
	// has been taken back, as has an earlier change, the host has set an address since, or
	// the account is disabled or gone.
	EmailReturn(ctx context.Context, accountID string, epoch int64, now time.Time) (Account, error)

	// ReturnEmail takes a change back and returns the account as it was until now. The
	// account gets the address, which is verified, and the password, and begins the next
	// epoch; its sessions and grants end, as by SetPassword. A deletion stays. The ways back
	// from this change and from later ones are gone, those from earlier ones stay. Of any
	// number of concurrent calls for one change exactly one succeeds. ErrNotFound as
	// EmailReturn, ErrConflict when another account has the address; both change nothing.
	ReturnEmail(ctx context.Context, r EmailReturn) (before Account, err error)
}
