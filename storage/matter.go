package storage

import (
	"context"
	"time"
)

// Matter is the reason for which a member of the staff looks at one person.
type Matter struct {
	// ID sorts in the order in which matters are opened.
	ID string

	// Staff is who opened it, and Role what for. Subject is the person; a pseudonym after
	// the person was deleted.
	Staff, Role, Subject string

	// Reason is one of a fixed list, Ticket a reference in the host's own system, or empty.
	Reason, Ticket string

	// Note is encrypted by the caller. It goes with the person.
	Note []byte

	OpenedAt time.Time
	// EndsAt is when it ends if it is not used again, ClosedAt when it was closed; zero for
	// a matter that was not.
	EndsAt, ClosedAt time.Time

	// Proof is what the caller has proved until ProvedUntil.
	Proof       CallerProof
	ProvedUntil time.Time

	// WithheldUntil is when the person may read of the matter; zero for at once.
	WithheldUntil time.Time
}

// CallerProof is what a caller has proved to a member of the staff. The levels are ordered.
type CallerProof uint8

// The levels of proof.
const (
	// NoProof is nothing.
	NoProof CallerProof = 0
	// MailboxProof is that the caller reads the recorded mailbox.
	MailboxProof CallerProof = 1
	// SessionProof is that the caller is signed in.
	SessionProof CallerProof = 2
)

// CallerCode is a code that a caller reads out. There is at most one of each Proof for an
// account.
type CallerCode struct {
	AccountID string
	Proof     CallerProof
	// Digest identifies the code together with its account.
	Digest    Digest
	ExpiresAt time.Time
	// Tries is how many wrong codes end it.
	Tries int
}

// MatterFilter selects matters. All nonzero fields must match.
type MatterFilter struct {
	// ID selects the one with this ID, which is none if it is empty.
	ID *string

	Staff, Subject string
	// OpenAt selects those that are open at a moment.
	OpenAt time.Time
	// From and Until select those that were opened at From or later, and before Until.
	From, Until time.Time
	// BeforeID selects those with a lower ID: the next page.
	BeforeID string
	// Limit is the maximum number; 100 if zero.
	Limit int
}

// Matters stores the matters of the staff, and the codes with which callers prove who they
// are.
type Matters interface {
	// OpenMatter records a matter. ErrConflict if the ID exists.
	OpenMatter(ctx context.Context, m Matter) error

	// Matters returns the matching matters, the latest first.
	Matters(ctx context.Context, match MatterFilter) ([]Matter, error)

	// UseMatter prolongs a matter that is open at a moment and of this staff. ErrEnded if
	// there is none.
	UseMatter(ctx context.Context, id, staff string, at, until time.Time) error

	// CloseMatter closes a matter of this staff. It returns nil if it is closed or over, or
	// there is none.
	CloseMatter(ctx context.Context, id, staff string, at time.Time) error

	// ReleaseMatter lets the person read of a matter from now on. ErrEnded if there is none
	// that is withheld.
	ReleaseMatter(ctx context.Context, id string, at time.Time) error

	// SaveCallerCode records a code in place of the one of the same account and Proof.
	// ErrNotFound if there is no such account.
	SaveCallerCode(ctx context.Context, c CallerCode) error

	// ProveCaller uses up the code of the person of a matter that is open at a moment and of
	// this staff, and records what it proves until a time. Of any number of concurrent calls
	// with one code one succeeds. A wrong code counts as a try at every code of the person
	// that has not expired. ErrProof if the code is wrong, expired or used up, ErrEnded if
	// there is no such matter.
	ProveCaller(ctx context.Context, matter, staff string, code Digest, at, until time.Time) (CallerProof, error)
}
