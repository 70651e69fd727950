package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// turn takes everything due at a moment, for a minute.
func turn(at time.Time) storage.Turn {
	return storage.Turn{Now: at, Until: at.Add(time.Minute), Limit: 100, PerClient: 100}
}

// due takes the client sessions that are due and returns the names of their clients.
func due(t *testing.T, store storage.Store, turn storage.Turn) []string {
	t.Helper()
	taken := must(store.TakeClientSessions(t.Context(), turn))(t)
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
	taken := must(store.TakeClientSessions(t.Context(), turn(at)))(t)
	if len(taken) != 1 {
		t.Fatalf("%d client sessions are due, want 1", len(taken))
	}
	return taken[0]
}

// turns tests how processes share the client sessions that are due.
func (s *suite) turns(t *testing.T) {
	none := []string{}
	ended := func(t *testing.T, clients ...string) storage.Store {
		store := s.signedIn(t, "account", "session", clients...)
		endSession(t, store, "session")
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
		taken := must(store.TakeClientSessions(t.Context(), turn(t0)))(t)
		equal(t, len(taken), 2)
		ok(t, store.SettleClientSession(t.Context(), taken[0], time.Time{}))
		equal(t, due(t, store, turn(t0.Add(time.Hour))), []string{taken[1].ClientID})
		ok(t, store.SettleClientSession(t.Context(), takeOne(t, store, t0.Add(2*time.Hour)), time.Time{}))
		ok(t, store.SettleClientSession(t.Context(), taken[1], time.Time{})) // of a turn that is over
		equal(t, due(t, store, turn(t0.Add(3*time.Hour))), none)
	})
	t.Run("ArePostponed", func(t *testing.T) {
		store := ended(t, "client")
		ok(t, store.SettleClientSession(t.Context(), takeOne(t, store, t0), t0.Add(time.Hour)))
		equal(t, due(t, store, turn(t0.Add(time.Hour-time.Microsecond))), none)
		equal(t, due(t, store, turn(t0.Add(time.Hour))), []string{"client"})
	})
	t.Run("ThatAreOverChangeNothing", func(t *testing.T) {
		store := ended(t, "client")
		over := takeOne(t, store, t0)
		taken := takeOne(t, store, t0.Add(time.Minute))
		ok(t, store.SettleClientSession(t.Context(), over, time.Time{}))
		ok(t, store.SettleClientSession(t.Context(), over, t0.Add(24*time.Hour)))
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
		ok(t, store.SettleClientSession(t.Context(), takeOne(t, store, t0), t0.Add(time.Hour)))
		ok(t, store.CreateSession(t.Context(), session("stands", "account"), storage.Proof{}, storage.Digest{}))
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
		endSession(t, store, "session")
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
		for _, c := range must(store.TakeClientSessions(t.Context(), turn(t0)))(t) {
			ok(t, store.SettleClientSession(t.Context(), c, t0.Add(map[string]time.Duration{"a": 3, "b": 1, "c": 2}[c.ClientID]*time.Hour)))
		}
		later := storage.Turn{Now: t0.Add(4 * time.Hour), Until: t0.Add(5 * time.Hour), Limit: 1, PerClient: 1}
		equal(t, due(t, store, later), []string{"b"})
		equal(t, due(t, store, later), []string{"c"})
	})
}

// raceTurns has many callers take what is due: each client session goes to one.
func (s *suite) raceTurns(t *testing.T) {
	stores := s.stores(t, 2)
	createAccount(t, stores[0], "account")
	ok(t, stores[0].CreateSession(t.Context(), session("session", "account"), storage.Proof{}, storage.Digest{}))
	for i := range contenders {
		begin(t, stores[0], "account", "session", fmt.Sprint("client ", i))
	}
	endSession(t, stores[0], "session")
	taken := make(chan storage.Digest, contenders*contenders)
	allWin(t, race(stores, func(_ int, store storage.Store) error {
		found, err := store.TakeClientSessions(t.Context(), storage.Turn{Now: t0, Until: t0.Add(time.Minute), Limit: 3, PerClient: 1})
		for _, c := range found {
			taken <- c.ID
		}
		return err
	}))
	for _, c := range must(stores[0].TakeClientSessions(t.Context(), turn(t0)))(t) {
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

// raceNotices makes grants in a session while it ends: the client of each grant is told.
func (s *suite) raceNotices(t *testing.T) {
	stores := s.stores(t, 2)
	createAccount(t, stores[0], "account")
	ok(t, stores[0].CreateSession(t.Context(), session("session", "account"), storage.Proof{}, storage.Digest{}))
	ok(t, stores[0].CreateSession(t.Context(), session("stays", "account"), storage.Proof{}, storage.Digest{}))
	for i := range contenders {
		saveClient(t, stores[0], fmt.Sprint("client ", i))
	}
	errs := race(stores, func(i int, store storage.Store) error {
		if i == contenders/2 {
			return errOf(store.EndSessions(t.Context(), storage.SessionFilter{Digest: digest("session")}))
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
