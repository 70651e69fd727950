// Package providertest runs the sandbox of a provider within a test: a client of it can be
// tested against the real endpoints, screens and errors, without a network and without
// people.
//
//	idp := providertest.New(t, providertest.Config{})
//	// the client under test gets idp.Issuer(), idp.ClientID, idp.ClientSecret
//	callback := idp.SignIn(t, client.AuthCodeURL(state), "veteran")
//
// The personas that can be signed in as are those of sandbox.DefaultPersonas, unless
// Config says otherwise. Time is moved by [Server.Advance], what a client has to cope with is
// asked for by [Server.SetFault], and how well users sign in by [Server.SetAssurance].
//
// The package links the SQLite of package sqlite, which needs cgo and a C compiler. A test
// that is built without cgo hands in a Store of package sqlitego instead, a module of its
// own.
package providertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// Config says what a Server is. Its zero value is a sandbox with one confidential client
// in the dialect provider.Standard.
type Config struct {
	// Client is registered at the start; what it leaves empty is as in Register.
	Client provider.Client

	// Personas are those that can be signed in as.
	// Defaults to sandbox.DefaultPersonas.
	Personas []sandbox.Persona

	// Store is the database, which Close closes.
	// Defaults to SQLite in a folder that Close removes.
	Store storage.Store

	// Policies are how people become verified members of groups; the pages are served below
	// URL/verification/. A Script is a verifier for them. They need a Store that is a
	// storage.Verification.
	// Defaults to none.
	Policies verification.Policies

	// Change may adjust what the provider is made of, such as its Scopes or its Logger.
	// Defaults to no change.
	Change func(*provider.Config)
}

// RedirectURI is where responses go when a client is registered without one. Nobody is
// there.
const RedirectURI = "https://client.test/callback"

// Server is a sandbox that listens on a loopback address.
type Server struct {
	// Provider is what serves, for whatever else a test wants to record or to end.
	Provider *provider.Provider

	// Verification is the service of Config.Policies; nil without.
	Verification *verification.Service

	// URL is the base URL.
	URL string

	// ClientID, ClientSecret and RedirectURI are those of Config.Client.
	ClientID, ClientSecret, RedirectURI string

	http     *httptest.Server
	personas []sandbox.Persona
	folder   string

	mu        sync.Mutex
	ahead     time.Duration
	fault     sandbox.Fault
	assurance provider.Assurance
	mails     []provider.Mail
	clients   []string
}

