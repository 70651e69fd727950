package provider_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// APIs of the tests.
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
		c.Scopes = append(provider.DefaultScopes(), provider.Scope{Name: "tools:run", Title: "Run tools"}, provider.Scope{Name: "files:read"})
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
		{ID: "agent", Name: "Agent", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}},
		{ID: "jwt", Name: "JWT App", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}, AccessTokenFormat: "jwt",
			ResponseTypes: []string{"code", "token", "id_token token"}},
		{ID: "narrow", Name: "Narrow", Resources: []string{ToolsURI}},
	} {
		c.Secret, c.Dialect, c.RedirectURIs = ClientSecret, provider.Standard, []string{CallbackURI}
		w.OK(w.SaveClient(t.Context(), c))
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

// seenBy is what a client learns of a token: nothing when it is inactive.
func seenBy(b *Browser, id, token string) map[string]any {
	b.T.Helper()
	answer := introspected(b, id, token)
	if answer["active"] != true {
		if len(answer) != 1 {
			b.T.Errorf("%s learns of an inactive token: %v", id, answer)
		}
		return nil
	}
	return answer
}

func TestTokenIsGoodForTheResourcesThatItsRequestNames(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	for name, c := range map[string]struct {
		allowed, redeemed []string
		aud               any  // of introspection by the client
		own               bool // whether userinfo takes it
		scope             string
	}{
		"NoneAnywhere":        {nil, nil, nil, true, "openid military tools:run"},
		"OneInBoth":           {[]string{ToolsURI}, []string{ToolsURI}, ToolsURI, false, "tools:run"},
		"OneOfTwo":            {[]string{ToolsURI, FilesURI}, []string{FilesURI}, FilesURI, false, "openid military tools:run"},
		"TwoOfTwo":            {[]string{ToolsURI, FilesURI}, []string{FilesURI, ToolsURI}, []any{FilesURI, ToolsURI}, false, "openid military tools:run"},
		"TheSameTwice":        {[]string{ToolsURI, ToolsURI}, []string{ToolsURI, ToolsURI}, ToolsURI, false, "tools:run"},
		"AtAuthorizationOnly": {[]string{ToolsURI}, nil, []any{ToolsURI, w.Issuer()}, true, "openid military tools:run"},
		"WithASlashAdded":     {[]string{FilesURI + "/"}, []string{FilesURI + "/"}, FilesURI, false, "openid military tools:run"},
		"WithASlashOnce":      {[]string{FilesURI + "/"}, []string{FilesURI}, FilesURI, false, "openid military tools:run"},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := b.TokensFor("agent", c.allowed, c.redeemed)
			token := Member(t, tokens, "access_token")
			if tokens["scope"] != c.scope {
				t.Errorf("scope %v, want %v", tokens["scope"], c.scope)
			}
			if tokens["id_token"] == nil {
				t.Error("no ID token, whatever the access token is for")
			}
			answer := seenBy(b, "agent", token)
			if diff := cmp.Diff(c.aud, answer["aud"]); diff != "" {
				t.Errorf("aud (-want +got):\n%s", diff)
			}
			if answer["scope"] != c.scope {
				t.Errorf("introspected scope %v", answer["scope"])
			}
			for _, path := range []string{UserinfoPath, AttributesPath} {
				p := b.Bearer(path, token)
				if c.own {
					if p.StatusCode != http.StatusOK {
						t.Errorf("%s: %s %s", path, p.Status, p.Text)
					}
					continue
				}
				Refused(t, p, http.StatusUnauthorized, "invalid_token")
				if !strings.Contains(p.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
					t.Errorf("WWW-Authenticate: %s", p.Header.Get("WWW-Authenticate"))
				}
			}
		})
	}
}

