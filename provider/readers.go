package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/storage"
)

// RecordedAccount is an embedded account, as recorded.
type RecordedAccount struct {
	// ID is the subject.
	ID string `json:"id"`

	// Email is the address as its owner wrote it.
	Email         string `json:"email"`
	EmailVerified bool   `json:"email_verified"`

	// HasPassword reports whether the account can sign in by password; PasswordChangedAt is
	// zero if it never had one.
	HasPassword       bool      `json:"has_password"`
	PasswordChangedAt time.Time `json:"password_changed_at,omitzero"`

	// Disabled accounts cannot sign in.
	Disabled bool `json:"disabled"`

	CreatedAt time.Time `json:"created_at"`
}

func asRecorded(a storage.Account) RecordedAccount {
	return RecordedAccount{
		ID: a.ID, Email: a.Email, EmailVerified: a.EmailVerified,
		HasPassword: a.PasswordHash != "", PasswordChangedAt: a.PasswordChangedAt,
		Disabled: a.Disabled, CreatedAt: a.CreatedAt,
	}
}

// Get returns an embedded account by ID. ErrNoUser if there is none.
func (p Accounts) Get(ctx context.Context, id string) (RecordedAccount, error) {
	a, err := p.store.Account(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return RecordedAccount{}, ErrNoUser
	}
	if err != nil {
		return RecordedAccount{}, fmt.Errorf("provider: read account: %w", err)
	}
	return asRecorded(a), nil
}

// GetByEmail returns the embedded account with an e-mail address, in any spelling of its
// letters. ErrNoUser if there is none, or the address is invalid.
func (p Accounts) GetByEmail(ctx context.Context, email string) (RecordedAccount, error) {
	key, err := account.EmailKey(email)
	if err != nil {
		return RecordedAccount{}, ErrNoUser
	}
	a, err := p.store.AccountByEmail(ctx, key)
	if errors.Is(err, storage.ErrNotFound) {
		return RecordedAccount{}, ErrNoUser
	}
	if err != nil {
		return RecordedAccount{}, fmt.Errorf("provider: read account: %w", err)
	}
	return asRecorded(a), nil
}

// List returns up to limit embedded accounts with IDs after the given one, in a stable
// order: pass "" for the first page, then the last ID of each page.
func (p Accounts) List(ctx context.Context, after string, limit int) ([]RecordedAccount, error) {
	stored, err := p.store.Accounts(ctx, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: list accounts: %w", err)
	}
	accounts := make([]RecordedAccount, len(stored))
	for i, a := range stored {
		accounts[i] = asRecorded(a)
	}
	return accounts, nil
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
	data := PersonalData{UserID: userID}
	for _, read := range []func(context.Context, *PersonalData) error{
		p.readAccount, p.readPerson, p.readConsents, p.readSessions, p.readEvents,
	} {
		if err := read(ctx, &data); err != nil {
			return PersonalData{}, fmt.Errorf("provider: read person: %w", err)
		}
	}
	if data.Account == nil && len(data.Attributes)+len(data.Statuses)+len(data.Consents)+len(data.Events) == 0 {
		return PersonalData{}, ErrNoUser
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
			UserAgent: s.UserAgent, Address: s.Address, CreatedAt: s.CreatedAt, LastSeenAt: s.LastSeenAt, ExpiresAt: s.ExpiresAt,
		})
	}
	return err
}

func (p People) readEvents(ctx context.Context, data *PersonalData) (err error) {
	data.Events, err = Events(p).List(ctx, EventFilter{UserID: data.UserID})
	return err
}

// Get returns the registration of an application, without its secret. Clients.Save accepts
// it, changed or not, and keeps the secret; the logo is the PNG that is served. ErrNoClient
// if there is none.
func (p Clients) Get(ctx context.Context, id string) (Client, error) {
	c, err := p.store.Client(ctx, id)
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.Deleted {
		return Client{}, ErrNoClient
	}
	if err != nil {
		return Client{}, fmt.Errorf("provider: read client: %w", err)
	}
	registered := asClient(c)
	for _, one := range []struct {
		digest storage.Digest
		to     *[]byte
	}{
		{c.Logo, &registered.Logo}, {c.LogoDark, &registered.LogoDark},
		{c.Wordmark, &registered.Wordmark}, {c.WordmarkDark, &registered.WordmarkDark},
	} {
		if one.digest.IsZero() {
			continue
		}
		picture, err := p.store.Image(ctx, one.digest)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return Client{}, fmt.Errorf("provider: read logo: %w", err)
		}
		*one.to = picture.Bytes
	}
	return registered, nil
}

// List returns up to limit registrations with IDs after the given one, in byte order of the
// IDs, without secrets and pictures: to change one, read it with Get. A shorter page is the
// last.
func (p Clients) List(ctx context.Context, after string, limit int) ([]Client, error) {
	var clients []Client
	for len(clients) < limit {
		stored, err := p.store.Clients(ctx, after, limit-len(clients))
		if err != nil {
			return nil, fmt.Errorf("provider: list clients: %w", err)
		}
		if len(stored) == 0 {
			break
		}
		for _, c := range stored {
			if after = c.ID; !c.Deleted {
				clients = append(clients, asClient(c))
			}
		}
	}
	return clients, nil
}

func asClient(c storage.Client) Client {
	registered := Client{
		ID: c.ID, Name: c.Name, Dialect: c.Dialect, Public: c.Public, TokenEndpointAuthMethod: c.AuthMethod,
		RedirectURIs: c.RedirectURIs, PostLogoutRedirectURIs: c.PostLogoutRedirectURIs,
		ResponseTypes: c.ResponseTypes, GrantTypes: c.GrantTypes, Scopes: c.Scopes, OptionalScopes: c.OptionalScopes, Origins: c.Origins, Resources: c.Resources,
		BackchannelLogoutURI: c.BackchannelLogoutURI, BackchannelLogoutSessionRequired: c.BackchannelLogoutSession,
		NoQueryToken: c.NoQueryToken, NoJSONP: c.NoJSONP,
		LeanIDTokens: c.LeanIDTokens, RequireVerified: c.RequireVerified, SkipConsent: c.SkipConsent,
		Unreviewed: c.Unreviewed, Disabled: c.Disabled, Revision: c.Version, ButtonColor: c.ButtonColor, PolicyURL: c.PolicyURL, TermsURL: c.TermsURL,
		TokenEndpointAuthSigningAlg: c.AuthSigningAlg, JWKS: c.JWKS, JWKSURI: c.JWKSURI,
		RequirePushedAuthorizationRequests: c.RequirePushed, RequirePKCE: c.RequirePKCE, RequireSignedRequestObject: c.RequireSignedRequest, RequestObjectSigningAlg: c.RequestSigningAlg,
	}
	if c.JWTAccessTokens {
		registered.AccessTokenFormat = formatJWT
	}
	if c.UserinfoSigned {
		registered.UserinfoSignedResponseAlg = "RS256"
	}
	if c.Public {
		registered.TokenEndpointAuthMethod = "" // as Clients.Save accepts it
	}
	return registered
}
