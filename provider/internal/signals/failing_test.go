package signals_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// A receiver that answers one of these, or not at all, is left alone, and keeps all that waits.
func TestReceiverThatFails(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 307, 401, 403, 404, 408, 429, 500, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, signals.Config{Webhooks: true})
			w.run()
			var broken atomic.Bool
			r := newReceiver(t, func(received) int {
				if broken.Load() {
					return status
				}
				return 200
			})
			saved, _ := w.verified(r)
			w.grant("ann", "student")
			broken.Store(true)
			w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
			first := r.wait(t, 2)[1]
			saved = w.until(saved.ID, func(r signals.Receiver) bool { return r.Attempts == 1 })
			if pause := saved.NextAt.Sub(w.now()); saved.State != "enabled" || saved.Waiting != 1 || pause < 3*time.Second || pause > 6*time.Second {
				t.Errorf("%+v, next in %s", saved, pause)
			}
			broken.Store(false)
			w.ahead.Add(int64(7 * time.Second))
			w.Ring()
			if again := r.wait(t, 3)[2]; again.id != first.id || again.body != first.body {
				t.Errorf("then came %+v", again)
			}
			w.until(saved.ID, func(r signals.Receiver) bool { return r.Attempts == 0 && r.Waiting == 0 && r.FailingSince.IsZero() })
		})
	}
}

func TestReceiverThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	told := make(chan signals.Receiver, 10)
	w.LookAfter(func(_ context.Context, r signals.Receiver) { told <- r }, nil)
	w.run()
	var gone atomic.Int32
	gone.Store(200)
	r := newReceiver(t, func(received) int { return int(gone.Load()) })
	saved, _ := w.verified(r)
	w.grant("ann", "student")
	gone.Store(410)
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	w.until(saved.ID, func(r signals.Receiver) bool { return r.State == "disabled" && r.Waiting == 1 })
	if r := <-told; r.State != "disabled" {
		t.Errorf("told %+v", r)
	}
	// Who comes back answers a ping first, and gets what has waited.
	gone.Store(200)
	back := saved
	back.State, back.Revision = "enabled", 0
	if _, _, err := w.Save(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	w.until(saved.ID, func(r signals.Receiver) bool { return r.State == "enabled" && r.Waiting == 0 })
}

// A receiver that answers with errors all day is given up after ten turns, and its owners know.
func TestReceiverThatFailsForDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	told := make(chan signals.Receiver, 10)
	w.LookAfter(func(_ context.Context, r signals.Receiver) { told <- r }, nil)
	w.run()
	var status atomic.Int32
	status.Store(200)
	r := newReceiver(t, func(received) int { return int(status.Load()) })
	saved, _ := w.verified(r)
	w.grant("ann", "student")
	status.Store(500)
	begin := w.now()
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	for attempts := 1; attempts < 10; attempts++ {
		saved = w.until(saved.ID, func(r signals.Receiver) bool { return r.Attempts == attempts })
		if attempts == 5 {
			if after := w.now().Sub(begin); (<-told).State != "enabled" || after < 2*time.Hour || after > 4*time.Hour {
				t.Errorf("told after %s", after)
			}
		}
		w.ahead.Add(int64(saved.NextAt.Sub(w.now()) + time.Second))
		w.Ring()
	}
	w.until(saved.ID, func(r signals.Receiver) bool { return r.State == "disabled" && r.Waiting == 1 })
	if lasted := w.now().Sub(begin); (<-told).State != "disabled" || lasted < 55*time.Hour || lasted > 100*time.Hour {
		t.Errorf("given up after %s", lasted)
	}
}

// A message that is refused is dead after three tries; others go on.
func TestMessageThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	r := newReceiver(t, func(m received) int {
		if m.user() == "ann" {
			w.ahead.Add(int64(4 * time.Second)) // the pauses are over
			return 422
		}
		return 204
	})
	saved, _ := w.verified(r)
	w.grant("ann", "student")
	w.grant("bob", "student")
	for _, user := range []string{"ann", "bob"} {
		w.record(storage.Event{Name: event.StatusChanged, Subject: user, Detail: "student"})
	}
	saved = w.until(saved.ID, func(r signals.Receiver) bool { return r.Dead == 1 && r.Waiting == 0 })
	if saved.State != "enabled" || saved.Attempts != 0 {
		t.Errorf("%+v", saved)
	}
	if all := r.wait(t, 5); len(all) != 5 { // a ping, three tries, and bob's
		t.Errorf("%d messages have come", len(all))
	}
	dead, err := w.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: saved.ID, State: storage.DeliveryDead})
	w.ok(err)
	if len(dead) != 1 || dead[0].Answer != "422" {
		t.Fatalf("%+v", dead)
	}
	r.mu.Lock()
	r.answer = nil
	r.mu.Unlock()
	if n, err := w.Replay(t.Context(), storage.DeliveryFilter{ReceiverID: saved.ID, State: storage.DeliveryDead}); n != 1 || err != nil {
		t.Errorf("%d again, %v", n, err)
	}
	if again := r.wait(t, 6)[5]; again.id != dead[0].MessageID {
		t.Errorf("again came %q", again.id)
	}
}

