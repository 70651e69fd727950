package storage

import (
	"context"
	"time"
)

// Ticket is a task that waits for its owner to present an e-mailed code.
type Ticket struct {
	// Digest names the code together with the browser's flow that it is for.
	Digest Digest

	// Purpose is what the code is good for; Subject whom it concerns. There is
	// one ticket for both at most.
	Purpose string
	Subject string

	// Payload is sealed by the caller.
	Payload   []byte
	ExpiresAt time.Time
}

// Tickets keeps the tasks that wait for an e-mailed code.
type Tickets interface {
	// SaveTicket records a ticket in place of the one with the same purpose
	// and subject. ErrConflict when the digest exists for another.
	SaveTicket(ctx context.Context, t Ticket) error

	// RedeemTicket removes the ticket and returns it. Of any number of
	// concurrent calls exactly one succeeds; the others get ErrNotFound, as
	// does one for another purpose, or after the ticket has expired at now.
	RedeemTicket(ctx context.Context, purpose string, digest Digest, now time.Time) (Ticket, error)
}
