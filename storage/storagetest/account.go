package storagetest

import (
	"testing"

	"github.com/bonafide-id/bonafide/storage"
)

func createAccount(t *testing.T, store storage.Store, id string) {
	t.Helper()
	ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, EmailKey: "key of " + id, CreatedAt: t0}))
}

func (s *suite) accounts(t *testing.T) {
	t.Run("ListsPagesOfAll", func(t *testing.T) {
		store := s.store(t)
		want := map[string]bool{}
		for _, id := range []string{"b", "a", "_", "B", "é", "a-1"} {
			createAccount(t, store, id)
			want[id] = true
		}
		got := map[string]bool{}
		for after := ""; ; {
			page, err := store.Accounts(t.Context(), after, 2)
			ok(t, err)
			if len(page) == 0 {
				break
			}
			if len(page) > 2 {
				t.Fatalf("a page of 2 has %d accounts", len(page))
			}
			for _, a := range page {
				if got[a.ID] {
					t.Fatalf("%s comes twice", a.ID)
				}
				equal(t, a, storage.Account{ID: a.ID, EmailKey: "key of " + a.ID, CreatedAt: t0})
				got[a.ID], after = true, a.ID
			}
		}
		equal(t, got, want)
		page, err := store.Accounts(t.Context(), "", 0)
		ok(t, err)
		equal(t, len(page), 0)
	})
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
			Language:          "pt",
			DeleteAt:          elsewhere,
			CreatedAt:         t0,
		}
		ok(t, store.CreateAccount(t.Context(), want))
		want.PasswordChangedAt, want.DeleteAt = asStored, asStored
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
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "New@example.com", "new@example.com", true))
		got, err := store.AccountByEmail(t.Context(), "new@example.com")
		ok(t, err)
		equal(t, got, storage.Account{
			ID: "account", Email: "New@example.com", EmailKey: "new@example.com", EmailVerified: true, Epoch: 1, CreatedAt: t0,
		})
		_, err = store.AccountByEmail(t.Context(), "key of account")
		fails(t, err, storage.ErrNotFound)
		createAccount(t, store, "successor")
		ok(t, store.SetEmail(t.Context(), "successor", "key of successor", "x", "key of account", false)) // is free again
	})
	t.Run("EmailThatHasChangedStays", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "x", "new", false))
		fails(t, store.SetEmail(t.Context(), "account", "key of account", "y", "key of account", true), storage.ErrChanged)
		got, err := store.Account(t.Context(), "account")
		ok(t, err)
		equal(t, got.EmailKey, "new")
		equal(t, got.EmailVerified, false)
	})
	t.Run("NewEmailEndsWhatTheOldOneProved", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		ok(t, store.CreateSession(t.Context(), session("account here", "account"), storage.Proof{}, storage.Digest{}))
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "X", "key of account", true)) // the same, verified
		ok(t, store.SetPassword(t.Context(), "account", storage.Proof{}, "hash", t0, session("account here", "account")))
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "y", "new", false))
		fails(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: 1}, "hash of who reads the old mailbox", t0), storage.ErrChanged)
		fails(t, store.CreateSession(t.Context(), session("late", "account"), storage.Proof{Epoch: 1}, storage.Digest{}), storage.ErrChanged)
		_, _, err := store.Session(t.Context(), digest("account here"))
		ok(t, err)
		ok(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: 2}, "the owner's", t0))
	})
	t.Run("EndOfAVerificationEndsWhatItProved", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		for i, verified := range []bool{true, true, false, false, true, false} {
			ok(t, store.SetEmail(t.Context(), "account", "key of account", "x", "key of account", verified))
			got, err := store.Account(t.Context(), "account")
			ok(t, err)
			equal(t, got.Epoch, []int64{0, 0, 1, 1, 1, 2}[i])
		}
	})
	t.Run("LanguageIsKept", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		for _, language := range []string{"ar", ""} {
			ok(t, store.SetLanguage(t.Context(), "account", language))
			got, err := store.Account(t.Context(), "account")
			ok(t, err)
			equal(t, got.Language, language)
			equal(t, got.Epoch, 0)
		}
		fails(t, store.SetLanguage(t.Context(), "nobody", "ar"), storage.ErrNotFound)
	})
	t.Run("EpochsAreCountedFromWhereTheyBegin", func(t *testing.T) {
		store := s.store(t)
		for _, first := range []int64{1 << 40, 7} { // deleted, and made again
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "account", Epoch: first, CreatedAt: t0}))
			fails(t, store.CreateSession(t.Context(), session("early", "account"), storage.Proof{}, storage.Digest{}), storage.ErrChanged)
			ok(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: first}, "hash", t0))
			got, err := store.Account(t.Context(), "account")
			ok(t, err)
			equal(t, got.Epoch, first+1)
			_, err = store.DeleteAccount(t.Context(), "account", "someone", nil)
			ok(t, err)
			removeAll(t, store, "account")
		}
	})
	t.Run("EmailOfAnotherIsRefused", func(t *testing.T) {
		store := s.store(t)
		createAccount(t, store, "account")
		createAccount(t, store, "another")
		fails(t, store.SetEmail(t.Context(), "account", "key of account", "x", "key of another", true), storage.ErrConflict)
		got, err := store.Account(t.Context(), "account")
		ok(t, err)
		equal(t, got.EmailKey, "key of account")
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "x", "key of account", true)) // its own
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "", "", false))               // or none
		ok(t, store.SetEmail(t.Context(), "account", "", "x", "key of account", false))
	})
	t.Run("ChangesNeedAnAccount", func(t *testing.T) {
		store := s.store(t)
		fails(t, store.SetEmail(t.Context(), "nobody", "", "x", "x", true), storage.ErrNotFound)
		fails(t, store.SetPassword(t.Context(), "nobody", storage.Proof{}, "x", t0), storage.ErrNotFound)
		fails(t, store.SetDisabled(t.Context(), "nobody", true, t0), storage.ErrNotFound)
		fails(t, store.SetDisabled(t.Context(), "nobody", false, t0), storage.ErrNotFound)
		found, err := store.DeleteAccount(t.Context(), "nobody", "x", nil)
		ok(t, err)
		equal(t, found, false)
		ok(t, store.EndIssued(t.Context(), "nobody", t0))
	})
}
