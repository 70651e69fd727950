package storage

import (
	"context"
	"time"
)

// Event is something that an auditor will ask for. It never holds a secret.
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
	// BeforeID selects events with a lower ID: the next page.
	BeforeID int64
	// Limit is the most events that are returned; 100 when zero.
	Limit int
}

// Events keeps the audit trail.
type Events interface {
	// AppendEvent records an event; its ID is ignored.
	AppendEvent(ctx context.Context, e Event) error

	// Events returns the events that match, the latest first.
	Events(ctx context.Context, match EventFilter) ([]Event, error)

	// RemoveEvents looks at the limit events that were recorded first, removes
	// those from before a moment, and reports how many; a caller repeats until
	// that is zero. Any number of processes may do so at once.
	RemoveEvents(ctx context.Context, before time.Time, limit int) (removed int, err error)
}
