package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// begin makes a grant of the account's session, or of a user of the host where that is
// "", whose client is told when it ends. The client session has the name of the client.
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

// signedIn returns a store on which an account is signed in, at the clients of these names.
func (s *suite) signedIn(t *testing.T, account, name string, clients ...string) storage.Store {
	t.Helper()
	store := s.store(t)
	createAccount(t, store, account)
	ok(t, store.CreateSession(t.Context(), session(name, account), 0, storage.Digest{}))
	for _, client := range clients {
		begin(t, store, account, name, client)
	}
	return store
}

// turn takes all that is due at a moment, for a minute.
func turn(at time.Time) storage.Turn {
	return storage.Turn{Now: at, Until: at.Add(time.Minute), Limit: 100, PerClient: 100}
}

// due takes the client sessions that are due and returns the names of their clients.
func due(t *testing.T, store storage.Store, turn storage.Turn) []string {
	t.Helper()
	taken, err := store.TakeClientSessions(t.Context(), turn)
	ok(t, err)
	clients := []string{}
	for _, c := range taken {
		clients = append(clients, c.ClientID)
	}
	slices.Sort(clients)
	return clients
}

// takeOne takes the only client session that is due.
func takeOne(t *testing.T, store storage.Store, at time.Time) storage.ClientSession {
	t.Helper()
	taken, err := store.TakeClientSessions(t.Context(), turn(at))
	ok(t, err)
	if len(taken) != 1 {
		t.Fatalf("%d client sessions are due, want 1", len(taken))
	}
	return taken[0]
}

func (s *suite) clientSessions(t *testing.T) {
	none := []string{}
	t.Run("IsDueWhenItsSessionEnds", s.endsOfSessions)
	t.Run("OfTheHost", s.sessionsOfTheHost)
	t.Run("Turns", s.turns)
	t.Run("ComesWithWhatItIsAbout", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		ok(t, store.EndSession(t.Context(), digest("session")))
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
		ok(t, store.EndSession(t.Context(), digest("session")))
		equal(t, due(t, store, turn(t0)), []string{"client"})
	})
	t.Run("BeginsWithItsGrantOnly", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		ok(t, store.CreateGrant(t.Context(), grant("silent", "client", "account"), storage.Basis{Session: digest("session")}))
		saveClient(t, store, "other")
		fails(t, beginIn(t, store, grant("ended", "other", "account"), "unknown", "other"), storage.ErrEnded)
		repeated := grant("client in session of account", "other", "account")
		fails(t, beginIn(t, store, repeated, "session", "other"), storage.ErrConflict)
		ok(t, store.EndSession(t.Context(), digest("session")))
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
		ok(t, store.CreateSession(t.Context(), session("elsewhere", "account"), 0, storage.Digest{}))
		begin(t, store, "account", "elsewhere", "of another browser")
		ok(t, store.CreateSession(t.Context(), session("after", "account"), 0, digest("before")))
		begin(t, store, "account", "after", "another")
		equal(t, due(t, store, turn(t0)), none)
		ok(t, store.EndSession(t.Context(), digest("after")))
		equal(t, due(t, store, turn(t0)), []string{"another", "client"})
	})
	t.Run("GoesWithASessionThatHasExpired", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "one", "two")
		for i := range 40 { // more than a sweep takes at a time
			name := fmt.Sprint("session ", i)
			ok(t, store.CreateSession(t.Context(), session(name, "account"), 0, storage.Digest{}))
			begin(t, store, "account", name, fmt.Sprint("client ", i))
		}
		equal(t, sweepAll(t, store, t0.Add(time.Hour)), 41)
		equal(t, due(t, store, turn(t0.Add(time.Hour))), none)
		fails(t, store.CreateGrant(t.Context(), grant("late", "one", "account"), storage.Basis{Session: digest("session")}), storage.ErrEnded)
	})
	t.Run("GoesWithItsClient", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "one", "two")
		deleteClient(t, store, "one")
		ok(t, store.EndSession(t.Context(), digest("session")))
		equal(t, due(t, store, turn(t0)), []string{"two"})
	})
	t.Run("StaysWhenItsGrantGoes", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		g := grant("client in session of account", "client", "account")
		_, err := store.RemoveGrants(t.Context(), []storage.GrantID{g.ID})
		ok(t, err)
		ok(t, store.EndSession(t.Context(), digest("session")))
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
			n, err := store.RemoveClientSessions(t.Context(), "client")
			ok(t, err)
			if n == 0 {
				break
			}
			total += n
		}
		equal(t, total, 50)
		ok(t, store.EndSession(t.Context(), digest("session")))
		equal(t, due(t, store, turn(t0)), []string{"other"})
	})
	t.Run("BecomesOlder", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		ok(t, store.EndSession(t.Context(), digest("session")))
		ok(t, store.PostponeClientSession(t.Context(), takeOne(t, store, t0), t0.Add(time.Hour)))
		ok(t, store.Elapse(t.Context(), storage.Elapsed{ClientIDs: []string{"client"}, By: time.Hour}))
		got := takeOne(t, store, t0)
		equal(t, got.CreatedAt, t0.Add(-time.Hour))
	})
}

