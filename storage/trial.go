package storage

import (
	"context"
	"time"
)

// SandboxSettings are what an organization has made of the sandbox.
type SandboxSettings struct {
	OrganizationID string

	// Personas is the JSON of its personas; empty for those that come with the product.
	Personas []byte

	// ClockOffset is how far the clock of its applications has been moved.
	ClockOffset time.Duration

	// Version differs for every value that is saved; the store gives it. It is zero
	// where nothing has been saved.
	Version int64
}

// Fault is a failure that an application has asked for, to see whether it notices.
type Fault struct {
	ClientID string

	// Name is what fails.
	Name string

	// ExpiresAt is when it switches itself off.
	ExpiresAt time.Time
}

// SandboxMail is a mail that was kept instead of being sent.
type SandboxMail struct {
	// ID is given by the store and grows with time within one process.
	ID             int64
	OrganizationID string
	At             time.Time

	// Content is the sealed JSON of address, subject and text.
	Content []byte
}

// Trials keeps what organizations make of the sandbox. Like [Organizations] it is not a
// part of [Store].
type Trials interface {
	// SandboxSettings returns those of an organization; the zero value with its ID
	// where nothing has been saved.
	SandboxSettings(ctx context.Context, organizationID string) (SandboxSettings, error)

	// SaveSandboxSettings replaces the settings that have this Version; with Version
	// zero it creates them. ErrChanged when they have another, or, for Version zero,
	// exist; ErrNotFound when the organization is gone.
	SaveSandboxSettings(ctx context.Context, s SandboxSettings) error

	// SetFault switches a fault on in place of the one that the application of the
	// sandbox has. ErrNotFound when there is no such application. With an empty Name it
	// switches it off, and returns nil when there is none.
	SetFault(ctx context.Context, f Fault) error

	// Fault returns the fault of an application, also one that has expired. ErrNotFound
	// when it has none.
	Fault(ctx context.Context, clientID string) (Fault, error)

	// AppendMail keeps a mail; its ID is ignored. Of each organization the latest keep
	// mails stay. ErrNotFound when the organization is gone.
	AppendMail(ctx context.Context, m SandboxMail, keep int) error

	// Mails returns the mails of an organization, the latest first, at most limit.
	Mails(ctx context.Context, organizationID string, limit int) ([]SandboxMail, error)
}

// Developers is what the dashboard keeps.
type Developers interface {
	Organizations
	Applications
	RequestLog
	Trials
}
