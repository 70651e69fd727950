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

	// Disabled accounts cannot sign in; their grants and sessions have ended.
	Disabled bool

	// Epoch counts how often what was proved of the owner has ended: each new
	// password, each new address and each lock begins another. A password that was
	// checked in one epoch, and a mailbox that was read, are worth nothing in the
	// next. It is counted from what CreateAccount was given, and only the store
	// changes it.
	Epoch int64

	// Language is that of the screens and mails that the owner has chosen, a BCP 47
	// tag; empty for none.
	Language string

	// DeleteAt is when the account is to be removed, because its owner wants that; zero
	// for never. Only Deletions change it.
	DeleteAt time.Time

	CreatedAt time.Time
}

// EmailChange is a change of the address of an account by its owner.
type EmailChange struct {
	AccountID string

	// Epoch is the one in which the owner was recognized.
	Epoch int64

	// Email and EmailKey are the new address.
	Email    string
	EmailKey string

	// At is the time of the change.
	At time.Time

	// Begin is recorded in place of the sessions that end.
	Begin Session

	// ReturnUntil is until when the change can be taken back (EmailReturns); zero for never.
	ReturnUntil time.Time
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

	// Accounts returns up to limit accounts whose identifier follows after, in an
	// order of identifiers that does not change.
	Accounts(ctx context.Context, after string, limit int) ([]Account, error)

	// SetEmail changes the address of an account whose EmailKey is oldKey, and
	// whether it is verified. Another EmailKey begins another epoch, which ends no
	// session and no grant, and no earlier change can be taken back any more
	// (EmailReturns). ErrChanged when it has another, ErrConflict when another
	// account has the new one, ErrNotFound when there is no such account.
	SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error

	// ChangeEmail gives an account that is still in this epoch another address, which is
	// verified, and begins the next: it ends the account's sessions and grants, as
	// SetPassword does. ErrChanged when the epoch is over, ErrNotFound when there is no
	// such account; ErrConflict when another account has the address, or the digest of the
	// session exists.
	ChangeEmail(ctx context.Context, c EmailChange) error

	// SetLanguage records the language that the owner has chosen; empty for none.
	// ErrNotFound when there is no such account.
	SetLanguage(ctx context.Context, id, language string) error

	// SetPassword changes the password hash of an account that is still in this
	// epoch, and begins the next: it ends the account's sessions and grants.
	// The session begin, if one is given, is recorded in place of those.
	// ErrChanged when the epoch is over, ErrNotFound when there is no such
	// account; ErrConflict when the digest of the session exists.
	SetPassword(ctx context.Context, id string, epoch int64, hash string, at time.Time, begin ...Session) error

	// Rehash replaces the hash of the same password by a better one, which ends
	// nothing. It changes nothing, and returns nil, when the account's hash is
	// not the old one any more.
	Rehash(ctx context.Context, id, oldHash, hash string) error

	// SetDisabled locks the account or opens it again. Locking ends its
	// sessions and its grants, and its epoch. ErrNotFound when there is no such
	// account.
	SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error

	// EndIssued ends the sessions and grants of a subject, and the epoch of its
	// account, if it has one. It returns nil when there is nothing.
	EndIssued(ctx context.Context, id string, at time.Time) error

	// DeleteAccount removes the account with its sessions, and the grants, consents,
	// attributes and statuses of a subject, who need not have an account. In the
	// events about it the pseudonym takes the place of the subject, and nothing that
	// of the address. It reports whether there was anything.
	DeleteAccount(ctx context.Context, id, pseudonym string) (found bool, err error)
}

// Person is what is recorded about a subject: attribute values by handle, the
// status of groups, and the address of its account.
type Person struct {
	// Revision is another one after each change of the attributes of a subject with an
	// account that is neither disabled nor to be removed; zero for any other.
	Revision int64

	Attributes map[string]json.RawMessage
	Statuses   []Status

	// HasAccount reports whether the subject has an account that is neither
	// disabled nor to be removed. Email and EmailVerified are of that account.
	HasAccount    bool
	Email         string
	EmailVerified bool
}

