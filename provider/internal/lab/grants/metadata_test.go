package grants

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// metadataOf returns what a handler serves at a path, as a script elsewhere reads it.
func metadataOf(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Origin", "https://inspector.test")
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK || answer.Header().Get("Access-Control-Allow-Origin") != "*" || answer.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s answers %d %v", path, answer.Code, answer.Header())
	}
	return answer.Body.String()
}

// Clients look for the metadata in three ways (RFC 8414 section 3.1 and 5, OpenID Connect
// Discovery section 4.1), and find one document.
func TestMetadata(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base     string
		inserted []string
	}{
		"WithoutAPath": {"", nil},
		"WithAPath":    {"/id", []string{"/.well-known/oauth-authorization-server/id/oidc", "/.well-known/openid-configuration/id/oidc"}},
		"WithTwo":      {"/a/b", []string{"/.well-known/oauth-authorization-server/a/b/oidc", "/.well-known/openid-configuration/a/b/oidc"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t, func(cfg *provider.Config) { cfg.BaseURL += c.base })
			if got := w.MetadataPaths(); !slices.Equal(got, c.inserted) {
				t.Errorf("the host is to route %q, want %q", got, c.inserted)
			}
			site := http.NewServeMux() // of the host, which has other pages
			site.Handle(c.base+"/", w.Provider)
			for _, path := range w.MetadataPaths() {
				site.Handle(path, w.Provider)
			}
			want := metadataOf(t, site, c.base+lab.DiscoveryPath)
			for _, path := range []string{
				c.base + "/oidc/.well-known/oauth-authorization-server",
				"/.well-known/oauth-authorization-server" + c.base + "/oidc",
				"/.well-known/openid-configuration" + c.base + "/oidc",
			} {
				if got := metadataOf(t, site, path); got != want {
					t.Errorf("%s serves another document: %s", path, got)
				}
			}
			if strings.Contains(w.Log.String(), "level=WARN") {
				t.Errorf("requests for metadata are taken for ones to another mount:\n%s", w.Log)
			}
		})
	}
	t.Run("IsReadByScriptsThatSayTheirVersion", func(t *testing.T) {
		w := lab.New(t)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/.well-known/oauth-authorization-server/oidc", nil)
		r.Header.Set("Origin", "https://inspector.test")
		r.Header.Set("Access-Control-Request-Method", http.MethodGet)
		r.Header.Set("Access-Control-Request-Headers", "mcp-protocol-version")
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, r)
		if answer.Code != http.StatusNoContent || !strings.Contains(strings.ToLower(answer.Header().Get("Access-Control-Allow-Headers")), "mcp-protocol-version") ||
			answer.Header().Get("Access-Control-Allow-Origin") != "https://inspector.test" {
			t.Errorf("answered %d %v", answer.Code, answer.Header())
		}
	})
	t.Run("IsNotThatOfAnotherIssuer", func(t *testing.T) {
		w := lab.New(t)
		for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/other"} {
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if answer.Code != http.StatusNotFound {
				t.Errorf("%s answers %d", path, answer.Code)
			}
		}
	})
}
