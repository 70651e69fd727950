package storage

import (
	"context"
	"time"
)

// SandboxSettings are an organization's settings of the sandbox.
type SandboxSettings struct {
	OrganizationID string

	// Personas is the JSON of its personas; empty for the default ones.
	Personas []byte

	// ClockOffset is how far the clock of its applications was moved.
	ClockOffset time.Duration

	// Version is unique to each saved value; the store assigns it. It is zero before the
	// first save.
	Version int64
}

// Fault is a failure that an application requests, to test how it copes.
type Fault struct {
	ClientID string

	// Name is what fails.
	Name string

	// ExpiresAt is when it ends by itself.
	ExpiresAt time.Time
}

// SandboxMail is a mail that was kept instead of being sent.
type SandboxMail struct {
	// The store assigns ID, which grows with time within one process.
	ID             int64
	OrganizationID string
	At             time.Time

	// Content is the encrypted JSON of address, subject and text.
	Content []byte
}

// Trials stores organizations' use of the sandbox. Like [Organizations] it is not a part of
// [Store].
type Trials interface {
	// SandboxSettings returns those of an organization; before the first save, the zero
	// value with its ID.
	SandboxSettings(ctx context.Context, organizationID string) (SandboxSettings, error)

	// SaveSandboxSettings replaces the settings with this Version; Version zero creates
	// them. ErrChanged if they have another, or, for Version zero, exist; ErrNotFound if
	// the organization is gone.
	SaveSandboxSettings(ctx context.Context, s SandboxSettings) error

	// SetFault enables a fault in place of the sandbox application's current one.
	// ErrNotFound if there is no such application. An empty Name disables it, and returns
	// nil if there is none.
	SetFault(ctx context.Context, f Fault) error

	// Fault returns the fault of an application, even an expired one. ErrNotFound if it has
	// none.
	Fault(ctx context.Context, clientID string) (Fault, error)

	// AppendMail keeps a mail; its ID is ignored. Only the latest keep mails of each
	// organization stay. ErrNotFound if the organization is gone.
	AppendMail(ctx context.Context, m SandboxMail, keep int) error

	// Mails returns the mails of an organization, the latest first, at most limit.
	Mails(ctx context.Context, organizationID string, limit int) ([]SandboxMail, error)
}

// Developers are the roles for the dashboard.
type Developers interface {
	Organizations
	Applications
	RegistrationTokens
	RequestLog
	Trials
	Trims
}
