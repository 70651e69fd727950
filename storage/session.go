package storage

import (
	"context"
	"time"
)

// Session is a browser in which the owner of an account has signed in.
type Session struct {
	Digest    Digest
	AccountID string

	// AuthTime and AMR are the time and the methods of the user's authentication (OpenID
	// Connect Core section 2, RFC 8176).
	AuthTime time.Time
	AMR      []string

	// Factors are the proofs of who the user is, the newest of each method. A session of
	// before they were recorded, and one of a persona, may have none.
	Factors []Factor

	// UserAgent and Address are shown to the account's owner; Address is a network prefix,
	// not a full address.
	UserAgent string
	Address   string

	CreatedAt  time.Time
	LastSeenAt time.Time

	// ExpiresAt is the end of the absolute lifetime; IdleUntil the end of an unused
	// session. A store keeps IdleUntil no later than ExpiresAt.
	ExpiresAt time.Time
	IdleUntil time.Time
}

// SessionFilter selects one session or those of an account; without either it matches nothing.
type SessionFilter struct {
	// Digest is that of the one session, whosever it is.
	Digest Digest

	AccountID string
	// Except is a session to leave out.
	Except Digest
}

// Sessions stores browser sessions.
type Sessions interface {
	// CreateSession records a session that rests on a proof, and ends the one that it
	// replaces in the same browser (replaced may be zero or unknown), all or nothing. The
	// client sessions of a replaced session of the same account pass to the new one. A
	// proof by a passkey, a code of an app or a recovery code cancels the recovery of the
	// account. ErrNotFound if the account does not exist, is disabled or is to be
	// deleted, ErrChanged if the proof is of an earlier version of the account, ErrProof if
	// another part of it does not hold, ErrConflict if the digest exists.
	CreateSession(ctx context.Context, s Session, on Proof, replaced Digest) error

	// Session returns the session with this digest and its account. Expired ones are
	// returned until they are swept; ended ones are ErrNotFound.
	Session(ctx context.Context, digest Digest) (Session, Account, error)

	// TouchSession records a use of the session. It changes nothing if a later use is
	// recorded, unless that is more than a minute later, of a wrong clock. It returns nil
	// if there is no such session.
	TouchSession(ctx context.Context, digest Digest, seen, idleUntil time.Time) error

	// Sessions returns the account's sessions, the latest used first.
	Sessions(ctx context.Context, accountID string) ([]Session, error)

	// EndSessions ends the matching sessions and returns their number.
	EndSessions(ctx context.Context, match SessionFilter) (int, error)

	// FindSessions examines up to limit sessions with digests after the given one, in
	// order. It returns those created before a moment, and the last examined; zero if none
	// are left to examine.
	FindSessions(ctx context.Context, createdBefore time.Time, after Digest, limit int) (found []Digest, last Digest, err error)

	// RemoveSessions ends the first of these sessions, as many as fit a step of a few
	// milliseconds, at least one, and returns their number; the caller repeats with the
	// others. One that is gone counts. The step records the events that it is given ([EventsOf]).
	RemoveSessions(ctx context.Context, digests []Digest, events ...EventsOf) (done int, err error)
}
