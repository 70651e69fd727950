package provider

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/recent"
	"github.com/bonafide-id/bonafide/storage"
)

// recentAge is how long an answer about an access token or a person may come from
// memory. What one process changes it forgets at once, so only a change by another
// process is seen as late as that.
const recentAge = time.Second

// maxRecent bounds how many tokens and how many people are kept, some megabytes.
const maxRecent = 4096

// recentStore answers again from memory what the data endpoints ask with every
// request: whose an access token is, and what is recorded about that person. Every
// change of either goes through it. Codes and refresh tokens, accounts, sessions and
// consents are always read.
type recentStore struct {
	storage.Store
	tokens *recent.Cache[storage.Digest, tokenAndGrant]
	people *recent.Cache[string, storage.Person]
}

type tokenAndGrant struct {
	token storage.Token
	grant storage.Grant
}

func newRecentStore(store storage.Store, clock func() time.Time) *recentStore {
	return &recentStore{
		Store:  store,
		tokens: recent.New[storage.Digest, tokenAndGrant](recentAge, maxRecent, clock),
		people: recent.New[string, storage.Person](recentAge, maxRecent, clock),
	}
}

// Token implements storage.Grants. Nobody may change the slices of what it returns.
func (s *recentStore) Token(ctx context.Context, kind storage.TokenKind, digest storage.Digest) (storage.Token, storage.Grant, error) {
	if kind != storage.AccessToken {
		return s.Store.Token(ctx, kind, digest)
	}
	found, err := s.tokens.Get(digest, func() (found tokenAndGrant, err error) {
		found.token, found.grant, err = s.Store.Token(ctx, kind, digest)
		return found, err
	})
	return found.token, found.grant, err
}

// Person implements storage.People. Nobody may change the map or the slices of what
// it returns.
func (s *recentStore) Person(ctx context.Context, subject string) (storage.Person, error) {
	return s.people.Get(subject, func() (storage.Person, error) { return s.Store.Person(ctx, subject) })
}

// What follows changes what is kept. It is forgotten after the change, and after an
// error too: the change may have been made all the same.

// Exchange implements storage.Grants.
func (s *recentStore) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	defer s.tokens.Forget(spent)
	return s.Store.Exchange(ctx, spent, at, issued...)
}

// RevokeGrants implements storage.Grants.
func (s *recentStore) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	defer s.tokens.Clear()
	return s.Store.RevokeGrants(ctx, match, at)
}

// RevokeConsent implements storage.Consents.
func (s *recentStore) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	defer s.tokens.Clear()
	return s.Store.RevokeConsent(ctx, subject, clientID, at)
}

// DeleteClient implements storage.Clients.
func (s *recentStore) DeleteClient(ctx context.Context, id string) error {
	defer s.tokens.Clear()
	return s.Store.DeleteClient(ctx, id)
}

// CreateAccount implements storage.Accounts.
func (s *recentStore) CreateAccount(ctx context.Context, a storage.Account) error {
	defer s.people.Forget(a.ID)
	return s.Store.CreateAccount(ctx, a)
}

// SetEmail implements storage.Accounts.
func (s *recentStore) SetEmail(ctx context.Context, id, email, key string, verified bool) error {
	defer s.people.Forget(id)
	return s.Store.SetEmail(ctx, id, email, key, verified)
}

// SetPassword implements storage.Accounts.
func (s *recentStore) SetPassword(ctx context.Context, id, hash string, keep storage.Digest, at time.Time) error {
	defer s.tokens.Clear()
	return s.Store.SetPassword(ctx, id, hash, keep, at)
}

// SetDisabled implements storage.Accounts.
func (s *recentStore) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	defer s.forgetAccount(id)
	return s.Store.SetDisabled(ctx, id, disabled, at)
}

// DeleteAccount implements storage.Accounts.
func (s *recentStore) DeleteAccount(ctx context.Context, id string) error {
	defer s.forgetAccount(id)
	return s.Store.DeleteAccount(ctx, id)
}

func (s *recentStore) forgetAccount(id string) {
	s.tokens.Clear()
	s.people.Forget(id)
}

// SetAttributes implements storage.People.
func (s *recentStore) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage) error {
	defer s.people.Forget(subject)
	return s.Store.SetAttributes(ctx, subject, values)
}

// SetStatus implements storage.People.
func (s *recentStore) SetStatus(ctx context.Context, subject string, status storage.Status) error {
	defer s.people.Forget(subject)
	return s.Store.SetStatus(ctx, subject, status)
}

// RemoveStatus implements storage.People.
func (s *recentStore) RemoveStatus(ctx context.Context, subject, group string) error {
	defer s.people.Forget(subject)
	return s.Store.RemoveStatus(ctx, subject, group)
}
