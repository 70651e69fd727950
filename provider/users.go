package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Users is the seam to users that the host keeps itself. Its zero value stands for
// the embedded accounts, with their sign-in and sign-up screens.
type Users struct {
	// SignedIn tells who is signed in at the host on this request; a zero
	// SignedIn for nobody. With it the provider has no accounts, passwords and
	// sessions of its own. An error is answered with 503.
	SignedIn func(r *http.Request) (SignedIn, error)

	// SignInURL is the host's sign-in page, absolute or a path of the host. The
	// provider sends visitors there with the parameter return_to, an address of
	// the provider whose content is sealed and bound to the browser; the page
	// checks it with Provider.IsReturnTo and sends them back to it afterwards,
	// unchanged. Beside it go login_hint, ui_locales,
	// prompt=login when the user must authenticate again, and screen=signup
	// when the application asked for the sign-up screen first. Required with
	// SignedIn.
	SignInURL string

	// SignOutURL is the host's sign-out page, offered on the account screen
	// when not empty.
	SignOutURL string

	// Person returns what the host knows about a user: the attributes with
	// these handles and the status of these groups, at the moment they are
	// released; others are ignored. ErrNoUser when the user does not exist or
	// is disabled. When it is nil, what was recorded with Provider.SetAttributes
	// and Provider.SetStatus is released.
	Person func(ctx context.Context, userID string, handles, groups []string) (Person, error)
}

// ErrNoUser says that there is no such user, or that the user is disabled.
var ErrNoUser = errors.New("provider: no such user")

// SignedIn is a user who is signed in at the host.
type SignedIn struct {
	// UserID is the subject: stable, never reused, no e-mail address.
	UserID string

	// AuthTime is when the user last proved who they are. Whole seconds are
	// precise enough.
	AuthTime time.Time

	// AMR are the methods that were used, in the words of RFC 8176.
	AMR []string
}

// Person is what is known about a user.
type Person struct {
	// Attributes are values by handle: a string, an integer, or for the type
	// Records a slice that marshals to objects of strings.
	Attributes map[string]any

	// EmailVerified reports whether the user has proved to own the address in
	// the attribute email.
	EmailVerified bool

	Statuses []Status
}

// Status tells whether a user belongs to a group, and who says so.
type Status struct {
	// Group is the name of a group in the catalogue.
	Group string

	// Subgroups are those that the user belongs to.
	Subgroups []string

	// Verified reports whether somebody has checked it.
	Verified bool

	// VerifiedBy names who did; shown to nobody but kept.
	VerifiedBy string
	VerifiedAt time.Time

	// ExpiresAt is when the verification ends; zero means never. An expired
	// status is released as not verified.
	ExpiresAt time.Time
}

// person calls Users.Person.
func (u Users) person(ctx context.Context, userID string, handles, groups []string) (Person, error) {
	answer, err := callHost(ctx, func(ctx context.Context) (Person, error) {
		return u.Person(ctx, userID, handles, groups)
	})
	if err != nil && !errors.Is(err, ErrNoUser) {
		return Person{}, fmt.Errorf("%w: Person: %w", errHost, err)
	}
	return answer, err
}
