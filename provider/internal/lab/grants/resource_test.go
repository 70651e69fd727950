package grants

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// seenBy is what a client learns of a token: nothing when it is inactive.
func seenBy(b *lab.Browser, id, token string) map[string]any {
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
	w := lab.WithResources(t)
	b := w.Alice()
	for name, c := range map[string]struct {
		allowed, redeemed []string
		aud               any  // of introspection by the client
		own               bool // whether userinfo takes it
		scope             string
	}{
		"NoneAnywhere":        {nil, nil, nil, true, "openid military tools:run"},
		"OneInBoth":           {[]string{lab.ToolsURI}, []string{lab.ToolsURI}, lab.ToolsURI, false, "tools:run"},
		"OneOfTwo":            {[]string{lab.ToolsURI, lab.FilesURI}, []string{lab.FilesURI}, lab.FilesURI, false, "openid military tools:run"},
		"TwoOfTwo":            {[]string{lab.ToolsURI, lab.FilesURI}, []string{lab.FilesURI, lab.ToolsURI}, []any{lab.FilesURI, lab.ToolsURI}, false, "openid military tools:run"},
		"TheSameTwice":        {[]string{lab.ToolsURI, lab.ToolsURI}, []string{lab.ToolsURI, lab.ToolsURI}, lab.ToolsURI, false, "tools:run"},
		"AtAuthorizationOnly": {[]string{lab.ToolsURI}, nil, []any{lab.ToolsURI, w.Issuer()}, true, "openid military tools:run"},
		"WithASlashAdded":     {[]string{lab.FilesURI + "/"}, []string{lab.FilesURI + "/"}, lab.FilesURI, false, "openid military tools:run"},
		"WithASlashOnce":      {[]string{lab.FilesURI + "/"}, []string{lab.FilesURI}, lab.FilesURI, false, "openid military tools:run"},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := b.TokensFor("agent", c.allowed, c.redeemed)
			token := lab.Member(t, tokens, "access_token")
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
			for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
				p := b.Bearer(path, token)
				if c.own {
					if p.StatusCode != http.StatusOK {
						t.Errorf("%s: %s %s", path, p.Status, p.Text)
					}
					continue
				}
				lab.Refused(t, p, http.StatusUnauthorized, "invalid_token")
				if !strings.Contains(p.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
					t.Errorf("WWW-Authenticate: %s", p.Header.Get("WWW-Authenticate"))
				}
			}
		})
	}
}

// TestResourceWithoutScopes tests that a client that leaves the choice to the server gets who the user
// is, and no more, from a resource that has no scopes of its own.
func TestResourceWithoutScopes(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	ask := func(client, resource string) string {
		return lab.AuthorizeURL("client_id", client, "scope", "") + "&resource=" + url.QueryEscape(resource)
	}
	for _, client := range []string{"agent", "jwt"} {
		response := lab.Response(t, b.Submit(b.Open(ask(client, lab.FilesURI)), "action", "allow"))
		p, tokens := b.Redeem(client, "authorization_code", nil, "code", response.Get("code"), "redirect_uri", lab.CallbackURI)
		if p.StatusCode != http.StatusOK || tokens["scope"] != "openid" {
			t.Errorf("%s: %s %s", client, p.Status, p.Text)
		}
	}
	if response := lab.Response(t, b.Open(lab.AuthorizeURL("client_id", "agent", "scope", ""))); response.Get("error") != "invalid_scope" {
		t.Errorf("without a resource: %v", response)
	}
}

func TestRefreshNarrowsToResources(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	tokens := b.TokensFor("agent", []string{lab.ToolsURI, lab.FilesURI}, []string{lab.ToolsURI})
	for _, c := range []struct {
		resources []string
		aud       any
		own       bool
	}{
		{[]string{lab.FilesURI}, lab.FilesURI, false},
		{[]string{lab.ToolsURI, lab.FilesURI}, []any{lab.ToolsURI, lab.FilesURI}, false},
		{nil, []any{lab.ToolsURI, lab.FilesURI, w.Issuer()}, true},
		{[]string{lab.ToolsURI}, lab.ToolsURI, false},
	} {
		var p lab.Page
		p, tokens = b.Redeem("agent", "refresh_token", c.resources, "refresh_token", lab.Member(t, tokens, "refresh_token"))
		if p.StatusCode != http.StatusOK {
			t.Fatalf("refresh for %q: %s %s", c.resources, p.Status, p.Text)
		}
		token := lab.Member(t, tokens, "access_token")
		if diff := cmp.Diff(c.aud, seenBy(b, "agent", token)["aud"]); diff != "" {
			t.Errorf("%q: aud (-want +got):\n%s", c.resources, diff)
		}
		lab.Works(t, b, token, c.own)
	}
}

