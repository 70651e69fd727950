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
	ok(t, store.CreateGrant(t.Context(), g, token(g, storage.AuthorizationCode, "code")))
	return g
}

func (s *suite) tokens(t *testing.T) {
	t.Run("KindsAreApart", func(t *testing.T) {
		store, _ := s.withCode(t)
		for _, kind := range []storage.TokenKind{storage.AccessToken, storage.RefreshToken} {
			_, _, err := store.Token(t.Context(), kind, digest("code"))
			fails(t, err, storage.ErrNotFound)
		}
	})
	t.Run("UnknownIsNotFound", func(t *testing.T) {
		store, _ := s.withCode(t)
		_, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("guess"))
		fails(t, err, storage.ErrNotFound)
		_, _, err = store.Token(t.Context(), storage.AuthorizationCode, storage.Digest{})
		fails(t, err, storage.ErrNotFound)
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
		equal(t, refresh, token(g, storage.RefreshToken, "refresh"))
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
		_, _, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		fails(t, err, storage.ErrNotFound)
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, t0)
	})
	t.Run("ExchangeOfUnknownIsNotFound", func(t *testing.T) {
		store, g := s.withCode(t)
		fails(t, store.Exchange(t.Context(), digest("guess"), t0, token(g, storage.AccessToken, "access")), storage.ErrNotFound)
		_, _, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("ExchangeNeedsGrantInForce", func(t *testing.T) {
		store, g := s.withCode(t)
		_, err := store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)
		ok(t, err)
		fails(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.AccessToken, "access")), storage.ErrEnded)
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, time.Time{})
		_, _, err = store.Token(t.Context(), storage.AccessToken, digest("access"))
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("EndedGoesBeforeSpent", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0))
		_, err := store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)
		ok(t, err)
		fails(t, store.Exchange(t.Context(), digest("code"), t0), storage.ErrEnded)
		fails(t, store.Reissue(t.Context(), digest("code"), t0.Add(time.Hour)), storage.ErrEnded)
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
		_, _, err = store.Token(t.Context(), storage.RefreshToken, digest("next"))
		fails(t, err, storage.ErrNotFound)
		ok(t, store.Exchange(t.Context(), digest("refresh"), t0, token(g, storage.RefreshToken, "next")))
	})
	t.Run("Reissue", s.reissue)
}

func (s *suite) reissue(t *testing.T) {
	spent := func(t *testing.T) (storage.Store, storage.Grant) {
		t.Helper()
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.AccessToken, "lost")))
		return store, g
	}
	t.Run("AnswersAgainWithinGrace", func(t *testing.T) {
		store, g := spent(t)
		for i, notBefore := range []time.Time{t0, t0.Add(-time.Second)} {
			name := []string{"first", "second"}[i]
			ok(t, store.Reissue(t.Context(), digest("code"), notBefore, token(g, storage.AccessToken, name)))
			_, _, err := store.Token(t.Context(), storage.AccessToken, digest(name))
			ok(t, err)
		}
		code, _, err := store.Token(t.Context(), storage.AuthorizationCode, digest("code"))
		ok(t, err)
		equal(t, code.SpentAt, t0) // the grace is not extended
	})
	t.Run("EndsWithGrace", func(t *testing.T) {
		store, g := spent(t)
		fails(t, store.Reissue(t.Context(), digest("code"), t0.Add(time.Microsecond),
			token(g, storage.AccessToken, "late")), storage.ErrSpent)
		_, _, err := store.Token(t.Context(), storage.AccessToken, digest("late"))
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("IsNotFirst", func(t *testing.T) {
		store, g := s.withCode(t)
		fails(t, store.Reissue(t.Context(), digest("code"), t0,
			token(g, storage.AccessToken, "access")), storage.ErrNotFound)
		_, _, err := store.Token(t.Context(), storage.AccessToken, digest("access"))
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("OfUnknownIsNotFound", func(t *testing.T) {
		store, _ := spent(t)
		fails(t, store.Reissue(t.Context(), digest("guess"), t0), storage.ErrNotFound)
	})
	t.Run("NeedsGrantInForce", func(t *testing.T) {
		store, g := spent(t)
		_, err := store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)
		ok(t, err)
		fails(t, store.Reissue(t.Context(), digest("code"), t0,
			token(g, storage.AccessToken, "access")), storage.ErrEnded)
		_, _, err = store.Token(t.Context(), storage.AccessToken, digest("access"))
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("NeverOverwrites", func(t *testing.T) {
		store, g := spent(t)
		fails(t, store.Reissue(t.Context(), digest("code"), t0,
			token(g, storage.AccessToken, "new"), token(g, storage.AccessToken, "lost")), storage.ErrConflict)
		_, _, err := store.Token(t.Context(), storage.AccessToken, digest("new"))
		fails(t, err, storage.ErrNotFound)
	})
}
