// Package sandbox is the vocabulary of a test environment: the personas that developers
// sign in as instead of people, and the faults that an application asks for to see whether
// it notices.
//
// None of it has a meaning outside of a sandbox.
package sandbox

import "github.com/bonafide-id/bonafide/storage"

// HintPrefix begins a login_hint that names a persona: such a request signs in as the
// persona without a screen, and answers the consent screen as the persona does.
const HintPrefix = "persona:"

// PersonaSet are the personas of an application.
type PersonaSet struct {
	// Realm keeps the personas of one organization apart from those of another: at most
	// 63 letters, digits, or -_ only. It is a part of user IDs and e-mail addresses.
	// Defaults to none.
	Realm string `json:"realm,omitempty"`

	// Personas are at most 64, in the order in which the sign-in screen shows them.
	Personas []Persona `json:"personas"`
}

// Persona is somebody who does not exist, and can be signed in as without a password. What
// it says is recorded anew at each sign-in.
type Persona struct {
	// Name is what login_hint says behind HintPrefix: 1 to 40 of a to z, 0 to 9, and -,
	// each once in a set.
	Name string `json:"name"`

	// Title is what the sign-in screen shows, as in "Maria – verified veteran", at most
	// 100 characters.
	// Defaults to Name.
	Title string `json:"title,omitempty"`

	// Email is the address of the account. Mail to it is handed to the Mailer.
	// Defaults to NAME@REALM.sandbox.test, or NAME@personas.sandbox.test without a realm.
	Email string `json:"email,omitempty"`

	// EmailVerified reports whether the address is known to be the user's.
	// Defaults to false.
	EmailVerified bool `json:"email_verified"`

	// Attributes are values by handle, of the JSON types that the catalogue has for them.
	// What the catalogue does not know is left out.
	Attributes map[string]any `json:"attributes,omitempty"`

	// Statuses say to which groups the persona belongs; one for each group. What the
	// catalogue does not know is left out.
	Statuses []Status `json:"statuses,omitempty"`

	// Locked locks the account: nobody can sign in with it.
	// Defaults to false.
	Locked bool `json:"locked,omitempty"`

	// Consent is how the persona answers the consent screen when login_hint names it.
	// Defaults to Allow.
	Consent Consent `json:"consent,omitempty"`

	// AMR are the methods of the sign-in, in the words of RFC 8176: at most 16, of at
	// most 64 printable ASCII characters without spaces.
	// Defaults to those of the Assurance, or to pwd.
	AMR []string `json:"amr,omitempty"`

	// Assurance is the level that the sign-in reaches, whatever the AMR: one_factor,
	// two_factors or phishing_resistant.
	// Defaults to what follows from the AMR: two factors for mfa, or for methods of two
	// kinds, else one.
	Assurance storage.Assurance `json:"assurance,omitempty"`

	// Next is what every second sign-in finds changed.
	// Defaults to no change.
	Next *Change `json:"next,omitempty"`
}

// Status is the status of one group at the moment of a sign-in.
type Status struct {
	// Group and Subgroups are names of the catalogue.
	Group     string   `json:"group"`
	Subgroups []string `json:"subgroups,omitempty"`

	// Verified reports whether somebody has verified it.
	// Defaults to false.
	Verified bool `json:"verified"`

	// Pending reports whether somebody is about to verify it; not together with Verified.
	// Defaults to false.
	Pending bool `json:"pending,omitempty"`

	// ExpiresIn is in how many seconds from the sign-in it expires; when negative, how
	// many seconds ago it has, at most 100 years.
	// Defaults to never.
	ExpiresIn int64 `json:"expires_in,omitempty"`
}

// Change is what is other about a persona at every second sign-in: it is recorded when the
// last one has recorded Persona.Statuses, which are recorded again by the next.
type Change struct {
	// Statuses take the place of Persona.Statuses.
	Statuses []Status `json:"statuses"`
}

// Consent is an answer to the consent screen.
type Consent string

// The answers.
const (
	// Allow allows all that is asked for.
	Allow Consent = "allow"
	// Deny answers the application with access_denied.
	Deny Consent = "deny"
	// Ask shows the screen.
	Ask Consent = "ask"
)
