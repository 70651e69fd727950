package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *suite) renew(t *testing.T) {
	// kept is a grant with the refresh token "kept".
	kept := func(t *testing.T) (storage.Store, storage.Grant) {
		t.Helper()
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "kept")))
		return store, g
	}
	later := t0.Add(48 * time.Hour)
	unchanged := func(t *testing.T, store storage.Store, until time.Time) {
		t.Helper()
		found, _, err := store.Token(t.Context(), storage.RefreshToken, digest("kept"))
		ok(t, err)
		equal(t, found.ExpiresAt, until)
		fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest("next"))), storage.ErrNotFound)
	}
	t.Run("KeepsTheToken", func(t *testing.T) {
		store, g := kept(t)
		for _, name := range []string{"first", "second"} {
			ok(t, store.Renew(t.Context(), digest("kept"), later, token(g, storage.AccessToken, name)))
			ok(t, errOf(store.Token(t.Context(), storage.AccessToken, digest(name))))
		}
		found, _, err := store.Token(t.Context(), storage.RefreshToken, digest("kept"))
		ok(t, err)
		equal(t, found.ExpiresAt, later)
		equal(t, found.SpentAt, time.Time{})
		ok(t, store.Exchange(t.Context(), digest("kept"), t0, token(g, storage.RefreshToken, "successor")))
	})
	for name, c := range map[string]struct {
		before func(t *testing.T, store storage.Store, g storage.Grant)
		want   error
	}{
		"NotOnceExchanged": {func(t *testing.T, store storage.Store, _ storage.Grant) {
			ok(t, store.Exchange(t.Context(), digest("kept"), t0))
		}, storage.ErrSpent},
		"NeedsGrantInForce": {func(t *testing.T, store storage.Store, g storage.Grant) {
			ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)))
		}, storage.ErrEnded},
		"NeverOverwrites": {func(t *testing.T, store storage.Store, g storage.Grant) {
			ok(t, store.Renew(t.Context(), digest("kept"), token(g, storage.RefreshToken, "kept").ExpiresAt, token(g, storage.AccessToken, "other")))
		}, storage.ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			store, g := kept(t)
			c.before(t, store, g)
			fails(t, store.Renew(t.Context(), digest("kept"), later, token(g, storage.AccessToken, "next"), token(g, storage.AccessToken, "other")), c.want)
			unchanged(t, store, token(g, storage.RefreshToken, "kept").ExpiresAt)
		})
	}
	t.Run("OfUnknownIsNotFound", func(t *testing.T) {
		store, g := kept(t)
		fails(t, store.Renew(t.Context(), digest("guess"), later, token(g, storage.AccessToken, "next")), storage.ErrNotFound)
	})
}
