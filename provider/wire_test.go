package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// Addresses of the endpoints for programs.
const (
	tokenPath      = "/oauth/token"
	revokePath     = "/oauth/revoke"
	introspectPath = "/oauth/introspect"
	userinfoPath   = "/api/public/v3/userinfo"
	attributesPath = "/api/public/v3/attributes.json"
	discoveryPath  = "/oidc/.well-known/openid-configuration"
	keysPath       = "/oidc/.well-known/jwks"
)

// std are the parameters with which the standard client asks the token endpoint.
func std(pairs ...string) []string { return append([]string{"client_id", "std"}, pairs...) }

// ask are the parameters of an OpenID Connect request of the standard client.
func ask(pairs ...string) []string {
	return append([]string{"client_id", "std", "scope", "openid military"}, pairs...)
}

// alice returns a browser in which alice has signed in.
func (w *fixture) alice() *browser {
	w.t.Helper()
	return w.newBrowser().signIn("alice@example.com", alicePass)
}

// send makes a request as it is told, header names and values in turn.
func (b *browser) send(method, address, body string, header ...string) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.absolute(address), strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return b.do(r)
}

// bearer reads a data endpoint with a token in the header.
func (b *browser) bearer(path, token string) page {
	b.t.Helper()
	return b.send(http.MethodGet, path, "", "Authorization", "Bearer "+token)
}

// standardTokens signs alice in at the standard client.
func (b *browser) standardTokens() map[string]any {
	b.t.Helper()
	p, tokens := b.token(std("code", b.allow(ask()...).Get("code"))...)
	if p.StatusCode != http.StatusOK {
		b.t.Fatalf("token: %s %s", p.Status, p.body)
	}
	return tokens
}

// v3Tokens signs alice in at the older client.
func (b *browser) v3Tokens(pairs ...string) map[string]any {
	b.t.Helper()
	p, tokens := b.token("code", b.allow(pairs...).Get("code"))
	if p.StatusCode != http.StatusOK {
		b.t.Fatalf("token: %s %s", p.Status, p.body)
	}
	return tokens
}

// refresh presents a refresh token of the standard client.
func (b *browser) refresh(token string, pairs ...string) (page, map[string]any) {
	b.t.Helper()
	return b.token(std(append([]string{"grant_type", "refresh_token", "refresh_token", token, "redirect_uri", ""}, pairs...)...)...)
}

// text returns a member of a JSON object that is a string.
func text(t testing.TB, object map[string]any, name string) string {
	t.Helper()
	s, ok := object[name].(string)
	if !ok || s == "" {
		t.Fatalf("no %s in %v", name, object)
	}
	return s
}

// refused demands a JSON error of a code that caches do not keep.
func refused(t testing.TB, p page, status int, code string) {
	t.Helper()
	var body struct{ Error string }
	if err := json.Unmarshal([]byte(p.body), &body); err != nil {
		t.Fatalf("no JSON error: %v\n%s\n%s", err, p.Status, p.body)
	}
	if p.StatusCode != status || body.Error != code {
		t.Errorf("answered %s %s, want %d %s", p.Status, p.body, status, code)
	}
	if p.Header.Get("Content-Type") != "application/json" || p.Header.Get("Cache-Control") != "no-store" ||
		p.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers of an error: %v", p.Header)
	}
	if status == http.StatusServiceUnavailable && p.Header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", p.Header)
	}
}

// works demands that an access token is in force, or that it is not.
func works(t testing.TB, b *browser, token string, want bool) {
	t.Helper()
	p := b.bearer(attributesPath, token)
	if !want {
		refused(t, p, http.StatusUnauthorized, "invalid_token")
		return
	}
	if p.StatusCode != http.StatusOK {
		t.Errorf("access token is refused: %s %s", p.Status, p.body)
	}
}

// jwt returns header and claims of a token, unverified.
func jwt(t testing.TB, token string) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("not a JWT: %q", token)
	}
	for i, into := range []*map[string]any{&header, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	return header, claims
}

// twin starts another process's provider on the same database file.
func (w *fixture) twin(change ...func(*provider.Config)) *fixture {
	w.t.Helper()
	store, err := sqlite.Open(w.t.Context(), w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := provider.Config{BaseURL: w.server.URL, Secret: testSecret(w.t), Store: store, Mailer: w.mails, Clock: w.now,
		Logger: slog.New(slog.NewTextHandler(w.log, nil))}
	for _, c := range change {
		c(&cfg)
	}
	other := &fixture{t: w.t, store: cfg.Store, path: w.path, mails: w.mails, log: w.log}
	if other.Provider, err = provider.New(w.t.Context(), cfg); err != nil {
		w.t.Fatal(err)
	}
	other.server = newServer(w.t, other.Provider)
	w.t.Cleanup(func() {
		if err := other.Provider.Close(); err != nil {
			w.t.Errorf("close: %v", err)
		}
	})
	return other
}

// newServer serves a handler until the test ends.
func newServer(t testing.TB, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}
