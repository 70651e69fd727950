package provider

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Users connects the host's own users, as in examples/hostusers. The zero value stands for
// the embedded accounts, with their sign-in and sign-up screens.
type Users struct {
	// SignedIn returns the user who is signed in at the host on this request; a zero
	// SignedIn for nobody. With it, the provider has no accounts, passwords and sessions of
	// its own. It is called once for each request; RequestOf returns the requesting
	// application. An error or an invalid answer gets 503.
	SignedIn func(r *http.Request) (SignedIn, error)

	// SignInURL is the host's sign-in page, an address or a path of the host. Users arrive
	// there with the parameter return_to, an address of the provider with encrypted
	// content, bound to the browser. The page checks it with Pages.IsReturnTo and finally
	// sends the user there, unchanged. Further parameters are login_hint; domain_hint; ui_locales;
	// screen=signup if the application requests the sign-up screen first; acr_values with
	// the authentication context classes that suffice, the best first; and
	// prompt=login if a user is signed in and that is not enough. The page must then ask
	// for the password, or for what the class needs, or let another user sign in, and not
	// send the user back at once. An authorization request sends a browser there twice at
	// most; then the application gets login_required. Required with SignedIn.
	SignInURL string

	// Assurance is the highest level that users can reach at SignInURL. Set, the page must be
	// able to raise the authentication of a user who is signed in: a request that would like
	// a higher one sends the user there once, with prompt=login and acr_values.
	// Defaults to TwoFactors for what is required, and no visit for what is only wished.
	Assurance Assurance

	// SignOutURL is the host's sign-out page, an address or a path of the host; the account
	// screen links to it if set. When an application has requested a sign-out that returns
	// to it, the page gets the parameter return_to, an address of the provider with
	// encrypted content; it checks it with Pages.IsReturnTo and finally sends the user
	// there, unchanged. A host whose users can also sign out elsewhere calls
	// People.EndSessions there, so that applications learn of it.
	SignOutURL string

	// Person returns the host's data about a user at the moment of release: the attributes
	// with these handles and the statuses in these groups. Others are ignored; values that
	// do not fit the catalogue are dropped and logged. Derived values, such as the claim
	// name from fname and lname, need no answer. It is called once for each request that
	// shows or releases data; RequestOf returns the requesting application. ErrNoUser if
	// the user does not exist or is disabled: a page says so, the application gets
	// access_denied, and its tokens become useless.
	//
	// The status of a group without an answer comes from the store, as recorded with
	// People.SetStatus, for example by one of Config.Verifiers. A Status with Verified
	// false is an answer, too. When Person is nil, everything recorded with
	// People.SetAttributes and People.SetStatus is released.
	Person func(ctx context.Context, userID string, handles, groups []string) (Person, error)
}

func (u Users) validate() error {
	switch {
	case u.SignedIn != nil && u.SignInURL == "":
		return wrongField("Users.SignInURL", "is missing; users who are not signed in are sent there")
	case u.SignedIn == nil && u.SignInURL != "":
		return wrongField("Users.SignedIn", "is missing; Users.SignInURL needs it")
	case u.Assurance > PhishingResistant:
		return wrongField("Users.Assurance", "%d is no level", u.Assurance)
	}
	for _, f := range []struct{ name, value string }{{"Users.SignInURL", u.SignInURL}, {"Users.SignOutURL", u.SignOutURL}} {
		if f.value != "" && !web.IsLink(f.value) {
			return wrongField(f.name, "%q is not an http address without a user name, or a path", f.value)
		}
		if !web.IsHostPage(f.value) {
			return wrongField(f.name, "%q must have no fragment, and no parameter return_to: the provider adds it", f.value)
		}
	}
	return nil
}

// ErrNoUser means that there is no such user, or that the user is disabled.
var ErrNoUser = host.ErrNoUser

