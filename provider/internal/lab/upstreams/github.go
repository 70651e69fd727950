package upstreams

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// GitHubEmail is an address of a user.
type GitHubEmail struct {
	Email    string `json:"email"`
	Primary  bool   `json:"primary"`
	Verified bool   `json:"verified"`
}

// GitHubUser is a user. ID is any value, as an API that lies may give it.
type GitHubUser struct {
	ID          any
	Login, Name string
	Type        string
	Emails      []GitHubEmail
}

// GitHub is an Enterprise Server: pages and API below one address.
type GitHub struct {
	*httptest.Server

	// ClientID and Secret are the registration there.
	ClientID, Secret string

	mu      sync.Mutex
	user    GitHubUser
	codes   map[string]gitHubAttempt
	tokens  map[string]GitHubUser
	calls   map[string]int
	instead map[string]http.HandlerFunc
}

type gitHubAttempt struct {
	user                   GitHubUser
	challenge, redirectURI string
}

// NewGitHub returns a server, and stops it with the test.
func NewGitHub(t testing.TB) *GitHub {
	t.Helper()
	g := &GitHub{ClientID: "Iv1.0123456789abcdef", Secret: rand.Text(), codes: map[string]gitHubAttempt{}, tokens: map[string]GitHubUser{}, calls: map[string]int{}}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Server.Close)
	return g
}

// Be has everybody who comes from now on be a user.
func (g *GitHub) Be(u GitHubUser) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.user = u
}

// Instead has a path answer something else; nil for the truth.
func (g *GitHub) Instead(path string, h http.HandlerFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.instead = map[string]http.HandlerFunc{path: h}
}

// Calls returns how often a path was called.
func (g *GitHub) Calls(path string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[path]
}

// Return follows an address of a connector as a browser does, and returns the parameters with
// which it comes back.
func (g *GitHub) Return(t testing.TB, address string) url.Values {
	t.Helper()
	return follow(t, address)
}

// ServeHTTP implements http.Handler.
func (g *GitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.calls[r.URL.Path]++
	instead := g.instead[r.URL.Path]
	g.mu.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch r.URL.Path {
	case "/login/oauth/authorize":
		q := r.URL.Query()
		code := rand.Text()
		g.codes[code] = gitHubAttempt{g.user, q.Get("code_challenge"), q.Get("redirect_uri")}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound) //nolint:gosec // it stands for GitHub, in tests
	case "/login/oauth/access_token":
		g.token(w, r)
	case "/api/v3/user":
		if u, known := g.bearer(w, r); known {
			write(w, http.StatusOK, map[string]any{"id": u.ID, "login": u.Login, "name": u.Name, "type": u.Type, "email": "public@claimed.example"})
		}
	case "/api/v3/user/emails":
		if u, known := g.bearer(w, r); known {
			write(w, http.StatusOK, u.Emails)
		}
	default:
		http.NotFound(w, r)
	}
}

// token redeems a code once. It refuses with status 200, as GitHub does.
func (g *GitHub) token(w http.ResponseWriter, r *http.Request) {
	a, known := g.codes[r.PostFormValue("code")]
	delete(g.codes, r.PostFormValue("code"))
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case r.PostFormValue("client_id") != g.ClientID || r.PostFormValue("client_secret") != g.Secret:
		write(w, http.StatusOK, map[string]any{"error": "incorrect_client_credentials"})
	case !known || r.PostFormValue("redirect_uri") != a.redirectURI || base64.RawURLEncoding.EncodeToString(proof[:]) != a.challenge:
		write(w, http.StatusOK, map[string]any{"error": "bad_verification_code", "error_description": script})
	default:
		access := rand.Text()
		g.tokens[access] = a.user
		write(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "bearer", "scope": "read:user,user:email"})
	}
}

func (g *GitHub) bearer(w http.ResponseWriter, r *http.Request) (GitHubUser, bool) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	u, known := g.tokens[token]
	if !known {
		write(w, http.StatusUnauthorized, map[string]any{"message": "Bad credentials"})
	}
	return u, known
}