// endsOfSessions are all ways in which a session of an account ends.
func (s *suite) endsOfSessions(t *testing.T) {
	for name, end := range map[string]func(*testing.T, storage.Store) error{
		"SignOut": func(t *testing.T, store storage.Store) error {
			return store.EndSession(t.Context(), digest("session"))
		},
		"SignOutElsewhere": func(t *testing.T, store storage.Store) error {
			_, err := store.EndSessions(t.Context(), storage.SessionFilter{AccountID: "account", Except: digest("other")})
			return err
		},
		"Password": func(t *testing.T, store storage.Store) error {
			return store.SetPassword(t.Context(), "account", 0, "new", t0, session("begun with it", "account"))
		},
		"Address": func(t *testing.T, store storage.Store) error {
			return store.ChangeEmail(t.Context(), emailChange("account", 0, "new"))
		},
		"Lock": func(t *testing.T, store storage.Store) error {
			return store.SetDisabled(t.Context(), "account", true, t0)
		},
		"Revocation": func(t *testing.T, store storage.Store) error { return store.EndIssued(t.Context(), "account", t0) },
		"Deletion": func(t *testing.T, store storage.Store) error {
			_, err := store.DeleteAccount(t.Context(), "account", "someone")
			return err
		},
		"Removal": func(t *testing.T, store storage.Store) error {
			_, err := store.RemoveSessions(t.Context(), []storage.Digest{digest("session")})
			return err
		},
		"AnotherAccountInTheBrowser": func(t *testing.T, store storage.Store) error {
			createAccount(t, store, "another")
			return store.CreateSession(t.Context(), session("of another", "another"), 0, digest("session"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := s.signedIn(t, "account", "session", "one", "two")
			createAccount(t, store, "bystander")
			ok(t, store.CreateSession(t.Context(), session("other", "bystander"), 0, storage.Digest{}))
			begin(t, store, "bystander", "other", "three")
			equal(t, due(t, store, turn(t0)), []string{})
			ok(t, end(t, store))
			equal(t, due(t, store, turn(t0)), []string{"one", "two"})
			equal(t, due(t, store, turn(t0)), []string{}) // they are taken
		})
	}
}

// sessionsOfTheHost have no row, so that somebody has to say that they have ended.
func (s *suite) sessionsOfTheHost(t *testing.T) {
	none := []string{}
	t.Run("AreDueWhenTheHostSaysSo", func(t *testing.T) {
		store := s.store(t)
		begin(t, store, "carol", "", "one")
		begin(t, store, "dave", "", "two")
		equal(t, due(t, store, turn(t0.Add(time.Hour))), none)
		n, err := store.EndClientSessions(t.Context(), "carol", storage.Digest{})
		ok(t, err)
		equal(t, n, 1)
		equal(t, due(t, store, turn(t0)), []string{"one"})
		n, err = store.EndClientSessions(t.Context(), "carol", storage.Digest{})
		ok(t, err)
		equal(t, n, 0)
	})
	t.Run("AreDueOneByOneWhereTheHostNamesThem", func(t *testing.T) {
		store := s.store(t)
		saveClient(t, store, "client")
		for _, name := range []string{"laptop", "phone"} {
			ok(t, store.CreateGrant(t.Context(), grant(name, "client", "carol"), storage.Basis{Notice: storage.Notice{
				ID: digest("client on " + name), HostSession: digest(name), ExpiresAt: t0.Add(time.Hour),
			}}))
		}
		_, err := store.EndClientSessions(t.Context(), "dave", digest("phone"))
		ok(t, err)
		equal(t, due(t, store, turn(t0)), none)
		_, err = store.EndClientSessions(t.Context(), "carol", digest("phone"))
		ok(t, err)
		equal(t, takeOne(t, store, t0).ID, digest("client on phone"))
		_, err = store.EndClientSessions(t.Context(), "carol", storage.Digest{})
		ok(t, err)
		equal(t, takeOne(t, store, t0).ID, digest("client on laptop"))
	})
	t.Run("AreDueWhenAllOfTheUserEnds", func(t *testing.T) {
		store := s.store(t)
		begin(t, store, "carol", "", "one")
		begin(t, store, "dave", "", "two")
		ok(t, store.EndIssued(t.Context(), "carol", t0))
		equal(t, due(t, store, turn(t0)), []string{"one"})
		found, err := store.DeleteAccount(t.Context(), "dave", "someone")
		ok(t, err)
		equal(t, found, true)
		equal(t, due(t, store, turn(t0)), []string{"two"})
	})
	t.Run("AreNoneOfAnAccount", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		n, err := store.EndClientSessions(t.Context(), "account", storage.Digest{})
		ok(t, err)
		equal(t, n, 0)
		ok(t, store.EndSession(t.Context(), digest("session")))
		equal(t, due(t, store, turn(t0)), []string{"client"})
	})
	t.Run("GoAtTheirEnd", func(t *testing.T) {
		store := s.store(t)
		begin(t, store, "carol", "", "client")
		sweepAll(t, store, t0.Add(24*time.Hour-time.Microsecond))
		n, err := store.EndClientSessions(t.Context(), "carol", storage.Digest{})
		ok(t, err)
		equal(t, n, 1)
		sweepAll(t, store, t0.Add(48*time.Hour)) // what is due stays
		equal(t, due(t, store, turn(t0)), []string{"client"})

		begin(t, store, "dave", "", "other")
		sweepAll(t, store, t0.Add(24*time.Hour))
		n, err = store.EndClientSessions(t.Context(), "dave", storage.Digest{})
		ok(t, err)
		equal(t, n, 0)
	})
	t.Run("NeedAnEnd", func(t *testing.T) {
		store := s.store(t)
		saveClient(t, store, "client")
		if err := store.CreateGrant(t.Context(), grant("g", "client", "carol"), storage.Basis{Notice: storage.Notice{ID: digest("n")}}); err == nil {
			t.Error("a client session of the host without an end was recorded")
		}
	})
	t.Run("WaitAnewAfterAnotherSignIn", func(t *testing.T) {
		store := s.store(t)
		begin(t, store, "carol", "", "client")
		_, err := store.EndClientSessions(t.Context(), "carol", storage.Digest{})
		ok(t, err)
		taken := takeOne(t, store, t0)
		ok(t, beginIn(t, store, grant("again", "client", "carol"), "", "client"))
		ok(t, store.RemoveClientSession(t.Context(), taken)) // is of the session before
		equal(t, due(t, store, turn(t0.Add(time.Hour))), none)
		_, err = store.EndClientSessions(t.Context(), "carol", storage.Digest{})
		ok(t, err)
		equal(t, takeOne(t, store, t0).Attempts, 1)
	})
}

