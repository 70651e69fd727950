package provider_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/bonafide-id/bonafide/provider"
)

// mcpServer is a resource server as the authorization of the Model Context Protocol has it
// (RFC 9728): whoever comes without a token learns where to get one.
type mcpServer struct {
	*httptest.Server
	issuer string
	scopes []string

	// accepts reports whether a token is in force and for this server.
	accepts func(r *http.Request, token string) bool
}

func newMCPServer(t testing.TB) *mcpServer {
	t.Helper()
	s := &mcpServer{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"resource": s.URL, "authorization_servers": []string{s.issuer}, "scopes_supported": s.scopes, "bearer_methods_supported": []string{"header"},
		})
	})
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !s.accepts(r, token) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// verifies has a server verify tokens itself (RFC 9068 section 4).
func (s *mcpServer) verifies(t testing.TB) {
	t.Helper()
	ctx := oidc.ClientContext(context.WithoutCancel(t.Context()), &http.Client{Transport: ownConnections(t)})
	issuer, err := oidc.NewProvider(ctx, s.issuer)
	if err != nil {
		t.Fatal(err)
	}
	verifier := issuer.VerifierContext(ctx, &oidc.Config{ClientID: s.URL})
	s.accepts = func(r *http.Request, raw string) bool {
		encoded, _, _ := strings.Cut(raw, ".")
		header, _ := base64.RawURLEncoding.DecodeString(encoded) // Verify looks whether it can be read
		_, err := verifier.Verify(r.Context(), raw)
		return err == nil && strings.Contains(string(header), `"typ":"at+jwt"`)
	}
}

// introspects has a server ask about tokens as one of the introspectors (RFC 7662).
func (s *mcpServer) introspects(w *fixture, base, id string) {
	b := w.newBrowser()
	s.accepts = func(_ *http.Request, token string) bool {
		_, answer := b.json(b.client(base+introspectPath, id, "token", token))
		return answer["active"] == true
	}
}

// mcpClient is a client of the Model Context Protocol, as its specification of 2025-06-18
// describes one: it knows the address of a server and its own client_id, and nothing of the
// provider.
type mcpClient struct {
	*browser
	server   string
	id       string
	metadata struct {
		Issuer                string   `json:"issuer"`
		AuthorizationEndpoint string   `json:"authorization_endpoint"`
		TokenEndpoint         string   `json:"token_endpoint"`
		ChallengeMethods      []string `json:"code_challenge_methods_supported"`
		AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	}
	resource string
	scopes   []string
}

func (c *mcpClient) call(server, token string) page {
	c.t.Helper()
	headers := []string{"Content-Type", "application/json", "MCP-Protocol-Version", "2025-06-18"}
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	return c.send(http.MethodPost, server, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, headers...)
}

// discover finds the provider from the server's 401.
func (c *mcpClient) discover() {
	c.t.Helper()
	challenge := c.call(c.server, "").Header.Get("WWW-Authenticate")
	found := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(challenge)
	if found == nil {
		c.t.Fatalf("no resource_metadata in %q", challenge)
	}
	var protected struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
	}
	c.read(found[1], &protected)
	if protected.Resource != strings.TrimSuffix(c.server, "/") {
		c.t.Fatalf("the metadata are of %q", protected.Resource)
	}
	u, err := url.Parse(protected.Servers[0])
	if err != nil {
		c.t.Fatal(err)
	}
	c.resource, c.scopes = c.server, protected.Scopes
	root := u.Scheme + "://" + u.Host
	for _, address := range []string{
		root + "/.well-known/oauth-authorization-server" + u.Path,
		root + "/.well-known/openid-configuration" + u.Path,
		root + u.Path + "/.well-known/openid-configuration",
	} {
		if c.get(address).StatusCode == http.StatusOK {
			c.read(address, &c.metadata)
			break
		}
	}
	if c.metadata.Issuer != protected.Servers[0] || !slices.Contains(c.metadata.ChallengeMethods, "S256") || !slices.Contains(c.metadata.AuthMethods, "none") {
		c.t.Fatalf("metadata %+v", c.metadata)
	}
}

func (c *mcpClient) read(address string, into any) {
	c.t.Helper()
	if p := c.get(address); json.Unmarshal([]byte(p.body), into) != nil {
		c.t.Fatalf("%s: %s %s", address, p.Status, p.body)
	}
}

