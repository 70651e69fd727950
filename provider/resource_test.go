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
	toolsURI = "https://tools.test/mcp"
	filesURI = "https://files.test"
	plainURI = "api://plain"
)

// withResources starts a provider with three APIs: one that means something by a scope of
// its own, one at the root of its host, and one without a name.
func withResources(t testing.TB, change ...func(*provider.Config)) *fixture {
	t.Helper()
	w := newFixture(t, append(change, func(c *provider.Config) {
		c.Scopes = append(provider.DefaultScopes(), provider.Scope{Name: "tools:run", Title: "Run tools"}, provider.Scope{Name: "files:read"})
		c.Resources = []provider.Resource{
			{URI: toolsURI, Name: "Calendar tools", Scopes: []string{"tools:run"}, Introspectors: []string{"tools-api"}},
			{URI: filesURI, Name: "Files", Introspectors: []string{"files-api", "pub"}},
			{URI: plainURI},
		}
	})...).withClients().withUsers()
	for _, id := range []string{"tools-api", "files-api", "stranger"} {
		w.machine(id)
	}
	for _, c := range []provider.Client{
		{ID: "agent", Name: "Agent", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}},
		{ID: "jwt", Name: "JWT App", GrantTypes: []string{"authorization_code", "refresh_token", "client_credentials"}, AccessTokenFormat: "jwt",
			ResponseTypes: []string{"code", "token", "id_token token"}},
		{ID: "narrow", Name: "Narrow", Resources: []string{toolsURI}},
	} {
		c.Secret, c.Dialect, c.RedirectURIs = clientSecret, provider.Standard, []string{callbackURI}
		w.ok(w.SaveClient(t.Context(), c))
	}
	return w
}

// resourceURL is an authorization request for resources.
func resourceURL(client string, resources ...string) string {
	address := authorizeURL("client_id", client, "scope", "openid military tools:run")
	for _, r := range resources {
		address += "&resource=" + url.QueryEscape(r)
	}
	return address
}

// allowFor has the user allow a client the resources, and returns the response.
func (b *browser) allowFor(client string, resources ...string) url.Values {
	b.t.Helper()
	p := b.open(resourceURL(client, resources...))
	if p.StatusCode == http.StatusOK {
		p = b.submit(p, "action", "allow")
	}
	return response(b.t, p)
}

// redeem asks the token endpoint as a client, for resources.
func (b *browser) redeem(client, grant string, resources []string, pairs ...string) (page, map[string]any) {
	b.t.Helper()
	form := url.Values{"client_id": {client}, "client_secret": {clientSecret}, "grant_type": {grant}, "resource": resources}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.json(b.post(tokenPath, form))
}

// tokensFor are those of a code of a client: the user allows the first resources, and the
// code is redeemed for the others.
func (b *browser) tokensFor(client string, allowed, redeemed []string) map[string]any {
	b.t.Helper()
	p, tokens := b.redeem(client, "authorization_code", redeemed, "code", b.allowFor(client, allowed...).Get("code"), "redirect_uri", callbackURI)
	if p.StatusCode != http.StatusOK {
		b.t.Fatalf("token: %s %s", p.Status, p.body)
	}
	return tokens
}

// seenBy is what a client learns of a token: nothing when it is inactive.
func (b *browser) seenBy(id, token string) map[string]any {
	b.t.Helper()
	answer := b.introspected(id, token)
	if answer["active"] != true {
		if len(answer) != 1 {
			b.t.Errorf("%s learns of an inactive token: %v", id, answer)
		}
		return nil
	}
	return answer
}

