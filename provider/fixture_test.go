package provider_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// configSecret is 32 bytes that look random and are the same in every run.
var configSecret, _ = base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")

func testSecret(testing.TB) []byte { return bytes.Clone(configSecret) }

// productionCost undoes that passwords are cheap in the tests of this package. A test
// that needs them to be dear calls dearPasswords.
var productionCost = password.Cheapen()

// dearPasswords makes passwords cost what they cost in production for the length of the
// test, which must not be parallel.
func dearPasswords(t testing.TB) {
	productionCost()
	t.Cleanup(func() { productionCost = password.Cheapen() })
}

// usedBefore returns the file of a database that has its schema and a signing key,
// sealed under testSecret, and nothing else: both take longer to make than most tests.
var usedBefore = sync.OnceValues(func() (image []byte, err error) {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "bonafide-image")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	keys, err := keysOfNewProvider(ctx, filepath.Join(folder, "first.db"))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "image.db")
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		err = errors.Join(err, store.AddKey(ctx, key))
	}
	if err := errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func keysOfNewProvider(ctx context.Context, path string) ([]storage.Key, error) {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	p, err := provider.New(ctx, provider.Config{BaseURL: "http://localhost:8080", Secret: configSecret, Store: store})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	keys, err := store.Keys(ctx)
	return keys, errors.Join(err, p.Close())
}

// fixture is a provider behind real HTTP on a real SQLite file, with a clock that a
// test can move.
type fixture struct {
	*provider.Provider
	t      testing.TB
	server *httptest.Server
	store  storage.Store
	path   string
	mails  *mailbox
	log    *syncBuffer

	mu     sync.Mutex
	clock  time.Time
	events []provider.Event
}

// now tells the time by a clock that shows the time at which the fixture was made, a
// microsecond more whenever it is asked, and what advance adds: limits, lifetimes and
// what is remembered for a second do not depend on the speed of the machine.
func (w *fixture) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(time.Microsecond)
	return w.clock
}

// advance moves the clock.
func (w *fixture) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

func (w *fixture) saw(name provider.EventName) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Name == name {
			return true
		}
	}
	return false
}

// eventually waits until something is so.
func eventually(t testing.TB, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !so(); {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to pass")
		}
		time.Sleep(time.Millisecond)
	}
}

// newFixture starts a provider with clients of both dialects and two users. change
// may adjust the configuration.
func newFixture(t testing.TB, change ...func(*provider.Config)) *fixture {
	t.Helper()
	w := &fixture{t: t, mails: &mailbox{}, log: &syncBuffer{}, path: t.TempDir() + "/identity.db"}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.Provider.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	image, err := usedBefore()
	if err != nil {
		t.Fatal(err)
	}
	w.clock = time.Now() // what is in the image was before
	if err := os.WriteFile(w.path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), w.path)
	if err != nil {
		t.Fatal(err)
	}
	cfg := provider.Config{
		BaseURL: w.server.URL, Secret: testSecret(t), Store: store, Mailer: w.mails, Clock: w.now,
		Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OnEvent: func(e provider.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	w.store = cfg.Store
	if w.Provider, err = provider.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Provider.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

// withoutKey makes a provider generate a signing key of its own instead of using that of
// all others.
func withoutKey(t testing.TB) func(*provider.Config) {
	return func(c *provider.Config) {
		if err := c.Store.RemoveKeys(t.Context(), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	callbackURI  = "https://rp.test/cb"
	clientSecret = "correct-horse-battery-staple-0123456789"
	alicePass    = "glacier-tulip-orbit-42"
	bobPass      = "marble-canyon-violin-77"
)

// withClients registers the clients that most tests need.
func (w *fixture) withClients() *fixture {
	w.t.Helper()
	for _, c := range []provider.Client{
		{ID: "v3", Name: "Veterans Shop", Secret: clientSecret, RedirectURIs: []string{callbackURI}, Origins: []string{"https://rp.test"}},
		{ID: "std", Name: "Standard App", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI, "https://rp.test/other"},
			GrantTypes: []string{"authorization_code", "refresh_token"}, PostLogoutRedirectURIs: []string{"https://rp.test/bye"}},
		{ID: "std2", Name: "Other App", Secret: clientSecret + "2", Dialect: provider.Standard, RedirectURIs: []string{"https://other.test/cb"},
			GrantTypes: []string{"authorization_code", "refresh_token"}},
		{ID: "pub", Name: "Public App", Dialect: provider.Standard, Public: true, RedirectURIs: []string{callbackURI, "http://127.0.0.1/cb"}},
		{ID: "q", Name: "Query App", Secret: clientSecret, RedirectURIs: []string{"https://rp.test/cb?x=1"}},
	} {
		if err := w.SaveClient(w.t.Context(), c); err != nil {
			w.t.Fatal(err)
		}
	}
	return w
}

// withUsers records alice, a verified veteran, and bob, of whom little is known.
func (w *fixture) withUsers() *fixture {
	w.t.Helper()
	ctx := w.t.Context()
	for _, a := range []provider.Account{
		{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: alicePass},
		{ID: "bob", Email: "bob@example.com", Password: bobPass},
	} {
		if _, err := w.SaveAccount(ctx, a); err != nil {
			w.t.Fatal(err)
		}
	}
	err := w.SetAttributes(ctx, "alice", map[string]any{
		"fname": "Alice", "lname": "Example", "zip": "22030", "birthdate": "1990-04-02",
		"previous_addresses": []map[string]string{{"street1": "1 Main St", "city": "Fairfax"}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return w
}

// RemoveDeleted removes deleted applications, as Run of another process does.
func (w *fixture) RemoveDeleted(ctx context.Context) error {
	other := clients.Registry{
		Store: w.store, ForgetClient: func(string) {}, ForgetIssued: func() {}, Clock: w.now, Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	return other.RemoveDeleted(ctx)
}

// count returns how many rows a table has.
func (w *fixture) count(table string) int {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+w.path+"?mode=ro")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int
	if err := db.QueryRowContext(w.t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// raw sends a request byte for byte, as no library would write it.
func (w *fixture) raw(lines ...string) page {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", w.server.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprint(conn, strings.Join(lines, "\r\n")+"\r\nConnection: close\r\n\r\n"); err != nil {
		w.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		w.t.Fatalf("%q: %v", lines[0], err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return page{response, string(body)}
}
