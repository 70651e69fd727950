package storage

import (
	"context"
	"time"
)

// Consent is what a user allows one application: the user's decision, or, for an
// application without a consent screen, a record of its use.
type Consent struct {
	Subject  string
	ClientID string
	Scopes   []string

	// Attributes and Groups are what the user was shown, and the most that is released: the
	// meaning of a scope may grow.
	Attributes []string
	Groups     []string

	// Resources are the resource servers that tokens may be for.
	Resources []string

	// LeftOut are the requested scopes that the user declined, so that the user is not
	// asked about them each time.
	LeftOut []string

	// ClientName and RedirectHosts are what the user was shown of the application.
	ClientName    string
	RedirectHosts []string

	// Decision is the unique name of the decision.
	Decision Digest

	// CreatedAt is the time of the first decision, DecidedAt that of the latest, zero if
	// the user was not asked; LastUsedAt is that of the latest grant.
	CreatedAt  time.Time
	DecidedAt  time.Time
	LastUsedAt time.Time
}

// ConsentID identifies a Consent.
type ConsentID struct{ Subject, ClientID string }

// FormerRecipient is an application that could see data of a user and no longer can, or can see
// less: its user can ask it to delete what it has received. There is one for a user and a client,
// about everything that has ended. It stays when the client is removed, and goes with the user, or
// when MaxFormerRecipients others of the user have ended since.
type FormerRecipient struct {
	ClientID string

	// ClientName and RedirectHosts are what the user was shown of the application, the latest
	// MaxRecipientHosts of them first.
	ClientName    string
	RedirectHosts []string

	// Attributes and Groups are what it could see until then, and perhaps can see again.
	Attributes []string
	Groups     []string

	// Since is the time of the first decision that has ended, Until that of the latest end.
	Since, Until time.Time
}

// The bounds of what applications that come and go leave behind of a user.
const (
	MaxFormerRecipients = 200
	MaxRecipientHosts   = 50
)

// ConsentBasis is the condition of a decision. A zero field is no condition, except for
// Replaced.
type ConsentBasis struct {
	// Session is the session in which the subject is signed in.
	Session Digest

	// Flow is the authorization request that the user decided.
	Flow Digest

	// Replaced is the Decision of the consent that was read; zero requires that there is
	// none.
	Replaced Digest
}

// ConsentFilter selects decisions of a user.
type ConsentFilter struct {
	Subject string // required

	// Limit is the maximum number, in the order of the IDs of the clients; zero is for all, the
	// latest used first.
	Limit int

	// AfterClient selects, with a Limit, those about clients with a higher ID: the next page.
	AfterClient string
}

// Consents stores users' decisions.
type Consents interface {
	// Consent returns this user's decision about this client.
	Consent(ctx context.Context, subject, clientID string) (Consent, error)

	// SaveConsent records a decision if its basis holds, in place of the former one, whose
	// CreatedAt it keeps. It ends the grants of this user for this client with a scope, an
	// attribute, a group or a resource that the decision does not allow, whatever the
	// former one allowed; all or nothing. They end at DecidedAt; if that is zero the user
	// was not asked, and none ends. What a user has now taken from the former decision is kept
	// as that of a FormerRecipient. ErrChanged if the former decision is not the one
	// replaced, ErrEnded if the session has ended, ErrConflict if the flow has been
	// answered, ErrNotFound if the client does not exist.
	SaveConsent(ctx context.Context, c Consent, on ConsentBasis) error

	// Consents returns the matching decisions of a user.
	Consents(ctx context.Context, match ConsentFilter) ([]Consent, error)

	// FormerRecipients returns the clients that could see data of this user, the latest end
	// first.
	FormerRecipients(ctx context.Context, subject string) ([]FormerRecipient, error)

	// RevokeConsent removes the decision, which leaves a FormerRecipient, and ends the grants of
	// this user for this client. It returns nil if there is neither.
	RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error

	// FindConsents examines up to limit decisions after the given one, in a stable order.
	// It returns those about one client, and the last examined; zero if none are left to
	// examine.
	FindConsents(ctx context.Context, clientID string, after ConsentID, limit int) (found []ConsentID, last ConsentID, err error)

	// RemoveConsents removes the first of these decisions, as many as fit a step of a few
	// milliseconds, at least one, and returns their number; the caller repeats with the
	// others. Each leaves a FormerRecipient. It ends no grants. One that is gone counts.
	RemoveConsents(ctx context.Context, ids []ConsentID, at time.Time) (done int, err error)
}