// Status tells whether a subject belongs to a group, and who says so.
type Status struct {
	// Group is the name of a group in the catalogue.
	Group string `json:"group"`

	// Subgroups are those that the subject belongs to.
	Subgroups []string `json:"subgroups"`

	// Verified reports whether somebody has checked it. Pending says that somebody is
	// about to: then it is not verified, and is never released as verified.
	Verified bool `json:"verified"`
	Pending  bool `json:"pending,omitempty"`

	// VerifiedBy names who did, which the subject may read.
	VerifiedBy string    `json:"verified_by"`
	VerifiedAt time.Time `json:"verified_at,omitzero"`

	// Source names where the status came from, such as "National Student Clearinghouse",
	// and Method how it was found out, which the subject may read as well. The screens have words
	// for the methods document, code, email_domain, roster and record; any other is shown
	// as it is. Both may be empty, and applications get neither.
	Source string `json:"source,omitempty"`
	Method string `json:"method,omitempty"`

	// Reason says why it was refused, which the subject may read. The screens have words for
	// the reasons unreadable, expired, mismatch, not_found and not_eligible; any other is shown
	// as it is. It is empty unless the status is neither verified nor pending.
	Reason string `json:"reason,omitempty"`

	// ExpiresAt is when the verification ends; zero means never. An expired status is
	// released as not verified.
	ExpiresAt time.Time `json:"expires_at,omitzero"`

	// Revision differs for every status that is recorded; the store gives it.
	Revision int64 `json:"revision"`

	// PersonRevision is the Revision of the person who was checked, to be compared when
	// the status is recorded; zero for none. It is not kept.
	PersonRevision int64 `json:"-"`
}

// PersonBasis is what a write about a person rests on. What is zero is no condition.
type PersonBasis struct {
	// HasAccount says that the subject has an account, disabled ones included.
	HasAccount bool

	// Revision is that of the Person that the caller has read.
	Revision int64
}

// AnyRevision and NoStatus are what SetStatus may find beside a revision: whatever
// there is, and nothing.
const (
	AnyRevision int64 = -1
	NoStatus    int64 = 0
)

// People keeps attributes and statuses. A subject needs no account: the host may
// keep its users elsewhere and record only this here.
type People interface {
	// Person returns what is recorded about the subject; an empty Person when
	// nothing is. Statuses are in the order of their groups' bytes.
	Person(ctx context.Context, subject string) (Person, error)

	// SetAttributes records values by handle; other handles keep theirs. A nil
	// value, or the JSON null, removes the handle. A value that is not JSON is
	// an error and changes nothing. ErrNotFound when the subject has not the account of
	// the basis, ErrChanged when the person has another revision.
	SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, on ...PersonBasis) error

	// SetOwnAttributes is SetAttributes for the owner of an account that is still in
	// this epoch, of whom no status is pending, or verified and in force at a moment: what
	// somebody has checked is not the owner's to change. ErrChanged when the epoch is over,
	// ErrConflict when there is such a status, ErrNotFound when there is no such account.
	SetOwnAttributes(ctx context.Context, accountID string, epoch int64, values map[string]json.RawMessage, at time.Time) error

	// Subjects returns up to limit subjects with attributes who follow after, in an
	// order that does not change.
	Subjects(ctx context.Context, after string, limit int) ([]string, error)

	// ReplaceAttribute puts a value in the place of one that is, byte for byte, the
	// old one. ErrChanged when there is another, or none. A value that is not JSON
	// is an error.
	ReplaceAttribute(ctx context.Context, subject, handle string, old, value json.RawMessage) error

	// SetStatus records the status of one group in place of the one with this
	// revision, AnyRevision or NoStatus; the revisions of s are ignored. ErrChanged
	// when another is recorded, or the person has another revision than the basis says;
	// ErrNotFound when the subject has not the account of the basis.
	SetStatus(ctx context.Context, subject string, s Status, replaced int64, on ...PersonBasis) error

	// RemoveStatus forgets the status of one group. It returns nil when there
	// is none.
	RemoveStatus(ctx context.Context, subject, group string) error
}
