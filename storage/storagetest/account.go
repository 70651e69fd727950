package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func createAccount(t *testing.T, store storage.Store, id string) {
	t.Helper()
	ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, EmailKey: "key of " + id, CreatedAt: t0}))
}

func (s *suite) accounts(t *testing.T) {
	t.Run("ComesBackWhole", func(t *testing.T) {
		store := s.store(t)
		want := storage.Account{
			ID:                "account",
			Email:             "Zoë@Example.com",
			EmailKey:          "zoë@example.com",
			EmailVerified:     true,
			PasswordHash:      "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
			PasswordChangedAt: elsewhere,
			Disabled:          true,
			CreatedAt:         t0,
		}
		ok(t, store.CreateAccount(t.Context(), want))
		want.PasswordChangedAt = asStored
		got, err := store.Account(t.Context(), "account")
		ok(t, err)
		equal(t, got, want)
		got, err = store.AccountByEmail(t.Context(), "zoë@example.com")
		ok(t, err)
		equal(t, got, want)
	})
	t.Run("ComesBackBare", func(t *testing.T) {
		store := s.store(t)
		want := storage.Account{ID: "bare", CreatedAt: t0}
		ok(t, store.CreateAccount(t.Context(), want))
		got, err := store.Account(t.Context(), "bare")
		ok(t, err)
		equal(t, got, want)
	})
	t.Run("UnknownIsNotFound", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		_, err := store.Account(t.Context(), "nobody")
		fails(t, err, storage.ErrNotFound)
		_, err = store.AccountByEmail(t.Context(), "nobody")
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("IdentifierIsUnique", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		fails(t, store.CreateAccount(t.Context(),
			storage.Account{ID: "account", EmailKey: "another", CreatedAt: t0}), storage.ErrConflict)
	})
	t.Run("EmailIsUnique", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		fails(t, store.CreateAccount(t.Context(),
			storage.Account{ID: "another", EmailKey: "key of account", CreatedAt: t0}), storage.ErrConflict)
		_, err := store.Account(t.Context(), "another")
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("ManyLackAnEmail", func(t *testing.T) {
		store := s.store(t)
		for _, id := range []string{"one", "two"} {
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, CreatedAt: t0}))
		}
		_, err := store.AccountByEmail(t.Context(), "")
		fails(t, err, storage.ErrNotFound)
	})
	t.Run("EmailChanges", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		ok(t, store.SetEmail(t.Context(), "account", "New@example.com", "new@example.com", true))
		got, err := store.AccountByEmail(t.Context(), "new@example.com")
		ok(t, err)
		equal(t, got, storage.Account{
			ID: "account", Email: "New@example.com", EmailKey: "new@example.com", EmailVerified: true, CreatedAt: t0,
		})
		_, err = store.AccountByEmail(t.Context(), "key of account")
		fails(t, err, storage.ErrNotFound)
		createAccount(t, store, "successor") // the old address is free again
		ok(t, store.SetEmail(t.Context(), "successor", "x", "key of account", false))
	})
	t.Run("EmailOfAnotherIsRefused", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		createAccount(t, store, "another")
		fails(t, store.SetEmail(t.Context(), "account", "x", "key of another", true), storage.ErrConflict)
		got, err := store.Account(t.Context(), "account")
		ok(t, err)
		equal(t, got.EmailKey, "key of account")
		ok(t, store.SetEmail(t.Context(), "account", "x", "key of account", true)) // its own
		ok(t, store.SetEmail(t.Context(), "account", "", "", false))               // or none
	})
	t.Run("ChangesNeedAnAccount", func(t *testing.T) {
		store := s.store(t)
		fails(t, store.SetEmail(t.Context(), "nobody", "x", "x", true), storage.ErrNotFound)
		fails(t, store.SetPassword(t.Context(), "nobody", "x", storage.Digest{}, t0), storage.ErrNotFound)
		fails(t, store.SetDisabled(t.Context(), "nobody", true, t0), storage.ErrNotFound)
		fails(t, store.SetDisabled(t.Context(), "nobody", false, t0), storage.ErrNotFound)
		ok(t, store.DeleteAccount(t.Context(), "nobody"))
	})
}

