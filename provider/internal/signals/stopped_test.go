package signals_test

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// What the staff has stopped a start of Run leaves as it is, and only the staff enables it.
func TestEndpointOfTheHostThatIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Endpoints: []signals.Endpoint{{Address: "https://host.example/in", Secret: secret}}})
	is := func() signals.Receiver {
		t.Helper()
		_, err := w.Sources()[0].Do(t.Context()) // as at a start
		w.ok(err)
		found, err := storage.One(w.List(t.Context(), storage.ReceiverFilter{OfHost: true}))
		w.ok(err)
		return found
	}
	of := is()
	of.State, of.Stopped = "disabled", true
	_, _, err := w.Save(t.Context(), of)
	w.ok(err)
	if of = is(); of.State != "disabled" || !of.Stopped {
		t.Errorf("after a start: %+v", of)
	}
	enabled := of
	enabled.State = "enabled"
	if _, _, err := w.Save(t.Context(), enabled); err != signals.ErrStopped {
		t.Errorf("enabled as it is stopped: %v", err)
	}
	if err := w.Delete(t.Context(), of.ID); err != signals.ErrStopped {
		t.Errorf("removed: %v", err)
	}
	moved := of
	moved.Address = "https://elsewhere.example/in"
	if _, _, err := w.Save(t.Context(), moved); err == nil {
		t.Error("what Config says of it is changed")
	}
	enabled.Stopped = false
	if of, _, err = w.Save(t.Context(), enabled); err != nil || of.State != "enabled" || of.Waiting != 0 {
		t.Errorf("enabled by the staff: %+v, %v", of, err)
	}
}

// racing is a store in which something happens before a receiver is removed.
type racing struct {
	storage.Signals
	before func()
}

func (r racing) RemoveReceiver(ctx context.Context, id string, revision int64, limit int) (int, error) {
	r.before()
	return r.Signals.RemoveReceiver(ctx, id, revision, limit)
}

// Who removes a receiver does not undo that the staff stops it meanwhile, of which its owners are told.
func TestReceiverIsStoppedWhileItIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	of, _, err := w.Save(t.Context(), signals.Receiver{ClientID: "shop", Address: "https://shop.example/hook", State: "unverified"})
	w.ok(err)
	var told []signals.Receiver
	w.LookAfter(func(_ context.Context, r signals.Receiver) { told = append(told, r) }, nil)
	w.Store = racing{w.store, func() {
		of.State, of.Stopped = "disabled", true
		_, _, err := w.Save(t.Context(), of)
		w.ok(err)
	}}
	if err := w.Delete(t.Context(), of.ID); err != audit.ErrChanged {
		t.Errorf("removed: %v", err)
	}
	w.Store = w.store
	if found, err := storage.One(w.List(t.Context(), storage.ReceiverFilter{ID: of.ID})); err != nil || !found.Stopped {
		t.Errorf("it is %+v, %v", found, err)
	}
	if len(told) != 1 || told[0].ID != of.ID || !told[0].Stopped {
		t.Errorf("the owners hear %+v", told)
	}
	of.Revision = 0
	if _, _, err = w.Save(t.Context(), of); err != nil || len(told) != 1 {
		t.Errorf("stopped again: %v, and the owners hear %+v", err, told)
	}
}