// hold are receivers that answer a ping, and after that as they do until the test ends.
func hold(t *testing.T, bad func(w http.ResponseWriter, r *http.Request, over <-chan struct{})) (r *httptest.Server, begin func()) {
	t.Helper()
	var begun atomic.Bool
	over := make(chan struct{})
	r = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if _, _ = io.Copy(io.Discard, request.Body); begun.Load() {
			bad(w, request, over)
		}
	}))
	t.Cleanup(func() {
		close(over)
		r.Close()
	})
	return r, func() { begun.Store(true) }
}

func hangs(_ http.ResponseWriter, _ *http.Request, over <-chan struct{}) { <-over }

func drips(w http.ResponseWriter, _ *http.Request, over <-chan struct{}) {
	byByte := time.NewTicker(100 * time.Millisecond)
	defer byByte.Stop()
	for {
		_, err := w.Write([]byte("."))
		if err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-byByte.C:
		case <-over:
			return
		}
	}
}

// Whatever a receiver does, it holds up nobody else, and a redirect is not followed.
func TestNobodyHoldsUpOthers(t *testing.T) {
	t.Parallel()
	elsewhere := newReceiver(t, nil)
	status := func(status int) func(http.ResponseWriter, *http.Request, <-chan struct{}) {
		return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(status)
		}
	}
	const users = 40
	for name, c := range map[string]struct {
		bad  func(http.ResponseWriter, *http.Request, <-chan struct{})
		left func(signals.Receiver) bool
	}{
		"Hangs":        {hangs, func(r signals.Receiver) bool { return r.Waiting == users && r.Attempts == 0 }},
		"Drips":        {drips, func(r signals.Receiver) bool { return r.Waiting == users && r.Attempts == 0 }},
		"Fails":        {status(http.StatusInternalServerError), func(r signals.Receiver) bool { return r.Waiting == users && r.Attempts > 0 }},
		"LeadsAway":    {status(http.StatusMovedPermanently), func(r signals.Receiver) bool { return r.Waiting == users && r.Attempts > 0 }},
		"LeadsAwayNow": {status(http.StatusTemporaryRedirect), func(r signals.Receiver) bool { return r.Waiting == users && r.Attempts > 0 }},
		"IsGone":       {status(http.StatusGone), func(r signals.Receiver) bool { return r.State == "disabled" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, signals.Config{Webhooks: true})
			// No call ends by its time, so that who waits for another waits until the test fails.
			w.Outbound = outbound.New(outbound.Options{AllowPrivate: true, Timeout: time.Hour, MaxBody: 1 << 10, MaxIdle: hub.MaxIdle})
			w.run()
			server, begin := hold(t, c.bad)
			bad, _ := w.verified(&receiver{Server: server})
			good := newReceiver(t, nil)
			good.URL = strings.Replace(good.URL, "127.0.0.1", "localhost", 1) // another host, as far as calls are counted
			w.verified(good)
			begin()
			for i := range users {
				w.grant(fmt.Sprint("user", i), "student")
				w.record(storage.Event{Name: event.StatusChanged, Subject: fmt.Sprint("user", i), Detail: "student"})
			}
			good.wait(t, 1+users)
			w.until(bad.ID, c.left)
		})
	}
	t.Cleanup(func() {
		if all := elsewhere.all(); len(all) > 0 {
			t.Errorf("a redirect was followed: %s", all[0].body)
		}
	})
}

// Who does not come to the end of an answer in time has not answered.
func TestReceiverThatIsLate(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(http.ResponseWriter, *http.Request, <-chan struct{}){"Hangs": hangs, "Drips": drips} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, signals.Config{Webhooks: true})
			w.Outbound = outbound.New(outbound.Options{AllowPrivate: true, Timeout: 500 * time.Millisecond, MaxBody: 1 << 10, MaxIdle: hub.MaxIdle})
			w.run()
			server, begin := hold(t, bad)
			saved, _ := w.verified(&receiver{Server: server})
			begin()
			w.grant("ann", "student")
			w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
			w.until(saved.ID, func(r signals.Receiver) bool { return r.Attempts == 1 && r.Waiting == 1 && r.State == "enabled" })
		})
	}
}