// authorize sends the user to the provider, and returns the tokens.
func (c *mcpClient) authorize(withScope bool) map[string]any {
	c.t.Helper()
	const callback = "http://127.0.0.1:33418/callback"
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {callback}, "state": {"s"}, "resource": {c.resource},
		"code_challenge": {s256}, "code_challenge_method": {"S256"},
	}
	if withScope {
		q.Set("scope", strings.Join(c.scopes, " "))
	}
	asked := c.open(c.metadata.AuthorizationEndpoint + "?" + q.Encode())
	if asked.StatusCode != http.StatusOK || !strings.Contains(asked.body, "Run tools") {
		c.t.Fatalf("the consent screen: %s\n%s", asked.Status, asked.body)
	}
	got := response(c.t, c.submit(asked, "action", "allow"))
	if got.Get("iss") != c.metadata.Issuer || got.Get("state") != "s" {
		c.t.Fatalf("response %v", got)
	}
	return c.exchange(url.Values{"grant_type": {"authorization_code"}, "code": {got.Get("code")}, "redirect_uri": {callback}, "code_verifier": {verifier}})
}

func (c *mcpClient) exchange(form url.Values) map[string]any {
	c.t.Helper()
	form.Set("client_id", c.id)
	form.Set("resource", c.resource)
	p, tokens := c.json(c.post(c.metadata.TokenEndpoint, form))
	if p.StatusCode != http.StatusOK {
		c.t.Fatalf("token: %s %s", p.Status, p.body)
	}
	return tokens
}

func TestMCPClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, format string
		slash, scope bool
	}{
		"ThatIsIntrospected":                {"", "", false, true},
		"ThatIsVerified":                    {"", "jwt", false, true},
		"WithASlashAfterTheHost":            {"", "jwt", true, true},
		"ThatNamesNoScope":                  {"", "", true, false},
		"OfAProviderBelowAPath":             {"/id", "jwt", true, true},
		"OfAProviderBelowAPathIntrospected": {"/id", "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			tools, files := newMCPServer(t), newMCPServer(t)
			w := newFixture(t, func(cfg *provider.Config) {
				cfg.BaseURL += c.base
				cfg.Scopes = append(provider.DefaultScopes(), provider.Scope{Name: "tools:run", Title: "Run tools"})
				cfg.Resources = []provider.Resource{
					{URI: tools.URL, Name: "Tools", Scopes: []string{"tools:run"}, Introspectors: []string{"tools-api"}},
					{URI: files.URL, Name: "Files", Introspectors: []string{"files-api"}},
				}
			}).withUsers()
			w.ok(w.SaveClient(t.Context(), provider.Client{
				ID: "desktop", Name: "Desktop Agent", Dialect: provider.Standard, Public: true, RedirectURIs: []string{"http://127.0.0.1/callback"},
				GrantTypes: []string{"authorization_code", "refresh_token"}, AccessTokenFormat: c.format,
			}))
			for id, s := range map[string]*mcpServer{"tools-api": tools, "files-api": files} {
				s.issuer, s.scopes = w.Issuer(), []string{"tools:run"}
				w.machine(id)
				if s.introspects(w, c.base, id); c.format == "jwt" {
					s.verifies(t)
				}
			}
			agent := &mcpClient{browser: w.newBrowser(), server: tools.URL, id: "desktop"}
			if c.slash {
				agent.server += "/"
			}
			agent.submit(agent.open(c.base+"/signin"), "email", "alice@example.com", "password", alicePass)
			agent.discover()
			tokens := agent.authorize(c.scope)
			for range 2 {
				token := text(t, tokens, "access_token")
				if p := agent.call(tools.URL, token); p.StatusCode != http.StatusOK {
					t.Errorf("the server that the token is for: %s", p.Status)
				}
				if p := agent.call(files.URL, token); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("another server: %s", p.Status)
				}
				for _, path := range []string{userinfoPath, attributesPath} {
					refused(t, agent.bearer(c.base+path, token), http.StatusUnauthorized, "invalid_token")
				}
				if tokens["scope"] != "tools:run" {
					t.Errorf("scope %v", tokens["scope"])
				}
				tokens = agent.exchange(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {text(t, tokens, "refresh_token")}})
			}
		})
	}
}
