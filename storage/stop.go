package storage

import (
	"errors"
	"time"
)

// ErrOrganizationStopped says that an operator has stopped the organization: what would give
// it another member or application, or take the stop away with it, is refused, and who is to
// decide starts it first.
var ErrOrganizationStopped = errors.New("storage: the organization is stopped")

// Stop is why no application of an organization may run. The zero Stop is none.
type Stop struct {
	At     time.Time
	Reason string

	// By is the operator, or the pseudonym of one who is gone.
	By string
}

// Halt is what the stop of its organization has done to an application. Whoever carries it
// out goes from one to the next (SetHalt), so that another goes on where that has ended.
type Halt string

// The states of a halt. While an organization is stopped each of its applications is in one of the
// first four; HaltOver and HaltNone are of those that may run.
const (
	// HaltAsked says that the client is to be disabled. Nobody knows yet whether it was.
	HaltAsked Halt = "asked"
	// HaltBegun says that the client was in use, and is to be disabled.
	HaltBegun Halt = "begun"
	// HaltDone says that the client was in use, and the stop has disabled it.
	HaltDone Halt = "done"
	// HaltIdle says that the client was disabled before.
	HaltIdle Halt = "idle"
	// HaltOver says that the stop is over, and the client to be enabled again.
	HaltOver Halt = "over"
	// HaltNone says that no stop has touched the client, or that it is as before.
	HaltNone Halt = ""
)