// What is narrowed to scopes that mean nothing to the resource is good for none: wherever one
// asks, it says no more than the token itself.
func TestRefreshNarrowsToNoScopeOfAResource(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	for _, client := range []string{"agent", "jwt"} {
		t.Run(client, func(t *testing.T) {
			tokens := b.TokensFor(client, []string{lab.ToolsURI}, nil)
			p, narrowed := b.Redeem(client, "refresh_token", []string{lab.ToolsURI}, "refresh_token", lab.Member(t, tokens, "refresh_token"), "scope", "openid")
			if p.StatusCode != http.StatusOK || narrowed["scope"] != nil {
				t.Fatalf("token: %s %s", p.Status, p.Text)
			}
			token := lab.Member(t, narrowed, "access_token")
			for _, id := range []string{client, "tools-api"} {
				if answer := seenBy(b, id, token); answer["active"] != true || answer["scope"] != nil {
					t.Errorf("%s learns %v", id, answer)
				}
			}
			if strings.Contains(token, ".") {
				if _, claims := lab.JWT(t, token); claims["scope"] != nil {
					t.Errorf("claims %v", claims)
				}
			}
			lab.Works(t, b, token, false)
			p, all := b.Redeem(client, "refresh_token", nil, "refresh_token", lab.Member(t, narrowed, "refresh_token"))
			if p.StatusCode != http.StatusOK || all["scope"] != "openid military tools:run" {
				t.Errorf("refresh without a scope: %s %s", p.Status, p.Text)
			}
		})
	}
}

func TestMachineGetsATokenForAResource(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.NewBrowser()
	_, tokens := b.Redeem("agent", "client_credentials", []string{lab.ToolsURI}, "scope", "military tools:run")
	answer := seenBy(b, "tools-api", lab.Member(t, tokens, "access_token"))
	if answer["sub"] != "agent" || answer["aud"] != lab.ToolsURI || answer["scope"] != "tools:run" || answer["client_id"] != "agent" {
		t.Errorf("introspection %v", answer)
	}
	if p, _ := b.Redeem("narrow", "client_credentials", []string{lab.FilesURI}); p.StatusCode == http.StatusOK {
		t.Errorf("a token for a resource that is not allowed: %s", p.Text)
	}
}

// Clients such as those of Auth0 name the API by audience.
func TestAudienceIsAnotherNameOfResource(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	code := lab.Response(t, b.Submit(b.Open(lab.ResourceURL("agent")+"&audience="+url.QueryEscape(lab.ToolsURI)), "action", "allow")).Get("code")
	_, tokens := b.Redeem("agent", "authorization_code", nil, "audience", lab.ToolsURI, "code", code, "redirect_uri", lab.CallbackURI)
	token := lab.Member(t, tokens, "access_token")
	if got := seenBy(b, "agent", token)["aud"]; got != lab.ToolsURI {
		t.Errorf("aud %v", got)
	}
	lab.Works(t, b, token, false)
	lab.Told(t, w, b.Get(lab.ResourceURL("agent")+"&audience=https%3A%2F%2Fagent.auth0.test%2Fapi"), "invalid_target")
}

func TestResourcesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	for _, uri := range []string{
		"https://unknown.test", lab.ToolsURI + "/", lab.ToolsURI + "?x", lab.ToolsURI + "#x", "HTTPS://tools.test/mcp", "https://tools.test:443/mcp", "https://tools.test", "tools.test/mcp",
		lab.FilesURI + "//", lab.FilesURI + "/?", lab.FilesURI + "?", lab.FilesURI + "#", " " + lab.FilesURI, lab.FilesURI + " ", lab.FilesURI + "/ ", lab.FilesURI + " " + lab.ToolsURI, lab.FilesURI + "/x/..", lab.PlainURI + "/..",
		"/", "//", "x", "%", "https://files.test\x00", "\xff", strings.Repeat("x", 5000),
	} {
		lab.Told(t, w, b.Get(lab.ResourceURL("agent", uri)), "invalid_target")
		lab.Told(t, w, b.Get(lab.ResourceURL("agent", lab.FilesURI, uri)), "invalid_target")
		p, _ := b.Redeem("agent", "client_credentials", []string{uri})
		lab.Refused(t, p, http.StatusBadRequest, "invalid_target")
	}
	lab.Told(t, w, b.Get(lab.ResourceURL("agent", lab.FilesURI, "")), "invalid_target")
	lab.Told(t, w, b.Get(lab.ResourceURL("narrow", lab.FilesURI)), "invalid_target")
	lab.Told(t, w, b.Get(lab.ResourceURL("agent", strings.Split(strings.Repeat(lab.FilesURI+" ", 65), " ")[:65]...)), "invalid_request")
	if got := b.AllowFor("narrow", lab.ToolsURI); got.Get("code") == "" {
		t.Errorf("the resource that is allowed: %v", got)
	}
	if got := b.AllowFor("agent", ""); got.Get("code") == "" { // no value is no parameter
		t.Errorf("an empty resource: %v", got)
	}
}

func TestUserAllowsResources(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	p := b.Open(lab.ResourceURL("agent", lab.ToolsURI))
	for _, said := range []string{"Calendar tools", "tools.test", "can use these services on your behalf", "Run tools"} {
		if !strings.Contains(p.Text, said) {
			t.Errorf("the consent screen does not say %q:\n%s", said, p.Text)
		}
	}
	if got := lab.Response(t, b.Submit(p, "action", "allow")); got.Get("code") == "" {
		t.Fatalf("response %v", got)
	}
	if got := lab.Response(t, b.Open(lab.ResourceURL("agent", lab.ToolsURI))); got.Get("code") == "" {
		t.Errorf("asked again for what is allowed: %v", got)
	}
	if got := lab.Response(t, b.Open(lab.ResourceURL("agent"))); got.Get("code") == "" {
		t.Errorf("asked again for less than is allowed: %v", got)
	}
	p = b.Open(lab.ResourceURL("agent", lab.ToolsURI, lab.FilesURI))
	if p.StatusCode != http.StatusOK || strings.Count(p.Text, `class="chip new"`) != 1 || !strings.Contains(p.Text, "files.test") {
		t.Errorf("one resource more: %s\n%s", p.Status, p.Text)
	}
	if got := lab.Response(t, b.Open(strings.Replace(lab.ResourceURL("agent", lab.FilesURI), "state=", "prompt=none&state=", 1))); got.Get("error") != "consent_required" {
		t.Errorf("without asking: %v", got)
	}
	b.Submit(p, "action", "allow")
	if got := lab.Response(t, b.Open(lab.ResourceURL("agent", lab.FilesURI, lab.ToolsURI))); got.Get("code") == "" {
		t.Errorf("asked again for both: %v", got)
	}
	if p := b.Open("/account/apps"); !strings.Contains(p.Text, "Calendar tools") || !strings.Contains(p.Text, "Files") {
		t.Errorf("the list of applications does not name the resources:\n%s", p.Text)
	} else if start := lab.LinkOf(t, p, "https://agent.test/start"); start != "https://agent.test/start?iss="+url.QueryEscape(w.Issuer()) {
		t.Errorf("it is opened at %q", start)
	}
	// Who has no name is shown as where it is.
	if p := b.Open(lab.ResourceURL("agent", lab.PlainURI)); !strings.Contains(p.Text, lab.PlainURI) {
		t.Errorf("a resource without a name:\n%s", p.Text)
	}
}

