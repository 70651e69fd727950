package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// returnUntil is the end of the time in which a change can be taken back.
var returnUntil = t0.Add(7 * 24 * time.Hour)

// change is emailChange that can be taken back.
func change(account string, epoch int64, key string) storage.EmailChange {
	c := emailChange(account, epoch, key)
	c.ReturnUntil = returnUntil
	return c
}

// emailReturn takes back the change that began an epoch: the account gets its address of
// createAccount.
func emailReturn(account string, epoch int64) storage.EmailReturn {
	return storage.EmailReturn{
		AccountID: account, Epoch: epoch, Email: "Back@example.com", EmailKey: "key of " + account, PasswordHash: "hash of the owner", At: t0,
	}
}

func (s *suite) emailReturns(t *testing.T) {
	moved := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.store(t)
		createAccount(t, store, "account")
		createAccount(t, store, "another")
		ok(t, store.ChangeEmail(t.Context(), change("account", 0, "new")))
		return store
	}
	gone := func(t *testing.T, store storage.Store, epoch int64, at time.Time) {
		t.Helper()
		fails(t, errOf(store.EmailReturn(t.Context(), "account", epoch, at)), storage.ErrNotFound)
		r := emailReturn("account", epoch)
		r.At = at
		fails(t, errOf(store.ReturnEmail(t.Context(), r)), storage.ErrNotFound)
	}
	open := func(t *testing.T, store storage.Store, epoch int64) {
		t.Helper()
		ok(t, errOf(store.EmailReturn(t.Context(), "account", epoch, t0)))
	}

	t.Run("GivesAddressAndPasswordBack", func(t *testing.T) {
		store := moved(t)
		before := storage.Account{ID: "account", Email: "new", EmailKey: "new", EmailVerified: true, Epoch: 1, CreatedAt: t0}
		equal(t, must(store.EmailReturn(t.Context(), "account", 1, t0))(t), before)
		r := emailReturn("account", 1)
		r.At = elsewhere.AddDate(-1, 0, 0)
		got := must(store.ReturnEmail(t.Context(), r))(t)
		equal(t, got, before)
		got = must(store.AccountByEmail(t.Context(), "key of account"))(t)
		equal(t, got, storage.Account{
			ID: "account", Email: "Back@example.com", EmailKey: "key of account", EmailVerified: true,
			PasswordHash: "hash of the owner", PasswordChangedAt: asStored.AddDate(-1, 0, 0), Epoch: 2, FactorsVersion: 1, CreatedAt: t0,
		})
		gone(t, store, 1, t0)
	})
	t.Run("TakesWhatCameSinceTheChange", s.returnOfFactors)
	t.Run("EndsSessionsAndGrantsOfThatAccountAlone", func(t *testing.T) {
		store := moved(t)
		saveClient(t, store, "client")
		for _, id := range []string{"account", "another"} {
			g := grant(id, "client", id)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, id)))
		}
		ok(t, store.CreateSession(t.Context(), session("another here", "another"), storage.Proof{}, storage.Digest{}))
		ok(t, errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1))))
		fails(t, errOf(store.Session(t.Context(), digest("begun by new"))), storage.ErrNotFound)
		ok(t, errOf(store.Session(t.Context(), digest("another here"))))
		for id, ended := range map[string]time.Time{"account": t0, "another": {}} {
			_, g, err := store.Token(t.Context(), storage.AccessToken, digest(id))
			ok(t, err)
			equal(t, g.RevokedAt, ended)
		}
		// what was proved to whoever had it before is worth nothing
		fails(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: 1}, "hash of the thief", t0), storage.ErrChanged)
		fails(t, store.CreateSession(t.Context(), session("late", "account"), storage.Proof{Epoch: 1}, storage.Digest{}), storage.ErrChanged)
	})
	t.Run("IsOfOneChange", func(t *testing.T) {
		store := moved(t)
		gone(t, store, 0, t0)
		gone(t, store, 2, t0)
		fails(t, errOf(store.EmailReturn(t.Context(), "another", 1, t0)), storage.ErrNotFound)
		fails(t, errOf(store.ReturnEmail(t.Context(), emailReturn("another", 1))), storage.ErrNotFound)
		open(t, store, 1)
	})
	s.test(t, "IsNotOfAChangeWithoutOne", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		ok(t, store.ChangeEmail(t.Context(), emailChange("account", 0, "new")))
		gone(t, store, 1, t0)
	})
	t.Run("HasAnEnd", func(t *testing.T) {
		store := moved(t)
		gone(t, store, 1, returnUntil)
		ok(t, errOf(store.EmailReturn(t.Context(), "account", 1, returnUntil.Add(-time.Microsecond))))
	})
	t.Run("OutlastsLaterEpochs", func(t *testing.T) {
		store := moved(t)
		ok(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: 1}, "hash of the thief", t0))
		ok(t, store.EndIssued(t.Context(), "account", t0))
		ok(t, store.SetDeletion(t.Context(), "account", storage.Proof{Epoch: 3}, returnUntil, t0))
		equal(t, must(store.ReturnEmail(t.Context(), emailReturn("account", 1)))(t).Epoch, 4)
		equal(t, must(store.Account(t.Context(), "account"))(t).DeleteAt, returnUntil) // is the owner's to withdraw
	})
	t.Run("OfAnEarlierChangeEndsThoseOfLaterOnes", func(t *testing.T) {
		store := moved(t)
		ok(t, store.ChangeEmail(t.Context(), change("account", 1, "newer")))
		ok(t, errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1))))
		gone(t, store, 2, t0)
	})
	t.Run("OfALaterChangeLeavesTheEarlierOne", func(t *testing.T) {
		store := moved(t)
		ok(t, store.ChangeEmail(t.Context(), change("account", 1, "newer")))
		r := emailReturn("account", 2)
		r.Email, r.EmailKey = "new", "new"
		ok(t, errOf(store.ReturnEmail(t.Context(), r)))
		gone(t, store, 2, t0)
		ok(t, errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1))))
	})
	t.Run("TakesNoAddressOfAnother", func(t *testing.T) {
		store := moved(t)
		ok(t, store.SetEmail(t.Context(), "another", "key of another", "x", "key of account", true))
		fails(t, errOf(store.ReturnEmail(t.Context(), emailReturn("account", 1))), storage.ErrConflict)
		got, err := store.EmailReturn(t.Context(), "account", 1, t0) // still there, and nothing has changed
		ok(t, err)
		equal(t, got, storage.Account{ID: "account", Email: "new", EmailKey: "new", EmailVerified: true, Epoch: 1, CreatedAt: t0})
		ok(t, errOf(store.Session(t.Context(), digest("begun by new"))))
	})
	t.Run("OpensNoDisabledAccount", func(t *testing.T) {
		store := moved(t)
		ok(t, store.SetDisabled(t.Context(), "account", true, t0))
		gone(t, store, 1, t0)
		ok(t, store.SetDisabled(t.Context(), "account", false, t0))
		open(t, store, 1)
	})
	t.Run("EndsWithAnAddressOfTheHost", func(t *testing.T) {
		store := moved(t)
		ok(t, store.SetEmail(t.Context(), "account", "new", "New", "new", true)) // the same
		open(t, store, 1)
		ok(t, store.SetEmail(t.Context(), "account", "new", "x", "newer", true))
		gone(t, store, 1, t0)
	})
	t.Run("EndsWithItsAccount", func(t *testing.T) {
		store := moved(t)
		ok(t, errOf(store.DeleteAccount(t.Context(), "account", "someone", nil)))
		gone(t, store, 1, t0)
		removeAll(t, store, "account")
		ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "account", Epoch: 1, CreatedAt: t0}))
		gone(t, store, 1, t0)
	})
	s.test(t, "IsSweptAtItsEnd", func(t *testing.T, store storage.Store) {
		for i := range 5 {
			id := fmt.Sprint("account ", i)
			createAccount(t, store, id)
			c := change(id, 0, "new of "+id)
			c.Begin.IdleUntil = returnUntil.Add(time.Hour)
			c.Begin.ExpiresAt = c.Begin.IdleUntil
			ok(t, store.ChangeEmail(t.Context(), c))
		}
		equal(t, sweepAll(t, store, returnUntil.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, returnUntil), 5)
	})
	t.Run("GrowsOlder", func(t *testing.T) {
		store := moved(t)
		ok(t, store.Elapse(t.Context(), storage.Elapsed{UserPrefix: "acc", By: 7 * 24 * time.Hour}))
		gone(t, store, 1, t0)
	})
}
