package lab

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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// configSecret is 32 bytes that look random and are the same in every run.
var configSecret, _ = base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")

// Secret returns Config.Secret of every fixture.
func Secret(testing.TB) []byte { return bytes.Clone(configSecret) }

// productionCost undoes that passwords are cheap in the tests of this package. A test
// that needs them to be dear calls dearPasswords.
var productionCost = password.Cheapen()

func init() { keyring.Cheapen() }

// DearPasswords makes passwords cost what they cost in production for the length of the
// test, which must not be parallel.
func DearPasswords(t testing.TB) {
	productionCost()
	t.Cleanup(func() { productionCost = password.Cheapen() })
}

// usedBefore returns the file of a database that has its schema and a signing key,
// sealed under testSecret, and agrees on any time, and nothing else: both take longer to make than most tests.
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
	err = storagetest.AgreeOnAnyTime(ctx, store)
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

// Fixture is a provider behind real HTTP on a real SQLite file, with a clock that a
// test can move.
type Fixture struct {
	*provider.Provider
	T      testing.TB
	Server *httptest.Server
	Store  storage.Store
	Path   string
	URL    string // of the PostgreSQL database that Store is, or empty
	Mails  *Mailbox
	Log    *testkit.Output

	behind *sql.DB // PostgreSQL, once a test has opened it

	mu     sync.Mutex
	clock  time.Time
	events []provider.Event
}

// Now tells the time by a clock that shows the time at which the fixture was made, a
// microsecond more whenever it is asked, and what advance adds: limits, lifetimes and
// what is remembered for a second do not depend on the speed of the machine.
func (w *Fixture) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(time.Microsecond)
	return w.clock
}

// Advance moves the clock.
func (w *Fixture) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// Saw reports whether an event has been recorded.
func (w *Fixture) Saw(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.events, func(e provider.Event) bool { return e.Name == name })
}

// Eventually waits until something is so.
func Eventually(t testing.TB, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !so(); {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to pass")
		}
		time.Sleep(time.Millisecond)
	}
}

// New starts a provider without clients and users. change may adjust the configuration.
func New(t testing.TB, change ...func(*provider.Config)) *Fixture {
	t.Helper()
	return newOn(t, func(path string) (storage.Store, error) { return sqlite.Open(t.Context(), path) }, change)
}

// farAway is where the machine stands: the day and the hour there are others than in UTC.
var farAway = time.FixedZone("Apia", 13*60*60)

// WithAlice is New with clients, users, and a browser in which alice has signed in.
func WithAlice(t testing.TB, change ...func(*provider.Config)) (*Fixture, *Browser) {
	t.Helper()
	w := New(t, change...).WithClients().WithUsers()
	return w, w.Alice()
}