// A receiver is left alone as long as it asks for, and at most a day.
func TestReceiverThatAsksForTime(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]time.Duration{"600": 10 * time.Minute, "99999999": 24 * time.Hour} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, signals.Config{Webhooks: true})
			w.run()
			var busy atomic.Bool
			r := newReceiver(t, func(received) int {
				if busy.Load() {
					return http.StatusTooManyRequests
				}
				return http.StatusOK
			})
			r.says = http.Header{"Retry-After": {says}}
			saved, _ := w.verified(r)
			busy.Store(true)
			w.record(storage.Event{Name: event.KeyRotated})
			before := w.now()
			saved = w.until(saved.ID, func(r signals.Receiver) bool { return r.Attempts == 1 })
			if saved.NextAt.Before(before.Add(want)) || saved.NextAt.After(w.now().Add(want)) {
				t.Errorf("next at %s, after %s", saved.NextAt, before)
			}
		})
	}
}

// TestMessageThatCannotBeReadNow has the keys be away with which another process has encrypted a message.
func TestMessageThatCannotBeReadNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	keys := worldAt(t, filepath.Join(t.TempDir(), "keys.db"), random.Bytes(32), signals.Config{})
	w.Vault = keys.Vault
	stop := w.run()
	r := newReceiver(t, nil)
	of, _ := w.verified(r)
	stop()
	find := func() storage.Receiver {
		t.Helper()
		found, err := storage.One(w.store.Receivers(t.Context(), storage.ReceiverFilter{ID: of.ID}))
		w.ok(err)
		return found
	}
	before := find()
	d := w.Delivery(before, 1_000_000, "msg_1", signals.StatusChanged, "ann", w.now(), []byte("{}"))
	d.Body = append([]byte("sealed2:7:"), d.Body[len("sealed2:1:"):]...)
	w.ahead.Add(int64(time.Minute))
	mark, err := w.store.TakeMark(t.Context(), "test", "test", w.now(), w.now().Add(time.Hour))
	w.ok(err)
	w.ok(w.store.MoveMark(t.Context(), mark, mark, []storage.Delivery{d}))
	w.ok(keys.store.Close())
	stop = w.run()
	for end := time.Now().Add(30 * time.Second); find().Taken == before.Taken && time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		continue
	}
	stop()
	if after := w.until(of.ID, func(signals.Receiver) bool { return true }); after.Waiting != 1 || after.Dead != 0 || after.Attempts != 0 || find().Taken != before.Taken+1 {
		t.Errorf("%+v", after)
	}
}

// TestMessageOfAStreamThatNobodyCanRead has one lost for good before one that is fetched.
func TestMessageOfAStreamThatNobodyCanRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{SharedSignals: true})
	w.Streams = &hub.Streams{
		Hub: w.Hub, Issuer: "https://id.example.com/oidc", Refresh: func(context.Context) {},
		Sign: func(_, _ string, claims []byte) (string, error) { return string(claims), nil },
	}
	answer := func(method, path, body string) string {
		t.Helper()
		for _, e := range w.Streams.Endpoints() {
			if e.Method == method && e.Path == path {
				said, err := e.Answer(t.Context(), hub.Request{ClientID: "shop", Body: []byte(body)})
				w.ok(err)
				text, err := json.Marshal(said)
				w.ok(err)
				return string(text)
			}
		}
		t.Fatalf("no %s %s", method, path)
		return ""
	}
	answer(http.MethodPost, hub.StreamPath, "{}")
	of, err := storage.One(w.store.Receivers(t.Context(), storage.ReceiverFilter{ID: "ssf_shop"}))
	w.ok(err)
	d := w.Delivery(of, -1<<60, "msg_lost", signals.StatusChanged, "ann", w.now(), []byte("{}"))
	d.Body[len(d.Body)-1] ^= 1
	mark, err := w.store.TakeMark(t.Context(), "test", "test", w.now(), w.now().Add(time.Hour))
	w.ok(err)
	w.ok(w.store.MoveMark(t.Context(), mark, mark, []storage.Delivery{d}))
	answer(http.MethodPost, hub.VerifyPath, `{"stream_id": "ssf_shop", "state": "here"}`)
	if fetched := answer(http.MethodPost, hub.PollPath, "{}"); !strings.Contains(fetched, "here") {
		t.Errorf("fetched %s", fetched)
	}
	dead, err := w.store.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: of.ID, State: storage.DeliveryDead})
	w.ok(err)
	if len(dead) != 1 || dead[0].MessageID != "msg_lost" || dead[0].Answer != "cannot be decrypted" {
		t.Errorf("dead are %+v", dead)
	}
}
