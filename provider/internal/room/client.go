package room

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Bearer is an application with an access token of its own.
type Bearer struct {
	ClientID string

	// Scopes are those of the token that mean something to the resource.
	Scopes []string

	// Signs reports that the application authenticates with a key of its own
	// (private_key_jwt), so that no secret of it is known to anybody else.
	Signs bool
}

// Holder is a user whose wallet asks for a credential.
type Holder struct {
	UserID, ClientID string

	// GrantID is what the user has allowed the wallet, Scopes what of it its token has.
	GrantID storage.GrantID
	Scopes  []string
}

// MaxDenialReason is the maximum length of the reason of a denial, in characters.
const MaxDenialReason = 500

// UnknownClient is an application that nobody has registered.
type UnknownClient[C any] struct {
	Client C

	// CallsItself is the name that it gives itself, or empty where that would deceive.
	CallsItself string

	// Hosts are those under which it is listed.
	Hosts []string

	// CreatedAt is when it came, ExpiresAt when it goes unless it is used.
	CreatedAt, ExpiresAt time.Time

	// Denial is one that keeps it out, of any host to which it leads; the zero one is none.
	Denial storage.HostDenial

	// Document is what is at its address; nil for one that has registered itself.
	Document *ClientDocument
}

// ClientDocument is the document with the metadata of an application, as it was read.
type ClientDocument struct {
	Text []byte

	// FetchedAt is when it was read, FreshUntil how long that is used. GoneSince is when it
	// was first missing, if it is.
	FetchedAt, FreshUntil, GoneSince time.Time

	// Previous is the text before, and ChangedAt when another was found; both are zero as long
	// as there was no other.
	Previous  []byte
	ChangedAt time.Time
}

// DocumentTrial is what Clients.TryDocument has found at an address.
type DocumentTrial[C any] struct {
	// Wrong are the reasons for which the document makes no application, Notes what it says and
	// the application is without: sentences in English. A host that cannot be reached is one
	// sentence, whatever the reason.
	Wrong, Notes []string

	// Client is the registration that the document makes; the zero one if anything is wrong.
	// CallsItself is the name that the consent screen shows beside its host, empty for none,
	// and Life is how long the document is used before it is read again.
	Client      C
	CallsItself string
	Life        time.Duration

	// Wait is how long to wait because too many documents of this host have been read; zero
	// otherwise.
	Wait time.Duration
}

// Registrar decides about the applications that programs register with a token
// (UnknownClients.Register): the dashboard of package developer is one. Its errors are ErrToken,
// a FieldError, RegistrationRefused, ErrChanged, or what a store could not do.
type Registrar[C any] interface {
	// Accepts reports whether an initial access token is good for one more registration.
	Accepts(ctx context.Context, token string) (bool, error)

	// Register registers an application of whoever made an initial access token (RFC 7591
	// section 3), under an ID of its own, and returns it. It is saved with the Secret and the
	// RegistrationAccessToken of c. Without Scopes it gets those that the registrar gives.
	// ErrToken unless the token is good for one more registration.
	Register(ctx context.Context, token string, c C) (C, error)

	// Manages returns ErrToken unless the program of a registration may still read and change
	// it. The RegistrationAccessToken is right.
	Manages(ctx context.Context, clientID string) error

	// Replace replaces a registration by the one that its program wants (RFC 7592 section
	// 2.2), or by as much of it as needs no review. ErrToken if it is none of the registrar's,
	// ErrChanged if it has another Revision.
	Replace(ctx context.Context, now, wanted C) error

	// Remove deletes a registration with all its grants (RFC 7592 section 2.3). ErrToken and
	// ErrChanged as for Replace.
	Remove(ctx context.Context, c C) error
}

// RegistrationRefused says in a sentence why a Registrar refuses who presents a token that is good.
type RegistrationRefused string

// Error implements error.
func (r RegistrationRefused) Error() string { return string(r) }
