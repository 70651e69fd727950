package storage

import (
	"context"
	"time"
)

// Session is a browser in which the owner of an account has signed in.
type Session struct {
	Digest    Digest
	AccountID string

	// AuthTime and AMR tell when and how the user authenticated (OpenID
	// Connect Core section 2, RFC 8176).
	AuthTime time.Time
	AMR      []string

	// UserAgent and Address are shown to the account's owner; Address is a
	// network prefix, not a full address.
	UserAgent string
	Address   string

	CreatedAt  time.Time
	LastSeenAt time.Time

	// ExpiresAt is the end of the absolute lifetime; IdleUntil the end unless
	// the session is used before. A store keeps IdleUntil no later than
	// ExpiresAt.
	ExpiresAt time.Time
	IdleUntil time.Time
}

// SessionFilter selects the sessions of an account; without one it matches nothing.
type SessionFilter struct {
	AccountID string
	// Except is a session that does not match.
	Except Digest
}

// Sessions keeps the signed-in browsers.
type Sessions interface {
	// CreateSession records a session of an account that is still in the epoch in
	// which its owner was recognized, and ends the one that it replaces in the
	// same browser (replaced may be zero or unknown), all or nothing. When that is
	// of the same account, its client sessions become those of the new one.
	// ErrNotFound when the account does not exist, is disabled or is to be removed, ErrChanged
	// when the epoch is over, ErrConflict when the digest exists.
	CreateSession(ctx context.Context, s Session, epoch int64, replaced Digest) error

	// Session returns the session with this digest and its account. Expired
	// ones are returned until they are swept; ended ones are ErrNotFound.
	Session(ctx context.Context, digest Digest) (Session, Account, error)

	// TouchSession notes that the session was used. It changes nothing when a
	// later use is noted, unless that is more than a minute later, of a clock
	// that was wrong. It returns nil when there is no such session.
	TouchSession(ctx context.Context, digest Digest, seen, idleUntil time.Time) error

	// Sessions returns the account's sessions, the latest used first.
	Sessions(ctx context.Context, accountID string) ([]Session, error)

	// EndSession ends one session. It returns nil when there is none.
	EndSession(ctx context.Context, digest Digest) error

	// EndSessions ends the sessions that match and reports how many.
	EndSessions(ctx context.Context, match SessionFilter) (int, error)

	// FindSessions looks at up to limit sessions whose digests follow after, in
	// their order, and returns those that were created before a moment, and the last
	// that it has looked at; zero when there are no more to look at.
	FindSessions(ctx context.Context, createdBefore time.Time, after Digest, limit int) (found []Digest, last Digest, err error)

	// RemoveSessions ends the first of these sessions, as many as a step of a few
	// milliseconds can, at least one, and reports how many; a caller repeats with
	// the others. One that is gone counts.
	RemoveSessions(ctx context.Context, digests []Digest) (done int, err error)
}
