package storagetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// races tests what many callers want and one may have.
func (s *suite) races(t *testing.T) {
	t.Run("ExchangeOfACodeHasOneWinner", func(t *testing.T) {
		stores := s.stores(t, 2)
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
	t.Run("ExchangeOfARefreshTokenHasOneWinner", func(t *testing.T) {
		stores := s.stores(t, 2)
		g := grantWithCode(t, stores[0])
		ok(t, stores[0].Exchange(t.Context(), digest("code"), t0, token(g, storage.RefreshToken, "refresh")))
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.Exchange(t.Context(), digest("refresh"), t0,
				token(g, storage.RefreshToken, fmt.Sprint("next ", i)))
		}), storage.ErrSpent)
	})
	t.Run("GrantOfAFlowHasOneWinner", func(t *testing.T) {
		stores := s.stores(t, 2)
		saveClient(t, stores[0], "client")
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			g := grant(fmt.Sprint("grant ", i), "client", "subject")
			g.Flow = digest("flow")
			return store.CreateGrant(t.Context(), g, token(g, storage.AuthorizationCode, fmt.Sprint("code ", i)))
		}), storage.ErrConflict)
		n, err := stores[0].RevokeGrants(t.Context(), storage.GrantFilter{Subject: "subject"}, t0)
		ok(t, err)
		equal(t, n, 1)
	})
	t.Run("AccountOfAnAddressHasOneWinner", func(t *testing.T) {
		stores := s.stores(t, 2)
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.CreateAccount(t.Context(), storage.Account{
				ID: fmt.Sprint("account ", i), EmailKey: "ann@example.com", CreatedAt: t0,
			})
		}), storage.ErrConflict)
	})
	t.Run("TicketHasOneWinner", func(t *testing.T) {
		stores := s.stores(t, 2)
		ok(t, stores[0].SaveTicket(t.Context(), ticket("code", "reset", "subject")))
		oneWins(t, race(stores, func(_ int, store storage.Store) error {
			_, err := store.RedeemTicket(t.Context(), "reset", digest("code"), t0)
			return err
		}), storage.ErrNotFound)
	})
	t.Run("TicketsOfOneTaskLeaveOne", func(t *testing.T) {
		stores := s.stores(t, 2)
		for _, err := range race(stores, func(i int, store storage.Store) error {
			return store.SaveTicket(t.Context(), ticket(fmt.Sprint("code ", i), "reset", "subject"))
		}) {
			ok(t, err)
		}
		left := 0
		for i := range contenders {
			if _, err := stores[0].RedeemTicket(t.Context(), "reset", digest(fmt.Sprint("code ", i)), t0); err == nil {
				left++
			}
		}
		equal(t, left, 1)
	})
	t.Run("KeyOfAGenerationHasOneWinner", func(t *testing.T) {
		stores := s.stores(t, 2)
		oneWins(t, race(stores, func(i int, store storage.Store) error {
			return store.AddKey(t.Context(), key(1, fmt.Sprint("kid ", i)))
		}), storage.ErrConflict)
	})
	t.Run("BucketAllowsItsBurst", func(t *testing.T) {
		const burst = 10
		stores := s.stores(t, 2)
		var allowed atomic.Int64
		for _, err := range race(stores, func(_ int, store storage.Store) error {
			wait, err := store.Take(t.Context(), digest("bucket"), t0, time.Minute, burst)
			if err == nil && wait == 0 {
				allowed.Add(1)
			}
			return err
		}) {
			ok(t, err)
		}
		equal(t, allowed.Load(), burst)
	})
	t.Run("SessionNeverOutlivesTheLock", func(t *testing.T) {
		stores := s.stores(t, 2)
		createAccount(t, stores[0], "account")
		for _, err := range race(stores, func(i int, store storage.Store) error {
			if i == contenders/2 {
				return store.SetDisabled(t.Context(), "account", true, t0)
			}
			err := store.CreateSession(t.Context(), session(fmt.Sprint("session ", i), "account"), storage.Digest{})
			if errors.Is(err, storage.ErrNotFound) {
				return nil // the lock was first
			}
			return err
		}) {
			ok(t, err)
		}
		left, err := stores[0].Sessions(t.Context(), "account")
		ok(t, err)
		equal(t, len(left), 0)
	})
	t.Run("GrantNeverOutlivesTheLock", func(t *testing.T) {
		stores := s.stores(t, 2)
		saveClient(t, stores[0], "client")
		createAccount(t, stores[0], "account")
		for _, err := range race(stores, func(i int, store storage.Store) error {
			if i == contenders/2 {
				return store.SetDisabled(t.Context(), "account", true, t0)
			}
			err := store.CreateGrant(t.Context(), grant(fmt.Sprint("grant ", i), "client", "account"))
			if errors.Is(err, storage.ErrEnded) {
				return nil // the lock was first
			}
			return err
		}) {
			ok(t, err)
		}
		n, err := stores[0].RevokeGrants(t.Context(), storage.GrantFilter{Subject: "account"}, t0)
		ok(t, err)
		equal(t, n, 0)
	})
	t.Run("SweepsShareTheWork", func(t *testing.T) {
		stores := s.stores(t, 2)
		g := grantWithCode(t, stores[0])
		issued := make([]storage.Token, 300)
		for i := range issued {
			issued[i] = token(g, storage.AccessToken, fmt.Sprint("access ", i))
		}
		ok(t, stores[0].Exchange(t.Context(), digest("code"), t0, issued...))
		var removed atomic.Int64
		for _, err := range race(stores, func(_ int, store storage.Store) error {
			n, err := store.Sweep(t.Context(), t0.Add(time.Hour), 10)
			removed.Add(int64(n))
			return err
		}) {
			ok(t, err)
		}
		for {
			n, err := stores[0].Sweep(t.Context(), t0.Add(time.Hour), 10)
			ok(t, err)
			if n == 0 {
				break
			}
			removed.Add(int64(n))
		}
		equal(t, removed.Load(), 300) // each token once
	})
}