func TestRefreshNarrowsToResources(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	tokens := b.TokensFor("agent", []string{ToolsURI, FilesURI}, []string{ToolsURI})
	for _, c := range []struct {
		resources []string
		aud       any
		own       bool
	}{
		{[]string{FilesURI}, FilesURI, false},
		{[]string{ToolsURI, FilesURI}, []any{ToolsURI, FilesURI}, false},
		{nil, []any{ToolsURI, FilesURI, w.Issuer()}, true},
		{[]string{ToolsURI}, ToolsURI, false},
	} {
		var p Page
		p, tokens = b.Redeem("agent", "refresh_token", c.resources, "refresh_token", Member(t, tokens, "refresh_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("refresh for %q: %s %s", c.resources, p.Status, p.Text)
		}
		token := Member(t, tokens, "access_token")
		if diff := cmp.Diff(c.aud, seenBy(b, "agent", token)["aud"]); diff != "" {
			t.Errorf("%q: aud (-want +got):\n%s", c.resources, diff)
		}
		Works(t, b, token, c.own)
	}
}

// What is narrowed to scopes that mean nothing to the resource is good for none: wherever one
// asks, it says no more than the token itself.
func TestRefreshNarrowsToNoScopeOfAResource(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	for _, client := range []string{"agent", "jwt"} {
		t.Run(client, func(t *testing.T) {
			tokens := b.TokensFor(client, []string{ToolsURI}, nil)
			p, narrowed := b.Redeem(client, "refresh_token", []string{ToolsURI}, "refresh_token", Member(t, tokens, "refresh_token"), "scope", "openid")
			if p.StatusCode != http.StatusOK || narrowed["scope"] != nil {
				t.Fatalf("token: %s %s", p.Status, p.Text)
			}
			token := Member(t, narrowed, "access_token")
			for _, id := range []string{client, "tools-api"} {
				if answer := seenBy(b, id, token); answer["active"] != true || answer["scope"] != nil {
					t.Errorf("%s learns %v", id, answer)
				}
			}
			if strings.Contains(token, ".") {
				if _, claims := JWT(t, token); claims["scope"] != nil {
					t.Errorf("claims %v", claims)
				}
			}
			Works(t, b, token, false)
			p, all := b.Redeem(client, "refresh_token", nil, "refresh_token", Member(t, narrowed, "refresh_token"))
			if p.StatusCode != http.StatusOK || all["scope"] != "openid military tools:run" {
				t.Errorf("refresh without a scope: %s %s", p.Status, p.Text)
			}
		})
	}
}

func TestMachineGetsATokenForAResource(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.NewBrowser()
	_, tokens := b.Redeem("agent", "client_credentials", []string{ToolsURI}, "scope", "military tools:run")
	answer := seenBy(b, "tools-api", Member(t, tokens, "access_token"))
	if answer["sub"] != "agent" || answer["aud"] != ToolsURI || answer["scope"] != "tools:run" || answer["client_id"] != "agent" {
		t.Errorf("introspection %v", answer)
	}
	if p, _ := b.Redeem("narrow", "client_credentials", []string{FilesURI}); p.StatusCode == http.StatusOK {
		t.Errorf("a token for a resource that is not allowed: %s", p.Text)
	}
}

// Clients such as those of Auth0 name the API by audience.
func TestAudienceIsAnotherNameOfResource(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	code := Response(t, b.Submit(b.Open(ResourceURL("agent")+"&audience="+url.QueryEscape(ToolsURI)), "action", "allow")).Get("code")
	_, tokens := b.Redeem("agent", "authorization_code", nil, "audience", ToolsURI, "code", code, "redirect_uri", CallbackURI)
	token := Member(t, tokens, "access_token")
	if got := seenBy(b, "agent", token)["aud"]; got != ToolsURI {
		t.Errorf("aud %v", got)
	}
	Works(t, b, token, false)
	Told(t, w, b.Get(ResourceURL("agent")+"&audience=https%3A%2F%2Fagent.auth0.test%2Fapi"), "invalid_target")
}

func TestResourcesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	for _, uri := range []string{
		"https://unknown.test", ToolsURI + "/", ToolsURI + "?x", ToolsURI + "#x", "HTTPS://tools.test/mcp", "https://tools.test:443/mcp", "https://tools.test", "tools.test/mcp",
		FilesURI + "//", FilesURI + "/?", FilesURI + "?", FilesURI + "#", " " + FilesURI, FilesURI + " ", FilesURI + "/ ", FilesURI + " " + ToolsURI, FilesURI + "/x/..", PlainURI + "/..",
		"/", "//", "x", "%", "https://files.test\x00", "\xff", strings.Repeat("x", 5000),
	} {
		Told(t, w, b.Get(ResourceURL("agent", uri)), "invalid_target")
		Told(t, w, b.Get(ResourceURL("agent", FilesURI, uri)), "invalid_target")
		p, _ := b.Redeem("agent", "client_credentials", []string{uri})
		Refused(t, p, http.StatusBadRequest, "invalid_target")
	}
	Told(t, w, b.Get(ResourceURL("agent", FilesURI, "")), "invalid_target")
	Told(t, w, b.Get(ResourceURL("narrow", FilesURI)), "invalid_target")
	Told(t, w, b.Get(ResourceURL("agent", strings.Split(strings.Repeat(FilesURI+" ", 65), " ")[:65]...)), "invalid_request")
	if got := b.AllowFor("narrow", ToolsURI); got.Get("code") == "" {
		t.Errorf("the resource that is allowed: %v", got)
	}
	if got := b.AllowFor("agent", ""); got.Get("code") == "" { // no value is no parameter
		t.Errorf("an empty resource: %v", got)
	}
}

