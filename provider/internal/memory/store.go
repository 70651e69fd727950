// Package memory keeps, for less than a second, what was read from the store: clients, the
// grants of codes and access tokens, personal data, and, for one endpoint, sessions and
// consents.
//
// It is the only memory in front of the store, and package cache has its one rule: a process
// forgets its own changes at once; a change by another process is seen after cache.Age at
// the latest. Refresh tokens and accounts are always read. The keys of package keyring are no
// cache: they are read as often, and stay when the store is away.
package memory

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// maxKept limits the number of cached records of each kind, of some kilobyte each.
const maxKept = 1024

// Store is a store with that memory. Every write goes through it and says what it changes
// (write.go).
//
// Whether another process has redeemed a code, or ended a session, is decided in the
// database, by the write that relies on it.
type Store struct {
	storage.Store
	clients *cache.Cache[string, *registry.Client] // nil for an identifier that no client has
	tokens  *cache.Cache[storage.Digest, *engine.Issued]
	people  *cache.Cache[string, *storage.Person]

	// For the authorization endpoint: see signedin.go.
	sessions *cache.Cache[storage.Digest, *signedIn]
	consents *cache.Cache[storage.ConsentID, *storage.Consent]
}

// New returns a store with a memory.
func New(store storage.Store, clock func() time.Time) *Store {
	return &Store{
		Store:    store,
		clients:  cache.New[string, *registry.Client](cache.Age, maxKept, clock),
		tokens:   cache.New[storage.Digest, *engine.Issued](cache.Age, maxKept, clock),
		people:   cache.New[string, *storage.Person](cache.Age, maxKept, clock),
		sessions: cache.New[storage.Digest, *signedIn](cache.Age, maxKept, clock),
		consents: cache.New[storage.ConsentID, *storage.Consent](cache.Age, maxKept, clock),
	}
}

// changed names what a write may have changed; a zero field names nothing.
type changed struct {
	client  string
	person  string
	token   storage.Digest
	session storage.Digest
	consent storage.ConsentID
	every   kinds
}

// kinds are kinds of records of which a write may have changed any.
type kinds uint8

const (
	tokens kinds = 1 << iota
	sessions
	consents
	people
	clients
)

// forget makes the next reading of what has changed come from the store. Call it when the
// write has returned, also with an error: it may have been made all the same.
func (s *Store) forget(c changed) {
	forget(s.clients, c.client, c.every&clients != 0)
	forget(s.tokens, c.token, c.every&tokens != 0)
	forget(s.people, c.person, c.every&people != 0)
	forget(s.sessions, c.session, c.every&sessions != 0)
	forget(s.consents, c.consent, c.every&consents != 0)
}

// forget drops every value, or that of a key unless it is zero.
func forget[K comparable, V any](from *cache.Cache[K, V], key K, every bool) {
	var none K
	if every {
		from.Clear()
	} else if key != none {
		from.Forget(key)
	}
}

// ForgetPerson forgets a subject's data: somebody else may have just changed it.
func (s *Store) ForgetPerson(subject string) { s.forget(changed{person: subject}) }

// Recent returns a subject's data. Callers share it and must not change it.
func (s *Store) Recent(ctx context.Context, subject string) (*storage.Person, error) {
	return s.people.Get(subject, func() (*storage.Person, error) {
		person, err := s.Person(ctx, subject)
		return &person, err
	})
}
