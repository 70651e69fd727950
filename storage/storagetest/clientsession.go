package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// begin makes a grant in a session of the account, or of a user of the host if session is
// empty, whose client is told when the session ends. The client session has the client's
// name.
func begin(t *testing.T, store storage.Store, subject, session, client string) {
	t.Helper()
	saveClient(t, store, client)
	ok(t, beginIn(t, store, grant(client+" in "+session+" of "+subject, client, subject), session, client))
}

func beginIn(t *testing.T, store storage.Store, g storage.Grant, session, name string) error {
	t.Helper()
	g.SID = "sid of " + name
	on := storage.Basis{Notice: storage.Notice{ID: digest(name)}}
	if session == "" {
		on.Notice.ExpiresAt = t0.Add(24 * time.Hour)
	} else {
		on.Session = digest(session)
	}
	return store.CreateGrant(t.Context(), g, on)
}

// signedIn returns a store with an account that is signed in at these clients.
func (s *suite) signedIn(t *testing.T, account, name string, clients ...string) storage.Store {
	t.Helper()
	store := s.store(t)
	createAccount(t, store, account)
	ok(t, store.CreateSession(t.Context(), session(name, account), storage.Proof{}, storage.Digest{}))
	for _, client := range clients {
		begin(t, store, account, name, client)
	}
	return store
}

func (s *suite) clientSessions(t *testing.T) {
	none := []string{}
	t.Run("IsDueWhenItsSessionEnds", s.endsOfSessions)
	t.Run("OfTheHost", s.sessionsOfTheHost)
	t.Run("Turns", s.turns)
	t.Run("ComesWithWhatItIsAbout", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		endSession(t, store, "session")
		equal(t, takeOne(t, store, t0), storage.ClientSession{
			ID: digest("client"), ClientID: "client", Subject: "account", SID: "sid of client", CreatedAt: t0, Attempts: 1,
		})
	})
	t.Run("IsOneForAllGrants", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		for i := range 3 {
			ok(t, beginIn(t, store, grant(fmt.Sprint("grant ", i), "client", "account"), "session", "client"))
		}
		equal(t, due(t, store, turn(t0)), none)
		endSession(t, store, "session")
		equal(t, due(t, store, turn(t0)), []string{"client"})
	})
	t.Run("BeginsWithItsGrantOnly", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		ok(t, store.CreateGrant(t.Context(), grant("silent", "client", "account"), storage.Basis{Session: digest("session")}))
		saveClient(t, store, "other")
		fails(t, beginIn(t, store, grant("ended", "other", "account"), "unknown", "other"), storage.ErrEnded)
		repeated := grant("client in session of account", "other", "account")
		fails(t, beginIn(t, store, repeated, "session", "other"), storage.ErrConflict)
		endSession(t, store, "session")
		equal(t, due(t, store, turn(t0)), []string{"client"})
	})
	t.Run("NeedsTheSessionOfItsSubject", func(t *testing.T) {
		store := s.signedIn(t, "account", "session")
		createAccount(t, store, "other")
		saveClient(t, store, "client")
		fails(t, beginIn(t, store, grant("grant", "client", "other"), "session", "client"), storage.ErrEnded)
	})
	t.Run("GoesOnInTheSessionThatReplacesItsOwn", func(t *testing.T) {
		store := s.signedIn(t, "account", "before", "client")
		ok(t, store.CreateSession(t.Context(), session("elsewhere", "account"), storage.Proof{}, storage.Digest{}))
		begin(t, store, "account", "elsewhere", "of another browser")
		ok(t, store.CreateSession(t.Context(), session("after", "account"), storage.Proof{}, digest("before")))
		begin(t, store, "account", "after", "another")
		equal(t, due(t, store, turn(t0)), none)
		endSession(t, store, "after")
		equal(t, due(t, store, turn(t0)), []string{"another", "client"})
	})
	t.Run("GoesWithASessionThatHasExpired", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "one", "two")
		for i := range 40 { // more than a sweep takes at a time
			name := fmt.Sprint("session ", i)
			ok(t, store.CreateSession(t.Context(), session(name, "account"), storage.Proof{}, storage.Digest{}))
			begin(t, store, "account", name, fmt.Sprint("client ", i))
		}
		equal(t, sweepAll(t, store, t0.Add(time.Hour)), 41)
		equal(t, due(t, store, turn(t0.Add(time.Hour))), none)
		fails(t, store.CreateGrant(t.Context(), grant("late", "one", "account"), storage.Basis{Session: digest("session")}), storage.ErrEnded)
	})
	t.Run("GoesWithItsClient", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "one", "two")
		deleteClient(t, store, "one")
		endSession(t, store, "session")
		equal(t, due(t, store, turn(t0)), []string{"two"})
	})
	t.Run("StaysWhenItsGrantGoes", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		g := grant("client in session of account", "client", "account")
		ok(t, errOf(store.RemoveGrants(t.Context(), []storage.GrantID{g.ID})))
		endSession(t, store, "session")
		equal(t, due(t, store, turn(t0)), []string{"client"})
	})
	t.Run("OfAClientAreRemoved", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "other")
		saveClient(t, store, "client")
		for i := range 50 {
			ok(t, beginIn(t, store, grant(fmt.Sprint(i), "client", "account"), "session", fmt.Sprint("client ", i)))
		}
		total := 0
		for {
			n := must(store.RemoveClientSessions(t.Context(), "client"))(t)
			if n == 0 {
				break
			}
			total += n
		}
		equal(t, total, 50)
		endSession(t, store, "session")
		equal(t, due(t, store, turn(t0)), []string{"other"})
	})
	t.Run("BecomesOlder", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		endSession(t, store, "session")
		ok(t, store.SettleClientSession(t.Context(), takeOne(t, store, t0), t0.Add(time.Hour)))
		if n, err := store.WaitingClientSessions(t.Context(), 10); n != 1 || err != nil {
			t.Errorf("waiting are %d, %v", n, err)
		}
		ok(t, store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"client"}, By: time.Hour}))
		got := takeOne(t, store, t0)
		equal(t, got.CreatedAt, t0.Add(-time.Hour))
	})
}