func TestTokenIsGoodForTheResourcesThatItsRequestNames(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for name, c := range map[string]struct {
		allowed, redeemed []string
		aud               any  // of introspection by the client
		own               bool // whether userinfo takes it
		scope             string
	}{
		"NoneAnywhere":        {nil, nil, nil, true, "openid military tools:run"},
		"OneInBoth":           {[]string{toolsURI}, []string{toolsURI}, toolsURI, false, "tools:run"},
		"OneOfTwo":            {[]string{toolsURI, filesURI}, []string{filesURI}, filesURI, false, "openid military tools:run"},
		"TwoOfTwo":            {[]string{toolsURI, filesURI}, []string{filesURI, toolsURI}, []any{filesURI, toolsURI}, false, "openid military tools:run"},
		"TheSameTwice":        {[]string{toolsURI, toolsURI}, []string{toolsURI, toolsURI}, toolsURI, false, "tools:run"},
		"AtAuthorizationOnly": {[]string{toolsURI}, nil, []any{toolsURI, w.Issuer()}, true, "openid military tools:run"},
		"WithASlashAdded":     {[]string{filesURI + "/"}, []string{filesURI + "/"}, filesURI, false, "openid military tools:run"},
		"WithASlashOnce":      {[]string{filesURI + "/"}, []string{filesURI}, filesURI, false, "openid military tools:run"},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := b.tokensFor("agent", c.allowed, c.redeemed)
			token := text(t, tokens, "access_token")
			if tokens["scope"] != c.scope {
				t.Errorf("scope %v, want %v", tokens["scope"], c.scope)
			}
			if tokens["id_token"] == nil {
				t.Error("no ID token, whatever the access token is for")
			}
			answer := b.seenBy("agent", token)
			if diff := cmp.Diff(c.aud, answer["aud"]); diff != "" {
				t.Errorf("aud (-want +got):\n%s", diff)
			}
			if answer["scope"] != c.scope {
				t.Errorf("introspected scope %v", answer["scope"])
			}
			for _, path := range []string{userinfoPath, attributesPath} {
				p := b.bearer(path, token)
				if c.own {
					if p.StatusCode != http.StatusOK {
						t.Errorf("%s: %s %s", path, p.Status, p.body)
					}
					continue
				}
				refused(t, p, http.StatusUnauthorized, "invalid_token")
				if !strings.Contains(p.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
					t.Errorf("WWW-Authenticate: %s", p.Header.Get("WWW-Authenticate"))
				}
			}
		})
	}
}

