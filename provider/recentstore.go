package provider

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/recent"
	"github.com/bonafide-id/bonafide/storage"
)

// recentAge is how long an answer about an access token or a person may come from
// memory. What one process changes it forgets at once, so only a change by another
// process is seen as late as that.
const recentAge = time.Second

// maxRecent bounds how many tokens and how many people are kept, of some kilobyte each.
const maxRecent = 1024

// recentStore answers again from memory whose a code or access token is, and what is
// recorded about a person. Every change of either goes through it. Refresh tokens,
// accounts, sessions and consents are always read.
//
// It shows the store to the engine: what that has issued a moment ago is known
// without reading. A code that another process has redeemed meanwhile is found out
// by the exchange, which asks the database.
type recentStore struct {
	storage.Store
	issued *recent.Cache[storage.Digest, *engine.Issued]
	people *recent.Cache[string, *storage.Person]
}

func newRecentStore(store storage.Store, clock func() time.Time) *recentStore {
	return &recentStore{
		Store:  store,
		issued: recent.New[storage.Digest, *engine.Issued](recentAge, maxRecent, clock),
		people: recent.New[string, *storage.Person](recentAge, maxRecent, clock),
	}
}

// person returns what is recorded about a subject. Many requests may share it:
// nobody changes it.
func (s *recentStore) person(ctx context.Context, subject string) (*storage.Person, error) {
	return s.people.Get(subject, func() (*storage.Person, error) {
		person, err := s.Person(ctx, subject)
		return &person, err
	})
}

// What follows changes what is kept. It is forgotten after the change, and after an
// error too: the change may have been made all the same.

// Exchange implements storage.Grants.
func (s *recentStore) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	defer s.issued.Forget(spent)
	return s.Store.Exchange(ctx, spent, at, issued...)
}

// RevokeGrants implements storage.Grants.
func (s *recentStore) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	defer s.issued.Clear()
	return s.Store.RevokeGrants(ctx, match, at)
}

// RevokeConsent implements storage.Consents.
func (s *recentStore) RevokeConsent(ctx context.Context, subject, clientID string, at time.Time) error {
	defer s.issued.Clear()
	return s.Store.RevokeConsent(ctx, subject, clientID, at)
}

// DeleteClient implements storage.Clients.
func (s *recentStore) DeleteClient(ctx context.Context, id string) error {
	defer s.issued.Clear()
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
	defer s.issued.Clear()
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
	s.issued.Clear()
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
