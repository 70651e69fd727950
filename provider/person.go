package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// PersonalData is all data about one person, for a copy on request. It has no secrets: no
// password hash, no token.
type PersonalData struct {
	UserID string `json:"user_id"`

	// Account is nil for a user of the host, who has no account here.
	Account *RecordedAccount `json:"account,omitempty"`

	// Revision is the revision of the attributes of a person with an account, a possible
	// condition of SetStatus (Status.PersonRevision).
	Revision int64 `json:"revision,omitempty"`

	// Attributes are the recorded values in JSON, by handle.
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`

	// Statuses have their Revision, a possible condition of SetStatus.
	Statuses []Status `json:"statuses,omitempty"`

	Consents []RecordedConsent `json:"consents,omitempty"`
	Sessions []RecordedSession `json:"sessions,omitempty"`

	// Events are the latest of the audit log first, a hundred at most; Events.List has the
	// others.
	Events []RecordedEvent `json:"events,omitempty"`
}

// RecordedConsent is what a person allows an application.
type RecordedConsent struct {
	ClientID string   `json:"client_id"`
	Scopes   []string `json:"scopes"`

	// Attributes and Groups are all that it gets.
	Attributes []string `json:"attributes"`
	Groups     []string `json:"groups"`

	// ClientName and RedirectHosts are what the consent screen showed the person.
	ClientName    string   `json:"client_name"`
	RedirectHosts []string `json:"redirect_hosts"`

	// DecidedAt is zero for an application without a consent screen.
	CreatedAt  time.Time `json:"created_at"`
	DecidedAt  time.Time `json:"decided_at,omitzero"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// RecordedSession is a browser session of a person.
type RecordedSession struct {
	// Handle names the session in People.EndSession. It is not secret: nobody gets into the
	// session with it.
	Handle string `json:"handle"`

	UserAgent string `json:"user_agent"`

	// Address is the network of the browser.
	Address    string    `json:"address"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at,omitzero"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// Get returns a person's current data, with or without an account. It does not include the
// host's own (Users.Person). ErrNoUser if nothing is recorded.
func (p People) Get(ctx context.Context, userID string) (PersonalData, error) {
	data, err := p.GetParts(ctx, userID, PersonValues, PersonConsents, PersonSessions, PersonEvents)
	if err != nil {
		return PersonalData{}, err
	}
	if data.Account == nil && len(data.Attributes)+len(data.Statuses)+len(data.Consents)+len(data.Events) == 0 {
		return PersonalData{}, ErrNoUser
	}
	return data, nil
}

// PersonPart is a part of PersonalData.
type PersonPart int

// The parts of PersonalData beside the account.
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

// GetParts returns the account of a person, if there is one, and these parts of the data that Get
// returns, without reading the others. A person of whom nothing is recorded is no error.
func (p People) GetParts(ctx context.Context, userID string, parts ...PersonPart) (PersonalData, error) {
	data := PersonalData{UserID: userID}
	reads := []func(context.Context, *PersonalData) error{p.readAccount}
	for _, part := range parts {
		switch part {
		case PersonValues:
			reads = append(reads, p.readPerson)
		case PersonConsents:
			reads = append(reads, p.readConsents)
		case PersonSessions:
			reads = append(reads, p.readSessions)
		case PersonEvents:
			reads = append(reads, p.readEvents)
		default:
			return PersonalData{}, fmt.Errorf("provider: read person: no part %d", part)
		}
	}
	for _, read := range reads {
		if err := read(ctx, &data); err != nil {
			return PersonalData{}, fmt.Errorf("provider: read person: %w", err)
		}
	}
	return data, nil
}

func (p People) readAccount(ctx context.Context, data *PersonalData) error {
	account, err := p.store.Account(ctx, data.UserID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	recorded := asRecorded(account)
	data.Account = &recorded
	return err
}

func (p People) readPerson(ctx context.Context, data *PersonalData) error {
	person, err := p.store.Person(ctx, data.UserID)
	data.Revision, data.Attributes = person.Revision, person.Attributes
	data.Statuses = person.Statuses
	return err
}

func (p People) readConsents(ctx context.Context, data *PersonalData) error {
	consents, err := p.store.Consents(ctx, data.UserID)
	for _, c := range consents {
		data.Consents = append(data.Consents, RecordedConsent{
			ClientID: c.ClientID, Scopes: c.Scopes, Attributes: c.Attributes, Groups: c.Groups,
			ClientName: c.ClientName, RedirectHosts: c.RedirectHosts,
			CreatedAt: c.CreatedAt, DecidedAt: c.DecidedAt, LastUsedAt: c.LastUsedAt,
		})
	}
	return err
}

func (p People) readSessions(ctx context.Context, data *PersonalData) error {
	sessions, err := p.store.Sessions(ctx, data.UserID)
	for _, s := range sessions {
		data.Sessions = append(data.Sessions, RecordedSession{
			Handle: session.Handle(s), UserAgent: s.UserAgent, Address: s.Address, CreatedAt: s.CreatedAt, LastSeenAt: s.LastSeenAt, ExpiresAt: s.ExpiresAt,
		})
	}
	return err
}

func (p People) readEvents(ctx context.Context, data *PersonalData) (err error) {
	data.Events, err = Events(p).List(ctx, EventFilter{UserID: data.UserID})
	return err
}

// Locale returns the language of mails to a user who is not on a screen: the account's, or
// else English.
func (p People) Locale(ctx context.Context, userID string) (*ui.Locale, error) {
	a, err := p.store.Account(ctx, userID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // a user of the host has none
		return nil, fmt.Errorf("provider: read account: %w", err)
	}
	return p.pages.Site.AccountLocale(a), nil
}

// VerifiedEmail returns the user's verified address, as NormalizeEmail spells it; empty if
// there is none, or no such user.
func (p People) VerifiedEmail(ctx context.Context, userID string) (string, error) {
	person, err := p.flows.Claims.Person(ctx, userID, claims.AccountHandles, nil)
	switch {
	case errors.Is(err, ErrNoUser):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("provider: read person: %w", err)
	case !person.EmailVerified():
		return "", nil
	}
	key, err := NormalizeEmail(person.Text("email"))
	if err != nil {
		return "", nil //nolint:nilerr // the host has recorded an invalid address
	}
	return key, nil
}

// NormalizeEmail returns the one spelling of an address that the provider compares: it
// unifies letter case, Unicode form, and Unicode and ASCII domains. An invalid address is
// an error.
func NormalizeEmail(address string) (string, error) {
	key, err := account.EmailKey(address)
	if err != nil {
		return "", fmt.Errorf("provider: e-mail address: %w", err)
	}
	return key, nil
}

// View returns the user as other users see them, such as members of an organization.
// ErrNoUser if there is none.
func (p People) View(ctx context.Context, userID string) (ui.Account, error) {
	return p.flows.AccountView(ctx, userID)
}
