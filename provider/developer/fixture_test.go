package developer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
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
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/sqlitefile"
)

// The users of a fixture, each of whom is known by this ID and has the address
// ID@example.com. The organization river has an owner, a developer and a viewer; lake and
// hill have an owner each; nobody is a member of none.
const (
	owner     = "owner"
	dev       = "dev"
	viewer    = "viewer"
	lakeOwner = "lakeowner"
	hillOwner = "hillowner"
	nobody    = "nobody"
	operator  = "operator"

	river = "river"
	lake  = "lake"
	hill  = "hill"

	everyPassword = "glacier-tulip-orbit-42"
)

// isOperator knows the one who runs the service.
func isOperator(_ context.Context, userID string) (bool, error) { return userID == operator, nil }

var fixtureUsers = []string{owner, dev, viewer, lakeOwner, hillOwner, nobody, operator}

// configSecret is 32 bytes that look random and are the same in every run.
var configSecret, _ = base64.StdEncoding.DecodeString("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6oGiAyQwXkTjM=")

// fixture is a dashboard with its two providers behind real HTTP on real SQLite files, with
// a clock that a test can move.
type fixture struct {
	*developer.Dashboard
	t testing.TB

	id, sandbox  *provider.Provider
	store        *sqlite.Store // of production, and of the dashboard
	sandboxStore *sqlite.Store
	paths        []string // of the database files
	tap          *lab.Tap // of both
	mails        *mailbox
	log          *testkit.Output

	// server has the dashboard and production, sandboxServer the sandbox.
	server, sandboxServer *httptest.Server

	mu    sync.Mutex
	clock time.Time
}

// newFixture returns a dashboard with a sandbox, three organizations and their members;
// change may adjust the configuration.
func newFixture(t testing.TB, change ...func(*developer.Config)) *fixture {
	t.Helper()
	return newFixtureAt(t, "127.0.0.1", change...)
}

// newFixtureAt is newFixture at another name of this machine: at localhost, unlike at an
// address, there are passkeys.
func newFixtureAt(t testing.TB, host string, change ...func(*developer.Config)) *fixture {
	t.Helper()
	return newFixtureOf(t, host, func(*provider.Config) {}, change...)
}

// newFixtureOf is newFixtureAt with another production.
func newFixtureOf(t testing.TB, host string, production func(*provider.Config), change ...func(*developer.Config)) *fixture {
	t.Helper()
	w := &fixture{t: t, clock: time.Now(), mails: &mailbox{}, log: &testkit.Output{}, tap: &lab.Tap{}}
	mux, sandboxMux := http.NewServeMux(), http.NewServeMux()
	w.server, w.sandboxServer = httptest.NewServer(mux), httptest.NewServer(sandboxMux)
	w.server.URL = strings.Replace(w.server.URL, "127.0.0.1", host, 1)
	t.Cleanup(w.server.Close)
	t.Cleanup(w.sandboxServer.Close)
	live := provider.Config{BaseURL: w.server.URL, Mailer: w.mails, Resources: bothAPIs, UnknownClients: byToken, Signals: signals.Config{Webhooks: true}}
	production(&live)
	w.id = w.newProvider("production.db", ofProduction, live)
	trials := developer.NewTrials(w.store)
	w.sandbox = w.newProvider("sandbox.db", ofSandbox, provider.Config{
		BaseURL: w.sandboxServer.URL, Sandbox: true, Testing: trials.Testing(), Mailer: trials.Mailer(w.mails), Resources: bothAPIs,
		AllowPrivateNetworks: true, Signals: signals.Config{Webhooks: true}, Signing: signingOfSandbox,
		DeviceAuthorization: provider.DeviceAuthorization{On: true}, UnknownClients: provider.UnknownClients{Documents: true, Register: "token"},
	})
	cfg := developer.Config{Provider: w.id, Sandbox: w.sandbox, Trials: trials, Store: w.store, Clock: w.now, Logger: w.logger()}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	if w.Dashboard, err = developer.New(cfg); err != nil {
		t.Fatal(err)
	}
	mux.Handle("/developer/", w.Dashboard)
	mux.Handle("/", w.id)
	sandboxMux.Handle("/", w.sandbox)
	return w
}

// byToken has programs register applications with a token.
var byToken = provider.UnknownClients{Register: "token"}