func TestRefreshNarrowsToResources(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	tokens := b.tokensFor("agent", []string{toolsURI, filesURI}, []string{toolsURI})
	for _, c := range []struct {
		resources []string
		aud       any
		own       bool
	}{
		{[]string{filesURI}, filesURI, false},
		{[]string{toolsURI, filesURI}, []any{toolsURI, filesURI}, false},
		{nil, []any{toolsURI, filesURI, w.Issuer()}, true},
		{[]string{toolsURI}, toolsURI, false},
	} {
		var p page
		p, tokens = b.redeem("agent", "refresh_token", c.resources, "refresh_token", text(t, tokens, "refresh_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("refresh for %q: %s %s", c.resources, p.Status, p.body)
		}
		token := text(t, tokens, "access_token")
		if diff := cmp.Diff(c.aud, b.seenBy("agent", token)["aud"]); diff != "" {
			t.Errorf("%q: aud (-want +got):\n%s", c.resources, diff)
		}
		works(t, b, token, c.own)
	}
}

// What is narrowed to scopes that mean nothing to the resource is good for none: wherever one
// asks, it says no more than the token itself.
func TestRefreshNarrowsToNoScopeOfAResource(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for _, client := range []string{"agent", "jwt"} {
		t.Run(client, func(t *testing.T) {
			tokens := b.tokensFor(client, []string{toolsURI}, nil)
			p, narrowed := b.redeem(client, "refresh_token", []string{toolsURI}, "refresh_token", text(t, tokens, "refresh_token"), "scope", "openid")
			if p.StatusCode != http.StatusOK || narrowed["scope"] != nil {
				t.Fatalf("token: %s %s", p.Status, p.body)
			}
			token := text(t, narrowed, "access_token")
			for _, id := range []string{client, "tools-api"} {
				if answer := b.seenBy(id, token); answer["active"] != true || answer["scope"] != nil {
					t.Errorf("%s learns %v", id, answer)
				}
			}
			if strings.Contains(token, ".") {
				if _, claims := jwt(t, token); claims["scope"] != nil {
					t.Errorf("claims %v", claims)
				}
			}
			works(t, b, token, false)
			p, all := b.redeem(client, "refresh_token", nil, "refresh_token", text(t, narrowed, "refresh_token"))
			if p.StatusCode != http.StatusOK || all["scope"] != "openid military tools:run" {
				t.Errorf("refresh without a scope: %s %s", p.Status, p.body)
			}
		})
	}
}

func TestMachineGetsATokenForAResource(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.newBrowser()
	_, tokens := b.redeem("agent", "client_credentials", []string{toolsURI}, "scope", "military tools:run")
	answer := b.seenBy("tools-api", text(t, tokens, "access_token"))
	if answer["sub"] != "agent" || answer["aud"] != toolsURI || answer["scope"] != "tools:run" || answer["client_id"] != "agent" {
		t.Errorf("introspection %v", answer)
	}
	if p, _ := b.redeem("narrow", "client_credentials", []string{filesURI}); p.StatusCode == http.StatusOK {
		t.Errorf("a token for a resource that is not allowed: %s", p.body)
	}
}

// Clients such as those of Auth0 name the API by audience.
func TestAudienceIsAnotherNameOfResource(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	code := response(t, b.submit(b.open(resourceURL("agent")+"&audience="+url.QueryEscape(toolsURI)), "action", "allow")).Get("code")
	_, tokens := b.redeem("agent", "authorization_code", nil, "audience", toolsURI, "code", code, "redirect_uri", callbackURI)
	token := text(t, tokens, "access_token")
	if got := b.seenBy("agent", token)["aud"]; got != toolsURI {
		t.Errorf("aud %v", got)
	}
	works(t, b, token, false)
	told(t, w, b.get(resourceURL("agent")+"&audience=https%3A%2F%2Fagent.auth0.test%2Fapi"), "invalid_target")
}

func TestResourcesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for _, uri := range []string{
		"https://unknown.test", toolsURI + "/", toolsURI + "?x", toolsURI + "#x", "HTTPS://tools.test/mcp", "https://tools.test:443/mcp", "https://tools.test", "tools.test/mcp",
		filesURI + "//", filesURI + "/?", filesURI + "?", filesURI + "#", " " + filesURI, filesURI + " ", filesURI + "/ ", filesURI + " " + toolsURI, filesURI + "/x/..", plainURI + "/..",
		"/", "//", "x", "%", "https://files.test\x00", "\xff", strings.Repeat("x", 5000),
	} {
		told(t, w, b.get(resourceURL("agent", uri)), "invalid_target")
		told(t, w, b.get(resourceURL("agent", filesURI, uri)), "invalid_target")
		p, _ := b.redeem("agent", "client_credentials", []string{uri})
		refused(t, p, http.StatusBadRequest, "invalid_target")
	}
	told(t, w, b.get(resourceURL("agent", filesURI, "")), "invalid_target")
	told(t, w, b.get(resourceURL("narrow", filesURI)), "invalid_target")
	told(t, w, b.get(resourceURL("agent", strings.Split(strings.Repeat(filesURI+" ", 65), " ")[:65]...)), "invalid_request")
	if got := b.allowFor("narrow", toolsURI); got.Get("code") == "" {
		t.Errorf("the resource that is allowed: %v", got)
	}
	if got := b.allowFor("agent", ""); got.Get("code") == "" { // no value is no parameter
		t.Errorf("an empty resource: %v", got)
	}
}

