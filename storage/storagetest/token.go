package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// withCode makes a store with one grant and its code, "code".
func (s *suite) withCode(t *testing.T) (storage.Store, storage.Grant) {
	t.Helper()
	store := s.store(t)
	return store, grantWithCode(t, store)
}

func grantWithCode(t *testing.T, store storage.Store) storage.Grant {
	t.Helper()
	saveClient(t, store, "client")
	g := grant("g", "client", "subject")
	ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AuthorizationCode, "code")))
	return g
}

func (s *suite) tokens(t *testing.T) {
	t.Run("KindsAreApart", func(t *testing.T) {
		store, _ := s.withCode(t)
		for _, kind := range []storage.TokenKind{storage.AccessToken, storage.RefreshToken} {
			fails(t, errOf(store.Token(t.Context(), kind, digest("code"))), storage.ErrNotFound)
		}
	})
	t.Run("UnknownIsNotFound", func(t *testing.T) {
		store, _ := s.withCode(t)
		fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, digest("guess"))), storage.ErrNotFound)
		fails(t, errOf(store.Token(t.Context(), storage.AuthorizationCode, storage.Digest{})), storage.ErrNotFound)
	})
	t.Run("ExchangeSpendsAndIssues", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), elsewhere,
			token(g, storage.AccessToken, "access"), token(g, storage.RefreshToken, "refresh")))
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, asStored)
		access, _, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		ok(t, err)
		equal(t, access, token(g, storage.AccessToken, "access"))
		refresh, _, err := store.Token(t.Context(), storage.RefreshToken, digest("refresh"))
		ok(t, err)
		want := token(g, storage.RefreshToken, "refresh")
		want.Parent = digest("code")
		equal(t, refresh, want)
	})
	t.Run("ExchangeForNothingRevokes", func(t *testing.T) {
		store, _ := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0))
		fails(t, store.Exchange(t.Context(), digest("code"), t0), storage.ErrSpent)
	})
	t.Run("ExchangeHappensOnce", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0))
		later := t0.Add(time.Second)
		fails(t, store.Exchange(t.Context(), digest("code"), later, token(g, storage.AccessToken, "access")), storage.ErrSpent)
		fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest("access"))), storage.ErrNotFound)
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, t0)
	})
	t.Run("ExchangeOfUnknownIsNotFound", func(t *testing.T) {
		store, g := s.withCode(t)
		fails(t, store.Exchange(t.Context(), digest("guess"), t0, token(g, storage.AccessToken, "access")), storage.ErrNotFound)
		fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest("access"))), storage.ErrNotFound)
	})
	t.Run("ExchangeNeedsGrantInForce", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)))
		fails(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.AccessToken, "access")), storage.ErrEnded)
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, time.Time{})
		fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest("access"))), storage.ErrNotFound)
	})
	t.Run("EndedGoesBeforeSpent", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0))
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)))
		fails(t, store.Exchange(t.Context(), digest("code"), t0), storage.ErrEnded)
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0)), storage.ErrEnded)
	})
	t.Run("FailedExchangeSpendsNothing", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "refresh")))
		fails(t, store.Exchange(t.Context(), digest("refresh"), t0,
			token(g, storage.RefreshToken, "next"), token(g, storage.AccessToken, "code"),
		), storage.ErrConflict)

		refresh, _, err := store.Token(t.Context(), storage.RefreshToken, digest("refresh"))
		ok(t, err)
		equal(t, refresh.SpentAt, time.Time{})
		fails(t, errOf(store.Token(t.Context(), storage.RefreshToken, digest("next"))), storage.ErrNotFound)
		ok(t, store.Exchange(t.Context(), digest("refresh"), t0, token(g, storage.RefreshToken, "next")))
	})
	t.Run("Reissue", s.reissue)
	t.Run("Derive", s.derive)
	t.Run("Renew", s.renew)
}

// graceAt admits what was spent at a moment or within the second after it.
func graceAt(at time.Time) storage.Grace {
	return storage.Grace{NotBefore: at, NotAfter: at.Add(time.Second), Successors: 3}
}