func (s *suite) turns(t *testing.T) {
	none := []string{}
	ended := func(t *testing.T, clients ...string) storage.Store {
		store := s.signedIn(t, "account", "session", clients...)
		ok(t, store.EndSession(t.Context(), digest("session")))
		return store
	}
	t.Run("ComeAgainAtTheirEnd", func(t *testing.T) {
		store := ended(t, "client")
		for attempt := range 3 {
			at := t0.Add(time.Duration(attempt) * time.Minute)
			equal(t, takeOne(t, store, at).Attempts, attempt+1)
			equal(t, due(t, store, turn(at.Add(time.Minute-time.Microsecond))), none)
		}
	})
	t.Run("EndWhenItIsRemoved", func(t *testing.T) {
		store := ended(t, "a", "b")
		taken, err := store.TakeClientSessions(t.Context(), turn(t0))
		ok(t, err)
		equal(t, len(taken), 2)
		ok(t, store.RemoveClientSession(t.Context(), taken[0]))
		equal(t, due(t, store, turn(t0.Add(time.Hour))), []string{taken[1].ClientID})
		ok(t, store.RemoveClientSession(t.Context(), takeOne(t, store, t0.Add(2*time.Hour))))
		ok(t, store.RemoveClientSession(t.Context(), taken[1])) // of a turn that is over
		equal(t, due(t, store, turn(t0.Add(3*time.Hour))), none)
	})
	t.Run("ArePostponed", func(t *testing.T) {
		store := ended(t, "client")
		ok(t, store.PostponeClientSession(t.Context(), takeOne(t, store, t0), t0.Add(time.Hour)))
		equal(t, due(t, store, turn(t0.Add(time.Hour-time.Microsecond))), none)
		equal(t, due(t, store, turn(t0.Add(time.Hour))), []string{"client"})
	})
	t.Run("ThatAreOverChangeNothing", func(t *testing.T) {
		store := ended(t, "client")
		over := takeOne(t, store, t0)
		taken := takeOne(t, store, t0.Add(time.Minute))
		ok(t, store.RemoveClientSession(t.Context(), over))
		ok(t, store.PostponeClientSession(t.Context(), over, t0.Add(24*time.Hour)))
		equal(t, takeOne(t, store, t0.Add(2*time.Minute)).Attempts, taken.Attempts+1)
	})
	t.Run("AreBounded", func(t *testing.T) {
		store := ended(t, "a", "b", "c", "d")
		equal(t, len(due(t, store, storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 3, PerClient: 1})), 3)
		equal(t, len(due(t, store, storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 0, PerClient: 1})), 0)
		equal(t, len(due(t, store, storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 3, PerClient: 0})), 0)
		equal(t, len(due(t, store, storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 3, PerClient: 1})), 1)
	})
	t.Run("GoToNoneWhoseSessionStands", func(t *testing.T) {
		store := ended(t, "client")
		ok(t, store.PostponeClientSession(t.Context(), takeOne(t, store, t0), t0.Add(time.Hour)))
		ok(t, store.CreateSession(t.Context(), session("stands", "account"), 0, storage.Digest{}))
		for _, client := range []string{"a", "b", "c"} {
			begin(t, store, "account", "stands", client)
		}
		equal(t, due(t, store, storage.Turn{Now: t0.Add(time.Hour), Until: t0.Add(2 * time.Hour), Limit: 1, PerClient: 1}), []string{"client"})
	})
	t.Run("LeaveRoomForOtherClients", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "busy", "z")
		for i := range 300 {
			ok(t, beginIn(t, store, grant(fmt.Sprint(i), "busy", "account"), "session", fmt.Sprint("busy ", i)))
		}
		ok(t, store.EndSession(t.Context(), digest("session")))
		turn := storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 10, PerClient: 4}
		first := due(t, store, turn)
		equal(t, slices.Contains(first, "busy"), true)
		turn.Except = []string{"busy"}
		if all := append(first, due(t, store, turn)...); !slices.Contains(all, "z") || len(all) > 5 {
			t.Errorf("taken are those of %v", all)
		}
	})
	t.Run("LeaveOutSomeClients", func(t *testing.T) {
		store := ended(t, "a", "b")
		all := turn(t0)
		all.Except = []string{"a"}
		equal(t, due(t, store, all), []string{"b"})
		equal(t, due(t, store, all), none)
		equal(t, due(t, store, turn(t0)), []string{"a"})
	})
	t.Run("BeginWithWhatHasWaitedLongest", func(t *testing.T) {
		store := ended(t, "a", "b", "c")
		taken, err := store.TakeClientSessions(t.Context(), turn(t0))
		ok(t, err)
		for _, c := range taken {
			ok(t, store.PostponeClientSession(t.Context(), c, t0.Add(map[string]time.Duration{"a": 3, "b": 1, "c": 2}[c.ClientID]*time.Hour)))
		}
		later := storage.Turn{Now: t0.Add(4 * time.Hour), Until: t0.Add(5 * time.Hour), Limit: 1, PerClient: 1}
		equal(t, due(t, store, later), []string{"b"})
		equal(t, due(t, store, later), []string{"c"})
	})
}

