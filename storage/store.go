package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Roles are all roles of the contract.
type Roles interface {
	Store
	Developers
	Verification
	Desk
	Signals
	Credentials
}

// Store are the roles that a provider uses.
type Store interface {
	Clients
	ClientHosts
	Grants
	Accounts
	Authenticators
	Links
	Recoveries
	EmailReturns
	Deletions
	People
	Sessions
	ClientSessions
	Consents
	OneTimeCodes
	UsedIDs
	PushedRequests
	DeviceCodes
	Keys
	Images
	Attempts
	Events
	Matters
	Trail
	Installations
	SealedValues
	Clocks
	Trims

	// Sweep removes records that had ended by now and can no longer change an answer:
	// grants past their ExpiresAt with all their tokens, expired access tokens, sessions,
	// one-time codes, ways back from changes of addresses, trusted devices, recoveries, used
	// identifiers, pushed requests, requests of devices, counters of attempts, codes of callers and answers, invitations a
	// month after their expiry, credentials a day after theirs, and deliveries a week after their end, or a month after their cause. A swept session takes its client sessions with it, so that no application is told. It
	// removes at most limit rows of each kind in one transaction, fewer if that takes long,
	// and returns their number altogether; the caller repeats until zero. Spent codes and
	// spent refresh tokens stay as long as their grant, so that a replay is recognized. Any
	// number of processes may sweep at once.
	Sweep(ctx context.Context, now time.Time, limit int) (removed int, err error)

	// Elapse makes the records of some clients and users older, in one step: of clients
	// their grants, tokens, consents, credentials and requests of devices, of users their accounts, authenticators, recoveries, sessions and statuses,
	// each status with another revision, and their cases with decisions, evidence and
	// fingerprints, each case with another version. It reads these tables from end to end, and is for
	// a sandbox, whose clock it moves.
	Elapse(ctx context.Context, e Elapsed) error

	// Ping reports whether the store can serve: that it answers reads and takes writes, as
	// far as it can tell without one. If the store failed this process's last write, Ping
	// tries one that changes nothing, so that it notices both that a disk is full and that
	// there is room again. It is for a probe that runs every second.
	Ping(ctx context.Context) error

	// Close releases everything that the store holds. Later calls fail with ErrUnavailable.
	Close() error
}

// Elapsed selects clients and users for whom time passes.
type Elapsed struct {
	ClientIDs []string

	// UserPrefix is the exact prefix of the users' IDs; empty selects no user.
	UserPrefix string

	// By is subtracted from every recorded time; negative values move them forward. The
	// zero time stays.
	By time.Duration
}

// Errors of the contract. An implementation returns them wrapped or bare; callers compare
// with errors.Is.
var (
	// ErrNotFound means that there is no such record. It is an answer, never a symptom: a
	// store that could not look returns ErrUnavailable instead.
	ErrNotFound = errors.New("storage: not found")

	// ErrConflict means that a record with this unique value exists.
	ErrConflict = errors.New("storage: conflict")

	// ErrSpent means that a single-use token has been used.
	ErrSpent = errors.New("storage: spent")

	// ErrEnded means that the basis of a step has ended: the grant of a token, the session
	// of a user, the consent of a grant.
	ErrEnded = errors.New("storage: ended")

	// ErrChanged means that a record was changed or removed since the caller read it. Read
	// it again, and decide again.
	ErrChanged = errors.New("storage: changed since it was read")

	// ErrDenied means that the staff lets no client of this host in (HostDenial).
	ErrDenied = errors.New("storage: the host is denied")

	// ErrTaken means that a proof is bound to another subject.
	ErrTaken = errors.New("storage: taken by another subject")

	// ErrForbidden means that this reviewer may not decide this case.
	ErrForbidden = errors.New("storage: forbidden")

	// ErrLimit means that the maximum number is reached.
	ErrLimit = errors.New("storage: limit reached")

	// ErrProof means that a part of a Proof does not hold: it was spent, removed, or ended.
	ErrProof = errors.New("storage: the proof does not hold")

	// ErrLast means that a removal would leave an account without a way to sign in.
	ErrLast = errors.New("storage: the last way to sign in")

	// ErrUnavailable means that the store cannot serve now: busy beyond its patience, out
	// of space, read-only, damaged, unreachable, or closed. A later attempt may succeed.
	// Whether a write took effect is unknown.
	ErrUnavailable = errors.New("storage: unavailable")

	// ErrNewerSchema means that a newer version of this module has migrated the database,
	// which is left as it is. A store that was opened before returns it together with
	// ErrUnavailable.
	ErrNewerSchema = errors.New("the database was written by a newer version of Bonafide; upgrade this program or restore a backup")

	// ErrOlderSchema means that this version of the module has not migrated the database,
	// which is left as it is.
	ErrOlderSchema = errors.New("the database was written by an earlier version of Bonafide")

	// ErrUnreleasedSchema means that the database is from before the first release. It is left
	// as it is.
	ErrUnreleasedSchema = errors.New("the database was written by a version of Bonafide from before its first release, and cannot be opened by this one; it is left as it is")
)

// One returns the first of the records that a list found; ErrNotFound if there is none.
func One[T any](found []T, err error) (T, error) {
	var one T
	switch {
	case err != nil:
		return one, err
	case len(found) == 0:
		return one, ErrNotFound
	}
	return found[0], nil
}

// Digest identifies a secret value without revealing it. The zero Digest identifies
// nothing. Digests made in sequence should sort in that order, as those of [GrantID]: a
// store of millions keeps its speed if its indexes grow at their end.
type Digest [sha256.Size]byte

// IsZero reports whether d is the zero Digest.
func (d Digest) IsZero() bool { return d == Digest{} }
