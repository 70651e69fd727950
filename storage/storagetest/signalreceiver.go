package storagetest

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *signalSuite) receivers(t *testing.T) {
	t.Run("ComeBackAsSaved", func(t *testing.T) {
		ofHost := receiver("b", "")
		ofHost.CreatedAt = elsewhere
		store, _ := s.hearing(t, receiver("a", "client"), ofHost, receiver("c", "client"))
		ids := func(match storage.ReceiverFilter) (ids string) {
			for _, r := range must(store.Receivers(t.Context(), match))(t) {
				ids += r.ID
			}
			return ids
		}
		equal(t, ids(storage.ReceiverFilter{}), "abc")
		equal(t, ids(storage.ReceiverFilter{AfterID: "a", Limit: 1}), "b")
		equal(t, ids(storage.ReceiverFilter{ClientID: "client"}), "ac")
		equal(t, ids(storage.ReceiverFilter{ClientIDs: []string{"nobody", "client"}}), "ac")
		equal(t, ids(storage.ReceiverFilter{ClientIDs: []string{"nobody"}}), "")
		equal(t, ids(storage.ReceiverFilter{OfHost: true}), "b")
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{ID: "b"}))(t)[0]
		ofHost.CreatedAt, ofHost.Revision = asStored, got.Revision
		equal(t, got, ofHost)
	})
	t.Run("AreReplacedByTheirRevision", func(t *testing.T) {
		store, _ := s.hearing(t, receiver("a", "client"))
		fails(t, store.SaveReceiver(t.Context(), receiver("a", "client"), 9), storage.ErrConflict)
		read := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		read.Record, read.State = []byte("another"), storage.ReceiverPaused
		ok(t, store.SaveReceiver(t.Context(), read, 9))
		fails(t, store.SaveReceiver(t.Context(), read, 9), storage.ErrChanged)
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		equal(t, []string{string(got.Record), string(got.State)}, []string{"another", "paused"})
	})
	t.Run("HaveALimitForEachClient", func(t *testing.T) {
		store, _ := s.hearing(t, receiver("a", "client"), receiver("b", "client"), receiver("h", ""), receiver("i", ""))
		fails(t, store.SaveReceiver(t.Context(), receiver("c", "client"), 2), storage.ErrLimit)
		poll := receiver("c", "client")
		poll.Kind = storage.PollReceiver
		ok(t, store.SaveReceiver(t.Context(), poll, 2))
		fails(t, store.SaveReceiver(t.Context(), receiver("d", "unknown"), 2), storage.ErrNotFound)
	})
	t.Run("GoWithTheirDeliveries", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"))
		add(t, store, m, delivery("a", 1), delivery("a", 2), delivery("a", 3), delivery("b", 1))
		total := 0
		for {
			removed := must(store.RemoveReceiver(t.Context(), "a", 0, 2))(t)
			if total += removed; removed == 0 {
				break
			}
		}
		equal(t, total, 4)
		add(t, store, m, delivery("a", 5)) // who is told of it is gone
		equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a"}))(t)), 0)
		deleteClient(t, store, "client")
		equal(t, len(must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)), 0)
	})
	t.Run("GoAsTheyWereReadAlone", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		read := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		add(t, store, m, delivery("a", 1), delivery("a", 2), delivery("a", 3))
		equal(t, must(store.RemoveReceiver(t.Context(), "a", read.Revision, 2))(t), 2)
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{Counted: true}))(t)[0]
		equal(t, []any{got.State, got.Revision, got.Waiting}, []any{storage.ReceiverDisabled, read.Revision, 1})
		got.Record = []byte("stopped by the staff meanwhile")
		ok(t, store.SaveReceiver(t.Context(), got, 9))
		fails(t, errOf(store.RemoveReceiver(t.Context(), "a", read.Revision, 2)), storage.ErrChanged)
		equal(t, must(store.Receivers(t.Context(), storage.ReceiverFilter{Counted: true}))(t)[0].Waiting, 1)
	})
	t.Run("AreCounted", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", ""))
		later := delivery("a", 2)
		later.At = t0.Add(time.Minute)
		add(t, store, m, delivery("a", 1), later, ended(delivery("a", 3), storage.DeliveryDead, "400"), ended(delivery("a", 4), storage.DeliveryDone, "200"))
		got := must(store.Receivers(t.Context(), storage.ReceiverFilter{Counted: true}))(t)
		equal(t, []any{got[0].Waiting, got[0].Dead, got[0].Oldest}, []any{2, 1, t0})
		equal(t, []any{got[1].Waiting, got[1].Dead, got[1].Oldest}, []any{0, 0, time.Time{}})
	})
}