// raceTurns lets many take what is due: each client session goes to one.
func (s *suite) raceTurns(t *testing.T) {
	stores := s.stores(t, 2)
	createAccount(t, stores[0], "account")
	ok(t, stores[0].CreateSession(t.Context(), session("session", "account"), 0, storage.Digest{}))
	for i := range contenders {
		begin(t, stores[0], "account", "session", fmt.Sprint("client ", i))
	}
	ok(t, stores[0].EndSession(t.Context(), digest("session")))
	taken := make(chan storage.Digest, contenders*contenders)
	for _, err := range race(stores, func(_ int, store storage.Store) error {
		found, err := store.TakeClientSessions(t.Context(), storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 3, PerClient: 1})
		for _, c := range found {
			taken <- c.ID
		}
		return err
	}) {
		ok(t, err)
	}
	left, err := stores[0].TakeClientSessions(t.Context(), turn(t0))
	ok(t, err)
	for _, c := range left {
		taken <- c.ID
	}
	close(taken)
	seen := map[storage.Digest]bool{}
	for id := range taken {
		if seen[id] {
			t.Error("a client session was taken twice")
		}
		seen[id] = true
	}
	equal(t, len(seen), contenders)
}

// raceNotices lets grants be made in a session while it ends: of each grant that was made,
// the client is told.
func (s *suite) raceNotices(t *testing.T) {
	stores := s.stores(t, 2)
	createAccount(t, stores[0], "account")
	ok(t, stores[0].CreateSession(t.Context(), session("session", "account"), 0, storage.Digest{}))
	ok(t, stores[0].CreateSession(t.Context(), session("stays", "account"), 0, storage.Digest{}))
	for i := range contenders {
		saveClient(t, stores[0], fmt.Sprint("client ", i))
	}
	errs := race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return store.EndSession(t.Context(), digest("session"))
		}
		name := fmt.Sprint("client ", i)
		return beginIn(t, store, grant(name, name, "account"), "session", name)
	})
	want := []string{}
	for i, err := range errs {
		switch {
		case i == contenders/2:
			ok(t, err)
		case err == nil:
			want = append(want, fmt.Sprint("client ", i))
		case !errors.Is(err, storage.ErrEnded):
			t.Errorf("grant %d: %v", i, err)
		}
	}
	slices.Sort(want)
	equal(t, due(t, stores[0], turn(t0)), want)
}
