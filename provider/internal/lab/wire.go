package lab

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const (
	// TokenPath is the token endpoint.
	TokenPath = "/oauth/token"
	// RevokePath is the revocation endpoint.
	RevokePath = "/oauth/revoke"
	// IntrospectPath is the introspection endpoint.
	IntrospectPath = "/oauth/introspect"
	// UserinfoPath is the userinfo endpoint.
	UserinfoPath = "/api/public/v3/userinfo"
	// AttributesPath is the endpoint of attributes.
	AttributesPath = "/api/public/v3/attributes.json"
	// DiscoveryPath is the discovery document.
	DiscoveryPath = "/oidc/.well-known/openid-configuration"
	// KeysPath is the key set.
	KeysPath = "/oidc/.well-known/jwks"
)

// Std are the parameters with which the standard client asks the token endpoint.
func Std(pairs ...string) []string { return append([]string{"client_id", "std"}, pairs...) }

// Ask are the parameters of an OpenID Connect request of the standard client.
func Ask(pairs ...string) []string {
	return append([]string{"client_id", "std", "scope", "openid military"}, pairs...)
}

// Alice returns a browser in which alice has signed in.
func (w *Fixture) Alice() *Browser {
	w.T.Helper()
	return w.NewBrowser().SignIn("alice@example.com", AlicePass)
}

// Send makes a request as it is told, header names and values in turn.
func (b *Browser) Send(method, address, body string, header ...string) Page {
	b.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(b.T.Context(), method, b.Absolute(address), strings.NewReader(body)))(b.T)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return b.Do(r)
}

// Bearer reads a data endpoint with a token in the header.
func (b *Browser) Bearer(path, token string) Page {
	b.T.Helper()
	return b.Send(http.MethodGet, path, "", "Authorization", "Bearer "+token)
}

// StandardTokens signs alice in at the standard client.
func (b *Browser) StandardTokens(pairs ...string) map[string]any {
	b.T.Helper()
	p, tokens := b.Token(Std("code", b.Allow(Ask(pairs...)...).Get("code"))...)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	return tokens
}

// V3Tokens signs alice in at the older client.
func (b *Browser) V3Tokens(pairs ...string) map[string]any {
	b.T.Helper()
	p, tokens := b.Token("code", b.Allow(pairs...).Get("code"))
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	return tokens
}

// Refresh presents a refresh token of the standard client.
func (b *Browser) Refresh(token string, pairs ...string) (Page, map[string]any) {
	b.T.Helper()
	return b.Token(Std(append([]string{"grant_type", "refresh_token", "refresh_token", token, "redirect_uri", ""}, pairs...)...)...)
}

// Member returns a member of a JSON object that is a string.
func Member(t testing.TB, object map[string]any, name string) string {
	t.Helper()
	s, ok := object[name].(string)
	if !ok || s == "" {
		t.Fatalf("no %s in %v", name, object)
	}
	return s
}

// Refused demands a JSON error of a code that caches do not keep.
func Refused(t testing.TB, p Page, status int, code string) {
	t.Helper()
	var body struct{ Error string }
	if err := json.Unmarshal([]byte(p.Text), &body); err != nil {
		t.Fatalf("no JSON error: %v\n%s\n%s", err, p.Status, p.Text)
	}
	if p.StatusCode != status || body.Error != code {
		t.Errorf("answered %s %s, want %d %s", p.Status, p.Text, status, code)
	}
	if p.Header.Get("Content-Type") != "application/json" || p.Header.Get("Cache-Control") != "no-store" ||
		p.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers of an error: %v", p.Header)
	}
	if status == http.StatusServiceUnavailable && p.Header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", p.Header)
	}
}

// Works demands that an access token is in force, or that it is not.
func Works(t testing.TB, b *Browser, token string, want bool) {
	t.Helper()
	p := b.Bearer(AttributesPath, token)
	if !want {
		Refused(t, p, http.StatusUnauthorized, "invalid_token")
		return
	}
	if p.StatusCode != http.StatusOK {
		t.Errorf("access token is refused: %s %s", p.Status, p.Text)
	}
}

// JWT returns header and claims of a token, unverified.
func JWT(t testing.TB, token string) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("not a JWT: %q", token)
	}
	for i, into := range []*map[string]any{&header, &claims} {
		raw := testkit.Must(base64.RawURLEncoding.DecodeString(parts[i]))(t)
		testkit.OK(t, json.Unmarshal(raw, into))
	}
	return header, claims
}

// Twin starts another process's provider on the same database file.
func (w *Fixture) Twin(change ...func(*provider.Config)) *Fixture {
	w.T.Helper()
	store, err := sqlite.Open(w.T.Context(), w.Path)
	testkit.OK(w.T, err)
	cfg := provider.Config{BaseURL: w.Server.URL, Secret: Secret(w.T), Store: store, Mailer: w.Mails, Clock: w.Now,
		Logger: slog.New(slog.NewTextHandler(w.Log, nil))}
	for _, c := range change {
		c(&cfg)
	}
	other := &Fixture{T: w.T, Store: cfg.Store, Path: w.Path, Mails: w.Mails, Log: w.Log}
	if other.Provider, err = provider.New(w.T.Context(), cfg); err != nil {
		w.T.Fatal(err)
	}
	other.Server = Serve(w.T, other.Provider)
	w.T.Cleanup(func() {
		if err := other.Provider.Close(); err != nil {
			w.T.Errorf("close: %v", err)
		}
	})
	return other
}

// Serve serves a handler until the test ends.
func Serve(t testing.TB, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}
