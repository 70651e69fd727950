package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// mostFound is the maximum number of users whom a value finds.
const mostFound = 10

// Find returns the IDs of the users who are looked for: one or none by ID and Email, at most
// ten by a value, which several may have. There is no search by a name, a prefix or a likeness.
// A search that finds nobody does the work of one that does. It is for the host's staff, and
// records nothing: that somebody has looked does (event.PersonFound). An attribute that is not
// Findable, and a Finder of nothing or two things, is a FieldError.
//
// A host with its own users is asked elsewhere for those whom only it knows: here they are
// found by what is recorded.
func (p peopleRoom) Find(ctx context.Context, by room.Finder) ([]string, error) {
	given := 0
	for _, text := range []string{by.ID, by.Email, by.Handle} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return nil, wrongField("Finder", "looks for one thing: ID, Email, or Handle with Value")
	}
	var found []string
	var err error
	switch {
	case by.ID != "":
		found, err = p.findID(ctx, by.ID)
	case by.Email != "":
		found, err = p.findEmail(ctx, by.Email)
	default:
		found, err = p.findValue(ctx, by.Handle, by.Value)
	}
	var wrong *FieldError
	if err != nil && !errors.As(err, &wrong) {
		return nil, fmt.Errorf("provider: find person: %w", err)
	}
	return found, err
}

func (p People) findID(ctx context.Context, id string) ([]string, error) {
	if host.CheckUserID(id) != nil {
		return found("", storage.ErrNotFound) // nobody has such an ID
	}
	if p.cfg.hasAccounts() {
		a, err := p.store.Account(ctx, id)
		return found(a.ID, err)
	}
	_, err := p.Get(ctx, id)
	if errors.Is(err, ErrNoUser) {
		err = storage.ErrNotFound
	}
	return found(id, err)
}

func (p People) findEmail(ctx context.Context, address string) ([]string, error) {
	if !p.cfg.hasAccounts() {
		return nil, nil
	}
	key, err := mailbox.EmailKey(address)
	if err != nil {
		key = address // nobody's: the search is as long
	}
	a, err := p.store.AccountByEmail(ctx, key)
	return found(a.ID, err)
}

// found is the answer to a search for one.
func found(id string, err error) ([]string, error) {
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{id}, nil
}

func (p People) findValue(ctx context.Context, handle, value string) ([]string, error) {
	if a, ok := p.catalogue.Attribute(handle); !ok || !a.Findable {
		return nil, wrongField("Handle", "%q is not an attribute by which users are found", handle)
	}
	text := p.catalogue.FindSpelling(value)
	if text == "" {
		return nil, nil
	}
	return p.store.Subjects(ctx, storage.SubjectFilter{Handle: handle, Find: p.vault.FindDigest(handle, text)}, "", mostFound)
}

// Value returns one value of a user as it is recorded, or as the host has it, in JSON; nil for
// none. Locked users have their values, too. Whoever shows it records that first
// (Events.Record). ErrNoUser if there is no such user.
func (p peopleRoom) Value(ctx context.Context, userID, handle string) (json.RawMessage, error) {
	if err := host.CheckUserID(userID); err != nil {
		return nil, ErrNoUser
	}
	if !p.cfg.hasAccounts() {
		record, err := p.flows.Claims.Person(ctx, userID, []string{handle}, nil)
		if err != nil {
			return nil, fmt.Errorf("provider: read person: %w", err)
		}
		return record.Value(handle), nil
	}
	a, err := p.store.Account(ctx, userID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNoUser
	}
	if err != nil {
		return nil, fmt.Errorf("provider: read account: %w", err)
	}
	if handle == "email" {
		return json.Marshal(a.Email)
	}
	person, err := p.store.Person(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("provider: read person: %w", err)
	}
	return person.Attributes[handle], nil
}

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
	// Handle names the session. It is not secret: nobody gets into the session with it.
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
	data, err := peopleRoom{p}.GetParts(ctx, userID, room.PersonValues, room.PersonConsents, room.PersonSessions, room.PersonEvents)
	if err != nil {
		return PersonalData{}, err
	}
	if data.Account == nil && len(data.Attributes)+len(data.Statuses)+len(data.Consents)+len(data.Events) == 0 {
		return PersonalData{}, ErrNoUser
	}
	return data, nil
}

