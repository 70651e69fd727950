// Package memory caches, for less than a second, what was read from the store: the grant of
// a code or an access token, and a person's data.
//
// One rule holds for every cache of a provider (package cache, and the engine's
// registrations): a process forgets its own changes at once, so that only a change by
// another process is seen late, and never by more than a second. Refresh tokens and
// accounts are always read, and so are sessions and consents unless they are conditions of
// the write that they are read for (signedin.go).
package memory

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// Age is how long a cached answer is valid.
const Age = time.Second

// maxRecent limits the number of cached tokens, and of people, of some kilobyte each.
const maxRecent = 1024

// Store is a store with that cache. Every change of a token or a person goes through it.
//
// It serves the engine, which need not read what it has just issued. Whether another
// process has redeemed a code meanwhile is decided by the exchange, in the database.
type Store struct {
	storage.Store
	issued *cache.Cache[storage.Digest, *engine.Issued]
	people *cache.Cache[string, *storage.Person]

	// For the authorization endpoint: see signedin.go.
	sessions *cache.Cache[storage.Digest, *signedIn]
	consents *cache.Cache[storage.ConsentID, *storage.Consent]
}

// New returns a store with a memory.
func New(store storage.Store, clock func() time.Time) *Store {
	return &Store{
		Store:  store,
		issued: cache.New[storage.Digest, *engine.Issued](Age, maxRecent, clock),
		people: cache.New[string, *storage.Person](Age, maxRecent, clock),

		sessions: cache.New[storage.Digest, *signedIn](Age, maxRecent, clock),
		consents: cache.New[storage.ConsentID, *storage.Consent](Age, maxRecent, clock),
	}
}

// Recent returns a subject's data. Callers share it and must not change it.
func (s *Store) Recent(ctx context.Context, subject string) (*storage.Person, error) {
	return s.people.Get(subject, func() (*storage.Person, error) {
		person, err := s.Person(ctx, subject)
		return &person, err
	})
}

// ForgetPerson forgets a subject's data: another process may have just changed it.
func (s *Store) ForgetPerson(subject string) { s.people.Forget(subject) }

// ForgetIssued forgets all tokens: many have been ended at once.
func (s *Store) ForgetIssued() { s.issued.Clear() }

// These operations change cached data. They forget it after the change, and after an error
// too, because the change may have been made all the same.

// Exchange implements storage.Grants.
func (s *Store) Exchange(ctx context.Context, spent storage.Digest, at time.Time, issued ...storage.Token) error {
	defer s.issued.Forget(spent)
	return s.Store.Exchange(ctx, spent, at, issued...)
}

// Elapse implements storage.Store.
func (s *Store) Elapse(ctx context.Context, e storage.Elapsed) error {
	defer s.people.Clear()
	defer s.issued.Clear()
	defer s.sessions.Clear()
	defer s.consents.Clear()
	return s.Store.Elapse(ctx, e)
}

// RevokeGrants implements storage.Grants.
func (s *Store) RevokeGrants(ctx context.Context, match storage.GrantFilter, at time.Time) (int, error) {
	defer s.issued.Clear()
	return s.Store.RevokeGrants(ctx, match, at)
}

// CreateAccount implements storage.Accounts.
func (s *Store) CreateAccount(ctx context.Context, a storage.Account) error {
	defer s.people.Forget(a.ID)
	return s.Store.CreateAccount(ctx, a)
}

// SetEmail implements storage.Accounts.
func (s *Store) SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error {
	defer s.people.Forget(id)
	return s.Store.SetEmail(ctx, id, oldKey, email, key, verified)
}

// ChangeEmail implements storage.Accounts.
func (s *Store) ChangeEmail(ctx context.Context, c storage.EmailChange) error {
	defer s.forgetAccount(c.AccountID)
	return s.Store.ChangeEmail(ctx, c)
}

// ReturnEmail implements storage.EmailReturns.
func (s *Store) ReturnEmail(ctx context.Context, r storage.EmailReturn) (storage.Account, error) {
	defer s.forgetAccount(r.AccountID)
	return s.Store.ReturnEmail(ctx, r)
}

// SetDeletion implements storage.Deletions.
func (s *Store) SetDeletion(ctx context.Context, id string, epoch int64, deleteAt, at time.Time) error {
	defer s.forgetAccount(id)
	return s.Store.SetDeletion(ctx, id, epoch, deleteAt, at)
}

// DeleteDueAccount implements storage.Deletions.
func (s *Store) DeleteDueAccount(ctx context.Context, id, pseudonym string, now time.Time) (bool, error) {
	defer s.forgetAccount(id)
	return s.Store.DeleteDueAccount(ctx, id, pseudonym, now)
}

// SetPassword implements storage.Accounts.
func (s *Store) SetPassword(ctx context.Context, id string, epoch int64, hash string, at time.Time, begin ...storage.Session) error {
	defer s.sessions.Clear()
	defer s.issued.Clear()
	return s.Store.SetPassword(ctx, id, epoch, hash, at, begin...)
}

// SetDisabled implements storage.Accounts.
func (s *Store) SetDisabled(ctx context.Context, id string, disabled bool, at time.Time) error {
	defer s.forgetAccount(id)
	return s.Store.SetDisabled(ctx, id, disabled, at)
}

// DeleteAccount implements storage.Accounts.
func (s *Store) DeleteAccount(ctx context.Context, id, pseudonym string) (bool, error) {
	defer s.forgetAccount(id)
	return s.Store.DeleteAccount(ctx, id, pseudonym)
}

// EndIssued implements storage.Accounts.
func (s *Store) EndIssued(ctx context.Context, id string, at time.Time) error {
	defer s.sessions.Clear()
	defer s.issued.Clear()
	return s.Store.EndIssued(ctx, id, at)
}

func (s *Store) forgetAccount(id string) {
	s.sessions.Clear()
	s.issued.Clear()
	s.people.Forget(id)
}

// SetAttributes implements storage.People.
func (s *Store) SetAttributes(ctx context.Context, subject string, values map[string]json.RawMessage, on ...storage.PersonBasis) error {
	defer s.people.Forget(subject)
	return s.Store.SetAttributes(ctx, subject, values, on...)
}

// SetOwnAttributes implements storage.People.
func (s *Store) SetOwnAttributes(ctx context.Context, accountID string, epoch int64, values map[string]json.RawMessage, at time.Time) error {
	defer s.people.Forget(accountID)
	return s.Store.SetOwnAttributes(ctx, accountID, epoch, values, at)
}

// SetStatus implements storage.People.
func (s *Store) SetStatus(ctx context.Context, subject string, status storage.Status, replaced int64, on ...storage.PersonBasis) error {
	defer s.people.Forget(subject)
	return s.Store.SetStatus(ctx, subject, status, replaced, on...)
}

// RemoveStatus implements storage.People.
func (s *Store) RemoveStatus(ctx context.Context, subject, group string) error {
	defer s.people.Forget(subject)
	return s.Store.RemoveStatus(ctx, subject, group)
}
