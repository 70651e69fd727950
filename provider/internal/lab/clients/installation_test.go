package clients

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const (
	userID   = "f3a1c9d27b5e4c0e8a6f"
	fullName = "Alice Example"
	email    = "alice@example.com"
	password = "glacier-tulip-orbit-42"

	clientID     = "app"
	clientSecret = "rUq3-Zt7wYkP0sVx9LmB2nHdGf5CjEa8"
)

// algorithms are those that a provider can sign with.
var algorithms = []string{"RS256", "PS256", "ES256", "EdDSA"}

// installation is a provider as it comes, with Alice, on a path of its host, so that no
// client gets away with putting addresses together itself. Its key set has keys of all
// algorithms, of which a client that is registered for none has to find that of RS256.
type installation struct {
	*provider.Provider
	base string

	mu     sync.Mutex
	grants []string // of the token requests that succeeded
}

// newInstallation starts a provider; change may adjust its configuration.
func newInstallation(t *testing.T, change ...func(*provider.Config)) *installation {
	t.Helper()
	i := &installation{}
	server := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(server.Close)
	i.base = server.URL + "/id"
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "identity.db"))
	testkit.OK(t, err)
	config := provider.Config{
		BaseURL: i.base, Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"), Store: store, Logger: slog.New(slog.DiscardHandler),
		Signing: provider.Signing{Algorithms: algorithms},
	}
	for _, f := range change {
		f(&config)
	}
	if i.Provider, err = provider.New(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	_, err = i.Accounts().Save(t.Context(), provider.Account{ID: userID, Email: email, EmailVerified: true, Password: password})
	testkit.OK(t, err)
	testkit.OK(t, i.People().SetAttributes(t.Context(), userID, map[string]any{"fname": "Alice", "lname": "Example"}))
	return i
}

// serve keeps what the token endpoint was asked for.
func (i *installation) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/id/oauth/token" {
		i.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	status := &statusRecorder{w, http.StatusOK}
	i.ServeHTTP(status, r)
	form, _ := url.ParseQuery(string(body))
	if status.code == http.StatusOK {
		i.mu.Lock()
		i.grants = append(i.grants, form.Get("grant_type"))
		i.mu.Unlock()
	}
}

type statusRecorder struct {
	http.ResponseWriter
	code int
}

func (s *statusRecorder) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// refreshed reports whether a client has refreshed its tokens.
func (i *installation) refreshed() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return strings.Contains(strings.Join(i.grants, " "), "refresh_token")
}

// register registers the client of a test, whose callback and whose page after signing out
// are at these addresses.
func (i *installation) register(t *testing.T, callback, afterwards string) {
	t.Helper()
	testkit.OK(t, i.Clients().Save(t.Context(), provider.Client{
		ID: clientID, Secret: clientSecret, Name: "An App", Dialect: provider.Standard,
		GrantTypes:   []string{"authorization_code", "refresh_token"},
		RedirectURIs: []string{callback}, PostLogoutRedirectURIs: []string{afterwards},
	}))
}

// freeAddress returns where a program can listen. Its host is another than that of the
// provider, so that neither gets the other's cookies.
func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("localhost:%d", testkit.Port(t))
}
