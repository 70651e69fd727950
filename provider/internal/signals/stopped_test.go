package signals_test

import (
	"testing"

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