func TestUserAllowsResources(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	p := b.Open(ResourceURL("agent", ToolsURI))
	for _, said := range []string{"Calendar tools", "tools.test", "can use these services on your behalf", "Run tools"} {
		if !strings.Contains(p.Text, said) {
			t.Errorf("the consent screen does not say %q:\n%s", said, p.Text)
		}
	}
	if got := Response(t, b.Submit(p, "action", "allow")); got.Get("code") == "" {
		t.Fatalf("response %v", got)
	}
	if got := Response(t, b.Open(ResourceURL("agent", ToolsURI))); got.Get("code") == "" {
		t.Errorf("asked again for what is allowed: %v", got)
	}
	if got := Response(t, b.Open(ResourceURL("agent"))); got.Get("code") == "" {
		t.Errorf("asked again for less than is allowed: %v", got)
	}
	p = b.Open(ResourceURL("agent", ToolsURI, FilesURI))
	if p.StatusCode != http.StatusOK || strings.Count(p.Text, `class="chip new"`) != 1 || !strings.Contains(p.Text, "files.test") {
		t.Errorf("one resource more: %s\n%s", p.Status, p.Text)
	}
	if got := Response(t, b.Open(strings.Replace(ResourceURL("agent", FilesURI), "state=", "prompt=none&state=", 1))); got.Get("error") != "consent_required" {
		t.Errorf("without asking: %v", got)
	}
	b.Submit(p, "action", "allow")
	if got := Response(t, b.Open(ResourceURL("agent", FilesURI, ToolsURI))); got.Get("code") == "" {
		t.Errorf("asked again for both: %v", got)
	}
	if p := b.Open("/account/apps"); !strings.Contains(p.Text, "Calendar tools") || !strings.Contains(p.Text, "Files") {
		t.Errorf("the list of applications does not name the resources:\n%s", p.Text)
	}
	// Who has no name is shown as where it is.
	if p := b.Open(ResourceURL("agent", PlainURI)); !strings.Contains(p.Text, PlainURI) {
		t.Errorf("a resource without a name:\n%s", p.Text)
	}
}

func TestResourceServerIntrospectsItsOwnTokens(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	both := Member(t, b.TokensFor("agent", []string{ToolsURI, FilesURI}, []string{ToolsURI, FilesURI}), "access_token")
	answer := seenBy(b, "tools-api", both)
	delete(answer, "exp")
	delete(answer, "iat")
	want := map[string]any{
		"active": true, "sub": "alice", "client_id": "agent", "scope": "tools:run", "aud": ToolsURI, "token_type": "bearer", "iss": w.Issuer(),
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("what tools learns (-want +got):\n%s", diff)
	}
	if answer := seenBy(b, "files-api", both); answer["aud"] != FilesURI || answer["scope"] != "openid military tools:run" {
		t.Errorf("what files learns: %v", answer)
	}
	for _, id := range []string{"stranger", "std"} {
		if answer := seenBy(b, id, both); answer != nil {
			t.Errorf("%s learns %v", id, answer)
		}
	}
}

