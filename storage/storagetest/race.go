package storagetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// races tests writes that many callers attempt and one may win.
func (s *suite) races(t *testing.T) {
	s.contests(t)
	s.factorRaces(t)
	s.trailRaces(t)
	s.departureRaces(t)
	s.callerRaces(t)
	s.pair(t, "ExchangeOfACodeHasOneWinner", func(t *testing.T, stores []storage.Store) {
		g := grantWithCode(t, stores[0])
		errs := race(stores, func(i int, store storage.Store) error {
			return store.Exchange(t.Context(), digest("code"), t0,
				token(g, storage.AccessToken, fmt.Sprint("access ", i)),
				token(g, storage.RefreshToken, fmt.Sprint("refresh ", i)))
		})
		oneWins(t, errs, storage.ErrSpent)
		for i, err := range errs {
			_, _, lookup := stores[0].Token(t.Context(), storage.AccessToken, digest(fmt.Sprint("access ", i)))
			if (err == nil) != (lookup == nil) {
				t.Errorf("exchange %d returned %v, but its token %v", i, err, lookup)
			}
		}
	})
	s.pair(t, "ExchangeOfARefreshTokenHasOneWinner", func(t *testing.T, stores []storage.Store) {
		g := grantWithCode(t, stores[0])
		ok(t, stores[0].Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "refresh")))
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.Exchange(t.Context(), digest("refresh"), t0,
				token(g, storage.RefreshToken, fmt.Sprint("next ", i)))
		}), storage.ErrSpent)
	})
	s.pair(t, "GrantOfAFlowHasOneWinner", func(t *testing.T, stores []storage.Store) {
		saveClient(t, stores[0], "client")
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			g := grant(fmt.Sprint("grant ", i), "client", "subject")
			g.Flow = digest("flow")
			return store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AuthorizationCode, fmt.Sprint("code ", i)))
		}), storage.ErrConflict)
		equal(t, must(stores[0].RevokeGrants(t.Context(), storage.GrantFilter{Subject: "subject"}, t0))(t), 1)
	})
	s.pair(t, "AccountOfAnAddressHasOneWinner", func(t *testing.T, stores []storage.Store) {
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.CreateAccount(t.Context(), storage.Account{
				ID: fmt.Sprint("account ", i), EmailKey: "ann@example.com", CreatedAt: t0,
			})
		}), storage.ErrConflict)
	})
	s.pair(t, "OneTimeCodeHasOneWinner", func(t *testing.T, stores []storage.Store) {
		ok(t, stores[0].SaveOneTimeCode(t.Context(), oneTimeCode("code", "reset", "subject")))
		oneWins(t, race(stores, func(_ int, store storage.Store) error {
			return errOf(store.UseOneTimeCode(t.Context(), "reset", digest("code"), t0))
		}), storage.ErrNotFound)
	})
	s.pair(t, "IdentifierIsUsedOnce", func(t *testing.T, stores []storage.Store) {
		oneWins(t, race(stores, func(_ int, store storage.Store) error {
			return store.UseID(t.Context(), digest("id"), t0.Add(time.Minute), t0)
		}), storage.ErrConflict)
		end := t0.Add(time.Minute)
		oneWins(t, race(stores, func(_ int, store storage.Store) error { // and once anew
			return store.UseID(t.Context(), digest("id"), end.Add(time.Minute), end)
		}), storage.ErrConflict)
	})
	s.pair(t, "OneTimeCodesOfOneSubjectLeaveOne", func(t *testing.T, stores []storage.Store) {
		allWin(t, race(stores, func(i int, store storage.Store) error {
			return store.SaveOneTimeCode(t.Context(), oneTimeCode(fmt.Sprint("code ", i), "reset", "subject"))
		}))
		left := 0
		for i := range contenders {
			if _, err := stores[0].UseOneTimeCode(t.Context(), "reset", digest(fmt.Sprint("code ", i)), t0); err == nil {
				left++
			}
		}
		equal(t, left, 1)
	})
	s.pair(t, "KeyOfAGenerationHasOneWinner", func(t *testing.T, stores []storage.Store) {
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.AddKey(t.Context(), key(1, fmt.Sprint("kid ", i)))
		}), storage.ErrConflict)
	})
	t.Run("BucketAllowsItsBurst", func(t *testing.T) {
		const burst = 10
		stores := s.stores(t, 2)
		var allowed atomic.Int64
		allWin(t, race(stores, func(_ int, store storage.Store) error {
			wait, err := store.AllowAttempt(t.Context(), digest("bucket"), t0, time.Minute, burst)
			if err == nil && wait == 0 {
				allowed.Add(1)
			}
			return err
		}))
		equal(t, allowed.Load(), burst)
	})
	for name, end := range map[string]func(storage.Store) error{
		"Lock": func(store storage.Store) error { return store.SetDisabled(t.Context(), "account", true, t0) },
		"Password": func(store storage.Store) error {
			return store.SetPassword(t.Context(), "account", storage.Proof{}, "new", t0)
		},
		"Deletion": func(store storage.Store) error {
			return errOf(store.DeleteAccount(t.Context(), "account", "someone", nil))
		},
		"Removal": func(store storage.Store) error {
			return store.RevokeConsent(t.Context(), "account", "client", t0)
		},
	} {
		if name != "Removal" {
			t.Run("SessionNeverOutlives"+name, func(t *testing.T) { s.raceSessions(t, end) })
		}
		t.Run("GrantNeverOutlives"+name, func(t *testing.T) { s.raceGrants(t, end) })
	}
	t.Run("GrantNeverOutlivesANarrowerDecision", s.raceDecision)
	t.Run("FamilyNeverForks", s.raceFamily)
	t.Run("WhatHasEndedIsNotExchanged", s.raceDerive)
	t.Run("ClientSessionIsTakenOnce", s.raceTurns)
	t.Run("ClientSessionIsDueHoweverLateItBegins", s.raceNotices)
	s.pair(t, "SweepsShareTheWork", func(t *testing.T, stores []storage.Store) {
		g := grantWithCode(t, stores[0])
		issued := make([]storage.Token, 300)
		for i := range issued {
			issued[i] = token(g, storage.AccessToken, fmt.Sprint("access ", i))
		}
		ok(t, stores[0].Exchange(t.Context(), digest("code"), t0, issued...))
		var removed atomic.Int64
		allWin(t, race(stores, func(_ int, store storage.Store) error {
			n, err := store.Sweep(t.Context(), t0.Add(time.Hour), 10)
			removed.Add(int64(n))
			return err
		}))
		for {
			n := must(stores[0].Sweep(t.Context(), t0.Add(time.Hour), 10))(t)
			if n == 0 {
				break
			}
			removed.Add(int64(n))
		}
		equal(t, removed.Load(), 300) // each token once
	})
	s.pair(t, "LatestUseOfASecretStays", func(t *testing.T, stores []storage.Store) {
		saveClient(t, stores[0], "client")
		allWin(t, race(stores, func(i int, store storage.Store) error {
			return store.RecordSecretUse(t.Context(), "client", t0, t0.Add(time.Duration(i)*time.Second))
		}))
		got := must(stores[0].SecretUses(t.Context(), "client"))(t)
		equal(t, got, []storage.SecretUse{{CreatedAt: t0, UsedAt: t0.Add((contenders - 1) * time.Second)}})
	})
}