// SignedIn is a user who is signed in at the host.
type SignedIn struct {
	// UserID is the subject: stable, never reused, not an e-mail address; 1 to 255
	// printable ASCII characters without spaces. Other IDs, such as the 16 bytes of a UUID,
	// must be encoded.
	UserID string

	// AuthTime is the time of the user's last authentication; whole seconds suffice. If it
	// is missing, or more than a minute in the future, the request gets 503.
	AuthTime time.Time

	// AMR are the authentication methods (RFC 8176): at most 16, each of at most 64
	// printable ASCII characters without spaces. They become the claim amr.
	AMR []string

	// SessionID identifies the user's session, at most 4096 bytes: stable while it lasts,
	// and different in every browser. Applications get another name for it, as the claim
	// sid of ID tokens, and a sign-out ends this session at them (People.EndSessions). Only
	// the host sees it.
	// Defaults to none: ID tokens have no sid, and a sign-out ends all sessions of the user
	// at the applications that are told.
	SessionID string

	// Assurance is the level that the authentication has reached, by which requirements are
	// measured and the claim acr is chosen.
	// Defaults to TwoFactors for the method mfa, or for methods of two kinds, such as pwd,
	// which the user knows, with otp or hwk, which the user has; else to OneFactor.
	Assurance Assurance
}

// Person is a user's data.
type Person struct {
	// Attributes are values by handle (catalogue.DefaultAttributes has those that there always
	// are), or by an alias of it (given_name for fname), that marshal to the JSON of the
	// attribute's type: a string, an integer, a bool, a slice of strings, a map of strings or a
	// slice of them. Nil, typed nil, values that marshal to null, and empty text mean no value.
	Attributes map[string]any

	// EmailVerified reports whether the user has proved to own the address in the attribute
	// email. It may also be the attribute email_verified.
	EmailVerified bool

	Statuses []Status
}

// Status is a user's membership in a group, and its source. People.SetStatus replaces the
// status with the same Revision, or any if that is zero.
// Its fields: go doc storage.Status
type Status = storage.Status

// NoRevision is the Revision of a status or a client that is only created, and never
// replaces another.
const NoRevision int64 = -1

// Request is the application's request behind a call of a host's function.
type Request struct {
	// ClientID identifies the application.
	ClientID string

	// Scopes are the requested scope values, or those of its token.
	Scopes []string

	// Claims are the handles of attributes that it requests one by one (OpenID Connect Core
	// section 5.5); the scopes may release them, too.
	Claims []string
}

// RequestOf returns the application's request in a function of the host: from the context
// of Users.Person and Config.Authorize, and of the request that Users.SignedIn gets. It
// reports false if no application asks, as on the account screen, and outside of such
// functions.
func RequestOf(ctx context.Context) (Request, bool) {
	request, ok := host.RequestOf(ctx)
	return Request(request), ok
}

// Refusal is the error with which Config.Authorize denies an application a user's data: the
// user reads the message, and the application gets access_denied.
type Refusal struct {
	// Message is shown to the user, at most 500 characters of text in a language of the
	// host's choice. Empty says that there is no account for the user.
	Message string
}

// Error implements error.
func (r Refusal) Error() string { return "refused by the host" }

// host returns the users in internal form.
func (c Config) host() authflow.Host {
	h := authflow.Host{SignInURL: c.Users.SignInURL, Raises: c.Users.Assurance != AnyAssurance}
	if signedIn := c.Users.SignedIn; signedIn != nil {
		h.SignedIn = func(r *http.Request) (host.User, error) {
			user, err := signedIn(r)
			return host.User(user), err
		}
	}
	if authorize := c.Authorize; authorize != nil {
		h.Authorize = func(ctx context.Context, userID, clientID string, scopes []string) error {
			return asRefusal(authorize(ctx, userID, clientID, scopes))
		}
	}
	return h
}

// asRefusal finds a Refusal or a pointer to one.
func asRefusal(err error) error {
	var refused Refusal
	var pointer *Refusal
	switch {
	case errors.As(err, &refused):
		return authflow.Refusal(refused)
	case errors.As(err, &pointer) && pointer != nil:
		return authflow.Refusal(*pointer)
	default:
		return err
	}
}

// person returns Users.Person in internal form, or nil.
func (u Users) person() func(ctx context.Context, userID string, handles, groups []string) (claims.Person, error) {
	if u.Person == nil {
		return nil
	}
	return func(ctx context.Context, userID string, handles, groups []string) (claims.Person, error) {
		person, err := u.Person(ctx, userID, handles, groups)
		return claims.Person(person), err
	}
}
