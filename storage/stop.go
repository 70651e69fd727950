package storage

import (
	"errors"
	"time"
)

// ErrOrganizationStopped means that an operator has stopped the organization: it gets no
// further member or application, and cannot be deleted or decided about until it is
// started.
var ErrOrganizationStopped = errors.New("storage: the organization is stopped")

// Stop is the reason why no application of an organization may run. The zero Stop is none.
type Stop struct {
	At     time.Time
	Reason string

	// By is the operator, or the pseudonym of a deleted one.
	By string
}

// Halt is the effect of its organization's stop on an application. It changes step by step
// (MarkApplication), so that another process can continue where one has ended.
type Halt string

// The states of a halt. While an organization is stopped, each of its applications is in
// one of the first four; HaltOver and HaltNone are for applications that may run.
const (
	// HaltAsked means that the client is to be disabled, and that it is unknown whether it
	// was before.
	HaltAsked Halt = "asked"
	// HaltBegun means that the client was enabled, and is to be disabled.
	HaltBegun Halt = "begun"
	// HaltDone means that the client was enabled, and the stop has disabled it.
	HaltDone Halt = "done"
	// HaltIdle means that the client was already disabled.
	HaltIdle Halt = "idle"
	// HaltOver means that the stop has ended, and the client is to be enabled.
	HaltOver Halt = "over"
	// HaltAlone means that the application alone is stopped, and its client is to be disabled.
	HaltAlone Halt = "alone"
	// HaltNone means that no stop has touched the client, or that it is as before.
	HaltNone Halt = ""
)