func (s *signalSuite) turns(t *testing.T) {
	take := func(t *testing.T, store storage.Signals, now time.Time) []storage.Receiver {
		t.Helper()
		return must(store.TakeReceivers(t.Context(), now, now.Add(30*time.Second), 9))(t)
	}
	t.Run("AreOfThoseForWhomSomethingWaits", func(t *testing.T) {
		of := func(id string, kind storage.ReceiverKind, state storage.ReceiverState) storage.Receiver {
			r := receiver(id, "client")
			r.Kind, r.State = kind, state
			return r
		}
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"), of("disabled", "webhook", "disabled"), of("inbox", "inbox", "enabled"),
			of("paused", "push", "paused"), of("poll", "poll", "enabled"), of("push", "push", "enabled"), of("unverified", "webhook", "unverified"))
		equal(t, len(take(t, store, t0)), 0)
		var all []storage.Delivery
		for _, id := range []string{"a", "disabled", "inbox", "paused", "poll", "push", "unverified"} {
			all = append(all, delivery(id, 1))
		}
		add(t, store, m, all...)
		var ids []string
		for _, r := range take(t, store, t0) {
			ids = append(ids, r.ID)
			equal(t, r.NextAt, turnEnd)
		}
		equal(t, ids, []string{"a", "push"})
		equal(t, len(take(t, store, t0)), 0)
		equal(t, len(take(t, store, turnEnd)), 2) // the process has died
		for id, want := range map[string]int{"disabled": 0, "inbox": 1, "paused": 1, "poll": 1, "unverified": 0} {
			equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: id}))(t)), want)
		}
		add(t, store, m, delivery("unverified", -1), delivery("disabled", -1)) // a ping
		equal(t, take(t, store, t0)[0].ID, "unverified")
	})
	t.Run("EndWithWhatTheyHaveDone", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		add(t, store, m, delivery("a", 1), delivery("a", 2), delivery("a", 3))
		r := take(t, store, t0)[0]
		r.Attempts, r.FailingSince, r.NextAt = 1, t0, t0.Add(time.Hour)
		late := delivery("a", 2)
		late.Answer = "the connection was refused"
		ok(t, store.Settle(t.Context(), r, []storage.Delivery{ended(delivery("a", 1), storage.DeliveryDone, "200"), ended(delivery("a", 3), storage.DeliveryDead, "400"), late}))
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a"}))(t)
		equal(t, got, []storage.Delivery{
			ended(delivery("a", 3), storage.DeliveryDead, "400"), late, ended(delivery("a", 1), storage.DeliveryDone, "200"),
		})
		add(t, store, m, delivery("a", 4)) // it is left alone all the same
		equal(t, len(take(t, store, t0.Add(time.Hour-time.Microsecond))), 0)
		again := take(t, store, t0.Add(time.Hour))[0]
		equal(t, []any{again.Attempts, again.FailingSince}, []any{1, t0})
		again.Attempts, again.FailingSince, again.NextAt = 0, time.Time{}, time.Time{}
		ok(t, store.Settle(t.Context(), again, []storage.Delivery{ended(delivery("a", 2), storage.DeliveryDone, "200"), ended(delivery("a", 4), storage.DeliveryDone, "200")}))
		equal(t, len(take(t, store, t0.Add(time.Hour))), 0)
		equal(t, must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0].NextAt, time.Time{})
	})
	t.Run("AreSettledOnce", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		add(t, store, m, delivery("a", 1))
		late := take(t, store, t0)[0]
		ok(t, errOf(store.TakeReceivers(t.Context(), turnEnd, turnEnd.Add(time.Hour), 1)))
		fails(t, store.Settle(t.Context(), late, []storage.Delivery{ended(delivery("a", 1), storage.DeliveryDone, "200")}), storage.ErrChanged)
		equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting}))(t)), 1)
	})
	t.Run("EndWhenAnotherAddressIsSaved", func(t *testing.T) {
		unverified := receiver("a", "client")
		unverified.State = storage.ReceiverUnverified
		store, m := s.hearing(t, unverified)
		add(t, store, m, delivery("a", -1))
		r := take(t, store, t0)[0]
		saved := r
		saved.Record = []byte("another address")
		ok(t, store.SaveReceiver(t.Context(), saved, 9))
		r.State = storage.ReceiverEnabled
		fails(t, store.Settle(t.Context(), r, nil), storage.ErrChanged)
		equal(t, take(t, store, t0)[0].State, storage.ReceiverUnverified)
	})
	t.Run("AreOfPingsAloneWhileNobodyKnowsTheAddress", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		gone := delivery("a", -9)
		gone.Name = "account.deleted"
		add(t, store, m, delivery("a", 1), delivery("a", 2), gone)
		ok(t, store.Settle(t.Context(), take(t, store, t0)[0], []storage.Delivery{ended(delivery("a", 2), storage.DeliveryDead, "400")}))
		elsewhere := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		elsewhere.State = storage.ReceiverUnverified
		ok(t, store.SaveReceiver(t.Context(), elsewhere, 9))
		ok(t, errOf(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "a"})))
		later := gone
		later.Number, later.MessageID = -8, "msg_-8"
		add(t, store, m, later)
		equal(t, len(take(t, store, t0)), 0)
		add(t, store, m, delivery("a", -1))
		r := take(t, store, t0)[0]
		equal(t, must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting, Name: storage.Ping}))(t), []storage.Delivery{delivery("a", -1)})
		r.NextAt = time.Time{}
		ok(t, store.Settle(t.Context(), r, nil)) // it has not answered
		r = take(t, store, t0)[0]
		r.State, r.NextAt = storage.ReceiverEnabled, time.Time{}
		ok(t, store.Settle(t.Context(), r, []storage.Delivery{ended(delivery("a", -1), storage.DeliveryDone, "200")}))
		equal(t, len(take(t, store, t0)), 1)
		equal(t, len(must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting}))(t)), 3)
	})
	t.Run("CanEndReceivers", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		add(t, store, m, delivery("a", 1))
		r := take(t, store, t0)[0]
		r.State, r.Attempts, r.FailingSince = storage.ReceiverDisabled, 10, t0
		ok(t, store.Settle(t.Context(), r, nil))
		equal(t, len(take(t, store, t0.Add(time.Hour))), 0)
		disabled := must(store.Receivers(t.Context(), storage.ReceiverFilter{}))(t)[0]
		disabled.State = storage.ReceiverEnabled
		ok(t, store.SaveReceiver(t.Context(), disabled, 9))
		begun := take(t, store, t0)[0]
		equal(t, []any{begun.Attempts, begun.FailingSince}, []any{0, time.Time{}})
	})
	t.Run("AreOfSomeAtOnce", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"), receiver("c", "client"))
		add(t, store, m, delivery("a", 1), delivery("b", 1), delivery("c", 1))
		equal(t, len(must(store.TakeReceivers(t.Context(), t0, turnEnd, 2))(t)), 2)
		equal(t, len(must(store.TakeReceivers(t.Context(), t0, turnEnd, 2))(t)), 1)
	})
}