func TestUserAllowsResources(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	p := b.open(resourceURL("agent", toolsURI))
	for _, said := range []string{"Calendar tools", "tools.test", "can use these services on your behalf", "Run tools"} {
		if !strings.Contains(p.body, said) {
			t.Errorf("the consent screen does not say %q:\n%s", said, p.body)
		}
	}
	if got := response(t, b.submit(p, "action", "allow")); got.Get("code") == "" {
		t.Fatalf("response %v", got)
	}
	if got := response(t, b.open(resourceURL("agent", toolsURI))); got.Get("code") == "" {
		t.Errorf("asked again for what is allowed: %v", got)
	}
	if got := response(t, b.open(resourceURL("agent"))); got.Get("code") == "" {
		t.Errorf("asked again for less than is allowed: %v", got)
	}
	p = b.open(resourceURL("agent", toolsURI, filesURI))
	if p.StatusCode != http.StatusOK || strings.Count(p.body, `class="chip new"`) != 1 || !strings.Contains(p.body, "files.test") {
		t.Errorf("one resource more: %s\n%s", p.Status, p.body)
	}
	if got := response(t, b.open(strings.Replace(resourceURL("agent", filesURI), "state=", "prompt=none&state=", 1))); got.Get("error") != "consent_required" {
		t.Errorf("without asking: %v", got)
	}
	b.submit(p, "action", "allow")
	if got := response(t, b.open(resourceURL("agent", filesURI, toolsURI))); got.Get("code") == "" {
		t.Errorf("asked again for both: %v", got)
	}
	if p := b.open("/account/apps"); !strings.Contains(p.body, "Calendar tools") || !strings.Contains(p.body, "Files") {
		t.Errorf("the list of applications does not name the resources:\n%s", p.body)
	}
	// Who has no name is shown as where it is.
	if p := b.open(resourceURL("agent", plainURI)); !strings.Contains(p.body, plainURI) {
		t.Errorf("a resource without a name:\n%s", p.body)
	}
}

func TestResourceServerIntrospectsItsOwnTokens(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	both := text(t, b.tokensFor("agent", []string{toolsURI, filesURI}, []string{toolsURI, filesURI}), "access_token")
	answer := b.seenBy("tools-api", both)
	delete(answer, "exp")
	delete(answer, "iat")
	want := map[string]any{
		"active": true, "sub": "alice", "client_id": "agent", "scope": "tools:run", "aud": toolsURI, "token_type": "bearer", "iss": w.Issuer(),
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("what tools learns (-want +got):\n%s", diff)
	}
	if answer := b.seenBy("files-api", both); answer["aud"] != filesURI || answer["scope"] != "openid military tools:run" {
		t.Errorf("what files learns: %v", answer)
	}
	for _, id := range []string{"stranger", "std"} {
		if answer := b.seenBy(id, both); answer != nil {
			t.Errorf("%s learns %v", id, answer)
		}
	}
}

func TestTokenEndsWithItsResource(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	token := text(t, b.tokensFor("agent", []string{toolsURI}, []string{toolsURI}), "access_token")
	client, err := w.Client(t.Context(), "agent")
	w.ok(err)
	client.Resources = []string{filesURI}
	w.ok(w.SaveClient(t.Context(), client))
	if answer := b.seenBy("tools-api", token); answer != nil {
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
		"Fragment":        {[]provider.Resource{{URI: filesURI + "/#x"}}, "Resources[0].URI"},
		"EmptyFragment":   {[]provider.Resource{{URI: filesURI + "/#"}}, "Resources[0].URI"},
		"UserName":        {[]provider.Resource{{URI: "https://a@files.test"}}, "Resources[0].URI"},
		"NotASCII":        {[]provider.Resource{{URI: "https://fil\u00e9s.test"}}, "Resources[0].URI"},
		"Space":           {[]provider.Resource{{URI: "https://files.test/a b"}}, "Resources[0].URI"},
		"Long":            {[]provider.Resource{{URI: filesURI + "/" + strings.Repeat("x", 255)}}, "Resources[0].URI"},
		"Twice":           {[]provider.Resource{{URI: filesURI}, {URI: filesURI}}, "Resources[1].URI"},
		"TwiceButASlash":  {[]provider.Resource{{URI: filesURI}, {URI: filesURI + "/"}}, "Resources[1].URI"},
		"InvisibleName":   {[]provider.Resource{{URI: filesURI, Name: "\u200b"}}, "Resources[0].Name"},
		"NameTurnedRound": {[]provider.Resource{{URI: filesURI, Name: "\u202emoc.knab"}}, "Resources[0].Name"},
		"NameOfTwoLines":  {[]provider.Resource{{URI: filesURI, Name: "a\nb"}}, "Resources[0].Name"},
		"UnknownScope":    {[]provider.Resource{{URI: filesURI, Scopes: []string{"military", "x"}}}, "Resources[0].Scopes[1]"},
		"NoClientID":      {[]provider.Resource{{URI: filesURI, Introspectors: []string{"a b"}}}, "Resources[0].Introspectors[0]"},
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
	w := withResources(t)
	var wrong *provider.FieldError
	client := provider.Client{ID: "x", RedirectURIs: []string{callbackURI}, Resources: []string{toolsURI, toolsURI + "/"}}
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
	cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: testSecret(t), Store: store}
	change(&cfg)
	_, err = provider.New(t.Context(), cfg)
	return err
}

