package signals_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

func TestSave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	valid := signals.Receiver{ClientID: "shop", Address: "https://shop.example/hook", Asymmetric: true, State: "unverified"}
	for name, change := range map[string]func(*signals.Receiver){
		"ClientID":   func(r *signals.Receiver) { r.ClientID = "" },
		"Address":    func(r *signals.Receiver) { r.Address = "ftp://shop.example" },
		"Signals[1]": func(r *signals.Receiver) { r.Signals = []string{signals.StatusChanged, signals.StatusChanged} },
		"Signals[0]": func(r *signals.Receiver) { r.Signals = []string{"everything"} },
		"State":      func(r *signals.Receiver) { r.State = "on" },
		"Kind":       func(r *signals.Receiver) { r.Kind = "inbox" },
		"Description": func(r *signals.Receiver) {
			r.Description = strings.Repeat("x", 201)
		},
	} {
		wrong := valid
		change(&wrong)
		if _, _, err := w.Save(t.Context(), wrong); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	saved, key, err := w.Save(t.Context(), valid)
	w.ok(err)
	if saved.State != "unverified" || saved.Waiting != 0 || !strings.HasPrefix(key, "whsec_") || strings.HasSuffix(key, "=") || !strings.HasPrefix(saved.PublicKey, "whpk_") {
		t.Errorf("%+v, key %q", saved, key)
	}
	stored, err := w.store.Receivers(t.Context(), storage.ReceiverFilter{})
	w.ok(err)
	if plain := string(stored[0].Record); strings.Contains(plain, "shop.example") || strings.Contains(plain, key[6:]) {
		t.Errorf("kept is %s", plain)
	}
	old := saved
	if another, err := w.Rotate(t.Context(), saved.ID); err != nil || another == key {
		t.Errorf("key %q, %v", another, err)
	}
	if _, _, err := w.Save(t.Context(), old); err == nil || err.Error() != audit.ErrChanged.Error() {
		t.Errorf("an old revision: %v", err)
	}
	if _, _, err := w.Save(t.Context(), valid); err != signals.ErrThere {
		t.Errorf("the address of another: %v", err)
	}
	for i := range signals.MaxReceivers - 1 {
		valid.Address = fmt.Sprint("https://shop.example/hook", i)
		_, _, err = w.Save(t.Context(), valid)
		w.ok(err)
	}
	valid.Address = "https://shop.example/more"
	if _, _, err = w.Save(t.Context(), valid); err != signals.ErrLimit {
		t.Errorf("one too many: %v", err)
	}
	w.ok(w.Delete(t.Context(), saved.ID))
	if err := w.Delete(t.Context(), saved.ID); err != signals.ErrNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}

// TestElsewhere tells a new address nothing before it has answered a ping, also of what waited for the
// one before.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.grant("ann", "student")
	stop := w.run()
	before := newReceiver(t, nil)
	of, _ := w.verified(before)
	stop()
	w.record(storage.Event{At: w.now(), Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	of = w.until(of.ID, func(signals.Receiver) bool { return true })
	of.State = "paused"
	of, _, err := w.Save(t.Context(), of)
	w.ok(err)
	stop = w.run()
	of = w.until(of.ID, func(r signals.Receiver) bool { return r.Waiting == 1 })

	var known atomic.Bool
	elsewhere := newReceiver(t, func(received) int {
		if known.Load() {
			return http.StatusOK
		}
		return http.StatusBadGateway
	})
	of.Address, of.State = elsewhere.URL, "enabled"
	of, _, err = w.Save(t.Context(), of)
	w.ok(err)
	w.until(of.ID, func(r signals.Receiver) bool { return r.Attempts == 1 })
	stop()
	for _, m := range elsewhere.wait(t, 1) {
		if !strings.Contains(m.body, `"type":"ping"`) {
			t.Errorf("an address that nobody knows is told %s", m.body)
		}
	}
	known.Store(true)
	w.ahead.Add(int64(time.Minute))
	w.run()
	w.until(of.ID, func(r signals.Receiver) bool { return r.State == "enabled" && r.Waiting == 0 })
	all := elsewhere.all()
	if last := all[len(all)-1]; len(all) != 3 || !strings.Contains(last.body, "status.changed") {
		t.Errorf("told are %+v", all)
	}
}
