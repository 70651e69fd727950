package unknown

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

var policy = &Policy{Documents: true, Scopes: []string{"openid"}, Algorithms: []string{"RS256", "ES256"}, Own: "id.example:8443", Resources: []string{"https://api.example/mcp"}, Deny: []string{"denied.example", "*.denied.example"}}

// TestAddress tests which client IDs are called at all: none that is inside, has another
// spelling, or is not of the web.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"https://claude.ai/oauth/claude-code-client-metadata", "https://app.example/c", "https://app.example/a?b=c", "https://xn--bcher-kva.example/c",
		"https://app.example/a%20b", "https://api.example/mcp/client", "https://app.example/" + strings.Repeat("a", maxAddress-len("https://app.example/")),
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
		"https://app.example/" + strings.Repeat("a", maxAddress), "https://api.example/mcp",
	} {
		if policy.validateAddress(id) == nil {
			t.Errorf("%q is called", id)
		}
	}
}

// TestAPIIsNoClient tests that a row whose address has become the URI of an API is no client.
func TestAPIIsNoClient(t *testing.T) {
	t.Parallel()
	c := &registry.Client{Client: storage.Client{ID: policy.Resources[0], Origin: storage.OriginDocument}}
	if err := policy.Admit(t.Context(), c); !errors.Is(err, registry.ErrDisabled) {
		t.Errorf("%s: %v", c.ID, err)
	}
}

// TestPublished tests documents as their owners publish them.
func TestPublished(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/published/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for _, file := range files {
		text := testkit.Must(os.ReadFile(file))(t)
		var m metadata
		testkit.OK(t, json.Unmarshal(text, &m))
		if err := policy.validateAddress(m.ClientID); err != nil {
			t.Errorf("%s: %v", m.ClientID, err)
		}
		c, err := policy.read(m.ClientID, text, time.Now())
		if err != nil || c.Document.Name != m.Name || c.Public != (m.AuthMethod == "none") || !slices.Equal(c.Scopes, policy.Scopes) {
			t.Errorf("%s: %v, %+v", file, err, c)
		}
		if shownName(m.Name, []string{"Bonafide"}) != m.Name {
			t.Errorf("%q is not shown", m.Name)
		}
	}
}

// TestProtection tests what a document asks for beyond the usual: it is granted, or the document
// refused.
func TestProtection(t *testing.T) {
	t.Parallel()
	const id = "https://app.example/c"
	read := func(members string) (storage.Client, error) {
		return policy.read(id, []byte(`{"client_id":"`+id+`","redirect_uris":["https://app.example/cb"],`+members+`}`), time.Now())
	}
	const keys = `"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://app.example/keys",`
	for members, granted := range map[string]func(c storage.Client) bool{
		`"id_token_signed_response_alg":"ES256"`:              func(c storage.Client) bool { return c.IDTokenAlg == "ES256" && !c.UserinfoSigned },
		`"userinfo_signed_response_alg":"ES256"`:              func(c storage.Client) bool { return c.UserinfoAlg == "ES256" && c.UserinfoSigned },
		`"authorization_signed_response_alg":"ES256"`:         func(c storage.Client) bool { return c.ResponseAlg == "ES256" },
		`"dpop_bound_access_tokens":true`:                     func(c storage.Client) bool { return c.RequireDPoP },
		keys + `"require_pushed_authorization_requests":true`: func(c storage.Client) bool { return c.RequirePushed },
		keys + `"require_signed_request_object":true`:         func(c storage.Client) bool { return c.RequireSignedRequest },
		keys + `"request_object_signing_alg":"Ed25519"`:       func(c storage.Client) bool { return c.RequestSigningAlg == "Ed25519" },
		keys + `"token_endpoint_auth_signing_alg":"Ed25519"`:  func(c storage.Client) bool { return c.AuthSigningAlg == "Ed25519" },
	} {
		if c, err := read(members); err != nil || !granted(c) {
			t.Errorf("%s: %v, %+v", members, err, c)
		}
	}
	for _, members := range []string{
		`"id_token_signed_response_alg":"EdDSA"`, `"id_token_signed_response_alg":"none"`, `"userinfo_signed_response_alg":"HS256"`,
		`"authorization_signed_response_alg":"PS256"`, `"require_pushed_authorization_requests":true`, `"require_signed_request_object":true`,
		keys + `"request_object_signing_alg":"none"`, keys + `"request_object_signing_alg":"HS256"`, keys + `"token_endpoint_auth_signing_alg":"HS256"`,
		`"dpop_bound_access_tokens":"yes"`,
	} {
		if c, err := read(members); err == nil {
			t.Errorf("%s: %+v", members, c)
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
		text := testkit.Must(json.Marshal(map[string]any{"client_id": id, "redirect_uris": []string{"https://www.app.example.co.uk/cb", uri}}))(t)
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