// newProvider returns a provider on a database of its own, a copy of one; the first is that of the
// dashboard, too.
func (w *fixture) newProvider(file string, usedBefore func() ([]byte, error), cfg provider.Config) *provider.Provider {
	w.t.Helper()
	image := testkit.Must(usedBefore())(w.t)
	path := filepath.Join(w.t.TempDir(), file)
	w.ok(os.WriteFile(path, image, 0o600))
	store := testkit.Must(sqlitefile.Open(w.t.Context(), path, w.tap.Driver()))(w.t)
	if w.store == nil {
		w.store = store
	} else {
		w.sandboxStore = store
	}
	w.paths = append(w.paths, path)
	cfg.Secret, cfg.Store, cfg.Clock, cfg.Logger = bytes.Clone(configSecret), store, w.now, w.logger()
	p := testkit.Must(provider.New(w.t.Context(), cfg))(w.t)
	w.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			w.t.Errorf("close: %v", err)
		}
	})
	return p
}

func (w *fixture) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// now tells the time by a clock that shows the time at which the fixture was made, a
// microsecond more whenever it is asked, and what advance adds.
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

// changes returns what has been done in an organization, the latest first.
func (w *fixture) changes(organization string) []storage.Change {
	w.t.Helper()
	changes := testkit.Must(w.store.Changes(w.t.Context(), storage.ChangeFilter{OrganizationID: organization}))(w.t)
	return changes
}

// withApplication registers an application of an organization, as it stands before most
// tests: confidential, of the standard dialect.
func (w *fixture) withApplication(organization, env, id string, change ...func(*provider.Client)) *fixture {
	w.t.Helper()
	c := provider.Client{
		ID: id, Name: "App " + id, Dialect: provider.Standard, RedirectURIs: []string{callbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"openid", "military"},
	}
	for _, f := range change {
		f(&c)
	}
	a := storage.Application{
		Environment: env, ClientID: id, OrganizationID: organization, Name: c.Name, Kind: "web",
		CreatedBy: owner, CreatedAt: w.now(), UpdatedAt: w.now(),
	}
	w.ok(errors.Join(w.store.CreateApplication(w.t.Context(), a, 1000), w.provider(env).Clients().Save(w.t.Context(), c)))
	return w
}

// ok ends the test where there is an error.
func (w *fixture) ok(err error) {
	w.t.Helper()
	testkit.OK(w.t, err)
}

const callbackURI = "https://app.test/callback"

func (w *fixture) provider(env string) *provider.Provider {
	if env == storage.Sandbox {
		return w.sandbox
	}
	return w.id
}

// client returns a registration as it is now.
func (w *fixture) client(env, id string) provider.Client {
	w.t.Helper()
	c, err := w.provider(env).Clients().Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatalf("client %s of %s: %v", id, env, err)
	}
	return c
}

var signingOfSandbox = provider.Signing{Algorithms: []string{"RS256", "ES256", "EdDSA"}}

// The files of databases that have their schema, the signing keys, the users and the
// organizations: all of it takes longer to make than most tests.
var ofProduction, ofSandbox = imageOf(provider.Signing{}), imageOf(signingOfSandbox)

func imageOf(signing provider.Signing) func() ([]byte, error) {
	return sync.OnceValues(func() (image []byte, err error) {
		folder, err := os.MkdirTemp("", "bonafide-image")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		path := filepath.Join(folder, "image.db")
		if err := fillImage(context.Background(), path, signing); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})
}

func fillImage(ctx context.Context, path string, signing provider.Signing) (err error) {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	p, err := provider.New(ctx, provider.Config{BaseURL: "http://localhost:8080", Secret: configSecret, Store: store, Signing: signing})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for _, id := range fixtureUsers {
		account := provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: everyPassword}
		if _, err := p.Accounts().Save(ctx, account); err != nil {
			return err
		}
	}
	return fillOrganizations(ctx, store)
}

func fillOrganizations(ctx context.Context, store storage.Organizations) error {
	at := time.Now().Add(-time.Hour)
	for id, owner := range map[string]string{river: owner, lake: lakeOwner, hill: hillOwner} {
		err := store.CreateOrganization(ctx, storage.Organization{ID: id, Name: "Org " + id, CreatedAt: at},
			storage.Member{OrganizationID: id, UserID: owner, Role: storage.RoleOwner, JoinedAt: at}, 10)
		if err != nil {
			return err
		}
	}
	for user, role := range map[string]storage.Role{dev: storage.RoleDeveloper, viewer: storage.RoleViewer} {
		token := sha256.Sum256([]byte(user))
		err := store.CreateInvitation(ctx, storage.Invitation{
			Token: token, OrganizationID: river, Role: role, InvitedBy: owner, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		}, 10)
		if err == nil {
			_, err = store.AcceptInvitation(ctx, token, user, at, 10)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mailbox keeps mail instead of sending it.
type mailbox struct {
	mu    sync.Mutex
	sent  []provider.Mail
	fails error
}

func (m *mailbox) Send(_ context.Context, mail provider.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	m.sent = append(m.sent, mail)
	return nil
}

// all returns the mails that were sent.
func (m *mailbox) all() []provider.Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent)
}