func (s *suite) reissue(t *testing.T) {
	// lost is a grant whose code was exchanged at t0 for "lost".
	lost := func(t *testing.T) (storage.Store, storage.Grant) {
		t.Helper()
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "lost")))
		return store, g
	}
	found := func(t *testing.T, store storage.Store, name string) storage.Token {
		t.Helper()
		got, _, err := store.Token(t.Context(), storage.RefreshToken, digest(name))
		ok(t, err)
		return got
	}
	none := func(t *testing.T, store storage.Store, name string) {
		t.Helper()
		fails(t, errOf(store.Token(t.Context(), storage.RefreshToken, digest(name))), storage.ErrNotFound)
	}
	t.Run("AnswersAgainWithinGrace", func(t *testing.T) {
		store, g := lost(t)
		for i, notBefore := range []time.Time{t0, t0.Add(-time.Second)} {
			name := []string{"first", "second"}[i]
			ok(t, store.Reissue(t.Context(), digest("code"), graceAt(notBefore), token(g, storage.RefreshToken, name)))
			equal(t, found(t, store, name).Parent, digest("code"))
		}
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, t0) // the grace is not extended
	})
	t.Run("EndsWithGrace", func(t *testing.T) {
		store, g := lost(t)
		for _, other := range []time.Time{t0.Add(time.Microsecond), t0.Add(-time.Second - time.Microsecond)} {
			fails(t, store.Reissue(t.Context(), digest("code"), graceAt(other), token(g, storage.RefreshToken, "late")), storage.ErrSpent)
		}
		none(t, store, "late")
	})
	t.Run("EndsWhenASuccessorIsUsed", func(t *testing.T) {
		store, g := lost(t)
		ok(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, "repeat")))
		ok(t, store.Exchange(t.Context(), digest("lost"), t0, token(g, storage.RefreshToken, "next")))
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, "late")), storage.ErrSpent)
		none(t, store, "late")
	})
	t.Run("FirstUseSpendsTheOthers", func(t *testing.T) {
		for _, used := range []string{"lost", "first", "second"} {
			store, g := lost(t)
			for _, name := range []string{"first", "second"} {
				ok(t, store.Reissue(t.Context(), digest("code"), graceAt(t0),
					token(g, storage.RefreshToken, name), token(g, storage.AccessToken, name+" access")))
			}
			at := t0.Add(time.Minute)
			ok(t, store.Exchange(t.Context(), digest(used), at, token(g, storage.RefreshToken, "next")))
			for _, name := range []string{"lost", "first", "second"} {
				equal(t, found(t, store, name).SpentAt, at)
				if name != used { // it was never exchanged, so there is nothing to repeat
					fails(t, store.Exchange(t.Context(), digest(name), at, token(g, storage.RefreshToken, "fork")), storage.ErrSpent)
					fails(t, store.Reissue(t.Context(), digest(name), graceAt(at), token(g, storage.RefreshToken, "fork")), storage.ErrSpent)
				}
			}
			none(t, store, "fork")
			equal(t, found(t, store, "next").SpentAt, time.Time{})
		}
	})
	t.Run("IsBounded", func(t *testing.T) {
		store, g := lost(t)
		for _, name := range []string{"second", "third"} {
			ok(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, name)))
		}
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, "fourth")), storage.ErrLimit)
		none(t, store, "fourth")
	})
	t.Run("NeedsASuccessor", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0)) // a revocation
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, "next")), storage.ErrSpent)
	})
	t.Run("IsNotFirst", func(t *testing.T) {
		store, g := s.withCode(t)
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, "next")), storage.ErrNotFound)
		none(t, store, "next")
	})
	t.Run("OfUnknownIsNotFound", func(t *testing.T) {
		store, _ := lost(t)
		fails(t, store.Reissue(t.Context(), digest("guess"), graceAt(t0)), storage.ErrNotFound)
	})
	t.Run("NeedsGrantInForce", func(t *testing.T) {
		store, g := lost(t)
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)))
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0), token(g, storage.RefreshToken, "next")), storage.ErrEnded)
		none(t, store, "next")
	})
	t.Run("NeverOverwrites", func(t *testing.T) {
		store, g := lost(t)
		fails(t, store.Reissue(t.Context(), digest("code"), graceAt(t0),
			token(g, storage.RefreshToken, "new"), token(g, storage.RefreshToken, "lost")), storage.ErrConflict)
		none(t, store, "new")
	})
}
