package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// sessionsOfTheHost tests sessions without a row: the host reports their end.
func (s *suite) sessionsOfTheHost(t *testing.T) {
	none := []string{}
	s.test(t, "AreDueWhenTheHostSaysSo", func(t *testing.T, store storage.Store) {
		begin(t, store, "carol", "", "one")
		begin(t, store, "dave", "", "two")
		equal(t, due(t, store, turn(t0.Add(time.Hour))), none)
		n := must(store.EndClientSessions(t.Context(), "carol", storage.Digest{}))(t)
		equal(t, n, 1)
		equal(t, due(t, store, turn(t0)), []string{"one"})
		n = must(store.EndClientSessions(t.Context(), "carol", storage.Digest{}))(t)
		equal(t, n, 0)
	})
	s.test(t, "AreDueOneByOneWhereTheHostNamesThem", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		for _, name := range []string{"laptop", "phone"} {
			ok(t, store.CreateGrant(t.Context(), grant(name, "client", "carol"), storage.Basis{Notice: storage.Notice{
				ID: digest("client on " + name), HostSession: digest(name), ExpiresAt: t0.Add(time.Hour),
			}}))
		}
		ok(t, errOf(store.EndClientSessions(t.Context(), "dave", digest("phone"))))
		equal(t, due(t, store, turn(t0)), none)
		ok(t, errOf(store.EndClientSessions(t.Context(), "carol", digest("phone"))))
		equal(t, takeOne(t, store, t0).ID, digest("client on phone"))
		ok(t, errOf(store.EndClientSessions(t.Context(), "carol", storage.Digest{})))
		equal(t, takeOne(t, store, t0).ID, digest("client on laptop"))
	})
	s.test(t, "AreDueWhenAllOfTheUserEnds", func(t *testing.T, store storage.Store) {
		begin(t, store, "carol", "", "one")
		begin(t, store, "dave", "", "two")
		ok(t, store.EndIssued(t.Context(), "carol", t0))
		equal(t, due(t, store, turn(t0)), []string{"one"})
		equal(t, must(store.DeleteAccount(t.Context(), "dave", "someone", nil))(t), true)
		equal(t, due(t, store, turn(t0)), []string{"two"})
	})
	t.Run("AreNoneOfAnAccount", func(t *testing.T) {
		store := s.signedIn(t, "account", "session", "client")
		equal(t, must(store.EndClientSessions(t.Context(), "account", storage.Digest{}))(t), 0)
		endSession(t, store, "session")
		equal(t, due(t, store, turn(t0)), []string{"client"})
	})
	s.test(t, "GoAtTheirEnd", func(t *testing.T, store storage.Store) {
		begin(t, store, "carol", "", "client")
		sweepAll(t, store, t0.Add(24*time.Hour-time.Microsecond))
		n := must(store.EndClientSessions(t.Context(), "carol", storage.Digest{}))(t)
		equal(t, n, 1)
		sweepAll(t, store, t0.Add(48*time.Hour)) // what is due stays
		equal(t, due(t, store, turn(t0)), []string{"client"})

		begin(t, store, "dave", "", "other")
		sweepAll(t, store, t0.Add(24*time.Hour))
		n = must(store.EndClientSessions(t.Context(), "dave", storage.Digest{}))(t)
		equal(t, n, 0)
	})
	s.test(t, "NeedAnEnd", func(t *testing.T, store storage.Store) {
		saveClient(t, store, "client")
		if err := store.CreateGrant(t.Context(), grant("g", "client", "carol"), storage.Basis{Notice: storage.Notice{ID: digest("n")}}); err == nil {
			t.Error("a client session of the host without an end was recorded")
		}
	})
	s.test(t, "WaitAnewAfterAnotherSignIn", func(t *testing.T, store storage.Store) {
		begin(t, store, "carol", "", "client")
		ok(t, errOf(store.EndClientSessions(t.Context(), "carol", storage.Digest{})))
		taken := takeOne(t, store, t0)
		ok(t, beginIn(t, store, grant("again", "client", "carol"), "", "client"))
		ok(t, store.SettleClientSession(t.Context(), taken, time.Time{})) // is of the session before
		equal(t, due(t, store, turn(t0.Add(time.Hour))), none)
		ok(t, errOf(store.EndClientSessions(t.Context(), "carol", storage.Digest{})))
		equal(t, takeOne(t, store, t0).Attempts, 1)
	})
}
