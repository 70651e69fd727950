package verification

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Verifier finds out by one method whether a person is a member of a group. Its functions
// may be called by any process, and more than once for one event: they answer the same for
// the same case and event.
type Verifier struct {
	// Name is kept with every case and never renamed: 1 to 32 of a-z, 0-9 and _, beginning
	// with a letter. Two verifiers of one policy have different names.
	Name string

	// Title names the method in the list in which people choose, such as "With your
	// university address", and Asks says what to have at hand.
	Title, Asks Text

	// Takes is the usual time until the result.
	// Defaults to at once.
	Takes time.Duration

	// Keeps says what is kept, in a sentence.
	// Defaults to a sentence of the screens for verifiers of this package, or else none.
	Keeps Text

	// Proof describes the check to applications and auditors.
	Proof Proof

	// Next decides what happens after an event. An error is no result: the person sees that
	// it can be tried again, and events without a person are tried again.
	Next func(ctx context.Context, c *Case, e Event) (Result, error)

	// Receive checks the signature of a callback and returns which case it is about,
	// without believing its content: Fetch asks for that. An error gets 401.
	// Defaults to none: the method has no callback address.
	Receive func(ctx context.Context, r *http.Request, body []byte) (Message, error)

	// Fetch asks the other side about a reference. Its result is the Data of the event
	// Told. It is required with Receive.
	Fetch func(ctx context.Context, reference string) (data []byte, err error)

	// Forget deletes what the other side keeps about a reference. It is called when a case
	// has ended, and again until it succeeds.
	// Defaults to nothing to delete.
	Forget func(ctx context.Context, reference string) error

	// Upload are the files that the method can ask for, and their requirements.
	// Defaults to none.
	Upload []Requirement

	// ComparesName has a reviewer compare the name on the files of Upload with the one that the
	// person gives before, which is at first that of the account: without a name that fits,
	// nothing is sent, and nothing approved.
	// Defaults to false: the files have no name. Document sets it.
	ComparesName bool

	// CanReview reports that the method can return Review, so that the policy needs
	// reviewers.
	CanReview bool

	// Check returns what is wrong with the configuration of the verifier, for New; a
	// provider.FieldError names the field.
	// Defaults to nothing.
	Check func() error

	check  func(field string) error // of the verifiers of this package, for New
	roster *roster                  // of Roster

	redeems bool // of Invitation
	mails   bool // of EmailDomain
}

// Proof describes a check in the terms of OpenID Connect for Identity Assurance 1.0.
type Proof struct {
	// EvidenceType is electronic_record, document, vouch or electronic_signature.
	EvidenceType string

	// CheckMethod is the check method of the evidence, such as auth, data, vri or vpip.
	CheckMethod string

	// Level orders methods by strength: a membership that rests on several has the lowest.
	Level int
}

// Text is a text for people, in several languages.
type Text struct {
	// English is shown where there is no translation. If it is a text of the screens, it is
	// translated by that.
	English string `json:"text"`

	// Translations are by BCP 47 tag.
	Translations map[string]string `json:"translations,omitempty"`
}

// Name is a person's name as the account has it.
type Name struct{ Given, Family string }

// Case is an attempt of a person to become a verified member of a group, for a verifier.
type Case struct {
	// ID identifies the case, Subject the user and Group the group.
	ID, Subject, Group string

	// Subgroups are those of the group in the catalogue.
	Subgroups []string

	// Email is the verified address of the account, or empty, and Name its name. Neither
	// proves anything about the group.
	Email string
	Name  Name

	// Renewal reports that the person is a member and wants to stay one.
	Renewal bool

	// Attempt counts the tries of this method in this case, from 1.
	Attempt int

	// Key is the idempotency key for calls to the other side: the same for the same event.
	Key string

	// Language is the BCP 47 tag of the person's language.
	Language string

	// ReturnURL is the absolute address to which a page elsewhere sends the person back,
	// for GoTo. To come back there proves nothing: the verifier then gets Returned.
	ReturnURL string

	// RedirectURI is the same for protocols in which it is registered at the other side: one
	// address for all cases of the method, BASE/verification/return/METHOD. The parameter
	// state with which people come back begins with the ID of the case and a dot.
	RedirectURI string

	// CallbackURL is the absolute address for callbacks of the method.
	CallbackURL string

	// Memory is what the verifier has kept in the case, encrypted at rest: at most 8 KiB,
	// nil at first. What it sets here is kept together with the result.
	Memory []byte

	// Open opens evidence of the case.
	Open func(ctx context.Context, id string) (io.ReadCloser, error)

	// Digest returns a keyed digest of a value for a purpose, such as a row of a roster,
	// under the current secret and each former one.
	Digest func(purpose, value string) [][32]byte

	// Rosters and Codes look up rosters and invitation codes, for the verifiers of this
	// package.
	lookup lookup
}

// EventKind is the type of an event.
type EventKind string

// The events of a case that a verifier gets.
const (
	// Begun: the person has chosen the method, or starts it again.
	Begun EventKind = "begun"
	// Answered: the person has sent the form of Ask. Form has its fields.
	Answered EventKind = "answered"
	// Confirmed: the person has entered the code that was sent to Address.
	Confirmed EventKind = "confirmed"
	// Uploaded: the person has submitted the files of Upload. Evidence describes them.
	Uploaded EventKind = "uploaded"
	// Returned: the person has come back from GoTo. It proves nothing.
	Returned EventKind = "returned"
	// Told: the other side has sent a callback about Reference. Data is what Fetch returned.
	Told EventKind = "told"
	// Due: the time of Wait is over.
	Due EventKind = "due"
)

// Event is what has happened.
type Event struct {
	Kind      EventKind
	Form      map[string]string
	Address   string
	Evidence  []Evidence
	Reference string
	Data      []byte

	// Query are the parameters with which the person came back (Returned), for protocols
	// whose answer is sealed or redeemed, such as OpenID Connect. It proves nothing.
	Query map[string]string

	At time.Time
}

// Evidence describes a submitted file.
type Evidence struct {
	ID string

	// Kind is the Name of its Requirement.
	Kind      string
	MediaType string
	Size      int64

	// Facts are what was noticed about the file, for a Review. They prove nothing.
	Facts []Text
}

// Message is a callback about a case. It says no outcome: Fetch does.
type Message struct {
	// ID identifies the message: it is applied once.
	ID string

	// Reference is that of GoTo or Wait.
	Reference string
}
