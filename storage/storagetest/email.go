package storagetest

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

// emailChange gives an account another address, in the session "begun by" its key.
func emailChange(account string, epoch int64, key string) storage.EmailChange {
	return storage.EmailChange{
		AccountID: account, On: storage.Proof{Epoch: epoch}, Email: key, EmailKey: key, At: t0, Begin: session("begun by "+key, account),
	}
}

func (s *suite) emailChanges(t *testing.T) {
	setup := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.store(t)
		saveClient(t, store, "client")
		for _, id := range []string{"account", "another"} {
			createAccount(t, store, id)
			for _, place := range []string{"here", "there"} {
				ok(t, store.CreateSession(t.Context(), session(id+" "+place, id), storage.Proof{}, storage.Digest{}))
			}
			g := grant(id, "client", id)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, id)))
		}
		return store
	}
	lives := func(t *testing.T, store storage.Store, id string) bool {
		t.Helper()
		_, g, err := store.Token(t.Context(), storage.AccessToken, digest(id))
		ok(t, err)
		for _, place := range []string{"here", "there"} {
			_, _, err := store.Session(t.Context(), digest(id+" "+place))
			equal(t, err == nil, g.RevokedAt.IsZero())
		}
		return g.RevokedAt.IsZero()
	}

	t.Run("IsOfItsEpoch", func(t *testing.T) {
		store := setup(t)
		fails(t, store.ChangeEmail(t.Context(), emailChange("account", 1, "new")), storage.ErrChanged)
		fails(t, store.ChangeEmail(t.Context(), emailChange("account", 0, "key of another")), storage.ErrConflict)
		fails(t, store.ChangeEmail(t.Context(), emailChange("nobody", 0, "new")), storage.ErrNotFound)
		equal(t, lives(t, store, "account"), true)
		ok(t, store.ChangeEmail(t.Context(), emailChange("account", 0, "new")))
		fails(t, store.ChangeEmail(t.Context(), emailChange("account", 0, "newer")), storage.ErrChanged)
		got := must(store.AccountByEmail(t.Context(), "new"))(t)
		equal(t, got, storage.Account{ID: "account", Email: "new", EmailKey: "new", EmailVerified: true, Epoch: 1, CreatedAt: t0})
	})
	t.Run("EndsSessionsAndGrants", func(t *testing.T) {
		store, change := setup(t), emailChange("account", 0, "new")
		change.At = elsewhere
		ok(t, store.ChangeEmail(t.Context(), change))
		equal(t, lives(t, store, "account"), false)
		equal(t, lives(t, store, "another"), true)
		_, g, err := store.Token(t.Context(), storage.AccessToken, digest("account"))
		ok(t, err)
		equal(t, g.RevokedAt, asStored)
		_, account, err := store.Session(t.Context(), digest("begun by new"))
		ok(t, err)
		equal(t, account.Epoch, 1)
	})
	t.Run("ByTheHostBeginsNoSessionAndProvesNoAddress", func(t *testing.T) {
		store, change := setup(t), emailChange("account", 0, "new")
		change.Begin, change.Unverified = storage.Session{}, true
		ok(t, store.ChangeEmail(t.Context(), change))
		equal(t, lives(t, store, "account"), false)
		equal(t, len(must(store.Sessions(t.Context(), "account"))(t)), 0)
		equal(t, must(store.AccountByEmail(t.Context(), "new"))(t).EmailVerified, false)
	})
	t.Run("ThatCannotBeginItsSessionChangesNothing", func(t *testing.T) {
		store, change := setup(t), emailChange("account", 0, "new")
		change.Begin = session("another here", "account")
		fails(t, store.ChangeEmail(t.Context(), change), storage.ErrConflict)
		equal(t, lives(t, store, "account"), true)
		fails(t, errOf(store.AccountByEmail(t.Context(), "new")), storage.ErrNotFound)
	})
}
