package grants

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
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
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
	ctx := oidc.ClientContext(context.WithoutCancel(t.Context()), &http.Client{Transport: testkit.OwnConnections(t)})
	issuer := testkit.Must(oidc.NewProvider(ctx, s.issuer))(t)
	verifier := issuer.VerifierContext(ctx, &oidc.Config{ClientID: s.URL})
	s.accepts = func(r *http.Request, raw string) bool {
		encoded, _, _ := strings.Cut(raw, ".")
		header, _ := base64.RawURLEncoding.DecodeString(encoded) // Verify looks whether it can be read
		_, err := verifier.Verify(r.Context(), raw)
		return err == nil && strings.Contains(string(header), `"typ":"at+jwt"`)
	}
}

// introspects has a server ask about tokens as one of the introspectors (RFC 7662).
func (s *mcpServer) introspects(w *lab.Fixture, base, id string) {
	b := w.NewBrowser()
	s.accepts = func(_ *http.Request, token string) bool {
		_, answer := b.JSON(b.Client(base+lab.IntrospectPath, id, "token", token))
		return answer["active"] == true
	}
}

// mcpClient is a client of the Model Context Protocol, as its specification of 2025-06-18
// describes one: it knows the address of a server and its own client_id, and nothing of the
// provider.
type mcpClient struct {
	*lab.Browser
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

func (c *mcpClient) call(server, token string) lab.Page {
	c.T.Helper()
	headers := []string{"Content-Type", "application/json", "MCP-Protocol-Version", "2025-06-18"}
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	return c.Send(http.MethodPost, server, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, headers...)
}

// discover finds the provider from the server's 401.
func (c *mcpClient) discover() {
	c.T.Helper()
	challenge := c.call(c.server, "").Header.Get("WWW-Authenticate")
	found := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(challenge)
	if found == nil {
		c.T.Fatalf("no resource_metadata in %q", challenge)
	}
	var protected struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
	}
	c.read(found[1], &protected)
	if protected.Resource != strings.TrimSuffix(c.server, "/") {
		c.T.Fatalf("the metadata are of %q", protected.Resource)
	}
	u := testkit.Must(url.Parse(protected.Servers[0]))(c.T)
	c.resource, c.scopes = c.server, protected.Scopes
	root := u.Scheme + "://" + u.Host
	for _, address := range []string{
		root + "/.well-known/oauth-authorization-server" + u.Path,
		root + "/.well-known/openid-configuration" + u.Path,
		root + u.Path + "/.well-known/openid-configuration",
	} {
		if c.Get(address).StatusCode == http.StatusOK {
			c.read(address, &c.metadata)
			break
		}
	}
	if c.metadata.Issuer != protected.Servers[0] || !slices.Contains(c.metadata.ChallengeMethods, "S256") || !slices.Contains(c.metadata.AuthMethods, "none") {
		c.T.Fatalf("metadata %+v", c.metadata)
	}
}

func (c *mcpClient) read(address string, into any) {
	c.T.Helper()
	if p := c.Get(address); json.Unmarshal([]byte(p.Text), into) != nil {
		c.T.Fatalf("%s: %s %s", address, p.Status, p.Text)
	}
}

// authorize sends the user to the provider, and returns the tokens.
func (c *mcpClient) authorize(withScope bool) map[string]any {
	c.T.Helper()
	const callback = "http://127.0.0.1:33418/callback"
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.id}, "redirect_uri": {callback}, "state": {"s"}, "resource": {c.resource},
		"code_challenge": {lab.S256}, "code_challenge_method": {"S256"},
	}
	if withScope {
		q.Set("scope", strings.Join(c.scopes, " "))
	}
	asked := c.Open(c.metadata.AuthorizationEndpoint + "?" + q.Encode())
	if asked.StatusCode != http.StatusOK || !strings.Contains(asked.Text, "Run tools") {
		c.T.Fatalf("the consent screen: %s\n%s", asked.Status, asked.Text)
	}
	got := lab.Response(c.T, c.Submit(asked, "action", "allow"))
	if got.Get("iss") != c.metadata.Issuer || got.Get("state") != "s" {
		c.T.Fatalf("response %v", got)
	}
	return c.exchange(url.Values{"grant_type": {"authorization_code"}, "code": {got.Get("code")}, "redirect_uri": {callback}, "code_verifier": {lab.Verifier}})
}

func (c *mcpClient) exchange(form url.Values) map[string]any {
	c.T.Helper()
	form.Set("client_id", c.id)
	form.Set("resource", c.resource)
	p, tokens := c.JSON(c.Post(c.metadata.TokenEndpoint, form))
	if p.StatusCode != http.StatusOK {
		c.T.Fatalf("token: %s %s", p.Status, p.Text)
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
			w := lab.New(t, func(cfg *provider.Config) {
				cfg.BaseURL += c.base
				cfg.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "tools:run", Title: "Run tools"})
				cfg.Resources = []provider.Resource{
					{URI: tools.URL, Name: "Tools", Scopes: []string{"tools:run"}, Introspectors: []string{"tools-api"}},
					{URI: files.URL, Name: "Files", Introspectors: []string{"files-api"}},
				}
			}).WithUsers()
			w.OK(w.Clients().Save(t.Context(), provider.Client{
				ID: "desktop", Name: "Desktop Agent", Dialect: provider.Standard, Public: true, RedirectURIs: []string{"http://127.0.0.1/callback"},
				GrantTypes: []string{"authorization_code", "refresh_token"}, AccessTokenFormat: c.format,
			}))
			for id, s := range map[string]*mcpServer{"tools-api": tools, "files-api": files} {
				s.issuer, s.scopes = w.Issuer(), []string{"tools:run"}
				w.Machine(id)
				if s.introspects(w, c.base, id); c.format == "jwt" {
					s.verifies(t)
				}
			}
			agent := &mcpClient{Browser: w.NewBrowser(), server: tools.URL, id: "desktop"}
			if c.slash {
				agent.server += "/"
			}
			agent.Submit(agent.Open(c.base+"/signin"), "email", "alice@example.com", "password", lab.AlicePass)
			agent.discover()
			tokens := agent.authorize(c.scope)
			for range 2 {
				token := lab.Member(t, tokens, "access_token")
				if p := agent.call(tools.URL, token); p.StatusCode != http.StatusOK {
					t.Errorf("the server that the token is for: %s", p.Status)
				}
				if p := agent.call(files.URL, token); p.StatusCode != http.StatusUnauthorized {
					t.Errorf("another server: %s", p.Status)
				}
				for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
					lab.Refused(t, agent.Bearer(c.base+path, token), http.StatusUnauthorized, "invalid_token")
				}
				if tokens["scope"] != "tools:run" {
					t.Errorf("scope %v", tokens["scope"])
				}
				tokens = agent.exchange(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {lab.Member(t, tokens, "refresh_token")}})
			}
		})
	}
}