func TestResourceServerIntrospectsItsOwnTokens(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	both := lab.Member(t, b.TokensFor("agent", []string{lab.ToolsURI, lab.FilesURI}, []string{lab.ToolsURI, lab.FilesURI}), "access_token")
	answer := seenBy(b, "tools-api", both)
	delete(answer, "exp")
	delete(answer, "iat")
	if at, ok := answer["auth_time"].(float64); !ok || int64(at) > w.Now().Unix() {
		t.Errorf("auth_time %v", answer["auth_time"])
	}
	delete(answer, "auth_time")
	want := map[string]any{
		"active": true, "acr": "https://refeds.org/profile/sfa", "sub": "alice", "client_id": "agent", "scope": "tools:run", "aud": lab.ToolsURI, "token_type": "bearer", "iss": w.Issuer(),
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("what tools learns (-want +got):\n%s", diff)
	}
	if answer := seenBy(b, "files-api", both); answer["aud"] != lab.FilesURI || answer["scope"] != "openid military tools:run" {
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
	w := lab.WithResources(t)
	b := w.Alice()
	token := lab.Member(t, b.TokensFor("agent", []string{lab.ToolsURI}, []string{lab.ToolsURI}), "access_token")
	client, err := w.Clients().Get(t.Context(), "agent")
	w.OK(err)
	client.Resources = []string{lab.FilesURI}
	w.OK(w.Clients().Save(t.Context(), client))
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
		"ExchangedForItself": {[]provider.Resource{{URI: lab.ToolsURI, Introspectors: []string{"a"}, ExchangesTo: []string{lab.ToolsURI}}}, "Resources[0].ExchangesTo[0]"},
		"ExchangedForNone":   {[]provider.Resource{{URI: lab.ToolsURI, Introspectors: []string{"a"}, ExchangesTo: []string{lab.FilesURI}}}, "Resources[0].ExchangesTo[0]"},
		"ExchangedByNobody":  {[]provider.Resource{{URI: lab.ToolsURI}, {URI: lab.FilesURI, ExchangesTo: []string{lab.ToolsURI}}}, "Resources[1].ExchangesTo"},
		"NoURI":              {[]provider.Resource{{Name: "x"}}, "Resources[0].URI"},
		"Relative":           {[]provider.Resource{{URI: "/mcp"}}, "Resources[0].URI"},
		"NoHost":             {[]provider.Resource{{URI: "urn:api:files"}}, "Resources[0].URI"}, // a client_id may read so
		"OnlyAScheme":        {[]provider.Resource{{URI: "https://"}}, "Resources[0].URI"},
		"Fragment":           {[]provider.Resource{{URI: lab.FilesURI + "/#x"}}, "Resources[0].URI"},
		"EmptyFragment":      {[]provider.Resource{{URI: lab.FilesURI + "/#"}}, "Resources[0].URI"},
		"UserName":           {[]provider.Resource{{URI: "https://a@files.test"}}, "Resources[0].URI"},
		"NotASCII":           {[]provider.Resource{{URI: "https://fil\u00e9s.test"}}, "Resources[0].URI"},
		"Space":              {[]provider.Resource{{URI: "https://files.test/a b"}}, "Resources[0].URI"},
		"Long":               {[]provider.Resource{{URI: lab.FilesURI + "/" + strings.Repeat("x", 255)}}, "Resources[0].URI"},
		"Twice":              {[]provider.Resource{{URI: lab.FilesURI}, {URI: lab.FilesURI}}, "Resources[1].URI"},
		"TwiceButASlash":     {[]provider.Resource{{URI: lab.FilesURI}, {URI: lab.FilesURI + "/"}}, "Resources[1].URI"},
		"InvisibleName":      {[]provider.Resource{{URI: lab.FilesURI, Name: "\u200b"}}, "Resources[0].Name"},
		"NameTurnedRound":    {[]provider.Resource{{URI: lab.FilesURI, Name: "\u202emoc.knab"}}, "Resources[0].Name"},
		"NameOfTwoLines":     {[]provider.Resource{{URI: lab.FilesURI, Name: "a\nb"}}, "Resources[0].Name"},
		"UnknownScope":       {[]provider.Resource{{URI: lab.FilesURI, Scopes: []string{"military", "x"}}}, "Resources[0].Scopes[1]"},
		"NoClientID":         {[]provider.Resource{{URI: lab.FilesURI, Introspectors: []string{"a b"}}}, "Resources[0].Introspectors[0]"},
		"MoreThanHundred":    {make([]provider.Resource, 101), "Resources"},
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
	w := lab.WithResources(t)
	var wrong *provider.FieldError
	client := provider.Client{ID: "x", Dialect: provider.V3, RedirectURIs: []string{lab.CallbackURI}, Resources: []string{lab.ToolsURI, lab.ToolsURI + "/"}}
	if err := w.Clients().Save(t.Context(), client); !errors.As(err, &wrong) || wrong.Field != "Resources[1]" {
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
	cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: lab.Secret(t), Store: store}
	change(&cfg)
	_, err = provider.New(t.Context(), cfg)
	return err
}

// Attacks.

func TestAttackTokenOfAResourceIsReplayed(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	for _, client := range []string{"agent", "jwt"} {
		token := lab.Member(t, b.TokensFor(client, []string{lab.ToolsURI, lab.FilesURI}, []string{lab.ToolsURI}), "access_token")
		lab.Works(t, b, token, false)
		lab.Refused(t, b.Bearer(lab.UserinfoPath, token), http.StatusUnauthorized, "invalid_token")
		lab.Refused(t, b.Post(lab.UserinfoPath, url.Values{"access_token": {token}}), http.StatusUnauthorized, "invalid_token")
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
	w := lab.WithResources(t)
	b := w.Alice()
	for name, allowed := range map[string][]string{"BesideAnother": {lab.ToolsURI}, "WithoutAny": nil} {
		t.Run(name, func(t *testing.T) {
			code := b.AllowFor("agent", allowed...).Get("code")
			for _, resources := range [][]string{{lab.FilesURI}, append([]string{lab.FilesURI}, allowed...), {lab.FilesURI + "/"}} {
				p, _ := b.Redeem("agent", "authorization_code", resources, "code", code, "redirect_uri", lab.CallbackURI)
				lab.Refused(t, p, http.StatusBadRequest, "invalid_target")
			}
			p, tokens := b.Redeem("agent", "authorization_code", allowed, "code", code, "redirect_uri", lab.CallbackURI)
			if p.StatusCode != http.StatusOK {
				t.Fatalf("the refused requests have spent the code: %s", p.Text)
			}
			refresh := lab.Member(t, tokens, "refresh_token")
			p, _ = b.Redeem("agent", "refresh_token", []string{lab.FilesURI}, "refresh_token", refresh)
			lab.Refused(t, p, http.StatusBadRequest, "invalid_target")
			p, _ = b.Redeem("agent", "refresh_token", allowed, "refresh_token", refresh)
			if p.StatusCode != http.StatusOK {
				t.Errorf("the refused refresh has spent the token: %s", p.Text)
			}
		})
	}
}

func TestAttackConsentFormOfLessAllowsMore(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	shown, asked := b.Open(lab.ResourceURL("agent", lab.ToolsURI)), b.Open(lab.ResourceURL("agent", lab.ToolsURI, lab.FilesURI))
	_, terms := shown.Form(t)
	p := b.Submit(asked, "action", "allow", "terms", terms.Get("terms"))
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "files.test") {
		t.Errorf("what was not shown is allowed: %s %s", p.Status, p.Header.Get("Location"))
	}
}

func TestAttackStrangersIntrospect(t *testing.T) {
	t.Parallel()
	w := lab.WithResources(t)
	b := w.Alice()
	tokens := b.TokensFor("agent", []string{lab.ToolsURI, lab.FilesURI}, []string{lab.FilesURI})
	for _, id := range []string{"stranger", "tools-api", "jwt"} {
		if answer := seenBy(b, id, lab.Member(t, tokens, "access_token")); answer != nil {
			t.Errorf("%s learns %v", id, answer)
		}
	}
	// A refresh token is nothing that a resource gets to see.
	if answer := seenBy(b, "files-api", lab.Member(t, tokens, "refresh_token")); answer != nil {
		t.Errorf("a resource learns of a refresh token: %v", answer)
	}
	// One without a secret is anybody.
	p := b.Post(lab.IntrospectPath, url.Values{"client_id": {"pub"}, "token": {lab.Member(t, tokens, "access_token")}})
	lab.Refused(t, p, http.StatusUnauthorized, "invalid_client")
	// A token that is for no resource is nothing to those who introspect some.
	own := lab.Member(t, b.TokensFor("agent", nil, nil), "access_token")
	if answer := seenBy(b, "files-api", own); answer != nil {
		t.Errorf("a resource learns of a token for userinfo: %v", answer)
	}
}
