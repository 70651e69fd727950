package storage

import (
	"context"
	"time"
)

// Consent is what one application may have of a user: a decision of that user, or
// for an application that nobody is asked about, that it has been used.
type Consent struct {
	Subject  string
	ClientID string
	Scopes   []string

	// Attributes and Groups are what the user was shown, and so all that is
	// released: scopes may come to mean more.
	Attributes []string
	Groups     []string

	// Resources are the resource servers that tokens may be for.
	Resources []string

	// LeftOut are the scopes that the client asked for and the user did not allow, so that
	// nobody is asked about them each time.
	LeftOut []string

	// ClientName and RedirectHosts are whom the user was shown.
	ClientName    string
	RedirectHosts []string

	// Decision names the decision. Every one has another.
	Decision Digest

	// CreatedAt is the first decision, DecidedAt the latest, zero when nobody
	// was asked; LastUsedAt is the latest grant.
	CreatedAt  time.Time
	DecidedAt  time.Time
	LastUsedAt time.Time
}

// ConsentID identifies a Consent.
type ConsentID struct{ Subject, ClientID string }

// ConsentBasis is what a decision rests on. What is zero is no condition.
type ConsentBasis struct {
	// Session is the session in which the subject is signed in.
	Session Digest

	// Flow is the authorization request that the user was asked for.
	Flow Digest

	// Replaced is the Decision of the consent that was read; zero says that there
	// was none, and is a condition, too.
	Replaced Digest
}

// Consents keeps what users decided.
type Consents interface {
	// Consent returns the decision of this user about this client.
	Consent(ctx context.Context, subject, clientID string) (Consent, error)

	// SaveConsent records a decision while all that it rests on stands, in place of
	// the one before, whose CreatedAt it keeps, and ends the grants of this user for
	// this client that hold a scope, an attribute, a group or a resource that the
	// decision does not allow, whatever the one before allowed; all or nothing. They
	// end at DecidedAt; when that is zero nobody was asked, and none does. ErrChanged
	// when the one before is another than the one replaced, ErrEnded when the session
	// is over, ErrConflict when the flow has been answered, ErrNotFound when the client
	// does not exist.
	SaveConsent(ctx context.Context, c Consent, on ConsentBasis) error

	// Consents returns the decisions of this user, the latest used first.
	Consents(ctx context.Context, subject string) ([]Consent, error)

	// RevokeConsent forgets the decision and ends the grants of this user for
	// this client. It returns nil when there is neither.
	RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error

	// FindConsents looks at up to limit decisions that follow after, in an order
	// that does not change, and returns those about one client, and the last that it
	// has looked at; zero when there are no more to look at.
	FindConsents(ctx context.Context, clientID string, after ConsentID, limit int) (found []ConsentID, last ConsentID, err error)

	// RemoveConsents forgets the first of these decisions, as many as a step of a
	// few milliseconds can, at least one, and reports how many; a caller repeats
	// with the others. It ends no grants. One that is gone counts.
	RemoveConsents(ctx context.Context, ids []ConsentID) (done int, err error)
}
