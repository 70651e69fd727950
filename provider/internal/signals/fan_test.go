package signals_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// counting counts the receivers that are read.
type counting struct {
	storage.Signals
	read int
}

func (c *counting) Receivers(ctx context.Context, match storage.ReceiverFilter) ([]storage.Receiver, error) {
	found, err := c.Signals.Receivers(ctx, match)
	c.read += len(found)
	return found, err
}

// The receivers of whom nobody has heard anything are not read, however many there are.
func TestFanReadsThoseWhoMayHear(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	reads := &counting{Signals: w.store}
	w.Store = reads
	for i := range 300 {
		client := fmt.Sprint("other", i)
		w.ok(w.store.SaveClient(t.Context(), storage.Client{ID: client, CreatedAt: w.now()}))
		_, _, err := w.Save(t.Context(), signals.Receiver{ClientID: client, Address: "https://other.example/hook", State: "unverified"})
		w.ok(err)
	}
	hook, _, err := w.Save(t.Context(), signals.Receiver{ClientID: "shop", Address: "https://shop.example/hook", State: "unverified"})
	w.ok(err)
	r, err := storage.One(w.store.Receivers(t.Context(), storage.ReceiverFilter{ID: hook.ID}))
	w.ok(err)
	r.State = storage.ReceiverEnabled
	w.ok(w.store.SaveReceiver(t.Context(), r, 9))
	w.grant("ann", "student")
	fan := w.Sources()[0]
	rows := func(e storage.Event) int {
		w.record(e)
		reads.read = 0
		_, err := fan.Do(t.Context())
		w.ok(err)
		return reads.read
	}
	rows(storage.Event{Name: event.SignedIn}) // takes the mark
	for _, tc := range []struct {
		e    storage.Event
		most int
	}{
		{storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"}, 1},
		{storage.Event{Name: event.StatusChanged, Subject: "bob", Detail: "student"}, 0},
		{storage.Event{Name: event.ClientStopped, ClientID: "shop"}, 1},
		{storage.Event{Name: event.SignedIn, Subject: "ann"}, 0},
		{storage.Event{Name: event.KeyRotated, Detail: "RS256"}, 301},
	} {
		if got := rows(tc.e); got != tc.most {
			t.Errorf("%s of %q reads %d receivers, want %d", tc.e.Name, tc.e.Subject, got, tc.most)
		}
	}
	if of := w.until(hook.ID, func(signals.Receiver) bool { return true }); of.Waiting != 3 {
		t.Errorf("%d messages wait", of.Waiting)
	}
}
