package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// races tests that no two processes tell the same, and that nothing is left untold between them.
func (s *signalSuite) races(t *testing.T) {
	hold(t, s.stores, map[string]contest[SignalStore]{
		"MarkOfAReader": func(t *testing.T, _ SignalStore, id string) (func(int, SignalStore) error, error) {
			return func(i int, store SignalStore) error {
				return errOf(store.TakeMark(t.Context(), id, fmt.Sprint("holder ", i), t0, turnEnd))
			}, storage.ErrConflict
		},
		"EndedTurnOfAMark": func(t *testing.T, store SignalStore, id string) (func(int, SignalStore) error, error) {
			ok(t, errOf(store.TakeMark(t.Context(), id, "dead", t0, turnEnd)))
			return func(i int, store SignalStore) error {
				return errOf(store.TakeMark(t.Context(), id, fmt.Sprint("holder ", i), turnEnd, turnEnd.Add(time.Minute)))
			}, storage.ErrConflict
		},
		"PlaceOfAMark": func(t *testing.T, store SignalStore, id string) (func(int, SignalStore) error, error) {
			m := must(store.TakeMark(t.Context(), id, "one", t0, turnEnd))(t)
			return func(i int, store SignalStore) error {
				to := m
				to.ID -= int64(i + 1) // any other place
				return store.MoveMark(t.Context(), m, to, nil)
			}, storage.ErrChanged
		},
		"TurnOfAReceiver": func(t *testing.T, store SignalStore, id string) (func(int, SignalStore) error, error) {
			ok(t, store.SaveReceiver(t.Context(), receiver(id, ""), 9))
			add(t, store, must(store.TakeMark(t.Context(), "reader "+id, "one", t0, turnEnd))(t), delivery(id, 1))
			return func(_ int, store SignalStore) error {
				taken, err := store.TakeReceivers(t.Context(), t0, turnEnd, 9)
				if err == nil && len(taken) == 0 {
					err = storage.ErrNotFound
				}
				return err
			}, storage.ErrNotFound
		},
		"SettlementOfATurn": func(t *testing.T, store SignalStore, id string) (func(int, SignalStore) error, error) {
			ok(t, store.SaveReceiver(t.Context(), receiver(id, ""), 9))
			add(t, store, must(store.TakeMark(t.Context(), "reader "+id, "one", t0, turnEnd))(t), delivery(id, 1))
			r := must(store.TakeReceivers(t.Context(), t0, turnEnd, 9))(t)[0]
			return func(_ int, store SignalStore) error {
				return store.Settle(t.Context(), r, []storage.Delivery{ended(delivery(id, 1), storage.DeliveryDone, "200")})
			}, storage.ErrChanged
		},
		"RevisionOfAReceiver": func(t *testing.T, store SignalStore, id string) (func(int, SignalStore) error, error) {
			ok(t, store.SaveReceiver(t.Context(), receiver(id, ""), 9))
			r := must(store.Receivers(t.Context(), storage.ReceiverFilter{ID: id}))(t)[0]
			return func(_ int, store SignalStore) error { return store.SaveReceiver(t.Context(), r, 9) }, storage.ErrChanged
		},
	})
	s.pair(t, "LastPlaceForAReceiverHasOneWinner", func(t *testing.T, stores []SignalStore) {
		saveClient(t, stores[0], "client")
		oneWins(t, race(stores, func(i int, store SignalStore) error {
			return store.SaveReceiver(t.Context(), receiver(fmt.Sprint(i), "client"), 1)
		}), storage.ErrLimit)
	})
	s.pair(t, "NothingWaitsForAReceiverThatIsNotDue", func(t *testing.T, stores []SignalStore) {
		ok(t, stores[0].SaveReceiver(t.Context(), receiver("a", ""), 9))
		m := takeMark(t, stores[0])
		const messages = 60
		var both sync.WaitGroup
		both.Go(func() {
			for i := range messages {
				if err := stores[0].MoveMark(t.Context(), m, m, []storage.Delivery{delivery("a", int64(i+1))}); err != nil {
					t.Error(err)
				}
			}
		})
		// A turn that finds nothing any more ends while another message comes.
		turn := func(store SignalStore) (done int) {
			taken, err := store.TakeReceivers(t.Context(), t0, turnEnd, 9)
			if err != nil || len(taken) == 0 {
				return 0
			}
			waiting, err := store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: "a", State: storage.DeliveryWaiting})
			for i := range waiting {
				waiting[i] = ended(waiting[i], storage.DeliveryDone, "200")
			}
			taken[0].NextAt = time.Time{}
			if err := errors.Join(err, store.Settle(t.Context(), taken[0], waiting)); err != nil {
				t.Error(err)
			}
			return len(waiting)
		}
		done := 0
		for adding := true; adding; {
			waited := make(chan struct{})
			go func() { both.Wait(); close(waited) }()
			select {
			case <-waited:
				adding = false
			default:
			}
			done += turn(stores[1])
		}
		for n := turn(stores[1]); n > 0; n = turn(stores[1]) {
			done += n
		}
		equal(t, done, messages)
	})
}
