package tokens

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

const (
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	accessToken   = "urn:ietf:params:oauth:token-type:access_token"
)

// withAPIs starts a provider whose APIs may call each other in turn: tools, files, plain and tools
// again. Their clients are NAME-api; those of tools are some more, each of which lacks something.
func withAPIs(t *testing.T, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	w := lab.New(t, append(change, chain)...).WithClients().WithUsers()
	registerAPIs(w)
	return w
}

// chain are the APIs.
func chain(c *provider.Config) {
	c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "tools:run"}, catalogue.Scope{Name: "files:read"}, catalogue.Scope{Name: "files:write"})
	c.Resources = []provider.Resource{
		{URI: lab.ToolsURI, Introspectors: []string{"tools-api", "plain-tools", "raw-api", "narrow-api", "write-api", "v3", "pub"}, ExchangesTo: []string{lab.FilesURI}},
		{URI: lab.FilesURI, Scopes: []string{"files:read", "files:write"}, Introspectors: []string{"files-api"}, ExchangesTo: []string{lab.PlainURI}},
		{URI: lab.PlainURI, Introspectors: []string{"plain-api"}, ExchangesTo: []string{lab.ToolsURI}},
		{URI: closedURI, Introspectors: []string{"closed-api"}},
	}
}

// closedURI is an API for which no token is exchanged.
const closedURI = "https://closed.test"

func registerAPIs(w *lab.Fixture) {
	w.T.Helper()
	exchanges := func(c *provider.Client) {
		c.Name, c.Scopes, c.GrantTypes = strings.ToUpper(c.ID), nil, []string{"client_credentials", exchangeGrant}
	}
	for _, id := range []string{"tools-api", "files-api", "plain-api", "closed-api", "stranger"} {
		w.Machine(id, exchanges)
	}
	w.Machine("plain-tools") // without the grant
	w.Machine("raw-api", exchanges, func(c *provider.Client) { c.Unreviewed = true })
	w.Machine("narrow-api", exchanges, func(c *provider.Client) { c.Scopes = []string{"files:read"} })
	w.Machine("write-api", exchanges, func(c *provider.Client) { c.Scopes = []string{"files:write"} })
	for _, c := range []provider.Client{
		{ID: "agent", Dialect: provider.V3, Name: "Agent", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}},
		{ID: "jwt", Dialect: provider.V3, Name: "JWT App", GrantTypes: []string{"authorization_code", "refresh_token"}, AccessTokenFormat: "jwt"},
	} {
		c.Secret, c.Dialect, c.RedirectURIs = lab.ClientSecret, provider.Standard, []string{lab.CallbackURI}
		w.OK(w.Clients().Save(w.T.Context(), c))
	}
}

// tokensFor are those of a code of a client: the user allows the first resources, and the code is
// redeemed for the others.
func tokensFor(b *lab.Browser, client string, allowed, redeemed []string) map[string]any {
	b.T.Helper()
	address := lab.AuthorizeURL("client_id", client, "scope", "openid tools:run files:read")
	for _, r := range allowed {
		address += "&resource=" + url.QueryEscape(r)
	}
	p := b.Open(address)
	if p.StatusCode == http.StatusOK {
		p = b.Submit(p, "action", "allow")
	}
	p, tokens := b.Redeem(client, "authorization_code", redeemed, "code", lab.Response(b.T, p).Get("code"), "redirect_uri", lab.CallbackURI)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	return tokens
}

var (
	allAPIs = []string{lab.ToolsURI, lab.FilesURI, lab.PlainURI, closedURI}
	tools   = []string{lab.ToolsURI}
)

// toolsToken is a token of alice for tools of an application that may call all APIs.
func toolsToken(b *lab.Browser) string {
	b.T.Helper()
	return lab.Member(b.T, tokensFor(b, "agent", allAPIs, tools), "access_token")
}

// exchangeForm is a request of an API for a token for files; an empty value of pairs omits a
// parameter.
func exchangeForm(api, token string, pairs ...string) url.Values {
	form := url.Values{
		"client_id": {api}, "client_secret": {lab.ClientSecret}, "grant_type": {exchangeGrant},
		"subject_token": {token}, "subject_token_type": {accessToken}, "resource": {lab.FilesURI},
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Del(pairs[i])
		if pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return form
}

// askExchange has an API exchange a token.
func askExchange(b *lab.Browser, api, token string, pairs ...string) (lab.Page, map[string]any) {
	b.T.Helper()
	return b.JSON(b.Post(lab.TokenPath, exchangeForm(api, token, pairs...)))
}

// exchanged is a token in exchange.
func exchanged(b *lab.Browser, api, token string, pairs ...string) string {
	b.T.Helper()
	p, answer := askExchange(b, api, token, pairs...)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("exchange: %s %s", p.Status, p.Text)
	}
	return lab.Member(b.T, answer, "access_token")
}

// seenBy is what a client learns of a token; nil when it is inactive.
func seenBy(b *lab.Browser, id, token string) map[string]any {
	b.T.Helper()
	_, answer := b.JSON(b.Client(lab.IntrospectPath, id, "token", token))
	if answer["active"] != true {
		return nil
	}
	return answer
}