// Attacks.

func TestAttackTokenOfAResourceIsReplayed(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for _, client := range []string{"agent", "jwt"} {
		token := text(t, b.tokensFor(client, []string{toolsURI, filesURI}, []string{toolsURI}), "access_token")
		works(t, b, token, false)
		refused(t, b.bearer(userinfoPath, token), http.StatusUnauthorized, "invalid_token")
		refused(t, b.post(userinfoPath, url.Values{"access_token": {token}}), http.StatusUnauthorized, "invalid_token")
		if answer := b.seenBy("files-api", token); answer != nil { // B, which asks whether it is for it
			t.Errorf("a token for tools passes at files: %v", answer)
		}
		if b.seenBy("tools-api", token) == nil {
			t.Error("the token is not good where it belongs")
		}
	}
}

func TestAttackResourceIsSmuggledIntoTheTokenRequest(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	for name, allowed := range map[string][]string{"BesideAnother": {toolsURI}, "WithoutAny": nil} {
		t.Run(name, func(t *testing.T) {
			code := b.allowFor("agent", allowed...).Get("code")
			for _, resources := range [][]string{{filesURI}, append([]string{filesURI}, allowed...), {filesURI + "/"}} {
				p, _ := b.redeem("agent", "authorization_code", resources, "code", code, "redirect_uri", callbackURI)
				refused(t, p, http.StatusBadRequest, "invalid_target")
			}
			p, tokens := b.redeem("agent", "authorization_code", allowed, "code", code, "redirect_uri", callbackURI)
			if p.StatusCode != http.StatusOK {
				t.Fatalf("the refused requests have spent the code: %s", p.body)
			}
			refresh := text(t, tokens, "refresh_token")
			p, _ = b.redeem("agent", "refresh_token", []string{filesURI}, "refresh_token", refresh)
			refused(t, p, http.StatusBadRequest, "invalid_target")
			p, _ = b.redeem("agent", "refresh_token", allowed, "refresh_token", refresh)
			if p.StatusCode != http.StatusOK {
				t.Errorf("the refused refresh has spent the token: %s", p.body)
			}
		})
	}
}

func TestAttackConsentFormOfLessAllowsMore(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	shown, asked := b.open(resourceURL("agent", toolsURI)), b.open(resourceURL("agent", toolsURI, filesURI))
	_, terms := shown.form(t)
	p := b.submit(asked, "action", "allow", "terms", terms.Get("terms"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "files.test") {
		t.Errorf("what was not shown is allowed: %s %s", p.Status, p.Header.Get("Location"))
	}
}

func TestAttackStrangersIntrospect(t *testing.T) {
	t.Parallel()
	w := withResources(t)
	b := w.alice()
	tokens := b.tokensFor("agent", []string{toolsURI, filesURI}, []string{filesURI})
	for _, id := range []string{"stranger", "tools-api", "jwt"} {
		if answer := b.seenBy(id, text(t, tokens, "access_token")); answer != nil {
			t.Errorf("%s learns %v", id, answer)
		}
	}
	// A refresh token is nothing that a resource gets to see.
	if answer := b.seenBy("files-api", text(t, tokens, "refresh_token")); answer != nil {
		t.Errorf("a resource learns of a refresh token: %v", answer)
	}
	// One without a secret is anybody.
	p := b.post(introspectPath, url.Values{"client_id": {"pub"}, "token": {text(t, tokens, "access_token")}})
	refused(t, p, http.StatusUnauthorized, "invalid_client")
	// A token that is for no resource is nothing to those who introspect some.
	own := text(t, b.tokensFor("agent", nil, nil), "access_token")
	if answer := b.seenBy("files-api", own); answer != nil {
		t.Errorf("a resource learns of a token for userinfo: %v", answer)
	}
}
