package storage

import (
	"context"
	"time"
)

// ClientSession is an application that is told when a session ends in which it got an ID
// token (OpenID Connect Back-Channel Logout 1.0).
type ClientSession struct {
	ID       Digest
	ClientID string
	Subject  string

	// SID names the session to the client, or is empty.
	SID string

	CreatedAt time.Time

	// Attempts is how often it has been taken.
	Attempts int
}

// Notice says in the basis of a grant that its client is told when the session ends.
// Without an ID it is not.
type Notice struct {
	// ID is one for the client in the session, however many grants there are.
	ID Digest

	// HostSession names the session of a user of the host, whose basis has no Session;
	// zero when the host does not name it.
	HostSession Digest

	// ExpiresAt is when such a session is over at the latest; required with a basis
	// that has no Session.
	ExpiresAt time.Time
}

// Turn says which client sessions a caller takes.
type Turn struct {
	// Now is the time, and Until how long what is taken is left to the caller.
	Now, Until time.Time

	// Limit bounds how many are taken, and PerClient how many of one client.
	Limit, PerClient int

	// Except are clients of which none is taken.
	Except []string
}

// ClientSessions keeps which applications are told when a session ends. CreateGrant begins
// one, as its Basis says. When a session is ended, by whichever method of a store, its
// client sessions are due at once; when it is swept they are gone.
type ClientSessions interface {
	// EndClientSessions makes those of a user of the host due, in one of the host's
	// sessions or, when that is zero, in all, and reports how many.
	EndClientSessions(ctx context.Context, subject string, hostSession Digest) (int, error)

	// TakeClientSessions returns some that are due, those that have waited longest
	// first, each to one of any number of callers. One that is neither removed nor
	// postponed is due again at the end of the turn.
	TakeClientSessions(ctx context.Context, turn Turn) ([]ClientSession, error)

	// RemoveClientSession removes one that was taken: its client has been told, or
	// never will be. It changes nothing when it has been taken again since.
	RemoveClientSession(ctx context.Context, taken ClientSession) error

	// PostponeClientSession makes one that was taken due at another time. It changes
	// nothing when it has been taken again since.
	PostponeClientSession(ctx context.Context, taken ClientSession, due time.Time) error

	// RemoveClientSessions removes client sessions of one client, as many as a step of a
	// few milliseconds can, and reports how many; a caller repeats until that is zero.
	RemoveClientSessions(ctx context.Context, clientID string) (removed int, err error)
}
