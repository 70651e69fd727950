package signals_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	hub "github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/verification"
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
		rw.WriteHeader(status)
		select {
		case r.news <- struct{}{}:
		default: // who waits is told already
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// wait waits until n messages have come, and returns all.
func (r *receiver) wait(t *testing.T, n int) []received {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		r.mu.Lock()
		all := slices.Clone(r.messages)
		r.mu.Unlock()
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

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	r := newReceiver(t, nil)
	saved, key := w.verified(r)
	w.grant("ann", "student")
	w.grant("bob", "teacher")
	for _, e := range []storage.Event{
		{Name: event.StatusChanged, Subject: "ann", Detail: "student"},
		{Name: event.StatusChanged, Subject: "bob", Detail: "student"}, // whose grant does not cover it
		{Name: event.StatusEnded, Subject: "eve", Detail: "student"},   // who has none
		{Name: event.SignedIn, Subject: "ann"},
		{Name: event.SignedOut, Subject: "bob", Address: "192.0.2.0/24"},
		{Name: event.Revoked, Subject: "eve", ClientID: "shop", Detail: "by the user"},
		{Name: event.Revoked, Subject: "eve", ClientID: "other", Detail: "by the user"},
		{Name: event.Revoked, Subject: "eve", ClientID: "shop", Detail: "access token, by the application"},
		{Name: event.ClientStopped, ClientID: "shop"},
		{Name: event.KeyRotated, Detail: "RS256"},
		{Name: event.KeyRotated, Detail: "data key 2, by the host"},
	} {
		w.record(e)
	}
	var types []string
	keyOf, err := verification.WebhookSecret(key)
	w.ok(err)
	ids := map[string]bool{}
	for _, m := range r.wait(t, 6)[:6] {
		ids[m.id] = true
		if _, err := verification.VerifyWebhook(m.header, []byte(m.body), w.now(), keyOf); err != nil {
			t.Errorf("%s: %v", m.body, err)
		}
		head, data, _ := strings.Cut(m.body, `","timestamp":"`)
		_, data, _ = strings.Cut(data, `","data":`)
		types = append(types, strings.TrimPrefix(head, `{"type":"`)+" "+strings.TrimSuffix(data, "}"))
	}
	slices.Sort(types)
	want := []string{
		`application.stopped {"client_id":"shop"}`, `consent.withdrawn {"sub":"eve"}`, `keys.rotated {}`, `ping {}`,
		`sessions.ended {"sub":"bob"}`, `status.changed {"sub":"ann","group":"student"}`,
	}
	if !slices.Equal(types, want) {
		t.Errorf("got %q, want %q", types, want)
	}
	if len(ids) != 6 {
		t.Errorf("the IDs are %v", ids)
	}
	w.until(saved.ID, func(r signals.Receiver) bool { return r.Waiting == 0 })
	deliveries, err := w.Deliveries(t.Context(), storage.DeliveryFilter{ReceiverID: saved.ID})
	w.ok(err)
	for _, d := range deliveries {
		if d.State != "done" || d.Answer != "200" || !ids[d.MessageID] {
			t.Errorf("%+v", d)
		}
	}
}

func TestNothingRunsUnheard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student"})
	<-time.After(20 * time.Millisecond)
	if marks, err := w.store.Marks(t.Context()); err != nil || len(marks) > 0 {
		t.Errorf("marks %v, %v", marks, err)
	}
	if new(hub.Hub).IsOn() {
		t.Error("a hub without a Config is on")
	}
}

func TestEndpointsOfTheHost(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	endpoint := signals.Endpoint{Address: r.URL, Secret: secret, Signals: []string{signals.StatusChanged, signals.AccountDeleted}}
	w := newWorld(t, signals.Config{Endpoints: []signals.Endpoint{endpoint}})
	stop := w.run()
	w.until("", func(signals.Receiver) bool { return true })
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 }) // from now on it hears
	w.record(storage.Event{Name: event.StatusChanged, Subject: "ann", Detail: "student", ClientID: "shop"})
	w.record(storage.Event{Name: event.SignedOut, Subject: "ann"})
	m := r.wait(t, 1)[0]
	if !strings.HasSuffix(m.body, `"data":{"sub":"ann","group":"student","client_id":"shop"}}`) || strings.Contains(m.signature, " ") {
		t.Errorf("%s, signed %q", m.body, m.signature)
	}
	stop()

	// Another key signs beside the former one; the next start without the endpoint removes it.
	w.Config.Endpoints[0].Secret = "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 33))
	stop = w.run()
	w.until("", func(r signals.Receiver) bool { return !r.FormerKeyUntil.IsZero() })
	w.record(storage.Event{Name: event.StatusEnded, Subject: "ann", Detail: "student"})
	if m = r.wait(t, 2)[1]; strings.Count(m.signature, "v1,") != 2 || strings.Count(m.signature, " ") != 1 {
		t.Errorf("signed %q", m.signature)
	}
	former, err := verification.WebhookSecret(secret)
	w.ok(err)
	if _, err := verification.VerifyWebhook(m.header, []byte(m.body), w.now(), former); err != nil {
		t.Errorf("the former key: %v", err)
	}
	stop()
	w.Config.Endpoints = nil
	w.Config.Webhooks = true
	w.run()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(5 * time.Millisecond) {
		left, err := w.List(t.Context(), storage.ReceiverFilter{})
		w.ok(err)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is there")
		}
	}
}

func TestDeletionTellsWhoCouldSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	r := newReceiver(t, nil)
	w.verified(r, signals.AccountDeleted)
	w.grant("ann")
	for _, user := range []string{"ann", "bob"} {
		deliveries, err := w.Deleting(t.Context(), hub.Change{
			Signal: signals.AccountDeleted, Event: storage.Event{At: w.now(), Name: event.AccountDeleted, Subject: user},
		}, "deleted-"+user)
		w.ok(err)
		_, err = audit.StepIf(audit.Telling(t.Context(), deliveries), w.audit, func(ctx context.Context) (bool, error) {
			return w.store.DeleteAccount(ctx, user, "deleted-"+user, func(storage.Event) storage.Erasure { return storage.Erasure{} })
		}, storage.Event{Name: event.AccountDeleted, Subject: "deleted-" + user})
		w.ok(err)
	}
	w.record(storage.Event{Name: event.KeyRotated})
	if m := r.wait(t, 2)[1]; !strings.Contains(m.body, `"data":{"sub":"ann"}`) {
		t.Errorf("got %s", m.body)
	}
}

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
	w.TellWith(func(_ context.Context, r signals.Receiver) { told <- r })
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
	w.TellWith(func(_ context.Context, r signals.Receiver) { told <- r })
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
		if strings.Contains(m.body, "ann") {
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

// Who hangs, or answers a byte a second, holds up nobody else.
func TestReceiversThatHang(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	hanging := make(chan struct{})
	defer close(hanging) // before the server waits for its calls
	var hang atomic.Bool
	slow := newReceiver(t, func(received) int {
		if hang.Load() {
			<-hanging
		}
		return 200
	})
	w.verified(slow)
	// Those of another host, as far as calls are counted.
	fast := newReceiver(t, nil)
	fast.URL = strings.Replace(fast.URL, "127.0.0.1", "localhost", 1)
	w.verified(fast)
	hang.Store(true)
	const users = 40
	for i := range users {
		user := fmt.Sprint("user", i)
		w.grant(user, "student")
		w.record(storage.Event{Name: event.StatusChanged, Subject: user, Detail: "student"})
	}
	begin := time.Now()
	fast.wait(t, 1+users)
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Messages about one user come in order, whoever is slow.
func TestOrderOfEachUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{Webhooks: true})
	w.run()
	r := newReceiver(t, nil)
	w.verified(r)
	const users, changes = 8, 25
	for i := range users {
		w.grant(fmt.Sprint("user", i), "student", "teacher")
	}
	for n := range changes {
		for i := range users {
			w.record(storage.Event{Name: event.StatusChanged, Subject: fmt.Sprint("user", i), Detail: []string{"student", "teacher"}[n%2]})
		}
	}
	last := map[string]string{}
	for _, m := range r.wait(t, 1+users*changes)[1:] {
		_, at, _ := strings.Cut(m.body, `"timestamp":"`)
		_, user, _ := strings.Cut(m.body, `"sub":"`)
		user, _, _ = strings.Cut(user, `"`)
		when, err := time.Parse(time.RFC3339Nano, at[:strings.IndexByte(at, '"')])
		w.ok(err)
		if now := when.Format("15:04:05.000000"); now < last[user] {
			t.Errorf("%s: %s after %s", user, now, last[user])
		} else {
			last[user] = now
		}
	}
}

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
	for range signals.MaxReceivers - 1 {
		_, _, err = w.Save(t.Context(), valid)
		w.ok(err)
	}
	if _, _, err = w.Save(t.Context(), valid); err != signals.ErrLimit {
		t.Errorf("one too many: %v", err)
	}
	w.ok(w.Delete(t.Context(), saved.ID))
	if err := w.Delete(t.Context(), saved.ID); err != signals.ErrNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{})
	events := make(chan storage.Event, 100)
	follow := func(name string, f func(storage.Event) error) (stop func() error) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Follow(ctx, name, func(_ context.Context, e storage.Event) error { return f(e) }) }()
		return func() error { cancel(); return <-done }
	}
	failing := 1
	stop := follow("mine", func(e storage.Event) error {
		if failing--; failing == 0 {
			return fmt.Errorf("not now")
		}
		events <- e
		return nil
	})
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 })
	begin := time.Now()
	for i := range 3 {
		w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: fmt.Sprint("event_", i)}))
		w.Recorded("event")
	}
	for i := range 3 {
		if e := <-events; e.Name != fmt.Sprint("event_", i) {
			t.Errorf("%d: %s", i, e.Name)
		}
	}
	if took := time.Since(begin); took < time.Second {
		t.Errorf("after an error it called again after %s", took)
	}
	w.marked(func(marks []storage.Mark) bool { return marks[0].Unread.IsZero() })
	if err := stop(); err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
	w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: "event_3"}))
	w.ahead.Add(int64(time.Minute)) // another process
	stop = follow("mine", func(e storage.Event) error { events <- e; return nil })
	if e := <-events; e.Name != "event_3" {
		t.Errorf("then came %s", e.Name)
	}
	_ = stop()
}
