package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func (s *signalSuite) deliveries(t *testing.T) {
	list := func(t *testing.T, store storage.Signals, match storage.DeliveryFilter) (numbers []int64) {
		t.Helper()
		match.ReceiverID = "a"
		for _, d := range must(store.Deliveries(t.Context(), match))(t) {
			numbers = append(numbers, d.Number)
		}
		return numbers
	}
	filled := func(t *testing.T) SignalStore {
		t.Helper()
		store, m := s.hearing(t, receiver("a", "client"), receiver("b", "client"))
		add(t, store, m, delivery("a", 1), delivery("a", 2), ended(delivery("a", 3), storage.DeliveryDead, "410"), ended(delivery("a", 4), storage.DeliveryDone, "200"),
			delivery("a", 5), delivery("b", 6), delivery("a", -7))
		return store
	}
	t.Run("AreListed", func(t *testing.T) {
		store := filled(t)
		after := int64(2)
		for _, tc := range []struct {
			match storage.DeliveryFilter
			want  []int64
		}{
			{storage.DeliveryFilter{}, []int64{5, 4, 3, 2, 1, -7}},
			{storage.DeliveryFilter{Limit: 2}, []int64{5, 4}},
			{storage.DeliveryFilter{After: &after}, []int64{1, -7}},
			{storage.DeliveryFilter{State: storage.DeliveryWaiting}, []int64{-7, 1, 2, 5}},
			{storage.DeliveryFilter{State: storage.DeliveryWaiting, After: &after}, []int64{5}},
			{storage.DeliveryFilter{State: storage.DeliveryDead}, []int64{3}},
			{storage.DeliveryFilter{State: storage.DeliveryDone, Numbers: []int64{3, 4}}, []int64{4}},
			{storage.DeliveryFilter{Since: t0.Add(time.Microsecond)}, nil},
		} {
			equal(t, list(t, store, tc.match), tc.want)
		}
	})
	t.Run("AreAddedOnce", func(t *testing.T) {
		store := filled(t)
		again := delivery("a", 4)
		again.MessageID = "another"
		add(t, store, takeMark(t, store), again)
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", Numbers: []int64{4}}))(t)
		equal(t, got, []storage.Delivery{ended(delivery("a", 4), storage.DeliveryDone, "200")})
	})
	t.Run("AreAddedByTheHundred", func(t *testing.T) {
		store, m := s.hearing(t, receiver("a", "client"))
		many := make([]storage.Delivery, 120)
		for i := range many {
			many[i] = delivery("a", int64(i+1))
		}
		add(t, store, m, many...)
		equal(t, len(list(t, store, storage.DeliveryFilter{Limit: 200})), 120)
	})
	t.Run("AreAddedWithADeed", func(t *testing.T) {
		store, _ := s.hearing(t, receiver("a", "client"))
		with := func() context.Context {
			return storage.WithDeed(t.Context(), &storage.Deed{Deliveries: []storage.Delivery{delivery("a", -1)}, IfChanged: true})
		}
		ok(t, errOf(store.EndSessions(with(), storage.SessionFilter{AccountID: "nobody"})))
		equal(t, len(list(t, store, storage.DeliveryFilter{})), 0)
		fails(t, store.SetDisabled(with(), "nobody", true, t0), storage.ErrNotFound)
		equal(t, len(list(t, store, storage.DeliveryFilter{})), 0)
		createAccount(t, store, "ann")
		ok(t, store.SetDisabled(with(), "ann", true, t0))
		equal(t, list(t, store, storage.DeliveryFilter{}), []int64{-1})
		equal(t, len(must(store.TakeReceivers(t.Context(), t0, turnEnd, 1))(t)), 1)
	})
	t.Run("AreAcknowledged", func(t *testing.T) {
		store := filled(t)
		equal(t, must(store.Acknowledge(t.Context(), "a", []string{"msg_1", "msg_4", "unknown", "msg_6"}, "", t0))(t), 1)
		equal(t, must(store.Acknowledge(t.Context(), "a", []string{"msg_2"}, "jwtIss", t0))(t), 1)
		equal(t, must(store.Acknowledge(t.Context(), "a", nil, "", t0))(t), 0)
		equal(t, list(t, store, storage.DeliveryFilter{State: storage.DeliveryWaiting}), []int64{-7, 5})
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", Numbers: []int64{1, 2}}))(t)
		equal(t, []any{got[0].State, got[0].Answer, got[1].State, got[1].EndedAt}, []any{storage.DeliveryDead, "jwtIss", storage.DeliveryDone, t0})
	})
	t.Run("AreReplayed", func(t *testing.T) {
		store := filled(t)
		ok(t, errOf(store.Acknowledge(t.Context(), "a", []string{"msg_1", "msg_2", "msg_5", "msg_-7"}, "", t0)))
		r := must(store.TakeReceivers(t.Context(), t0, turnEnd, 9))(t)[0]
		ok(t, store.Settle(t.Context(), r, nil))
		equal(t, must(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryDead}))(t), 1)
		equal(t, must(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "a", Numbers: []int64{4, 3}}))(t), 1) // the other waits
		equal(t, must(store.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: "unknown"}))(t), 0)
		got := must(store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting}))(t)
		equal(t, []any{len(got), got[0].MessageID, got[0].EndedAt, got[1].MessageID}, []any{2, "msg_3", time.Time{}, "msg_4"})
		equal(t, must(store.TakeReceivers(t.Context(), t0, turnEnd, 9))(t)[0].ID, "a")
	})
	t.Run("GoInTheEnd", func(t *testing.T) {
		store := filled(t)
		week, month := t0.Add(time.Second).AddDate(0, 0, 7), t0.AddDate(0, 0, 30)
		equal(t, sweepAll(t, store, week.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, week), 2)
		equal(t, sweepAll(t, store, month.Add(-time.Microsecond)), 0)
		equal(t, sweepAll(t, store, month), 5)
	})
	t.Run("AreSealedValues", func(t *testing.T) {
		_, columns := sealedValues(t, filled(t), 3)
		equal(t, columns, map[string]int{"receivers.sealed_record": 2, "deliveries.sealed_body": 7})
	})
}
