package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/storage"
)

// Event is an entry of the audit log. It never holds a secret.
type Event struct {
	At   time.Time `json:"at"`
	Name EventName `json:"name"`

	// UserID and ClientID tell whom it concerns; either may be empty.
	UserID   string `json:"user_id,omitempty"`
	ClientID string `json:"client_id,omitempty"`

	// Address is the network of the caller, when there is one: 24 bits of an IPv4
	// address, as in 192.0.2.0/24, or 48 of IPv6.
	Address string `json:"address,omitempty"`

	// Detail is a fixed phrase.
	Detail string `json:"detail,omitempty"`
}

// EventName is what happened.
type EventName string

// The events of the audit log. What the host records about people (People.SetAttributes,
// People.SetStatus), and who signs in at a host with users of its own, is the host's to record.
const (
	EventSignedIn  EventName = audit.SignedIn  // by password, at the provider's own screens
	EventSignedOut EventName = audit.SignedOut // here, on another device, or to change the account
	EventSignedUp  EventName = audit.SignedUp

	// EventSignInFailed has the UserID when there is such an account. When there is
	// none, every process records a network once a minute.
	EventSignInFailed EventName = audit.SignInFailed

	// EventThrottled says that an address tries something too often. While it
	// goes on, every process records it once a minute.
	EventThrottled EventName = audit.Throttled

	// EventAccountCreated is of the host's doing: users sign up.
	EventAccountCreated  EventName = audit.AccountCreated
	EventAccountDisabled EventName = audit.AccountDisabled
	EventAccountEnabled  EventName = audit.AccountEnabled
	EventAccountDeleted  EventName = audit.AccountDeleted
	EventEmailChanged    EventName = audit.EmailChanged
	EventEmailVerified   EventName = audit.EmailVerified
	EventPasswordChanged EventName = audit.PasswordChanged

	// EventEmailReturned says that whoever reads the former address of an account has taken
	// a change of it back, and has set a password.
	EventEmailReturned EventName = audit.EmailReturned

	// EventVerificationStarted says that a user was sent to one of Config.Verifiers; its
	// Detail is the name of the group.
	EventVerificationStarted EventName = audit.VerificationStarted

	// EventDeletionRequested says that a user wants the account to be deleted, which
	// happens after Lifetimes.DeletionGrace, EventDeletionWithdrawn that the user has
	// thought again.
	EventDeletionRequested EventName = audit.DeletionRequested
	EventDeletionWithdrawn EventName = audit.DeletionWithdrawn

	// EventDataExported says that a user has downloaded what is recorded.
	EventDataExported EventName = audit.DataExported

	EventConsent EventName = audit.Consent
	EventDenied  EventName = audit.Denied

	// EventRevoked says that tokens were ended before their time: by the user,
	// who took back what an application was allowed, by the application, or by
	// the host (People.RevokeIssuedBefore).
	EventRevoked EventName = audit.Revoked

	// EventReuse says that a code or a refresh token came a second time, as a
	// stolen one does. Its grant has been ended.
	EventReuse EventName = audit.Reuse

	// EventClientCreated, like those that follow, is about a registration.
	EventClientCreated EventName = audit.ClientCreated
	EventClientChanged EventName = audit.ClientChanged
	EventClientDeleted EventName = audit.ClientDeleted
	EventSecretShown   EventName = audit.SecretShown
	EventSecretChanged EventName = audit.SecretChanged

	// EventClientRefused says that someone named an application and did not know
	// its secret, once a minute for each network.
	EventClientRefused EventName = audit.ClientRefused

	EventKeyRotated EventName = audit.KeyRotated

	// EventKeysRevoked says that the host has ended all signing keys, and that a
	// new one signs (Keys.Revoke).
	EventKeysRevoked EventName = audit.KeysRevoked
)

// asEvent returns an event as the host sees it.
func asEvent(e storage.Event) Event {
	return Event{
		At: e.At, Name: EventName(e.Name), UserID: e.Subject, ClientID: e.ClientID, Address: e.Address, Detail: e.Detail,
	}
}

// onEvent returns Config.OnEvent as the audit log calls it, or nil.
func (c Config) onEvent() func(storage.Event) {
	if c.OnEvent == nil {
		return nil
	}
	return func(e storage.Event) { c.OnEvent(asEvent(e)) }
}

func (p Events) tokenReused(ctx context.Context, g storage.Grant, kind storage.TokenKind) {
	p.audit.Record(ctx, storage.Event{Name: audit.Reuse, Subject: issue.UserOf(g), ClientID: g.ClientID, Detail: tokenName[kind]})
}

func (p Events) tokenRevoked(ctx context.Context, g storage.Grant, kind storage.TokenKind) {
	detail := tokenName[kind] + ", by the application"
	p.audit.Record(ctx, storage.Event{Name: audit.Revoked, Subject: issue.UserOf(g), ClientID: g.ClientID, Detail: detail})
}

var tokenName = map[storage.TokenKind]string{
	storage.AuthorizationCode: "authorization code",
	storage.AccessToken:       "access token",
	storage.RefreshToken:      "refresh token",
}

// EventFilter selects events. All fields that are not empty must match.
type EventFilter struct {
	Name             EventName
	UserID, ClientID string

	// From and Until bound when it happened: at From or later, and before Until. Zero is no
	// bound.
	From, Until time.Time

	// Before is the ID of the last event of the page before; zero for the first
	// page.
	Before int64

	// Limit is the most events that are returned; 100 when zero.
	Limit int
}

// RecordedEvent is an event of the audit log with the ID that the next page is
// asked for by.
type RecordedEvent struct {
	ID int64 `json:"id"`
	Event
}

// List returns events of the audit log, the latest first.
func (p Events) List(ctx context.Context, match EventFilter) ([]RecordedEvent, error) {
	stored, err := p.store.Events(ctx, storage.EventFilter{
		Name: string(match.Name), Subject: match.UserID, ClientID: match.ClientID,
		From: match.From, Until: match.Until, BeforeID: match.Before, Limit: match.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("provider: read events: %w", err)
	}
	events := make([]RecordedEvent, len(stored))
	for i, e := range stored {
		events[i] = RecordedEvent{e.ID, asEvent(e)}
	}
	return events, nil
}
