package signals_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// world is a store, a hub on it, and what listens.
type world struct {
	*hub.Hub
	t     *testing.T
	store *sqlite.Store
	audit *audit.Log
	ahead atomic.Int64 // of the clock
	log   *bytes.Buffer
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func newWorld(t *testing.T, cfg signals.Config) *world {
	t.Helper()
	w := worldAt(t, filepath.Join(t.TempDir(), "test.db"), random.Bytes(32), cfg)
	w.ok(w.store.SaveClient(t.Context(), storage.Client{ID: "shop", CreatedAt: w.now()}))
	return w
}

// worldAt is a world with a database that may have been of another.
func worldAt(t *testing.T, path string, key []byte, cfg signals.Config) *world {
	t.Helper()
	w := &world{t: t, log: &bytes.Buffer{}}
	opened, err := sqlite.Open(t.Context(), path)
	w.ok(err)
	w.store = opened
	t.Cleanup(func() { _ = w.store.Close() })
	secrets, err := keyring.NewSecrets(key)
	w.ok(err)
	logger := slog.New(slog.NewTextHandler(&locked{to: w.log}, nil))
	_, people, err := vault.OpenStore(t.Context(), vault.Options{Store: w.store, Secrets: secrets, Issuer: "https://id.example.com/oidc", Logger: logger})
	w.ok(err)
	w.audit = audit.New(audit.Options{Store: w.store, Clock: w.now, Logger: logger, Ring: func(name string) { w.Recorded(name) }})
	w.Hub = hub.New(hub.Options{
		Config: cfg, Store: w.store, Vault: people, Audit: w.audit, Outbound: outbound.New(outbound.Options{AllowPrivate: true, Timeout: 2 * time.Second, MaxBody: 1 << 10, MaxIdle: hub.MaxIdle}),
		CheckAddress: func(address string) error { return outbound.ValidateURL(address, true) },
		PublicError:  func(err error) error { return err }, Clock: w.now, AgreedTime: w.now, Logger: logger,
	})
	return w
}

// locked is a writer that several may use.
type locked struct {
	mu sync.Mutex
	to io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(b)
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// run runs the hub until the test, or stop, ends.
func (w *world) run() (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		hub.Loop(ctx, &w.Bell, w.Logger, w.Sources())
		w.Wait()
	})
	stop = func() { cancel(); running.Wait() }
	w.t.Cleanup(stop)
	return stop
}

// record records an event, and grants before it what its user has allowed the shop.
func (w *world) record(e storage.Event) {
	w.t.Helper()
	w.ok(w.audit.Step(w.t.Context(), func(context.Context) error {
		return w.store.AppendEvent(w.t.Context(), storage.Event{At: w.now(), Name: "none"})
	}, e))
}

func (w *world) grant(user string, groups ...string) {
	w.t.Helper()
	g := storage.Grant{ClientID: "shop", Subject: user, Groups: groups, CreatedAt: w.now(), ExpiresAt: w.now().Add(24 * time.Hour)}
	copy(g.ID[:], user+"                ")
	copy(g.Flow[:], user+"                                ")
	w.ok(w.store.CreateGrant(w.t.Context(), g, storage.Basis{}))
}

// receiver is an endpoint, with what it has received.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	messages []received
	answer   func(r received) int // 200 if nil
	says     http.Header          // in each answer
	news     chan struct{}
}

type received struct {
	id, body, signature string
	header              http.Header
	at                  time.Time
}

func newReceiver(t *testing.T, answer func(received) int) *receiver {
	t.Helper()
	r := &receiver{answer: answer, news: make(chan struct{}, 1)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		one := received{id: req.Header.Get("Webhook-Id"), body: string(body), signature: req.Header.Get("Webhook-Signature"), header: req.Header, at: time.Now()}
		status := http.StatusOK
		if r.answer != nil {
			status = r.answer(one)
		}
		r.mu.Lock()
		r.messages = append(r.messages, one)
		r.mu.Unlock()
		maps.Copy(rw.Header(), r.says)
		rw.WriteHeader(status)
		select {
		case r.news <- struct{}{}:
		default: // who waits is told already
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// user is whom a message is about.
func (m received) user() string {
	_, user, _ := strings.Cut(m.body, `"sub":"`)
	user, _, _ = strings.Cut(user, `"`)
	return user
}

// all returns the messages that have come.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.messages)
}

// wait waits until n messages have come, and returns all.
func (r *receiver) wait(t *testing.T, n int) []received {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		all := r.all()
		if len(all) >= n {
			return all
		}
		select {
		case <-r.news:
		case <-late:
			t.Fatalf("%d messages have come, want %d", len(all), n)
		}
	}
}

// verified adds a webhook of the shop and waits until it is.
func (w *world) verified(r *receiver, names ...string) (signals.Receiver, string) {
	w.t.Helper()
	saved, key, err := w.Save(w.t.Context(), signals.Receiver{ClientID: "shop", Address: r.URL + "/hook", Signals: names})
	w.ok(err)
	return w.until(saved.ID, func(r signals.Receiver) bool { return r.State == "enabled" }), key
}

// until waits until a receiver is as wanted.
func (w *world) until(id string, is func(signals.Receiver) bool) signals.Receiver {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		found, err := w.List(w.t.Context(), storage.ReceiverFilter{ID: id, Counted: true})
		w.ok(err)
		if len(found) == 1 && is(found[0]) {
			return found[0]
		}
		if time.Now().After(end) {
			w.t.Fatalf("it is %+v", found)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// marked waits until the marks are as wanted.
func (w *world) marked(are func([]storage.Mark) bool) {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(5 * time.Millisecond) {
		marks, err := w.store.Marks(w.t.Context())
		w.ok(err)
		if are(marks) {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("the marks are %+v", marks)
		}
	}
}
