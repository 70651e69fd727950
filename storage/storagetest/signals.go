package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// SignalStore is a store that keeps who is told of what, beside all that there is to tell.
type SignalStore = storage.Roles

// RunSignals tests everything that the comments of storage.Signals promise, as [Run] does for
// storage.Store.
func RunSignals(t *testing.T, newDatabase func(t *testing.T) (open func() SignalStore)) {
	suite := &signalSuite{newDatabase}
	t.Run("Marks", suite.marks)
	t.Run("Listeners", suite.listeners)
	t.Run("Receivers", suite.receivers)
	t.Run("Turns", suite.turns)
	t.Run("Deliveries", suite.deliveries)
	t.Run("Races", suite.races)
	t.Run("Availability", suite.availability)
}

type signalSuite struct{ databases[SignalStore] }

// turnEnd is the end of a turn that begins at t0.
var turnEnd = t0.Add(30 * time.Second)

// receiver is a webhook of a client.
func receiver(id, client string) storage.Receiver {
	return storage.Receiver{
		ID: id, ClientID: client, Kind: storage.WebhookReceiver, State: storage.ReceiverEnabled,
		Record: []byte("sealed record of " + id), CreatedAt: t0,
	}
}

// delivery waits for a receiver.
func delivery(receiver string, number int64) storage.Delivery {
	name := "status.changed"
	if number < 0 {
		name = storage.Ping
	}
	return storage.Delivery{
		ReceiverID: receiver, Number: number, MessageID: fmt.Sprint("msg_", number), Name: name, Lane: int(number), Body: []byte("sealed body"),
		State: storage.DeliveryWaiting, At: t0,
	}
}

// ended is a delivery of which a turn has become this.
func ended(d storage.Delivery, state storage.DeliveryState, answer string) storage.Delivery {
	d.State, d.Answer, d.EndedAt = state, answer, t0.Add(time.Second)
	return d
}

// hearing returns a store with a client, receivers of it, and a mark.
func (s *signalSuite) hearing(t *testing.T, receivers ...storage.Receiver) (SignalStore, storage.Mark) {
	t.Helper()
	store := s.store(t)
	saveClient(t, store, "client")
	for _, r := range receivers {
		ok(t, store.SaveReceiver(t.Context(), r, 9))
	}
	return store, takeMark(t, store)
}

func takeMark(t *testing.T, store storage.Signals) storage.Mark {
	t.Helper()
	return must(store.TakeMark(t.Context(), "reader", "one", t0, turnEnd))(t)
}

// add adds deliveries, with a mark that stays where it is.
func add(t *testing.T, store storage.Signals, m storage.Mark, deliveries ...storage.Delivery) {
	t.Helper()
	ok(t, store.MoveMark(t.Context(), m, m, deliveries))
}

func (s *signalSuite) availability(t *testing.T) {
	prepared := func(t *testing.T) SignalStore {
		store, _ := s.hearing(t, receiver("a", "client"))
		return store
	}
	availability(t, prepared, map[string]func(context.Context, SignalStore) error{
		"EventsAfter": func(ctx context.Context, store SignalStore) error {
			_, _, err := store.EventsAfter(ctx, storage.Mark{}, 1)
			return err
		},
		"TakeMark": func(ctx context.Context, store SignalStore) error {
			return errOf(store.TakeMark(ctx, "new", "one", t0, turnEnd))
		},
		"Receivers": func(ctx context.Context, store SignalStore) error {
			return errOf(store.Receivers(ctx, storage.ReceiverFilter{}))
		},
		"TakeReceivers": func(ctx context.Context, store SignalStore) error {
			return errOf(store.TakeReceivers(ctx, t0, turnEnd, 1))
		},
		"Replay": func(ctx context.Context, store SignalStore) error {
			return errOf(store.Replay(ctx, storage.DeliveryFilter{ReceiverID: "a"}))
		},
	})
}
