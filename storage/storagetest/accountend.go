package storagetest

import (
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// endOfAccounts tests what a new password, a lock or a deletion ends.
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
				ok(t, store.CreateSession(t.Context(), session(id+" "+place, id), storage.Proof{}, storage.Digest{}))
			}
			g := grant(id, "client", id)
			ok(t, store.CreateGrant(t.Context(), g, storage.Basis{}, token(g, storage.AccessToken, id)))
			ok(t, store.SaveConsent(t.Context(), consent(id, "client"), storage.ConsentBasis{}))
			ok(t, store.SetAttributes(t.Context(), id, attributes(`{"handle": 1}`), nil))
			ok(t, store.SetStatus(t.Context(), id, storage.Status{Group: "group"}, storage.AnyRevision))
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

	t.Run("PasswordEndsSessionsAndGrants", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetPassword(t.Context(), "ann", storage.Proof{}, "new hash", elsewhere))
		got := must(store.Account(t.Context(), "ann"))(t)
		equal(t, got.PasswordHash, "new hash")
		equal(t, got.PasswordChangedAt, asStored)
		equal(t, got.Epoch, 1)
		equal(t, sessions(t, store, "ann"), nil)
		equal(t, revokedAt(t, store, "ann"), asStored)
		untouched(t, store)
	})
	t.Run("PasswordBeginsASession", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetPassword(t.Context(), "ann", storage.Proof{}, "new hash", t0, session("begun", "ann")))
		equal(t, sessions(t, store, "ann"), nil)
		_, account, err := store.Session(t.Context(), digest("begun"))
		ok(t, err)
		equal(t, account.Epoch, 1)
	})
	t.Run("PasswordIsSetOverTheOneThatWasThere", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetPassword(t.Context(), "ann", storage.Proof{}, "the owner's", t0))
		fails(t, store.SetPassword(t.Context(), "ann", storage.Proof{}, "the thief's", t0, session("begun", "ann")), storage.ErrChanged)
		equal(t, must(store.Account(t.Context(), "ann"))(t).PasswordHash, "the owner's")
		fails(t, errOf(store.Session(t.Context(), digest("begun"))), storage.ErrNotFound)
		ok(t, store.SetPassword(t.Context(), "ann", storage.Proof{Epoch: 1}, "the owner's next", t0))
	})
	t.Run("SessionIsOfTheEpochInWhichItsOwnerWasRecognized", func(t *testing.T) {
		for name, end := range map[string]func(storage.Store) error{
			"Password": func(store storage.Store) error {
				return store.SetPassword(t.Context(), "ann", storage.Proof{}, "new hash", t0)
			},
			"Lock": func(store storage.Store) error {
				err := store.SetDisabled(t.Context(), "ann", true, t0)
				return errors.Join(err, store.SetDisabled(t.Context(), "ann", false, t0))
			},
		} {
			t.Run(name, func(t *testing.T) {
				store := setup(t)
				ok(t, end(store))
				fails(t, store.CreateSession(t.Context(), session("late", "ann"), storage.Proof{}, storage.Digest{}), storage.ErrChanged)
				ok(t, store.CreateSession(t.Context(), session("late", "ann"), storage.Proof{Epoch: 1}, storage.Digest{}))
			})
		}
	})
	t.Run("RehashEndsNothing", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetPassword(t.Context(), "ann", storage.Proof{}, "old hash", t0, session("ann here", "ann")))
		ok(t, store.Rehash(t.Context(), "ann", "another hash", "lost update"))
		ok(t, store.Rehash(t.Context(), "nobody", "old hash", "new hash"))
		ok(t, store.Rehash(t.Context(), "ann", "old hash", "new hash"))
		got := must(store.Account(t.Context(), "ann"))(t)
		equal(t, got.PasswordHash, "new hash")
		equal(t, got.Epoch, 1)
		equal(t, sessions(t, store, "ann"), []string{"here"})
	})
	t.Run("PasswordKeepsEarlierRevocations", func(t *testing.T) {
		store := setup(t)
		ok(t, errOf(store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "ann"}, t0)))
		ok(t, store.SetPassword(t.Context(), "ann", storage.Proof{}, "new hash", t0.Add(time.Hour)))
		equal(t, revokedAt(t, store, "ann"), t0)
	})
	t.Run("LockEndsSessionsAndGrants", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "ann", true, elsewhere))
		equal(t, must(store.Account(t.Context(), "ann"))(t).Disabled, true)
		equal(t, sessions(t, store, "ann"), nil)
		equal(t, revokedAt(t, store, "ann"), asStored)
		untouched(t, store)
	})
	t.Run("OpeningTheLockRevivesNothing", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "ann", true, t0))
		ok(t, store.SetDisabled(t.Context(), "ann", false, t0.Add(time.Hour)))
		equal(t, must(store.Account(t.Context(), "ann"))(t).Disabled, false)
		equal(t, sessions(t, store, "ann"), nil)
		equal(t, revokedAt(t, store, "ann"), t0)
	})
	t.Run("OpeningWhatIsOpenEndsNothing", func(t *testing.T) {
		store := setup(t)
		ok(t, store.SetDisabled(t.Context(), "bob", false, t0))
		untouched(t, store)
	})
	t.Run("EndOfWhatWasIssued", func(t *testing.T) {
		store := setup(t)
		host := grant("host", "client", "of the host")
		ok(t, store.CreateGrant(t.Context(), host, storage.Basis{}, token(host, storage.AccessToken, "host")))
		for _, id := range []string{"ann", "of the host"} {
			ok(t, store.EndIssued(t.Context(), id, elsewhere))
		}
		equal(t, sessions(t, store, "ann"), nil)
		for _, name := range []string{"ann", "host"} {
			_, g, err := store.Token(t.Context(), storage.AccessToken, digest(name))
			ok(t, err)
			equal(t, g.RevokedAt, asStored)
		}
		// Whoever was recognized before begins no session.
		fails(t, store.CreateSession(t.Context(), session("late", "ann"), storage.Proof{}, storage.Digest{}), storage.ErrChanged)
		ok(t, store.CreateSession(t.Context(), session("again", "ann"), storage.Proof{Epoch: 1}, storage.Digest{}))
		ok(t, errOf(store.Consent(t.Context(), "ann", "client")))
		untouched(t, store)
	})
	t.Run("DeletionOfASubjectWithoutAnAccount", func(t *testing.T) {
		for name, record := range map[string]func(storage.Store) error{
			"Attributes": func(s storage.Store) error {
				return s.SetAttributes(t.Context(), "subject", attributes(`{"a": 1}`), nil)
			},
			"Status": func(s storage.Store) error {
				return s.SetStatus(t.Context(), "subject", storage.Status{Group: "g"}, storage.AnyRevision)
			},
			"Event": func(s storage.Store) error {
				return s.AppendEvent(t.Context(), storage.Event{At: t0, Name: "event", Subject: "subject"})
			},
		} {
			s.test(t, name, func(t *testing.T, store storage.Store) {
				ok(t, record(store))
				for _, want := range []bool{true, false} {
					equal(t, must(store.DeleteAccount(t.Context(), "subject", "someone", nil))(t), want)
				}
			})
		}
	})
	t.Run("DeletionTakesEverythingAlong", func(t *testing.T) {
		store := setup(t)
		for _, id := range []string{"ann", "bob"} {
			ok(t, store.AppendEvent(t.Context(), storage.Event{At: t0, Name: "event", Subject: id, ClientID: "client", Address: "192.0.2.0/24", Detail: "detail"}))
		}
		equal(t, must(store.DeleteAccount(t.Context(), "ann", "someone", nil))(t), true)
		events := must(store.Events(t.Context(), storage.EventFilter{}))(t)
		for i := range events {
			events[i].ID = 0
		}
		equal(t, events, []storage.Event{
			{At: t0, Name: "event", Subject: "bob", ClientID: "client", Address: "192.0.2.0/24", Detail: "detail"},
			{At: t0, Name: "event", Subject: "someone", ClientID: "client", Detail: "detail"},
		})
		fails(t, errOf(store.Account(t.Context(), "ann")), storage.ErrNotFound)
		equal(t, sessions(t, store, "ann"), nil)
		fails(t, errOf(store.Token(t.Context(), storage.AccessToken, digest("ann"))), storage.ErrNotFound)
		fails(t, errOf(store.Consent(t.Context(), "ann", "client")), storage.ErrNotFound)
		person := must(store.Person(t.Context(), "ann"))(t)
		equal(t, person, storage.Person{})

		untouched(t, store)
		ok(t, errOf(store.Consent(t.Context(), "bob", "client")))
		person = must(store.Person(t.Context(), "bob"))(t)
		equal(t, len(person.Attributes)+len(person.Statuses), 2)
	})
}
