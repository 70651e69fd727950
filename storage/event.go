package storage

import (
	"context"
	"time"
)

// Event is a line of the audit log. It never holds a secret.
type Event struct {
	// ID is given by the store and grows with time within one process.
	ID       int64
	At       time.Time
	Name     string
	Subject  string
	ClientID string

	// Address is the network address of the caller, as the provider saw it.
	Address string

	// Detail is plain text from a fixed set of phrases.
	Detail string
}

// EventFilter selects events. All fields that are not zero must match.
type EventFilter struct {
	Name     string
	Subject  string
	ClientID string
	// From and Until select events that happened at From or later, and before Until.
	From, Until time.Time
	// BeforeID selects events with a lower ID: the next page.
	BeforeID int64
	// Limit is the most events that are returned; 100 when zero.
	Limit int
}

// Events keeps the audit log.
type Events interface {
	// AppendEvent records an event; its ID is ignored.
	AppendEvent(ctx context.Context, e Event) error

	// Events returns the events that match, the latest first.
	Events(ctx context.Context, match EventFilter) ([]Event, error)

	// RemoveEvents looks at the events that were recorded first, removes those
	// from before a moment, at most limit and fewer when that takes long, and
	// reports how many; a caller repeats until that is zero. An event that lies
	// more than a minute after now, of a clock that was wrong, is as old as the
	// next one that does not. Any number of processes may do so at once.
	RemoveEvents(ctx context.Context, before, now time.Time, limit int) (removed int, err error)
}
