package storage

import (
	"context"
	"time"
)

// ClientSession is an application that gets a logout token when a session ends in which it
// got an ID token (OpenID Connect Back-Channel Logout 1.0).
type ClientSession struct {
	ID       Digest
	ClientID string
	Subject  string

	// SID identifies the session to the client, or is empty.
	SID string

	CreatedAt time.Time

	// Attempts is how often it was taken.
	Attempts int
}

// Notice in the basis of a grant has its client told when the session ends. Without an ID
// the client is not told.
type Notice struct {
	// ID is the same for all grants of the client in the session.
	ID Digest

	// HostSession identifies the session of a host's user, whose basis has no Session; zero
	// if the host does not name it.
	HostSession Digest

	// ExpiresAt is the latest end of such a session; required with a basis without a
	// Session.
	ExpiresAt time.Time
}

// Turn selects the client sessions that a caller takes.
type Turn struct {
	// Now is the time, and Until the end of the caller's turn.
	Now, Until time.Time

	// Limit is the maximum number to take, and PerClient that of one client.
	Limit, PerClient int

	// Except are clients of which none is taken.
	Except []string
}

// ClientSessions stores the applications to tell when a session ends. CreateGrant begins
// one, as its Basis says. When any method of a store ends a session, its client sessions
// are due at once; when a session is swept, they are removed.
type ClientSessions interface {
	// EndClientSessions makes the client sessions of a host's user due, in one of the
	// host's sessions or, if that is zero, in all, and returns their number.
	EndClientSessions(ctx context.Context, subject string, hostSession Digest) (int, error)

	// TakeClientSessions returns due ones, the longest waiting first, each to only one of
	// any number of callers. One that is neither removed nor postponed is due again at the
	// end of the turn.
	TakeClientSessions(ctx context.Context, turn Turn) ([]ClientSession, error)

	// WaitingClientSessions counts those that are due or wait for another attempt, up to
	// limit.
	WaitingClientSessions(ctx context.Context, limit int) (int, error)

	// SettleClientSession makes one that was taken due at another time, or removes it if that is
	// zero, because its client has been told, or never will be. It changes nothing if it has been
	// taken again since.
	SettleClientSession(ctx context.Context, taken ClientSession, due time.Time) error

	// RemoveClientSessions removes client sessions of one client, as many as fit a step of
	// a few milliseconds, and returns their number; the caller repeats until zero.
	RemoveClientSessions(ctx context.Context, clientID string) (removed int, err error)
}
