package storage

import (
	"context"
	"time"
)

// Event is an entry of the audit log. It never holds a secret.
type Event struct {
	// The store assigns ID, which grows with time within one process.
	ID       int64
	At       time.Time
	Name     string
	Subject  string
	ClientID string

	// Address is the network address of the caller, as the provider saw it.
	Address string

	// Detail is plain text from a fixed set of phrases.
	Detail string

	// Actor is who acted, if not the subject: "staff:", "client:" or "command:" with a name,
	// or "host". Matter is the Matter in which a member of the staff acted, or empty.
	Actor, Matter string
}

// EventsOf returns the events of the subjects of whom a step has ended something, each once. The step
// records them, and calls it again if it is repeated.
type EventsOf func(subjects []string) []Event

// EventFilter selects events. All nonzero fields must match.
type EventFilter struct {
	Name     string
	Subject  string
	ClientID string
	// Actor and Matter are as in the Event.
	Actor, Matter string
	// Names selects events with one of these names.
	Names []string
	// Address selects the events of one network address. Without a Subject, ClientID, Actor
	// or Matter it needs a From: no store finds an address in years of events.
	Address string
	// From and Until select events that happened at From or later, and before Until.
	From, Until time.Time
	// BeforeID selects events with a lower ID: the next page.
	BeforeID int64
	// Limit is the maximum number of events; 100 if zero.
	Limit int
}

// Events stores the audit log.
type Events interface {
	// AppendEvent records an event; its ID is ignored.
	AppendEvent(ctx context.Context, e Event) error

	// Events returns the matching events, the latest first.
	Events(ctx context.Context, match EventFilter) ([]Event, error)
}