// raceSessions begins sessions while all sessions of the account end.
func (s *suite) raceSessions(t *testing.T, end func(storage.Store) error) {
	stores := s.stores(t, 2)
	createAccount(t, stores[0], "account")
	allWin(t, race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return end(store)
		}
		err := store.CreateSession(t.Context(), session(fmt.Sprint("session ", i), "account"), storage.Proof{}, storage.Digest{})
		if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrChanged) {
			return nil // the end was first
		}
		return err
	}))
	equal(t, len(must(stores[0].Sessions(t.Context(), "account"))(t)), 0)
}

// raceGrants makes grants while all grants of the account end.
func (s *suite) raceGrants(t *testing.T, end func(storage.Store) error) {
	stores := s.stores(t, 2)
	saveClient(t, stores[0], "client")
	createAccount(t, stores[0], "account")
	ok(t, stores[0].CreateSession(t.Context(), session("session", "account"), storage.Proof{}, storage.Digest{}))
	on := storage.Basis{Session: digest("session"), Consent: consent("account", "client")}
	ok(t, stores[0].SaveConsent(t.Context(), on.Consent, storage.ConsentBasis{Session: digest("session")}))
	allWin(t, race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return end(store)
		}
		err := store.CreateGrant(t.Context(), grant(fmt.Sprint("grant ", i), "client", "account"), on)
		if errors.Is(err, storage.ErrEnded) {
			return nil // the end was first
		}
		return err
	}))
	equal(t, must(stores[0].RevokeGrants(t.Context(), storage.GrantFilter{Subject: "account"}, t0))(t), 0)
}

// raceFamily repeats an exchange while its first successor is used: in any order, at most
// one token can be exchanged afterwards.
func (s *suite) raceFamily(t *testing.T) {
	stores := s.stores(t, 2)
	g := grantWithCode(t, stores[0])
	ok(t, stores[0].Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "refresh 0")))
	within := storage.Grace{NotBefore: t0, NotAfter: t0, Successors: contenders}
	race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return store.Exchange(t.Context(), digest("refresh 0"), t0, token(g, storage.RefreshToken, "next"))
		}
		return store.Reissue(t.Context(), digest("code"), within, token(g, storage.RefreshToken, fmt.Sprint("refresh ", i)))
	})
	var usable []string
	for _, name := range append([]string{"next"}, names("refresh ", contenders)...) {
		found, _, err := stores[0].Token(t.Context(), storage.RefreshToken, digest(name))
		if err == nil && found.SpentAt.IsZero() {
			usable = append(usable, name)
		}
	}
	equal(t, usable, []string{"next"})
}

func names(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(prefix, i))
	}
	return list
}