// GetParts returns the account of a person, if there is one, and these parts of the data that Get
// returns, without reading the others. A person of whom nothing is recorded is no error.
func (p peopleRoom) GetParts(ctx context.Context, userID string, parts ...room.PersonPart) (PersonalData, error) {
	data := PersonalData{UserID: userID}
	reads := []func(context.Context, *PersonalData) error{p.readAccount}
	for _, part := range parts {
		switch part {
		case room.PersonValues:
			reads = append(reads, p.readPerson)
		case room.PersonConsents:
			reads = append(reads, p.readConsents)
		case room.PersonSessions:
			reads = append(reads, p.readSessions)
		case room.PersonEvents:
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
	consents, err := p.store.Consents(ctx, storage.ConsentFilter{Subject: data.UserID})
	data.Consents = asConsents(consents)
	return err
}

// Consents returns up to limit of what a person allows applications, in the order of the IDs of
// these, after one of them. Some people allow thousands; GetParts reads them all.
func (p peopleRoom) Consents(ctx context.Context, userID, after string, limit int) ([]RecordedConsent, error) {
	consents, err := p.store.Consents(ctx, storage.ConsentFilter{Subject: userID, AfterClient: after, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("provider: read consents: %w", err)
	}
	return asConsents(consents), nil
}

func asConsents(consents []storage.Consent) (recorded []RecordedConsent) {
	for _, c := range consents {
		recorded = append(recorded, RecordedConsent{
			ClientID: c.ClientID, Scopes: c.Scopes, Attributes: c.Attributes, Groups: c.Groups,
			ClientName: c.ClientName, RedirectHosts: c.RedirectHosts,
			CreatedAt: c.CreatedAt, DecidedAt: c.DecidedAt, LastUsedAt: c.LastUsedAt,
		})
	}
	return recorded
}

// SignedIn reports whether a user of the embedded accounts is still in the session that the ID
// tokens of an application name with sid. It reports false after a new sign-in in that browser,
// which begins another one, and after a change of Config.Secret.
func (p People) SignedIn(ctx context.Context, userID, clientID, sid string) (bool, error) {
	sessions, err := p.store.Sessions(ctx, userID)
	if err != nil {
		return false, fmt.Errorf("provider: read sessions: %w", err)
	}
	return slices.ContainsFunc(sessions, func(s storage.Session) bool {
		return p.cfg.Clock().Before(s.IdleUntil) && sid == session.SID(p.secrets, p.issuer, s.Digest[:], clientID)
	}), nil
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

// Locale returns the language of mails to a user who is not on a screen: the account's, or else
// the first of these that there is, or English.
func (p peopleRoom) Locale(ctx context.Context, userID string, otherwise ...string) (*ui.Locale, error) {
	a, err := p.store.Account(ctx, userID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // a user of the host has none
		return nil, fmt.Errorf("provider: read account: %w", err)
	}
	return p.pages.Site.Remembered(append([]string{a.Language}, otherwise...)...), nil
}

// VerifiedEmail returns the user's verified address, in the one spelling that the provider compares; empty if
// there is none, or no such user.
func (p peopleRoom) VerifiedEmail(ctx context.Context, userID string) (string, error) {
	person, err := p.flows.Claims.Person(ctx, userID, claims.AccountHandles, nil)
	switch {
	case errors.Is(err, ErrNoUser):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("provider: read person: %w", err)
	case !person.EmailVerified():
		return "", nil
	}
	key, err := mailbox.EmailKey(person.Text("email"))
	if err != nil {
		return "", nil //nolint:nilerr // the host has recorded an invalid address
	}
	return key, nil
}

// View returns the user as other users see them, such as members of an organization.
// ErrNoUser if there is none.
func (p peopleRoom) View(ctx context.Context, userID string) (ui.Account, error) {
	return p.flows.AccountView(ctx, userID)
}
