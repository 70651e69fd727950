package lab

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
)

const (
	// ToolsURI is a protected resource.
	ToolsURI = "https://tools.test/mcp"
	// FilesURI is another protected resource.
	FilesURI = "https://files.test"
	// PlainURI is a protected resource whose URI is not a web address.
	PlainURI = "api://plain"
)

// WithResources starts a provider with three APIs: one that means something by a scope of
// its own, one at the root of its host, and one without a name.
func WithResources(t testing.TB, change ...func(*provider.Config)) *Fixture {
	t.Helper()
	w := New(t, append(change, func(c *provider.Config) {
		c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "tools:run", Title: "Run tools"}, catalogue.Scope{Name: "files:read"})
		c.Resources = []provider.Resource{
			{URI: ToolsURI, Name: "Calendar tools", Scopes: []string{"tools:run"}, Introspectors: []string{"tools-api"}},
			{URI: FilesURI, Name: "Files", Introspectors: []string{"files-api", "pub"}},
			{URI: PlainURI},
		}
	})...).WithClients().WithUsers()
	for _, id := range []string{"tools-api", "files-api", "stranger"} {
		w.Machine(id)
	}
	for _, c := range []provider.Client{
		{ID: "agent", Dialect: provider.V3, Name: "Agent", InitiateLoginURI: "https://agent.test/start", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}},
		{ID: "jwt", Dialect: provider.V3, Name: "JWT App", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}, AccessTokenFormat: "jwt",
			ResponseTypes: []string{"code", "token", "id_token token"}},
		{ID: "narrow", Dialect: provider.V3, Name: "Narrow", Resources: []string{ToolsURI}},
	} {
		c.Secret, c.Dialect, c.RedirectURIs = ClientSecret, provider.Standard, []string{CallbackURI}
		w.OK(w.Clients().Save(t.Context(), c))
	}
	return w
}

// ResourceURL is an authorization request for resources.
func ResourceURL(client string, resources ...string) string {
	address := AuthorizeURL("client_id", client, "scope", "openid military tools:run")
	for _, r := range resources {
		address += "&resource=" + url.QueryEscape(r)
	}
	return address
}

// AllowFor has the user allow a client the resources, and returns the response.
func (b *Browser) AllowFor(client string, resources ...string) url.Values {
	b.T.Helper()
	p := b.Open(ResourceURL(client, resources...))
	if p.StatusCode == http.StatusOK {
		p = b.Submit(p, "action", "allow")
	}
	return Response(b.T, p)
}

// Redeem asks the token endpoint as a client, for resources.
func (b *Browser) Redeem(client, grant string, resources []string, pairs ...string) (Page, map[string]any) {
	b.T.Helper()
	form := url.Values{"client_id": {client}, "client_secret": {ClientSecret}, "grant_type": {grant}, "resource": resources}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.JSON(b.Post(TokenPath, form))
}

// TokensFor are those of a code of a client: the user allows the first resources, and the
// code is redeemed for the others.
func (b *Browser) TokensFor(client string, allowed, redeemed []string) map[string]any {
	b.T.Helper()
	p, tokens := b.Redeem(client, "authorization_code", redeemed, "code", b.AllowFor(client, allowed...).Get("code"), "redirect_uri", CallbackURI)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	return tokens
}
