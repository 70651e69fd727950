package signals

import (
	"net/url"
	"time"
)

// The names of signals. An application hears only of users of whom it has a grant in force, or had
// one that the change ended; the host's own endpoints hear of all.
const (
	// StatusChanged means that the status of a user in a group has changed, or has ended: by the
	// host, by verification, or by its time. Only applications whose grant covers the group hear it.
	StatusChanged = "status.changed"

	// SessionsEnded means that a session of a user has ended, or all have.
	SessionsEnded = "sessions.ended"

	// CredentialChanged means that a user has another password, passkey or authenticator app, or one
	// less.
	CredentialChanged = "credential.changed"

	AccountDisabled = "account.disabled"
	AccountEnabled  = "account.enabled"
	AccountDeleted  = "account.deleted"

	// ConsentWithdrawn means that a user has ended what the application was allowed.
	ConsentWithdrawn = "consent.withdrawn"

	// ApplicationStopped means that the staff has stopped the application.
	ApplicationStopped = "application.stopped"

	// KeysRotated means that there is a new key for the signatures of tokens.
	KeysRotated = "keys.rotated"

	// Ping tests an endpoint. It is sent to all, whatever they have selected.
	Ping = "ping"
)

// MaxReceivers is how many webhooks an application can have.
const MaxReceivers = 5

// Names returns the names of all signals that an endpoint can select.
func Names() []string {
	return []string{
		StatusChanged, SessionsEnded, CredentialChanged, AccountDisabled, AccountEnabled, AccountDeleted,
		ConsentWithdrawn, ApplicationStopped, KeysRotated,
	}
}

// Config says who may be told. Its zero value is nobody: then nothing of this runs, and nothing is
// kept for it.
type Config struct {
	// Webhooks lets applications have endpoints that get messages as Standard Webhooks 1.0 say.
	// Defaults to false.
	Webhooks bool `json:"webhooks,omitempty"`

	// SharedSignals lets applications have streams of the OpenID Shared Signals Framework 1.0.
	// Defaults to false.
	SharedSignals bool `json:"shared_signals,omitempty"`

	// Endpoints are the host's own webhooks. One that is left out is removed by the next start of
	// Run, with what waits for it.
	// Defaults to none.
	Endpoints []Endpoint `json:"-"`
}

// Endpoint is a webhook of the host's own.
type Endpoint struct {
	// Address is where messages are sent: https, or http as Config.AllowPrivateNetworks says.
	Address string

	// Secret is the key of the signatures: "whsec_" and 24 or 33 random bytes in base64. When it
	// changes, messages have the signatures of both for a day.
	Secret string

	// Signals are those that are sent.
	// Defaults to all.
	Signals []string
}

// Receiver is who is told: a webhook, or a stream of Shared Signals.
type Receiver struct {
	// ID is given by Save; empty for a new one.
	ID string `json:"id"`

	// ClientID is the application's; empty for the host's own.
	ClientID string `json:"client_id,omitempty"`

	// Kind is webhook, push, poll or inbox, which keeps messages to be looked at. Save makes
	// webhooks, and inboxes in a sandbox.
	Kind string `json:"kind"`

	// State is unverified until a ping was answered, then enabled; paused, or disabled: by Save, or
	// because ten attempts have failed, or the endpoint has answered 410.
	State string `json:"state"`

	// Stopped reports that the staff has disabled it: whoever looks after it can neither enable nor
	// remove it.
	Stopped bool `json:"stopped,omitempty"`

	// Address is where messages are sent. An application has each once.
	Address string `json:"address,omitempty"`

	// Description is for those who look after it.
	Description string `json:"description,omitempty"`

	// Signals are those that are sent; all if empty.
	Signals []string `json:"signals,omitempty"`

	// Asymmetric adds a signature v1a (Ed25519) to each message. PublicKey is its key.
	Asymmetric bool   `json:"asymmetric,omitempty"`
	PublicKey  string `json:"public_key,omitempty"`

	// FormerKeyUntil is how long the key before the last Rotate signs beside the present one.
	FormerKeyUntil time.Time `json:"former_key_until,omitzero"`

	CreatedAt time.Time `json:"created_at"`

	// Revision is that of the record that Save replaces.
	Revision int64 `json:"revision"`

	// Attempts is how often in a row it was not reached, FailingSince since when, NextAt when it is
	// tried again.
	Attempts     int       `json:"attempts,omitempty"`
	FailingSince time.Time `json:"failing_since,omitzero"`
	NextAt       time.Time `json:"next_at,omitzero"`

	// Waiting and Dead count its messages, up to 10,000, and Oldest is the time of the first that
	// waits.
	Waiting int       `json:"waiting"`
	Dead    int       `json:"dead"`
	Oldest  time.Time `json:"oldest,omitzero"`
}

// Host is the host of the Address, whose rest may be a secret; empty without one.
func (r Receiver) Host() string {
	u, err := url.Parse(r.Address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Delivery is a message to a receiver, and what has become of it.
type Delivery struct {
	MessageID string `json:"message_id"`

	// Name is that of the signal.
	Name string `json:"name"`

	// Number is its place among the messages of the receiver.
	Number int64 `json:"number"`

	// Body is what is sent: JSON, which never says why, nor a value.
	Body string `json:"body"`

	// State is waiting, done or dead.
	State string `json:"state"`

	// Answer is what the receiver has answered last: the status, and the beginning of the body.
	Answer string `json:"answer,omitempty"`

	At      time.Time `json:"at"`
	EndedAt time.Time `json:"ended_at,omitzero"`
}
