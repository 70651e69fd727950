package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// derived is a token that was exchanged for another.
func derived(g storage.Grant, name, parent string, actors ...string) storage.Token {
	t := token(g, storage.AccessToken, name)
	t.Parent, t.Actors = digest(parent), actors
	return t
}

// subjectToken makes a store with a grant and its access token, "subject".
func subjectToken(t *testing.T, store storage.Store) storage.Grant {
	t.Helper()
	g := grantWithCode(t, store)
	ok(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.AccessToken, "subject")))
	return g
}

func noToken(t *testing.T, store storage.Store, name string) {
	t.Helper()
	fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest(name))), storage.ErrNotFound)
}

func (s *suite) derive(t *testing.T) {
	s.test(t, "KeepsTheChainAndTheSubject", func(t *testing.T, store storage.Store) {
		g := subjectToken(t, store)
		first := derived(g, "first", "subject", "api")
		first.JKT, first.Scopes, first.Resources = digest("key"), []string{}, []string{"https://b.test"}
		second := derived(g, "second", "first", "other", "api")
		for _, issued := range []storage.Token{first, second} {
			ok(t, store.Derive(t.Context(), issued))
			got, of, err := store.Token(t.Context(), storage.AccessToken, issued.Digest)
			ok(t, err)
			equal(t, got, issued)
			equal(t, of.ID, g.ID)
		}
		subject, _, err := store.Token(t.Context(), storage.AccessToken, digest("subject"))
		ok(t, err)
		equal(t, subject, token(g, storage.AccessToken, "subject"))
	})
	s.test(t, "NeedsASubjectInForce", func(t *testing.T, store storage.Store) {
		g := subjectToken(t, store)
		late := derived(g, "new", "subject", "api")
		late.CreatedAt = t0.Add(time.Hour) // when the subject expires
		fails(t, store.Derive(t.Context(), late), storage.ErrSpent)
		fails(t, store.Derive(t.Context(), derived(g, "new", "guess", "api")), storage.ErrNotFound)
		fails(t, store.Derive(t.Context(), derived(g, "subject", "subject", "api")), storage.ErrConflict)
		ok(t, store.Exchange(t.Context(), digest("subject"), t0))
		fails(t, store.Derive(t.Context(), derived(g, "new", "subject", "api")), storage.ErrSpent)
		noToken(t, store, "new")
	})
	s.test(t, "NeedsTheGrantOfTheSubject", func(t *testing.T, store storage.Store) {
		g := subjectToken(t, store)
		other := grant("other", "client", "another")
		ok(t, store.CreateGrant(t.Context(), other, storage.Basis{}))
		fails(t, store.Derive(t.Context(), derived(other, "new", "subject", "api")), storage.ErrNotFound)
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)))
		fails(t, store.Derive(t.Context(), derived(g, "new", "subject", "api")), storage.ErrEnded)
		noToken(t, store, "new")
	})
}

// raceDerive has exchanges of a token race its revocation: what the database says afterwards is
// what each caller was told.
func (s *suite) raceDerive(t *testing.T) {
	for name, end := range map[string]func(store storage.Store, g storage.Grant) error{
		"Token": func(store storage.Store, _ storage.Grant) error {
			return store.Exchange(t.Context(), digest("subject"), t0)
		},
		"Grant": func(store storage.Store, g storage.Grant) error {
			return errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0))
		},
	} {
		s.pair(t, name, func(t *testing.T, stores []storage.Store) {
			g := subjectToken(t, stores[0])
			errs := race(stores, func(i int, store storage.Store) error {
				if i == 0 {
					return end(store, g)
				}
				return store.Derive(t.Context(), derived(g, fmt.Sprint("new ", i), "subject", "api"))
			})
			ok(t, errs[0])
			for i, err := range errs[1:] {
				if err != nil && !errors.Is(err, storage.ErrSpent) && !errors.Is(err, storage.ErrEnded) {
					t.Errorf("derive: %v", err)
				}
				_, _, lookup := stores[0].Token(t.Context(), storage.AccessToken, digest(fmt.Sprint("new ", i+1)))
				if (err == nil) != (lookup == nil) {
					t.Errorf("derive returned %v, but its token %v", err, lookup)
				}
			}
			if err := stores[1].Derive(t.Context(), derived(g, "late", "subject", "api")); err == nil {
				t.Error("a token that has ended was exchanged")
			}
		})
	}
}
