package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// sweepAll removes everything that has ended, three rows of a kind at a time: a step removes
// fewer if it takes long.
func sweepAll(t *testing.T, store storage.Store, now time.Time) (total int) {
	t.Helper()
	for {
		removed := must(store.Sweep(t.Context(), now, 3))(t)
		if removed == 0 {
			return total
		}
		total += removed
	}
}

// trimAll removes what is old, a few rows of each of some sorts at a time.
func trimAll(t *testing.T, store storage.Trims, what storage.Trim, sorts int) (total int) {
	t.Helper()
	for range 100 {
		removed := must(store.Trim(t.Context(), what, 3))(t)
		if removed == 0 {
			return total
		}
		if removed > 3*sorts {
			t.Errorf("%d are removed, want 3 of each sort at most", removed)
		}
		total += removed
	}
	t.Error("there is no end to it")
	return total
}

func (s *suite) sweep(t *testing.T) {
	found := func(t *testing.T, store storage.Store, kind storage.TokenKind, name string) bool {
		t.Helper()
		_, _, err := store.Token(t.Context(), kind, digest(name))
		if err != nil {
			fails(t, err, storage.ErrNotFound)
		}
		return err == nil
	}
	hour, day := t0.Add(time.Hour), t0.Add(24*time.Hour) // the ends of token and grant

	t.Run("NothingAtFirst", func(t *testing.T) {
		equal(t, sweepAll(t, s.store(t), t0), 0)
	})
	t.Run("AccessTokensGoAtTheirEnd", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0,
			token(g, storage.AccessToken, "access"), token(g, storage.RefreshToken, "refresh")))
		equal(t, sweepAll(t, store, hour.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, hour), 1)
		equal(t, found(t, store, storage.AccessToken, "access"), false)
	})
	t.Run("SpentCodesAndRefreshTokensStayAsLongAsTheirGrant", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, store.Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "refresh")))
		ok(t, store.Exchange(t.Context(), digest("refresh"), t0, token(g, storage.RefreshToken, "next")))
		equal(t, sweepAll(t, store, day.Add(-time.Microsecond)), 0)
		fails(t, store.Exchange(t.Context(), digest("code"), hour), storage.ErrSpent)
		fails(t, store.Exchange(t.Context(), digest("refresh"), hour), storage.ErrSpent)
	})
	t.Run("GrantsGoWithAllTheirTokens", func(t *testing.T) {
		store, g := s.withCode(t)
		issued := make([]storage.Token, 10)
		for i := range issued {
			issued[i] = token(g, storage.RefreshToken, fmt.Sprint("refresh ", i))
		}
		ok(t, store.Exchange(t.Context(), digest("code"), t0, issued...))
		other := grant("other", "client", "subject")
		other.ExpiresAt = day.Add(time.Microsecond)
		ok(t, store.CreateGrant(t.Context(), other, storage.Basis{}, token(other, storage.RefreshToken, "stays")))

		equal(t, sweepAll(t, store, day), 12)
		equal(t, found(t, store, storage.AuthorizationCode, "code"), false)
		equal(t, found(t, store, storage.RefreshToken, "refresh 0"), false)
		equal(t, found(t, store, storage.RefreshToken, "stays"), true)
	})
	t.Run("RevokedGrantsStayUntilTheirEnd", func(t *testing.T) {
		store, g := s.withCode(t)
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{ID: g.ID}, t0)))
		equal(t, sweepAll(t, store, hour), 0)
		fails(t, store.Exchange(t.Context(), digest("code"), t0), storage.ErrEnded)
	})
	s.test(t, "SessionsGoWhenIdleOrOver", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		idle, over, used := session("idle", "account"), session("over", "account"), session("used", "account")
		over.ExpiresAt, over.IdleUntil = hour, day
		for _, n := range []storage.Session{idle, over, used} {
			ok(t, store.CreateSession(t.Context(), n, storage.Proof{}, storage.Digest{}))
		}
		ok(t, store.TouchSession(t.Context(), digest("used"), t0, day))
		ok(t, store.TouchSession(t.Context(), digest("over"), t0, day))
		equal(t, sweepAll(t, store, hour.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, hour), 2)
		ok(t, errOf(store.Session(t.Context(), digest("used"))))
		equal(t, sweepAll(t, store, day), 1)
	})
	s.test(t, "DevicesAndRecoveriesGoAtTheirEnd", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		first, last := device("first", "account"), device("last", "account")
		first.ExpiresAt, last.ExpiresAt = hour, day
		for _, d := range []storage.TrustedDevice{first, last} {
			ok(t, store.TrustDevice(t.Context(), d, storage.Proof{}))
		}
		r := recovery("account")
		r.EndsAt = hour
		ok(t, store.BeginRecovery(t.Context(), r, 0))
		equal(t, sweepAll(t, store, hour.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, hour), 2)
		set := has(t, store, "account")
		equal(t, set.Devices, []storage.TrustedDevice{last})
		equal(t, set.Running, storage.Recovery{})
		equal(t, sweepAll(t, store, day), 1)
	})
	s.test(t, "OneTimeCodesGoAtTheirEnd", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode("code", "reset", "subject")))
		equal(t, sweepAll(t, store, t0.Add(time.Minute-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, t0.Add(time.Minute)), 1)
	})
	s.test(t, "CountersGoWhenTheirBucketIsFull", func(t *testing.T, store storage.Store) {
		for range 2 {
			ok(t, errOf(store.AllowAttempt(t.Context(), digest("bucket"), t0, time.Minute, 2)))
		}
		equal(t, sweepAll(t, store, t0.Add(2*time.Minute-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, t0.Add(2*time.Minute)), 1)
	})
	s.test(t, "WhatHasNoEndStays", func(t *testing.T, store storage.Store) {
		ok(t, store.SaveClient(t.Context(), fullClient()))
		createAccount(t, store, "account")
		equip(t, store, "account")
		ok(t, store.SaveConsent(t.Context(), consent("account", "client"), storage.ConsentBasis{}))
		ok(t, store.SetStatus(t.Context(), "account", storage.Status{Group: "military"}, storage.AnyRevision))
		ok(t, store.AddKey(t.Context(), key(1, "kid")))
		ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "signin"}))
		equal(t, sweepAll(t, store, t0.AddDate(100, 0, 0)), 0)
	})
	s.test(t, "IsBounded", func(t *testing.T, store storage.Store) {
		for i := range 10 {
			ok(t, store.SaveOneTimeCode(t.Context(), oneTimeCode(fmt.Sprint(i), "reset", fmt.Sprint(i))))
		}
		for _, tc := range []struct{ limit, removed int }{{4, 4}, {0, 0}, {-1, 0}, {4, 4}, {4, 2}, {4, 0}} {
			removed := must(store.Sweep(t.Context(), day, tc.limit))(t)
			equal(t, removed, tc.removed)
		}
	})
}
