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
	s.test(t, "ListsPagesOfAll", func(t *testing.T, store storage.Store) {
		want := map[string]bool{}
		for _, id := range []string{"b", "a", "_", "B", "é", "a-1"} {
			createAccount(t, store, id)
			want[id] = true
		}
		got := map[string]bool{}
		for after := ""; ; {
			page := must(store.Accounts(t.Context(), after, 2))(t)
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
		equal(t, len(must(store.Accounts(t.Context(), "", 0))(t)), 0)
	})
	s.test(t, "ComesBackWhole", func(t *testing.T, store storage.Store) {
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
		got := must(store.Account(t.Context(), "account"))(t)
		equal(t, got, want)
		got = must(store.AccountByEmail(t.Context(), "zoë@example.com"))(t)
		equal(t, got, want)
	})
	s.test(t, "ComesBackBare", func(t *testing.T, store storage.Store) {
		want := storage.Account{ID: "bare", CreatedAt: t0}
		ok(t, store.CreateAccount(t.Context(), want))
		equal(t, must(store.Account(t.Context(), "bare"))(t), want)
	})
	s.test(t, "UnknownIsNotFound", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		fails(t, errOf(store.Account(t.Context(), "nobody")), storage.ErrNotFound)
		fails(t, errOf(store.AccountByEmail(t.Context(), "nobody")), storage.ErrNotFound)
	})
	s.test(t, "IdentifierIsUnique", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		fails(t, store.CreateAccount(t.Context(),
			storage.Account{ID: "account", EmailKey: "another", CreatedAt: t0}), storage.ErrConflict)
	})
	s.test(t, "EmailIsUnique", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		fails(t, store.CreateAccount(t.Context(),
			storage.Account{ID: "another", EmailKey: "key of account", CreatedAt: t0}), storage.ErrConflict)
		fails(t, errOf(store.Account(t.Context(), "another")), storage.ErrNotFound)
	})
	s.test(t, "ManyLackAnEmail", func(t *testing.T, store storage.Store) {
		for _, id := range []string{"one", "two"} {
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: id, CreatedAt: t0}))
		}
		fails(t, errOf(store.AccountByEmail(t.Context(), "")), storage.ErrNotFound)
	})
	s.test(t, "EmailChanges", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "New@example.com", "new@example.com", true))
		equal(t, must(store.AccountByEmail(t.Context(), "new@example.com"))(t), storage.Account{
			ID: "account", Email: "New@example.com", EmailKey: "new@example.com", EmailVerified: true, Epoch: 1, CreatedAt: t0,
		})
		fails(t, errOf(store.AccountByEmail(t.Context(), "key of account")), storage.ErrNotFound)
		createAccount(t, store, "successor")
		ok(t, store.SetEmail(t.Context(), "successor", "key of successor", "x", "key of account", false)) // is free again
	})
	s.test(t, "EmailThatHasChangedStays", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "x", "new", false))
		fails(t, store.SetEmail(t.Context(), "account", "key of account", "y", "key of account", true), storage.ErrChanged)
		got := must(store.Account(t.Context(), "account"))(t)
		equal(t, got.EmailKey, "new")
		equal(t, got.EmailVerified, false)
	})
	s.test(t, "NewEmailEndsWhatTheOldOneProved", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		ok(t, store.CreateSession(t.Context(), session("account here", "account"), storage.Proof{}, storage.Digest{}))
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "X", "key of account", true)) // the same, verified
		ok(t, store.SetPassword(t.Context(), "account", storage.Proof{}, "hash", t0, session("account here", "account")))
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "y", "new", false))
		fails(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: 1}, "hash of who reads the old mailbox", t0), storage.ErrChanged)
		fails(t, store.CreateSession(t.Context(), session("late", "account"), storage.Proof{Epoch: 1}, storage.Digest{}), storage.ErrChanged)
		ok(t, errOf(store.Session(t.Context(), digest("account here"))))
		ok(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: 2}, "the owner's", t0))
	})
	s.test(t, "EndOfAVerificationEndsWhatItProved", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		for i, verified := range []bool{true, true, false, false, true, false} {
			ok(t, store.SetEmail(t.Context(), "account", "key of account", "x", "key of account", verified))
			equal(t, must(store.Account(t.Context(), "account"))(t).Epoch, []int64{0, 0, 1, 1, 1, 2}[i])
		}
	})
	s.test(t, "LanguageIsKept", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		for _, language := range []string{"ar", ""} {
			ok(t, store.SetLanguage(t.Context(), "account", language))
			got := must(store.Account(t.Context(), "account"))(t)
			equal(t, got.Language, language)
			equal(t, got.Epoch, 0)
		}
		fails(t, store.SetLanguage(t.Context(), "nobody", "ar"), storage.ErrNotFound)
	})
	s.test(t, "EpochsAreCountedFromWhereTheyBegin", func(t *testing.T, store storage.Store) {
		for _, first := range []int64{1 << 40, 7} { // deleted, and made again
			ok(t, store.CreateAccount(t.Context(), storage.Account{ID: "account", Epoch: first, CreatedAt: t0}))
			fails(t, store.CreateSession(t.Context(), session("early", "account"), storage.Proof{}, storage.Digest{}), storage.ErrChanged)
			ok(t, store.SetPassword(t.Context(), "account", storage.Proof{Epoch: first}, "hash", t0))
			equal(t, must(store.Account(t.Context(), "account"))(t).Epoch, first+1)
			ok(t, errOf(store.DeleteAccount(t.Context(), "account", "someone", nil)))
			removeAll(t, store, "account")
		}
	})
	s.test(t, "EmailOfAnotherIsRefused", func(t *testing.T, store storage.Store) {
		createAccount(t, store, "account")
		createAccount(t, store, "another")
		fails(t, store.SetEmail(t.Context(), "account", "key of account", "x", "key of another", true), storage.ErrConflict)
		equal(t, must(store.Account(t.Context(), "account"))(t).EmailKey, "key of account")
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "x", "key of account", true)) // its own
		ok(t, store.SetEmail(t.Context(), "account", "key of account", "", "", false))               // or none
		ok(t, store.SetEmail(t.Context(), "account", "", "x", "key of account", false))
	})
	s.test(t, "ChangesNeedAnAccount", func(t *testing.T, store storage.Store) {
		fails(t, store.SetEmail(t.Context(), "nobody", "", "x", "x", true), storage.ErrNotFound)
		fails(t, store.SetPassword(t.Context(), "nobody", storage.Proof{}, "x", t0), storage.ErrNotFound)
		fails(t, store.SetDisabled(t.Context(), "nobody", true, t0), storage.ErrNotFound)
		fails(t, store.SetDisabled(t.Context(), "nobody", false, t0), storage.ErrNotFound)
		equal(t, must(store.DeleteAccount(t.Context(), "nobody", "x", nil))(t), false)
		ok(t, store.EndIssued(t.Context(), "nobody", t0))
	})
}
