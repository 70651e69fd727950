package storage

import (
	"context"
	"time"
)

// HostDenial keeps out the clients that nobody has registered (Client.Origin) of a host, and of
// every host below it.
type HostDenial struct {
	// Host is in lower case and without port.
	Host string

	// Reason is why, in words for the staff. By is who has denied it, as the Actor of an Event.
	Reason, By string
	At         time.Time
}

// UnknownHost is a host under which clients are listed that nobody has registered
// (Client.ListedHosts). What is counted is of its oldest clients, at most CountedClients of them.
type UnknownHost struct {
	Host string

	// FirstSeenAt is when the oldest of its clients was stored.
	FirstSeenAt time.Time

	// Clients is the number of clients, Documents that of those with a document.
	Clients, Documents int

	// People is the number of those who allow these clients something, at most CountedPeople.
	// LastUsedAt is when they last made use of it.
	People     int
	LastUsedAt time.Time
}

// The most that is counted of a host.
const (
	CountedClients = 500
	CountedPeople  = 1000
)

// ClientHosts stores which hosts may have no clients that nobody has registered, and finds those
// that have some.
type ClientHosts interface {
	// DenyHost adds a denial. ErrChanged if there is one for its host.
	DenyHost(ctx context.Context, d HostDenial) error

	// AllowHost removes the denial of a host that was made at a moment. ErrChanged if it was
	// made at another, or there is none.
	AllowHost(ctx context.Context, host string, deniedAt time.Time) error

	// HostDenial returns a denial that holds for one of some hosts, in lower case and without
	// port. ErrNotFound if none does.
	HostDenial(ctx context.Context, hosts ...string) (HostDenial, error)

	// HostDenials returns up to limit denials of hosts after the given one, in byte order of
	// the hosts.
	HostDenials(ctx context.Context, after string, limit int) ([]HostDenial, error)

	// UnknownHosts returns up to limit hosts with clients after the given one, in byte order; with
	// a host what there is of that one, whose Clients are zero if there is nothing.
	UnknownHosts(ctx context.Context, after string, limit int, host ...string) ([]UnknownHost, error)
}