// New starts a Server that ends with the test.
func New(t testing.TB, c Config) *Server {
	t.Helper()
	s := testkit.Must(Start(t.Context(), c))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// Start is New outside of a test. Close the Server.
func Start(ctx context.Context, c Config) (*Server, error) {
	s := &Server{personas: c.Personas}
	if s.personas == nil {
		s.personas = sandbox.DefaultPersonas()
	}
	s.http = httptest.NewUnstartedServer(nil)
	s.URL = "http://" + s.http.Listener.Addr().String()
	err := s.start(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("providertest: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, c Config) error {
	cfg, err := s.config(ctx, c)
	if err != nil {
		return err
	}
	if s.Provider, err = provider.New(ctx, cfg); err != nil {
		return errors.Join(err, cfg.Store.Close())
	}
	if s.http.Config.Handler, err = s.handler(c, cfg); err != nil {
		return errors.Join(err, s.Provider.Close())
	}
	s.http.Start()
	client, err := s.Register(ctx, c.Client)
	s.ClientID, s.ClientSecret = client.ID, client.Secret
	if err == nil && len(client.RedirectURIs) > 0 {
		s.RedirectURI = client.RedirectURIs[0]
	}
	return err
}

// handler serves the provider and, with policies, the pages of verification.
func (s *Server) handler(c Config, cfg provider.Config) (http.Handler, error) {
	if len(c.Policies) == 0 {
		return s.Provider, nil
	}
	store, ok := cfg.Store.(storage.Verification)
	if !ok {
		return nil, errors.New("the Store keeps no verifications, as Policies need")
	}
	var err error
	s.Verification, err = verification.New(verification.Config{
		Provider: s.Provider, Store: store, Policies: c.Policies, Mailer: cfg.Mailer, Clock: cfg.Clock, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/verification/", s.Verification)
	mux.Handle("/", s.Provider)
	return mux, nil
}

// config returns what the provider is made of.
func (s *Server) config(ctx context.Context, c Config) (provider.Config, error) {
	cfg := provider.Config{
		BaseURL: s.URL, Secret: []byte(rand.Text() + rand.Text()), Store: c.Store, Sandbox: true,
		Testing:   provider.Testing{Personas: s.personaSet, Faults: s.currentFault},
		Verifiers: c.Policies.Verifiers(), Mailer: inbox{s}, Clock: s.Now, Logger: slog.New(slog.DiscardHandler),
	}
	if c.Change != nil {
		c.Change(&cfg)
	}
	if cfg.Store != nil {
		return cfg, nil
	}
	var err error
	if s.folder, err = os.MkdirTemp("", "providertest"); err != nil {
		return cfg, err
	}
	cfg.Store, err = sqlite.Open(ctx, filepath.Join(s.folder, "identity.db"))
	return cfg, err
}

// Close ends the Server.
func (s *Server) Close() error {
	if s.http.Config.Handler == nil {
		return errors.Join(s.http.Listener.Close(), s.removeFolder())
	}
	s.http.Close()
	return errors.Join(s.Provider.Close(), s.removeFolder())
}

func (s *Server) removeFolder() error {
	if s.folder == "" {
		return nil
	}
	return os.RemoveAll(s.folder)
}

// Issuer returns the issuer, which is all that an OpenID Connect client needs to know.
func (s *Server) Issuer() string { return s.URL + "/oidc" }

// Register registers another client, or changes one, and returns it as it is registered:
// without an ID its ID is client, client-2 and so on; without a Secret, unless it is
// Public, it has a random one; without a Dialect it is provider.Standard with both
// GrantTypes; without RedirectURIs it has RedirectURI, unless
// client_credentials is all that it may use.
func (s *Server) Register(ctx context.Context, c provider.Client) (provider.Client, error) {
	s.mu.Lock()
	if c.ID == "" {
		c.ID = "client"
		for n := 2; slices.Contains(s.clients, c.ID); n++ {
			c.ID = fmt.Sprintf("client-%d", n)
		}
	}
	s.clients = append(s.clients, c.ID)
	s.mu.Unlock()
	if c.Dialect == "" {
		c.Dialect = provider.Standard
		if c.GrantTypes == nil {
			c.GrantTypes = []string{"authorization_code", "refresh_token"}
		}
	}
	if c.Secret == "" && !c.Public {
		c.Secret = rand.Text() + rand.Text()
	}
	if c.RedirectURIs == nil && !slices.Equal(c.GrantTypes, []string{"client_credentials"}) {
		c.RedirectURIs = []string{RedirectURI}
	}
	return c, s.Provider.Clients().Save(ctx, c)
}

// Advance moves the provider's clock: what it has issued expires. That of the client under
// test stays where it is, unless the client asks Now.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += d
}

// Now tells the time by the provider's clock.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.ahead)
}

// SetFault has the provider fail so for all clients; the constants are in package sandbox.
// sandbox.NoFault ends it.
func (s *Server) SetFault(f sandbox.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

func (s *Server) currentFault(context.Context, string) (sandbox.Fault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault, nil
}

// SetAssurance has all personas sign in at a level, with the methods (amr) of it, whatever
// their AMR and Assurance say. Who is signed in stays so at the level of before, until a
// request asks for more. provider.AnyAssurance ends it.
func (s *Server) SetAssurance(level provider.Assurance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.assurance = level
}

func (s *Server) personaSet(context.Context, string) (sandbox.PersonaSet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.assurance == provider.AnyAssurance {
		return sandbox.PersonaSet{Personas: s.personas}, nil
	}
	personas := slices.Clone(s.personas)
	for i := range personas {
		personas[i].AMR, personas[i].Assurance = nil, s.assurance
	}
	return sandbox.PersonaSet{Personas: personas}, nil
}

// Mails returns the mails that the provider has sent, the latest last.
func (s *Server) Mails() []provider.Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// inbox keeps mails instead of sending them.
type inbox struct{ server *Server }

// Send implements provider.Mailer.
func (i inbox) Send(_ context.Context, m provider.Mail) error {
	i.server.mu.Lock()
	defer i.server.mu.Unlock()
	i.server.mails = append(i.server.mails, m)
	return nil
}

// HTTPClient returns a client with connections of its own, which the end of another
// httptest.Server does not break.
func (s *Server) HTTPClient() *http.Client { return s.http.Client() }
