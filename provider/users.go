package provider

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// Users is the seam to users that the host keeps itself. Its zero value stands for
// the embedded accounts, with their sign-in and sign-up screens.
type Users struct {
	// SignedIn returns who is signed in at the host on this request; a zero
	// SignedIn for nobody. With it the provider has no accounts, passwords and
	// sessions of its own. It is asked once for each request; RequestOf returns which
	// application asks. An error, or what cannot be right, is answered with 503.
	SignedIn func(r *http.Request) (SignedIn, error)

	// SignInURL is the host's sign-in page, absolute or a path of the host. The
	// provider sends users there with the parameter return_to, an address of
	// the provider whose content is sealed and bound to the browser; the page
	// checks it with Pages.IsReturnTo and sends them back to it afterwards,
	// unchanged. Beside it go login_hint, ui_locales, screen=signup when the
	// application asked for the sign-up screen first, acr_values with the classes of
	// authentication that it asks for, the best first (SignedIn.AMR), and
	// prompt=login when somebody is signed in and that is not enough: the page must
	// then ask for the password, or for what the class needs, or let somebody else
	// sign in, and not send the user back at once. An authorization request sends a browser there twice at most; when
	// that has not helped, the application gets login_required. Required with
	// SignedIn.
	SignInURL string

	// SignOutURL is the host's sign-out page, absolute or a path of the host,
	// offered on the account screen when not empty. When an application has
	// asked to sign out, and to have the user back, the page gets the
	// parameter return_to, an address of the provider whose content is sealed;
	// it checks it with Pages.IsReturnTo and sends the user there
	// afterwards, unchanged. A host whose users sign out elsewhere, too, calls
	// People.EndSessions there, so that applications are told.
	SignOutURL string

	// Person returns what the host knows about a user: the attributes with
	// these handles and the status of these groups, at the moment they are
	// released; others are ignored, and what does not fit the catalogue is left
	// out and logged. What follows from others, as the claim name does from fname and
	// lname, needs no answer. It is asked once for each request that shows or
	// releases something; RequestOf returns which application asks. ErrNoUser when
	// the user does not exist or is disabled: a page says so, the application is
	// refused with access_denied, and its tokens are of no more use.
	//
	// A group that the answer has no Status for comes from the store: what was recorded
	// with People.SetStatus, as by one of Config.Verifiers, is released. A Status with
	// Verified false is an answer, too, and stands. When Person is nil, all that was recorded with
	// People.SetAttributes and People.SetStatus is released.
	Person func(ctx context.Context, userID string, handles, groups []string) (Person, error)
}

// ErrNoUser says that there is no such user, or that the user is disabled.
var ErrNoUser = host.ErrNoUser

// SignedIn is a user who is signed in at the host.
type SignedIn struct {
	// UserID is the subject: stable, never reused, no e-mail address; 1 to 255
	// printable ASCII characters without spaces. Whatever is not, such as the 16
	// bytes of a UUID, has to be written in such characters.
	UserID string

	// AuthTime is when the user last proved who they are. Whole seconds are
	// precise enough. Without it, or when it lies more than a minute in the
	// future, the request is answered with 503.
	AuthTime time.Time

	// AMR are the methods that were used, in the words of RFC 8176: at most 16, of
	// at most 64 printable ASCII characters without spaces. The claim acr follows
	// from them: multi_factor for mfa, or for methods of two kinds, such as pwd, which
	// the user knows, with otp or hwk, which the user has; else single_factor.
	AMR []string

	// SessionID names the session in which the user is signed in, at most 4096 bytes: the
	// same for as long as it goes on, and another in another browser. Applications get
	// another name for it, as the claim sid of ID tokens, and a sign-out ends this session
	// at them (People.EndSessions). Nobody but the host sees it.
	// Defaults to none: ID tokens have no sid, and a sign-out ends all sessions of the
	// user at the applications that are told.
	SessionID string
}

// Person is what is known about a user.
type Person struct {
	// Attributes are values by handle, or by another name of the same (given_name for
	// fname), that marshal to the JSON of the attribute's type: a string, an integer, a
	// bool, a slice of strings, a map of strings or a slice of them. Nil, also of a type,
	// what marshals to null, and an empty text stand for no value.
	Attributes map[string]any

	// EmailVerified reports whether the user has proved to own the address in
	// the attribute email. It may stand among the Attributes as email_verified.
	EmailVerified bool

	Statuses []Status
}

// Status says whether a user belongs to a group, and who says so. People.SetStatus replaces the
// status that has its Revision, or with zero whichever there is.
type Status = storage.Status

// NoRevision is the Revision of a status, or of a client, that is recorded only where there
// is none.
const NoRevision int64 = -1

// Request is what a function of the host is asked for.
type Request struct {
	// ClientID names the application that asks.
	ClientID string

	// Scopes are the scope values that it asks for, or that its token has.
	Scopes []string

	// Claims are the handles of the attributes that it asks for beside them, one by one
	// (OpenID Connect Core section 5.5); the scopes may release them, too.
	Claims []string
}

// RequestOf returns, within a function of the host, which application asks and for
// what: the context is that of Users.Person and Config.Authorize, and of the request
// that Users.SignedIn is given. It reports false where no application asks, as on the
// account screen, and outside of such functions.
func RequestOf(ctx context.Context) (Request, bool) {
	request, ok := host.RequestOf(ctx)
	return Request(request), ok
}

// Refusal is what Config.Authorize returns when an application gets nothing about a
// user: the user reads why, and the application gets access_denied.
type Refusal struct {
	// Message is shown to the user, at most 500 characters of text in the language
	// that the host has chosen. Empty says that there is no account for the user.
	Message string
}

// Error implements error.
func (r Refusal) Error() string { return "refused by the host" }

// host returns the users as the rooms see them.
func (c Config) host() authflow.Host {
	h := authflow.Host{SignInURL: c.Users.SignInURL}
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

// asRefusal finds a Refusal, also by its address.
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

// person returns Users.Person as the rooms see it, or nil.
func (u Users) person() func(ctx context.Context, userID string, handles, groups []string) (claims.Person, error) {
	if u.Person == nil {
		return nil
	}
	return func(ctx context.Context, userID string, handles, groups []string) (claims.Person, error) {
		person, err := u.Person(ctx, userID, handles, groups)
		return claims.Person(person), err
	}
}
