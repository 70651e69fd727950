// Package room has what the desk, the dashboard and verification say to a provider and hear from
// it: the types and errors of what provider.Provider.Rooms returns. C is provider.Client.
package room

import (
	"errors"
	"net/http"
	"time"
)

// Errors of what is done for a user by others.
var (
	// ErrNoMail means that no mail can be sent: there is no Config.Mailer, or the account has
	// no address, or one that the Mailer's server refuses (ErrRecipientRefused).
	ErrNoMail = errors.New("provider: no mail can be sent to this account")

	// ErrTooMany means that there were too many of these of late. Try again in half an hour.
	ErrTooMany = errors.New("provider: too many of these of late")

	// ErrLocked means that the account is locked, or is to be deleted.
	ErrLocked = errors.New("provider: the account is locked or is to be deleted")

	// ErrDuties means that the user alone answers for something, such as an organization of
	// the dashboard. Somebody must take over first.
	ErrDuties = errors.New("provider: the user alone answers for something")

	// ErrRecovering means that a recovery of the account is running.
	ErrRecovering = errors.New("provider: a recovery of this account is running")
)

// ErrToken means that an access token is unknown, expired, revoked, or not for what it was
// presented to.
var ErrToken = errors.New("provider: the access token is not good for this")

// Finder is what a user is looked for by: exactly one of ID, Email, and Handle with Value.
type Finder struct {
	// ID is that of a user, or of one who was deleted: then nobody is found.
	ID string

	// Email is an address, in any spelling of its letters.
	Email string

	// Handle is that of an attribute with Findable, and Value its exact value.
	Handle, Value string
}

// PersonPart is a part of provider.PersonalData.
type PersonPart int

// The parts of a person's data beside the account.
const (
	// PersonValues are Revision, Attributes and Statuses.
	PersonValues PersonPart = iota
	// PersonConsents are the Consents, of which there is one for each application.
	PersonConsents
	// PersonSessions are the Sessions.
	PersonSessions
	// PersonEvents are the Events.
	PersonEvents
)

// Condition is how a provider is doing, for those who run it.
type Condition struct {
	// Database is what is wrong with the store, nil for nothing; Answered is how long it took
	// to say so.
	Database error
	Answered time.Duration

	// Round is when Run has last begun a round of background work in this process; zero if it
	// has not.
	Round time.Time

	// SendsMail reports whether there is a Config.Mailer. Mailed is when it has last sent a
	// mail of the provider in this process, Unmailed when it has last failed to; zero for
	// never.
	SendsMail        bool
	Mailed, Unmailed time.Time

	// LogoutTokens are those that wait to be sent (Client.BackchannelLogoutURI); those beyond
	// 1,000 are not counted.
	LogoutTokens int

	// GoVersion is the version of Go.
	GoVersion string

	// Settings are the fields of the Config.
	Settings []Setting
}

// Setting is a field of the Config. What is a secret, or no text, is only said to be set.
type Setting struct {
	// Name is that of the field, as in FieldError: Lifetimes.Code.
	Name string
	// Value is empty for what is not set, or has no text; then IsSet says which.
	Value string
	IsSet bool
}

// TrailState tells when the audit log was last sealed, verified and taken elsewhere.
type TrailState struct {
	// Blocks is the number of closed blocks, SealedAt when the last one was closed.
	Blocks   int64
	SealedAt time.Time

	// LateSince is the time of the first event in no block, if that is more than an hour ago;
	// zero if sealing is on time.
	LateSince time.Time

	// VerifiedAt is when the log was last verified, zero for never, and Wrong what was wrong
	// then, or empty. VerifyDue is when it is next, zero while there is no block.
	VerifiedAt, VerifyDue time.Time
	Wrong                 string

	// AnchoredAt is when the function of AnchorWith had last taken a checkpoint from this
	// process, zero for never; HasAnchor reports whether there is one.
	AnchoredAt time.Time
	HasAnchor  bool
}

// FailedRequest is a request of an application that ended on an error page.
type FailedRequest struct {
	// Request is the browser's request.
	Request *http.Request

	// ClientID is the application's ID, and RequestID the one that the page shows.
	ClientID, RequestID string
}

// SigningKey is a key of the key set.
type SigningKey struct {
	// ID is the kid of tokens that it has signed.
	ID string

	// Alg is the algorithm of its signatures: one of Signing.Algorithms, or one that has
	// been.
	Alg string

	// Signs marks the key that signs now with its algorithm.
	Signs bool

	// CreatedAt, From and Until are when it was made, and its turn to sign: Until of the last
	// one is when the next takes its turn. PublishedUntil is when it leaves the key set. They
	// are zero with Signing.Signers.
	CreatedAt, From, Until time.Time
	PublishedUntil         time.Time
}
