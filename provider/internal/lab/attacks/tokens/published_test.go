package tokens

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// published serves the documents of others from another host, at the same paths.
type published struct {
	*documents
	texts map[string]string // by path
}

// newPublished has the documents serve copies of those that programs have. They name the host
// that they are served from in place of their own.
func newPublished(t *testing.T, d *documents) *published {
	t.Helper()
	p := &published{documents: d, texts: map[string]string{}}
	d.answer = func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(p.texts[r.URL.Path]))
	}
	return p
}

// add serves a copy and returns the client ID that it has here.
func (p *published) add(t *testing.T, file string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("../../../unknown/testdata/published", file+".json")))(t)
	var m struct {
		ClientID string `json:"client_id"`
	}
	testkit.OK(t, json.Unmarshal(text, &m))
	u := testkit.Must(url.Parse(m.ClientID))(t)
	p.put(u.Path, strings.ReplaceAll(string(text), "https://"+u.Host, p.URL))
	return p.URL + u.Path
}

// put serves a text at a path.
func (p *published) put(path, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts[path] = text
}

// TestPublishedPrograms signs in as programs whose documents name one redirect URI and which come
// with another: at a port that was free, on localhost and on 127.0.0.1.
func TestPublishedPrograms(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	p := newPublished(t, d)
	b := w.Alice()
	for _, c := range []struct {
		file, name string
		came       []string
		refused    []string
		refreshes  bool
	}{
		{"claude-code", "Claude Code", []string{"http://localhost:54545/callback", "http://127.0.0.1:52163/callback", "http://localhost/callback"},
			[]string{"http://localhost:54545/", "http://[::1]:54545/callback", "http://localhost.evil.test:54545/callback"}, true},
		{"opencode", "opencode", []string{"http://127.0.0.1:51675/callback", "http://localhost:51675/callback"},
			[]string{"http://127.0.0.1:19876/mcp/oauth/callback"}, true},
		{"copilot-cli", "GitHub Copilot CLI", []string{"http://127.0.0.1:60005/", "http://127.0.0.1:33418/"},
			[]string{"http://localhost:33418/", "http://127.0.0.1:33418", "https://127.0.0.1:33418/"}, false},
		{"vscode", "Visual Studio Code", []string{"http://127.0.0.1:33418/", "http://127.0.0.1:59656/", p.URL + "/redirect"},
			[]string{"http://localhost:33418/", "vscode://vscode.mcp/"}, true},
	} {
		id := p.add(t, c.file)
		ask := func(uri string) string { return d.ask("client_id", id, "redirect_uri", uri) }
		for _, uri := range c.came {
			page := b.Open(ask(uri))
			if page.StatusCode != http.StatusOK || !strings.Contains(page.Text, c.name) {
				t.Fatalf("%s at %s: %s\n%s", c.file, uri, page.Status, page.Text)
			}
			answer := b.Submit(page, "action", "allow")
			if !strings.HasPrefix(answer.Header.Get("Location"), uri+"?") {
				t.Errorf("%s: the answer goes to %q, not %s", c.file, answer.Header.Get("Location"), uri)
			}
			request := []string{"client_id", id, "client_secret", "", "code", lab.Response(t, answer).Get("code"), "code_verifier", verifier}
			got, tokens := b.Token(append(request, "redirect_uri", uri)...)
			lab.Granted(t, got, tokens)
			refresh, refreshes := tokens["refresh_token"].(string)
			if refreshes != c.refreshes {
				t.Errorf("%s: a refresh token: %t, which its document asks for: %t", c.file, refreshes, c.refreshes)
			}
			if refreshes {
				got, tokens = b.Token("client_id", id, "client_secret", "", "grant_type", "refresh_token", "refresh_token", refresh, "redirect_uri", "")
				lab.Granted(t, got, tokens)
			}
		}
		for _, uri := range c.refused {
			if page := b.Get(ask(uri)); page.StatusCode != http.StatusBadRequest {
				t.Errorf("%s at %s: %s", c.file, uri, page.Status)
			}
		}
	}
}

// TestPublishedWithKey signs in as a service whose document has an address of keys and one
// algorithm.
func TestPublishedWithKey(t *testing.T) {
	t.Parallel()
	w, d := newUnknown(t)
	p := newPublished(t, d)
	id := p.add(t, "chatgpt")
	p.put("/oauth/jwks.json", string(lab.PublicKeys(t, "RS256", "ES256")))
	b, back := w.Alice(), p.URL+"/connector_platform_oauth_redirect"
	for alg, want := range map[string]int{"RS256": http.StatusOK, "PS256": http.StatusUnauthorized, "ES256": http.StatusUnauthorized} {
		answer := b.Open(d.ask("client_id", id, "redirect_uri", back))
		if answer.StatusCode == http.StatusOK {
			answer = b.Submit(answer, "action", "allow")
		}
		got, _ := b.Token("client_id", id, "client_secret", "", "code", lab.Response(t, answer).Get("code"), "code_verifier", verifier, "redirect_uri", back,
			"client_assertion_type", lab.ByAssertion, "client_assertion", lab.ClientKeys()[alg].Sign(t, w.Assertion(id)))
		if got.StatusCode != want {
			t.Errorf("%s: %s %s", alg, got.Status, got.Text)
		}
	}
}
