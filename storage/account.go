package storage

import (
	"context"
	"encoding/json"
	"time"
)

// Account is a user of the embedded accounts.
type Account struct {
	// ID is the subject: stable, never reused, no e-mail address.
	ID string

	// Email is the address as its owner wrote it. EmailKey is what makes it
	// unique: the same for all spellings of one address. Both may be empty.
	Email         string
	EmailKey      string
	EmailVerified bool

	// PasswordHash is a password hash in PHC string format, or empty: then no
	// password signs in.
	PasswordHash      string
	PasswordChangedAt time.Time

	// Disabled accounts cannot sign in; what was issued for them is dead.
	Disabled bool

	CreatedAt time.Time
}

// Accounts keeps the users of the embedded accounts.
type Accounts interface {
	// CreateAccount records a new account. Of any number of concurrent calls
	// with one EmailKey exactly one succeeds; the others get ErrConflict, as
	// does a call with an ID that exists.
	CreateAccount(ctx context.Context, a Account) error

	// Account returns the account with this identifier.
	Account(ctx context.Context, id string) (Account, error)

	// AccountByEmail returns the account with this EmailKey. An empty key is
	// never found.
	AccountByEmail(ctx context.Context, key string) (Account, error)

	// SetEmail changes the address and whether it is verified. ErrConflict
	// when another account has it, ErrNotFound when there is no such account.
	SetEmail(ctx context.Context, id, email, key string, verified bool) error

	// SetPassword changes the password hash. It ends the account's sessions
	// but the one named by keep (which may be zero), and its grants.
	// ErrNotFound when there is no such account.
	SetPassword(ctx context.Context, id, hash string, keep Digest, at time.Time) error

	// SetDisabled locks the account or opens it again. Locking ends its
	// sessions and its grants. ErrNotFound when there is no such account.
	SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error

	// DeleteAccount removes the account with its sessions, grants, consents,
	// attributes and statuses. It returns nil when there is none.
	DeleteAccount(ctx context.Context, id string) error
}

// Person is what is recorded about a subject: attribute values by handle, the
// status of groups, and the address of its account.
type Person struct {
	Attributes map[string]json.RawMessage
	Statuses   []Status

	// HasAccount reports whether the subject has an account that is not
	// disabled. Email and EmailVerified are of that account.
	HasAccount    bool
	Email         string
	EmailVerified bool
}

// Status tells whether a subject belongs to a group, and who says so.
type Status struct {
	Group      string
	Subgroups  []string
	Verified   bool
	VerifiedBy string
	VerifiedAt time.Time
	// ExpiresAt is when the verification ends; zero means never.
	ExpiresAt time.Time
}

// People keeps attributes and statuses. A subject needs no account: the host may
// keep its users elsewhere and record only this here.
type People interface {
	// Person returns what is recorded about the subject; an empty Person when
	// nothing is. Statuses are in the order of their groups' bytes.
	Person(ctx context.Context, subject string) (Person, error)

	// SetAttributes records values by handle; other handles keep theirs. A nil
	// value, or the JSON null, removes the handle. A value that is not JSON is
	// an error and changes nothing.
	SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage) error

	// SetStatus records the status of one group in place of the one before.
	SetStatus(ctx context.Context, subject string, s Status) error

	// RemoveStatus forgets the status of one group. It returns nil when there
	// is none.
	RemoveStatus(ctx context.Context, subject, group string) error
}