func TestTokenEndsWithItsResource(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	token := Member(t, b.TokensFor("agent", []string{ToolsURI}, []string{ToolsURI}), "access_token")
	client, err := w.Client(t.Context(), "agent")
	w.OK(err)
	client.Resources = []string{FilesURI}
	w.OK(w.SaveClient(t.Context(), client))
	if answer := seenBy(b, "tools-api", token); answer != nil {
		t.Errorf("the application may not ask for the resource any more, and its token is good: %v", answer)
	}
}

func TestResourcesThatCannotBeConfigured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		resources []provider.Resource
		field     string
	}{
		"NoURI":           {[]provider.Resource{{Name: "x"}}, "Resources[0].URI"},
		"Relative":        {[]provider.Resource{{URI: "/mcp"}}, "Resources[0].URI"},
		"NoHost":          {[]provider.Resource{{URI: "urn:api:files"}}, "Resources[0].URI"}, // a client_id may read so
		"OnlyAScheme":     {[]provider.Resource{{URI: "https://"}}, "Resources[0].URI"},
		"Fragment":        {[]provider.Resource{{URI: FilesURI + "/#x"}}, "Resources[0].URI"},
		"EmptyFragment":   {[]provider.Resource{{URI: FilesURI + "/#"}}, "Resources[0].URI"},
		"UserName":        {[]provider.Resource{{URI: "https://a@files.test"}}, "Resources[0].URI"},
		"NotASCII":        {[]provider.Resource{{URI: "https://fil\u00e9s.test"}}, "Resources[0].URI"},
		"Space":           {[]provider.Resource{{URI: "https://files.test/a b"}}, "Resources[0].URI"},
		"Long":            {[]provider.Resource{{URI: FilesURI + "/" + strings.Repeat("x", 255)}}, "Resources[0].URI"},
		"Twice":           {[]provider.Resource{{URI: FilesURI}, {URI: FilesURI}}, "Resources[1].URI"},
		"TwiceButASlash":  {[]provider.Resource{{URI: FilesURI}, {URI: FilesURI + "/"}}, "Resources[1].URI"},
		"InvisibleName":   {[]provider.Resource{{URI: FilesURI, Name: "\u200b"}}, "Resources[0].Name"},
		"NameTurnedRound": {[]provider.Resource{{URI: FilesURI, Name: "\u202emoc.knab"}}, "Resources[0].Name"},
		"NameOfTwoLines":  {[]provider.Resource{{URI: FilesURI, Name: "a\nb"}}, "Resources[0].Name"},
		"UnknownScope":    {[]provider.Resource{{URI: FilesURI, Scopes: []string{"military", "x"}}}, "Resources[0].Scopes[1]"},
		"NoClientID":      {[]provider.Resource{{URI: FilesURI, Introspectors: []string{"a b"}}}, "Resources[0].Introspectors[0]"},
		"MoreThanHundred": {make([]provider.Resource, 101), "Resources"},
	} {
		t.Run(name, func(t *testing.T) {
			var wrong *provider.FieldError
			if err := configured(t, func(cfg *provider.Config) { cfg.Resources = c.resources }); !errors.As(err, &wrong) || wrong.Field != c.field {
				t.Errorf("error %v, want one of %s", err, c.field)
			}
		})
	}
	t.Run("TheProviderItself", func(t *testing.T) {
		for _, path := range []string{"", "/", "/oidc"} {
			var wrong *provider.FieldError
			if err := configured(t, func(cfg *provider.Config) { cfg.Resources = []provider.Resource{{URI: cfg.BaseURL + path}} }); !errors.As(err, &wrong) || wrong.Field != "Resources[0].URI" {
				t.Errorf("%q: error %v", path, err)
			}
		}
	})
	w := WithResources(t)
	var wrong *provider.FieldError
	client := provider.Client{ID: "x", RedirectURIs: []string{CallbackURI}, Resources: []string{ToolsURI, ToolsURI + "/"}}
	if err := w.SaveClient(t.Context(), client); !errors.As(err, &wrong) || wrong.Field != "Resources[1]" {
		t.Errorf("a client with an unknown resource: %v", err)
	}
}

