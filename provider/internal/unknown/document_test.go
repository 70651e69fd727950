package unknown

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

var policy = &Policy{Documents: true, Scopes: []string{"openid"}, Own: "id.example:8443", Deny: []string{"denied.example", "*.denied.example"}}

// TestAddress tests which client IDs are called at all: none that is inside, has another
// spelling, or is not of the web.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"https://claude.ai/oauth/claude-code-client-metadata", "https://app.example/c", "https://app.example/a?b=c", "https://xn--bcher-kva.example/c",
		"https://app.example/a%20b", "https://app.example/" + strings.Repeat("a", maxAddress-len("https://app.example/")),
	} {
		if err := policy.validateAddress(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{
		"http://app.example/c", "https://app.example", "https://app.example/", "https://app.example?x", "https://APP.example/c", "HTTPS://app.example/c",
		"https://app.example:443/c", "https://app.example:8443/c", "https://app.example./c", "https://app/c", "https://localhost/c", "https://a.localhost/c",
		"https://127.0.0.1/c", "https://[::1]/c", "https://[::ffff:169.254.169.254]/c", "https://169.254.169.254/c", "https://2130706433/c", "https://127.1/c", "https://0x7f.1/c",
		"https://app.example/../c", "https://app.example/a/./c", "https://app.example/a/%2e%2E/c", "https://app.example/a/.%2e/c",
		"https://app.example/c#f", "https://u@app.example/c", "https://u:p@app.example/c", `https://app.example\@id.example/c`, "https://app.example/\u00e4", "https://app.example/a b", "https://app.example/\x00",
		"https://id.example/c", "https://denied.example/c", "https://a.denied.example/c", "https:app.example/c", "//app.example/c", "app.example/c", "",
		"https://app.example/" + strings.Repeat("a", maxAddress),
	} {
		if policy.validateAddress(id) == nil {
			t.Errorf("%q is called", id)
		}
	}
}

// TestPublished tests documents as their owners publish them.
func TestPublished(t *testing.T) {
	t.Parallel()
	for id, text := range map[string]string{
		"https://claude.ai/oauth/claude-code-client-metadata": `{"client_id":"https://claude.ai/oauth/claude-code-client-metadata","client_name":"Claude Code",
			"client_uri":"https://claude.ai","redirect_uris":["http://localhost/callback","http://127.0.0.1/callback"],
			"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`,
		"https://claude.ai/oauth/mcp-oauth-client-metadata": `{"client_id":"https://claude.ai/oauth/mcp-oauth-client-metadata","client_name":"Claude",
			"redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"token_endpoint_auth_method":"none"}`,
		"https://www.mcpjam.com/.well-known/oauth/client-metadata.json": `{"client_id":"https://www.mcpjam.com/.well-known/oauth/client-metadata.json","client_name":"MCPJam",
			"redirect_uris":["https://app.mcpjam.com/oauth/callback","http://127.0.0.1:6274/oauth/callback"],"token_endpoint_auth_method":"none","application_type":"web"}`,
	} {
		c, err := policy.read(id, []byte(text), time.Now())
		if err != nil || c.Document.Name == "" || !c.Public || !slices.Equal(c.Scopes, policy.Scopes) {
			t.Errorf("%s: %v, %+v", id, err, c)
		}
	}
}

// TestRedirects tests that every address of a document is of its owner.
func TestRedirects(t *testing.T) {
	t.Parallel()
	const id = "https://www.app.example.co.uk/c"
	for uri, want := range map[string]bool{
		"https://www.app.example.co.uk/cb": true, "https://example.co.uk/cb": true, "https://other.example.co.uk/cb": true,
		"http://localhost/cb": true, "http://127.0.0.1:1/cb": true, "http://[::1]/cb": true, "uk.co.example.app.www:/cb": true,
		"https://other.co.uk/cb": false, "https://co.uk/cb": false, "https://app.example.co.uk.evil.example/cb": false, "https://evil.example/?https://app.example.co.uk": false,
		"http://app.example.co.uk/cb": false, "com.other.app:/cb": false, "uk.co:/cb": false, "app:/cb": false, "javascript:alert(1)": false, "data:text/html,x": false,
		"https://localhost.evil.example/": false, "https://u@app.example.co.uk/cb": false, "https://127.0.0.1/cb": false, "": false, "/cb": false,
	} {
		text, err := json.Marshal(map[string]any{"client_id": id, "redirect_uris": []string{"https://www.app.example.co.uk/cb", uri}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := policy.read(id, text, time.Now()); (err == nil) != want {
			t.Errorf("%q: %v", uri, err)
		}
	}
	for _, shared := range []string{"https://a.github.io/c", "https://github.io/c"} { // others have names below it
		if _, err := policy.read(shared, []byte(`{"client_id":"`+shared+`","redirect_uris":["https://b.github.io/cb"]}`), time.Now()); err == nil {
			t.Errorf("%s names a neighbour", shared)
		}
	}
}

// TestNames tests which names are shown.
func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{"Bonafide", "Veterans Shop", "VA"}
	for _, name := range []string{"Claude Code", "Größe & Söhne", "日本語アプリ App", "Приложение", "تطبيق", "한국 漢字", "Java Tools", "C++ 🛠"} {
		if got := shownName(name, known); got != name {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
	for _, name := range []string{
		"", "Bonafide", "b0nafide", "Bоnаfidе", "My Bonafide app", "Veterans  Shop!", "VA", "Аpp", "a\u202eb", "a\u2066b", "a\u200bb", "a\u00adb", "a\u0000b", "a\ufeffb", "\ue000",
		"Αpp", strings.Repeat("a", 61), "\xff",
	} {
		if got := shownName(name, known); got != "" {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
	if got := shownName(" a \n b ", nil); got != "a b" {
		t.Errorf("%q", got)
	}
}

// FuzzDocument tests that whatever an address answers leads to a client within the policy or to
// none.
func FuzzDocument(f *testing.F) {
	const id = "https://app.example/c"
	f.Add([]byte(`{"client_id":"https://app.example/c","redirect_uris":["https://app.example/cb"],"client_name":"a"}`))
	f.Add([]byte(`{"client_id":"https://app.example/c","redirect_uris":["http://localhost/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := policy.read(id, text, time.Now())
		if err != nil {
			return
		}
		for _, uri := range c.RedirectURIs {
			if !strings.HasPrefix(uri, "https://") && !strings.HasPrefix(uri, "http://") && !strings.HasPrefix(uri, "example.app:") || !registry.IsPrintableASCII(uri) {
				t.Errorf("the redirect URI %q", uri)
			}
		}
		if c.ID != id || c.SkipConsent || !c.Unreviewed || len(c.Scopes) != 1 || len(c.Secrets) > 0 || !c.RequirePKCE || c.ResponseTypes[0] != "code" {
			t.Errorf("%+v", c)
		}
	})
}