// endsOfSessions tests every way in which a session of an account ends.
func (s *suite) endsOfSessions(t *testing.T) {
	for name, end := range map[string]func(*testing.T, storage.Store) error{
		"SignOut": func(t *testing.T, store storage.Store) error {
			return errOf(store.EndSessions(t.Context(), storage.SessionFilter{Digest: digest("session")}))
		},
		"SignOutElsewhere": func(t *testing.T, store storage.Store) error {
			return errOf(store.EndSessions(t.Context(), storage.SessionFilter{AccountID: "account", Except: digest("other")}))
		},
		"Password": func(t *testing.T, store storage.Store) error {
			return store.SetPassword(t.Context(), "account", storage.Proof{}, "new", t0, session("begun with it", "account"))
		},
		"Address": func(t *testing.T, store storage.Store) error {
			return store.ChangeEmail(t.Context(), emailChange("account", 0, "new"))
		},
		"Lock": func(t *testing.T, store storage.Store) error {
			return store.SetDisabled(t.Context(), "account", true, t0)
		},
		"Revocation": func(t *testing.T, store storage.Store) error { return store.EndIssued(t.Context(), "account", t0) },
		"Deletion": func(t *testing.T, store storage.Store) error {
			return errOf(store.DeleteAccount(t.Context(), "account", "someone", nil))
		},
		"Removal": func(t *testing.T, store storage.Store) error {
			return errOf(store.RemoveSessions(t.Context(), []storage.Digest{digest("session")}))
		},
		"AnotherAccountInTheBrowser": func(t *testing.T, store storage.Store) error {
			createAccount(t, store, "another")
			return store.CreateSession(t.Context(), session("of another", "another"), storage.Proof{}, digest("session"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := s.signedIn(t, "account", "session", "one", "two")
			createAccount(t, store, "bystander")
			ok(t, store.CreateSession(t.Context(), session("other", "bystander"), storage.Proof{}, storage.Digest{}))
			begin(t, store, "bystander", "other", "three")
			equal(t, due(t, store, turn(t0)), []string{})
			ok(t, end(t, store))
			equal(t, due(t, store, turn(t0)), []string{"one", "two"})
			equal(t, due(t, store, turn(t0)), []string{}) // they are taken
		})
	}
}
