package storage

import (
	"context"
	"time"
)

// RegistrationToken is an initial access token (RFC 7591 section 3): who presents it registers
// applications of an organization. It is valid while its maker is an owner whose account is not locked.
type RegistrationToken struct {
	// Digest is that of the token, which no store knows.
	Digest         Digest
	OrganizationID string

	// Environment is where its applications are registered: Production or Sandbox.
	Environment string

	// Name is what its maker calls it.
	Name string

	// Hosts are patterns of the hosts that its applications may have addresses on.
	Hosts []string

	// Remaining is the number of registrations that are left.
	Remaining int

	// MadeBy is the owner who made it.
	MadeBy    string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// RegistrationTokens stores the initial access tokens of organizations. Like [Organizations] it
// is not a part of [Store].
type RegistrationTokens interface {
	// CreateRegistrationToken records a token. ErrLimit if the organization has most or more
	// that have not expired by CreatedAt, ErrNotFound if it is gone, or MadeBy is not its owner or locked,
	// ErrConflict if the digest exists, ErrOrganizationStopped if it is stopped.
	CreateRegistrationToken(ctx context.Context, t RegistrationToken, most int) error

	// RegistrationTokens returns an organization's tokens that have not expired at now, the
	// latest first, or the one with a token, expired or used up, until it is swept.
	RegistrationTokens(ctx context.Context, of TokenFilter) ([]RegistrationToken, error)

	// RemoveRegistrationToken revokes a token of an organization. It returns nil if there is
	// none.
	RemoveRegistrationToken(ctx context.Context, organizationID string, token Digest) error

	// RegisterApplication is CreateApplication with a token, of which it uses up one
	// registration. ErrNotFound if the token is not of this organization and environment,
	// expired at now, used up or revoked, or its maker is no longer an owner, or locked. An error
	// uses up nothing.
	RegisterApplication(ctx context.Context, a Application, token Digest, now time.Time, most int) error
}
