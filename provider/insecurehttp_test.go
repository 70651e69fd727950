package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestSandboxOnAPrivateNetwork tests that a sandbox is served, and sends users back, by
// plain http between hosts of a private network, and to no other.
func TestSandboxOnAPrivateNetwork(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) {
		c.BaseURL, c.Sandbox, c.InsecureHTTP = "http://id.internal:8080", true, true
	})
	private := []string{
		"http://app/cb", "http://app:3000/cb", "http://app.test/cb", "http://nas.local/cb", "http://10.1.2.3/cb",
		"http://192.168.0.7:8000/cb", "http://[fd00::1]/cb", "http://app.home.arpa/cb",
	}
	public := []string{
		"http://app.example/cb", "http://8.8.8.8/cb", "http://134744072/cb", "http://0x08080808/cb", "http://0X8080808/cb",
		"http://test.example.com/cb", "http://mytest/../cb#x", "http://[2001:db8::1]/cb", "http://app.test.example/cb", "http://1.1/cb",
	}
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "app", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: private, Origins: []string{"http://app:3000"}}))
	for _, uri := range public {
		if err := w.Clients().Save(t.Context(), provider.Client{ID: "public", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{uri}}); err == nil {
			t.Errorf("%s was registered", uri)
		}
		if w.Rooms().Clients.ValidateRedirectURI(uri) == nil {
			t.Errorf("%s passes", uri)
		}
	}
	b := w.NewBrowser()
	for _, uri := range private {
		p := b.Get(lab.AuthorizeURL("client_id", "app", "redirect_uri", uri, "scope", "military", "prompt", "none"))
		if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), uri) {
			t.Errorf("%s: %s %s", uri, p.Status, p.Header.Get("Location"))
		}
	}
	p := b.Get(lab.AuthorizeURL("client_id", "app", "redirect_uri", "http://app.example/cb", "scope", "military"))
	lab.Shown(t, p, http.StatusBadRequest)
}

// TestPrivateHTTPNeedsTheSwitch tests that neither a sandbox nor production accepts plain
// http on a private network by itself.
func TestPrivateHTTPNeedsTheSwitch(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*provider.Config){
		"Production": func(*provider.Config) {},
		"Sandbox":    func(c *provider.Config) { c.Sandbox = true },
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t, change)
			for _, uri := range []string{"http://app/cb", "http://10.1.2.3/cb", "http://app.test/cb"} {
				if err := w.Clients().Save(t.Context(), provider.Client{ID: "app", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{uri}}); err == nil {
					t.Errorf("%s was registered", uri)
				}
			}
			if w.Rooms().Clients.ValidateOrigin("http://app") == nil {
				t.Error("an origin of plain http passes")
			}
		})
	}
}