// newOn is New on a file that is opened so.
func newOn(t testing.TB, open func(path string) (storage.Store, error), change []func(*provider.Config)) *Fixture {
	t.Helper()
	w := &Fixture{T: t, Mails: &Mailbox{}, Log: &testkit.Output{}, Path: t.TempDir() + "/identity.db"}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.Provider.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Server.Close)
	image := testkit.Must(usedBefore())(t)
	w.clock = time.Now().In(farAway) // what is in the image was before
	testkit.OK(t, os.WriteFile(w.Path, image, 0o600))
	store, err := open(w.Path)
	testkit.OK(t, err)
	cfg := provider.Config{
		BaseURL: w.Server.URL, Secret: Secret(t), Store: store, Mailer: w.Mails, Clock: w.Now,
		Logger: slog.New(slog.NewTextHandler(w.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OnEvent: func(e provider.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	w.Store = cfg.Store
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

// WithoutKey makes a provider generate a signing key of its own instead of using that of
// all others.
func WithoutKey(t testing.TB) func(*provider.Config) {
	return func(c *provider.Config) {
		testkit.OK(t, c.Store.RemoveKeys(t.Context(), "", math.MaxInt64))
	}
}

const (
	// CallbackURI is where clients of the fixture are answered.
	CallbackURI = "https://rp.test/cb"
	// ClientSecret is the secret of the clients of the fixture.
	ClientSecret = "correct-horse-battery-staple-0123456789"
	// AlicePass is the password of alice.
	AlicePass = "glacier-tulip-orbit-42"
	// BobPass is the password of bob.
	BobPass = "marble-canyon-violin-77"
)

// WithClients registers the clients that most tests need.
func (w *Fixture) WithClients() *Fixture {
	w.T.Helper()
	for _, c := range []provider.Client{
		{ID: "v3", Dialect: provider.V3, Name: "Veterans Shop", Secret: ClientSecret, RedirectURIs: []string{CallbackURI}, Origins: []string{"https://rp.test"}},
		{ID: "std", Name: "Standard App", Secret: ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{CallbackURI, "https://rp.test/other"},
			GrantTypes: []string{"authorization_code", "refresh_token"}, PostLogoutRedirectURIs: []string{"https://rp.test/bye"}},
		{ID: "std2", Name: "Other App", Secret: ClientSecret + "2", Dialect: provider.Standard, RedirectURIs: []string{"https://other.test/cb"},
			GrantTypes: []string{"authorization_code", "refresh_token"}},
		{ID: "pub", Name: "Public App", Dialect: provider.Standard, Public: true, RedirectURIs: []string{CallbackURI, "http://127.0.0.1/cb"}},
		{ID: "q", Dialect: provider.V3, Name: "Query App", Secret: ClientSecret, RedirectURIs: []string{"https://rp.test/cb?x=1"}},
	} {
		testkit.OK(w.T, w.Clients().Save(w.T.Context(), c))
	}
	return w
}

// WithUsers records alice, a verified veteran, and bob, of whom little is known.
func (w *Fixture) WithUsers() *Fixture {
	w.T.Helper()
	ctx := w.T.Context()
	for _, a := range []provider.Account{
		{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: AlicePass},
		{ID: "bob", Email: "bob@example.com", Password: BobPass},
	} {
		testkit.Must(w.Accounts().Save(ctx, a))(w.T)
	}
	testkit.OK(w.T, w.People().SetAttributes(ctx, "alice", map[string]any{
		"fname": "Alice", "lname": "Example", "zip": "22030", "birthdate": "1990-04-02",
		"previous_addresses": []map[string]string{{"street1": "1 Main St", "city": "Fairfax"}},
	}))
	testkit.OK(w.T, w.People().SetStatus(ctx, "alice", provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true}))
	return w
}

// RemoveDeleted removes deleted applications, as Run of another process does.
func (w *Fixture) RemoveDeleted(ctx context.Context) error {
	other := clients.Registry{
		Store: w.Store, Clock: w.Now, Logger: slog.New(slog.NewTextHandler(w.Log, nil)),
		RemoveSignals: func(context.Context, string) error { return nil }, // nobody listens
	}
	return other.RemoveDeleted(ctx)
}

// Count returns how many rows a table has.
func (w *Fixture) Count(table string) int {
	w.T.Helper()
	db, done := w.database("?mode=ro")
	defer done()
	var n int
	testkit.OK(w.T, db.QueryRowContext(w.T.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}

// Raw sends a request byte for byte, as no library would write it.
func (w *Fixture) Raw(lines ...string) Page {
	w.T.Helper()
	conn := testkit.Must((&net.Dialer{}).DialContext(w.T.Context(), "tcp", w.Server.Listener.Addr().String()))(w.T)
	defer func() { _ = conn.Close() }()
	testkit.Must(fmt.Fprint(conn, strings.Join(lines, "\r\n")+"\r\nConnection: close\r\n\r\n"))(w.T)
	request := testkit.Must(http.NewRequestWithContext(w.T.Context(), http.MethodGet, w.Server.URL, nil))(w.T)
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		w.T.Fatalf("%q: %v", lines[0], err)
	}
	defer func() { _ = response.Body.Close() }()
	body := testkit.Must(io.ReadAll(response.Body))(w.T)
	return Page{response, string(body)}
}
