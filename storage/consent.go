package storage

import (
	"context"
	"time"
)

// Consent is a decision of a user that is remembered: what one application may
// have.
type Consent struct {
	Subject  string
	ClientID string
	Scopes   []string

	// CreatedAt is the first decision, DecidedAt the latest, LastUsedAt the
	// latest grant.
	CreatedAt  time.Time
	DecidedAt  time.Time
	LastUsedAt time.Time
}

// Consents keeps what users decided.
type Consents interface {
	// Consent returns the decision of this user about this client.
	Consent(ctx context.Context, subject, clientID string) (Consent, error)

	// SaveConsent records a decision in place of the one before, whose
	// CreatedAt it keeps. ErrNotFound when the client does not exist.
	SaveConsent(ctx context.Context, c Consent) error

	// Consents returns the decisions of this user, the latest used first.
	Consents(ctx context.Context, subject string) ([]Consent, error)

	// RevokeConsent forgets the decision and ends the grants of this user for
	// this client. It returns nil when there is neither.
	RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error
}
