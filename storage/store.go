package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Store is every role of the contract in one value.
type Store interface {
	Clients
	Grants
	Accounts
	EmailReturns
	Deletions
	People
	Sessions
	ClientSessions
	Consents
	OneTimeCodes
	UsedIDs
	PushedRequests
	Keys
	Images
	Attempts
	Events
	Installations
	Clocks

	// Sweep removes what had ended by now and can no longer change an answer:
	// grants past their ExpiresAt with all their tokens, access tokens past
	// theirs, sessions, one-time codes, ways back from changes of addresses, used identifiers, pushed requests and counters of
	// attempts that are over, and invitations that have been over for a month. Nobody is
	// told that a session has expired: its client sessions go with it. It
	// removes at most limit rows of each kind in one transaction, fewer when
	// that takes long, and reports how many it removed altogether; a caller
	// repeats until that is zero.
	// Spent codes and spent refresh tokens stay as long as their grant, so that
	// a replay is recognized. Any number of processes may sweep at once.
	Sweep(ctx context.Context, now time.Time, limit int) (removed int, err error)

	// Elapse makes everything that is recorded of some clients and users older, in one
	// step: of clients their grants, tokens and consents, of users their accounts,
	// sessions and statuses, each status with another revision. It reads these tables
	// from end to end, and is for a sandbox, whose clock is moved by it.
	Elapse(ctx context.Context, e Elapsed) error

	// Ping reports whether the store can serve: that it answers reads and takes
	// writes, as far as it can tell without one. When the last write of this
	// process failed for want of the store it tries one that changes nothing, so
	// that it says both when a disk is full and when there is room again. It is
	// for a probe that asks every second.
	Ping(ctx context.Context) error

	// Close releases everything that the store holds. Calls after it fail with
	// ErrUnavailable.
	Close() error
}

// Elapsed says for whom time has passed.
type Elapsed struct {
	ClientIDs []string

	// UserPrefix is what the IDs of the users begin with, exactly; without one no
	// user is meant.
	UserPrefix string

	// By is what is taken from every time that is recorded; a negative one puts them
	// forward. The zero time stays.
	By time.Duration
}

// Errors of the contract. An implementation returns them wrapped or bare; callers
// compare with errors.Is.
var (
	// ErrNotFound says that there is no such record. It is an answer, never a
	// symptom: a store that could not look returns ErrUnavailable instead.
	ErrNotFound = errors.New("storage: not found")

	// ErrConflict says that a record with this unique value exists already.
	ErrConflict = errors.New("storage: conflict")

	// ErrSpent says that a token which can be used once has been used.
	ErrSpent = errors.New("storage: spent")

	// ErrEnded says that what a step rests on is over: the grant that a token
	// belongs to, the session in which a user acts, the consent of a grant.
	ErrEnded = errors.New("storage: ended")

	// ErrChanged says that a record is not what the caller has read: somebody has
	// changed or removed it since. Read it again, and decide anew.
	ErrChanged = errors.New("storage: changed since it was read")

	// ErrLimit says that there are as many as there may be.
	ErrLimit = errors.New("storage: limit reached")

	// ErrUnavailable says that the store cannot serve now: busy beyond its
	// patience, out of space, read-only, damaged, unreachable, or closed. Trying
	// again later may succeed. Whether a write took effect is unknown.
	ErrUnavailable = errors.New("storage: unavailable")

	// ErrNewerSchema says that a newer version of this module has migrated the
	// database, which is left as it is. A store that was opened before returns it
	// together with ErrUnavailable.
	ErrNewerSchema = errors.New("the database was written by a newer version of Bonafide; upgrade this program or restore a backup")

	// ErrOlderSchema says that this version of the module has not migrated the
	// database, which is left as it is.
	ErrOlderSchema = errors.New("the database was written by an earlier version of Bonafide")
)

// Digest names a secret value without revealing it. The zero Digest names nothing.
// Digests that are made one after the other should sort in that order, as those of
// [GrantID]: a store of millions keeps its speed when its indexes grow at their end.
type Digest [sha256.Size]byte

// IsZero reports whether d names nothing.
func (d Digest) IsZero() bool { return d == Digest{} }