// endOfAccounts tests what ends with a password, a lock or a deletion.
func (s *suite) endOfAccounts(t *testing.T) {
	// Two accounts, each with the sessions "<id> here" and "<id> there", a grant
	// with the access token "<id>", a consent, an attribute and a status.
	setup := func(t *testing.T) storage.Store {
		t.Helper()
		store := s.store(t)
		saveClient(t, store, "client")
		for _, id := range []string{"ann", "bob"} {
			createAccount(t, store, id)
			for _, place := range []string{"here", "there"} {
				ok(t, store.CreateSession(t.Context(), session(id+" "+place, id), storage.Digest{}))
			}
			g := grant(id, "client", id)
			ok(t, store.CreateGrant(t.Context(), g, token(g, storage.AccessToken, id)))
			ok(t, store.SaveConsent(t.Context(), consent(id, "client")))
			ok(t, store.SetAttributes(t.Context(), id, attributes(`{"handle": 1}`)))
			ok(t, store.SetStatus(t.Context(), id, storage.Status{Group: "group"}))
		}
		return store
	}
	sessions := func(t *testing.T, store storage.Store, id string) (alive []string) {
		t.Helper()
		for _, place := range []string{"here", "there"} {
			if _, _, err := store.Session(t.Context(), digest(id+" "+place)); err == nil {
				alive = append(alive, place)
			} else {
				fails(t, err, storage.ErrNotFound)
			}
		}
		return alive
	}
	revokedAt := func(t *testing.T, store storage.Store, id string) time.Time {
		t.Helper()
		_, g, err := store.Token(t.Context(), storage.AccessToken, digest(id))
		ok(t, err)
		return g.RevokedAt
	}
	untouched := func(t *testing.T, store storage.Store) {
		t.Helper()
		equal(t, sessions(t, store, "bob"), []string{"here", "there"})
		equal(t, revokedAt(t, store, "bob"), time.Time{})
	}

	t.Run("PasswordEndsOtherSessionsAndGrants", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetPassword(t.Context(), "ann", "new hash", digest("ann here"), elsewhere))
		got, err := store.Account(t.Context(), "ann")
		ok(t, err)
		equal(t, got.PasswordHash, "new hash")
		equal(t, got.PasswordChangedAt, asStored)
		equal(t, sessions(t, store, "ann"), []string{"here"})
		equal(t, revokedAt(t, store, "ann"), asStored)
		untouched(t, store)
	})
	t.Run("PasswordEndsAllSessionsWhenNoneIsKept", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetPassword(t.Context(), "ann", "new hash", storage.Digest{}, t0))
		equal(t, sessions(t, store, "ann"), nil)
	})
	t.Run("PasswordKeepsEarlierRevocations", func(t *testing.T) {
		store := setup(t)
		_, err := store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "ann"}, t0)
		ok(t, err)
		ok(t, store.SetPassword(t.Context(), "ann", "new hash", storage.Digest{}, t0.Add(time.Hour)))
		equal(t, revokedAt(t, store, "ann"), t0)
	})
	t.Run("LockEndsSessionsAndGrants", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "ann", true, elsewhere))
		got, err := store.Account(t.Context(), "ann")
		ok(t, err)
		equal(t, got.Disabled, true)
		equal(t, sessions(t, store, "ann"), nil)
		equal(t, revokedAt(t, store, "ann"), asStored)
		untouched(t, store)
	})
	t.Run("OpeningTheLockRevivesNothing", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "ann", true, t0))
		ok(t, store.SetDisabled(t.Context(), "ann", false, t0.Add(time.Hour)))
		got, err := store.Account(t.Context(), "ann")
		ok(t, err)
		equal(t, got.Disabled, false)
		equal(t, sessions(t, store, "ann"), nil)
		equal(t, revokedAt(t, store, "ann"), t0)
	})
	t.Run("OpeningWhatIsOpenEndsNothing", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "bob", false, t0))
		untouched(t, store)
	})
	t.Run("DeletionTakesEverythingAlong", func(t *testing.T) {
		store := setup(t)
		ok(t, store.DeleteAccount(t.Context(), "ann"))
		_, err := store.Account(t.Context(), "ann")
		fails(t, err, storage.ErrNotFound)
		equal(t, sessions(t, store, "ann"), nil)
		_, _, err = store.Token(t.Context(), storage.AccessToken, digest("ann"))
		fails(t, err, storage.ErrNotFound)
		_, err = store.Consent(t.Context(), "ann", "client")
		fails(t, err, storage.ErrNotFound)
		person, err := store.Person(t.Context(), "ann")
		ok(t, err)
		equal(t, person, storage.Person{})

		untouched(t, store)
		_, err = store.Consent(t.Context(), "bob", "client")
		ok(t, err)
		person, err = store.Person(t.Context(), "bob")
		ok(t, err)
		equal(t, len(person.Attributes)+len(person.Statuses), 2)
	})
}