// configured returns the error of New.
func configured(t testing.TB, change func(*provider.Config)) error {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: Secret(t), Store: store}
	change(&cfg)
	_, err = provider.New(t.Context(), cfg)
	return err
}

// Attacks.

func TestAttackTokenOfAResourceIsReplayed(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	for _, client := range []string{"agent", "jwt"} {
		token := Member(t, b.TokensFor(client, []string{ToolsURI, FilesURI}, []string{ToolsURI}), "access_token")
		Works(t, b, token, false)
		Refused(t, b.Bearer(UserinfoPath, token), http.StatusUnauthorized, "invalid_token")
		Refused(t, b.Post(UserinfoPath, url.Values{"access_token": {token}}), http.StatusUnauthorized, "invalid_token")
		if answer := seenBy(b, "files-api", token); answer != nil { // B, which asks whether it is for it
			t.Errorf("a token for tools passes at files: %v", answer)
		}
		if seenBy(b, "tools-api", token) == nil {
			t.Error("the token is not good where it belongs")
		}
	}
}

func TestAttackResourceIsSmuggledIntoTheTokenRequest(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	for name, allowed := range map[string][]string{"BesideAnother": {ToolsURI}, "WithoutAny": nil} {
		t.Run(name, func(t *testing.T) {
			code := b.AllowFor("agent", allowed...).Get("code")
			for _, resources := range [][]string{{FilesURI}, append([]string{FilesURI}, allowed...), {FilesURI + "/"}} {
				p, _ := b.Redeem("agent", "authorization_code", resources, "code", code, "redirect_uri", CallbackURI)
				Refused(t, p, http.StatusBadRequest, "invalid_target")
			}
			p, tokens := b.Redeem("agent", "authorization_code", allowed, "code", code, "redirect_uri", CallbackURI)
			if p.StatusCode != http.StatusOK {
				t.Fatalf("the refused requests have spent the code: %s", p.Text)
			}
			refresh := Member(t, tokens, "refresh_token")
			p, _ = b.Redeem("agent", "refresh_token", []string{FilesURI}, "refresh_token", refresh)
			Refused(t, p, http.StatusBadRequest, "invalid_target")
			p, _ = b.Redeem("agent", "refresh_token", allowed, "refresh_token", refresh)
			if p.StatusCode != http.StatusOK {
				t.Errorf("the refused refresh has spent the token: %s", p.Text)
			}
		})
	}
}

func TestAttackConsentFormOfLessAllowsMore(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	shown, asked := b.Open(ResourceURL("agent", ToolsURI)), b.Open(ResourceURL("agent", ToolsURI, FilesURI))
	_, terms := shown.Form(t)
	p := b.Submit(asked, "action", "allow", "terms", terms.Get("terms"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "files.test") {
		t.Errorf("what was not shown is allowed: %s %s", p.Status, p.Header.Get("Location"))
	}
}

func TestAttackStrangersIntrospect(t *testing.T) {
	t.Parallel()
	w := WithResources(t)
	b := w.Alice()
	tokens := b.TokensFor("agent", []string{ToolsURI, FilesURI}, []string{FilesURI})
	for _, id := range []string{"stranger", "tools-api", "jwt"} {
		if answer := seenBy(b, id, Member(t, tokens, "access_token")); answer != nil {
			t.Errorf("%s learns %v", id, answer)
		}
	}
	// A refresh token is nothing that a resource gets to see.
	if answer := seenBy(b, "files-api", Member(t, tokens, "refresh_token")); answer != nil {
		t.Errorf("a resource learns of a refresh token: %v", answer)
	}
	// One without a secret is anybody.
	p := b.Post(IntrospectPath, url.Values{"client_id": {"pub"}, "token": {Member(t, tokens, "access_token")}})
	Refused(t, p, http.StatusUnauthorized, "invalid_client")
	// A token that is for no resource is nothing to those who introspect some.
	own := Member(t, b.TokensFor("agent", nil, nil), "access_token")
	if answer := seenBy(b, "files-api", own); answer != nil {
		t.Errorf("a resource learns of a token for userinfo: %v", answer)
	}
}
