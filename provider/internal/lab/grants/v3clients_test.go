package grants

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Programs cut tokens out of addresses by patterns of word characters.
func TestTokensAndCodesAreWords(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	for range 8 {
		p := b.Open(lab.AuthorizeURL("response_type", "code token"))
		if p.StatusCode == http.StatusOK {
			p = b.Submit(p, "action", "allow")
		}
		location := p.Header.Get("Location")
		for _, name := range []string{"access_token", "code"} {
			cut := regexp.MustCompile(`[#&?]` + name + `=(\w+)`).FindStringSubmatch(location)
			if cut == nil || cut[1] != lab.Response(t, p).Get(name) {
				t.Fatalf("the %s is not what a pattern cuts out: %q of %s", name, cut, location)
			}
		}
		lab.Works(t, b, lab.Response(t, p).Get("access_token"), true)
	}
	if refresh := lab.Member(t, b.V3Tokens(), "refresh_token"); !regexp.MustCompile(`^\w+$`).MatchString(refresh) {
		t.Errorf("refresh token %s", refresh)
	}
}

func TestTokenRequestInJSON(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)

	t.Run("IsAnsweredAsAFormIs", func(t *testing.T) {
		p, tokens := b.JSON(b.TokenJSON(lab.ExchangeJSON(t, b.Allow().Get("code"), map[string]any{"state": ""})))
		if p.StatusCode != http.StatusOK || tokens["expires_in"] != "300" {
			t.Fatalf("answered %s %v", p.Status, tokens)
		}
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), true)
	})
	t.Run("MayHaveCredentialsInTheHeader", func(t *testing.T) {
		body := lab.ExchangeJSON(t, b.Allow().Get("code"), map[string]any{"client_id": "", "client_secret": ""})
		p := b.Send(http.MethodPost, lab.TokenPath, body, "Content-Type", "application/json;charset=utf-8", "Authorization", lab.Basic("v3"))
		if p.StatusCode != http.StatusOK {
			t.Errorf("answered %s %s", p.Status, p.Text)
		}
	})
	t.Run("ServesAnApplicationForItself", func(t *testing.T) {
		w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "machine", Dialect: provider.V3, Secret: lab.ClientSecret, GrantTypes: []string{"client_credentials"}, Scopes: []string{"military"}}))
		p := b.TokenJSON(`{"grant_type":"client_credentials","client_id":"machine","client_secret":"` + lab.ClientSecret + `"}`)
		if p.StatusCode != http.StatusOK {
			t.Errorf("answered %s %s", p.Status, p.Text)
		}
	})
	t.Run("IsNotForTheStandardDialectAndSpendsNothing", func(t *testing.T) {
		code := b.Allow(lab.Ask()...).Get("code")
		p := b.TokenJSON(lab.ExchangeJSON(t, code, map[string]any{"client_id": "std"}))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
		if p, _ := b.Token(lab.Std("code", code)...); p.StatusCode != http.StatusOK {
			t.Errorf("the same as a form: %s %s", p.Status, p.Text)
		}
	})
	t.Run("TellsNothingWithoutTheSecret", func(t *testing.T) {
		lab.Refused(t, b.TokenJSON(lab.ExchangeJSON(t, "x", map[string]any{"client_id": "std", "client_secret": "wrong"})), http.StatusUnauthorized, "invalid_client")
	})
	t.Run("IsRefusedElsewhere", func(t *testing.T) {
		for _, path := range []string{lab.RevokePath, lab.IntrospectPath} {
			p := b.Send(http.MethodPost, path, `{"client_id":"v3","client_secret":"`+lab.ClientSecret+`","token":"x"}`, "Content-Type", "application/json")
			lab.Refused(t, p, http.StatusBadRequest, "invalid_request")
		}
	})
	t.Run("MayComeFromAScriptOfARegisteredOrigin", func(t *testing.T) {
		p := b.Send(http.MethodOptions, lab.TokenPath, "", "Origin", "https://rp.test",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
		if !strings.Contains(p.Header.Get("Access-Control-Allow-Headers"), "content-type") {
			t.Errorf("preflight: %v", p.Header)
		}
		p = b.Send(http.MethodPost, lab.TokenPath, lab.ExchangeJSON(t, b.Allow().Get("code"), nil), "Content-Type", "application/json", "Origin", "https://rp.test")
		if p.StatusCode != http.StatusOK || p.Header.Get("Access-Control-Allow-Origin") != "https://rp.test" {
			t.Errorf("answered %s %v", p.Status, p.Header)
		}
	})
}

// Two readers of one request may each believe another member: both are refused, and what
// is no string is not made one.
func TestTokenRequestInJSONHasOneReading(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	code := b.Allow().Get("code")
	whole := lab.ExchangeJSON(t, code, nil)
	rest := strings.TrimPrefix(whole, "{")
	for name, body := range map[string]string{
		"a member twice":          `{"code":"x",` + rest,
		"twice in two spellings":  `{"c\u006fde":"x",` + rest,
		"twice, once empty":       `{"code":"",` + rest,
		"a number":                lab.ExchangeJSON(t, code, map[string]any{"max_age": 5}),
		"null":                    lab.ExchangeJSON(t, code, map[string]any{"scope": nil}),
		"true":                    lab.ExchangeJSON(t, code, map[string]any{"scope": true}),
		"a list":                  lab.ExchangeJSON(t, code, map[string]any{"code": []string{code}}),
		"an object":               lab.ExchangeJSON(t, code, map[string]any{"code": map[string]string{"value": code}}),
		"a list of all":           "[" + whole + "]",
		"a string of all":         `"` + code + `"`,
		"something behind":        whole + "{}",
		"cut off":                 whole[:len(whole)-1],
		"nothing":                 "",
		"an empty object":         "{}",
		"a comment":               "/**/" + whole,
		"a byte order mark":       "\xef\xbb\xbf" + whole,
		"what is no text":         `{"a":"` + "\xff" + `",` + rest,
		"a control character":     `{"a":"\u0000",` + rest,
		"other names by case":     strings.Replace(whole, `"code"`, `"Code"`, 1),
		"a form":                  url.Values{"code": {code}, "grant_type": {"authorization_code"}}.Encode(),
		"too long a value":        `{"a":"` + strings.Repeat("x", 3<<10) + `",` + rest,
		"a thousand levels":       strings.Repeat(`{"a":`, 1000),
		"more members than a few": "{" + manyMembers(100) + rest,
	} {
		p := b.TokenJSON(body)
		if p.StatusCode != http.StatusBadRequest || !strings.Contains(p.Text, `"invalid_request"`) {
			t.Errorf("%s: %s %s", name, p.Status, p.Text)
		}
	}
	lab.Refused(t, b.TokenJSON(`{"a":"`+strings.Repeat("x", 40<<10)+`"}`), http.StatusRequestEntityTooLarge, "invalid_request")
	lab.Refused(t, b.Send(http.MethodPost, lab.TokenPath+"?code="+code, whole, "Content-Type", "application/json"), http.StatusBadRequest, "invalid_request")
	if p := b.TokenJSON(whole); p.StatusCode != http.StatusOK {
		t.Errorf("the request itself: %s %s", p.Status, p.Text)
	}
}

func manyMembers(n int) string {
	var members strings.Builder
	for i := range n {
		members.WriteString(`"m` + strings.Repeat("x", i) + `":"1",`)
	}
	return members.String()
}

func TestAliasesAnswerAsTheirEndpoints(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token")
	for alias, path := range map[string]string{
		lab.UserinfoPath + ".json":    lab.UserinfoPath,
		"/api/public/v3/attributes":   lab.AttributesPath,
		"/oidc/.well-known/jwks.json": lab.KeysPath,
	} {
		for _, query := range []string{"", "?access_token=" + token, "?access_token=x", "?access_token=x&callback=f", "?access_token=" + token + "&callback=f"} {
			got, want := b.Get(alias+query), b.Get(path+query)
			if got.StatusCode != want.StatusCode || got.Text != want.Text || got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
				t.Errorf("%s answers %s %s, its endpoint %s %s", alias+query, got.Status, got.Text, want.Status, want.Text)
			}
		}
		if p := b.Bearer(alias, token); p.StatusCode != http.StatusOK {
			t.Errorf("%s with a header: %s", alias, p.Status)
		}
		if p := b.Send(http.MethodDelete, alias, ""); p.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("DELETE %s: %s", alias, p.Status)
		}
	}
}

func TestSignOutUnderItsOtherName(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	address := func(pairs ...string) string {
		q := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			q.Add(pairs[i], pairs[i+1])
		}
		return "/oauth/logout?" + q.Encode()
	}
	t.Run("AsksAndLeadsBack", func(t *testing.T) {
		b := w.Alice()
		p := b.Open(address("client_id", "std", "redirect_uri", "https://rp.test/bye", "state", "s1"))
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "alice@example.com") {
			t.Fatalf("nobody is asked: %s\n%s", p.Status, p.Text)
		}
		if p = b.Submit(p); p.Header.Get("Location") != "https://rp.test/bye?state=s1" {
			t.Errorf("leads to %q\n%s", p.Header.Get("Location"), p.Text)
		}
		if p := b.Open("/account"); strings.Contains(p.Text, "alice@example.com") {
			t.Error("alice is still signed in")
		}
	})
	t.Run("TakesTheParametersOfTheStandard", func(t *testing.T) {
		b := w.Alice()
		hint := lab.Member(t, b.StandardTokens(), "id_token")
		p := b.Open(address("id_token_hint", hint, "post_logout_redirect_uri", "https://rp.test/bye"))
		if p.Header.Get("Location") != "https://rp.test/bye" {
			t.Errorf("leads to %q\n%s", p.Header.Get("Location"), p.Text)
		}
	})
	t.Run("IsAlsoAForm", func(t *testing.T) {
		b := w.Alice()
		p := b.Follow(b.Post("/oauth/logout", url.Values{"client_id": {"std"}, "redirect_uri": {"https://rp.test/bye"}}))
		if p = b.Submit(p); p.Header.Get("Location") != "https://rp.test/bye" {
			t.Errorf("leads to %q\n%s", p.Header.Get("Location"), p.Text)
		}
	})
}

// A redirect_uri at sign-out is one that is registered for sign-out, or leads nowhere: not
// one for codes, whose page may send the browser on to where its query says.
func TestSignOutIsNoOpenRedirect(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	for _, query := range []string{
		"client_id=std&redirect_uri=https://evil.test/",
		"client_id=std&redirect_uri=" + lab.CallbackURI,
		"client_id=std&redirect_uri=https://rp.test/bye/../x",
		"client_id=std&redirect_uri=//evil.test/",
		"client_id=v3&redirect_uri=https://rp.test/bye",
		"client_id=nobody&redirect_uri=https://rp.test/bye",
		"client_id=std&redirect_uri=https://rp.test/bye&redirect_uri=https://evil.test/",
		"client_id=std&redirect_uri=https://evil.test/&post_logout_redirect_uri=https://evil.test/",
		"client_id=std&redirect_uri=javascript:alert(1)",
		"client_id=std&redirect_uri=https://evil.test/%0d%0aX:y",
		"client_id=std&redirect_uri=%",
	} {
		for name, b := range map[string]*lab.Browser{"signed in": w.Alice(), "nobody": w.NewBrowser()} {
			lab.Shown(t, b.Open("/oauth/logout?"+query), http.StatusBadRequest)
			if name == "signed in" && !strings.Contains(b.Open("/account").Text, "alice@example.com") {
				t.Errorf("%s signs out", query)
			}
		}
	}
}

func TestUserinfoIsABareJWTForWhoAsks(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	v3, standard := lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token"), lab.Member(t, b.StandardTokens(), "access_token")
	read := func(token string, header ...string) lab.Page {
		return b.Send(http.MethodGet, lab.UserinfoPath, "", append(header, "Authorization", "Bearer "+token)...)
	}
	quoted := read(v3)
	for accept, bare := range map[string]bool{
		"application/jwt": true, "APPLICATION/JWT": true, "application/json, application/jwt": true, "application/jwt;q=0.9, */*;q=0.1": true,
		"": false, "*/*": false, "application/*": false, "application/json, text/plain, */*": false, "text/jwt": false,
		"application/jwt;q=0": false, "application/json, application/jwt;q=0.5": false, "application/jwt;q=x": false, ",": false,
	} {
		p := read(v3, "Accept", accept)
		want, mediaType := quoted.Text, "application/json"
		if bare {
			want, mediaType = strings.Trim(quoted.Text, `"`), "application/jwt"
		}
		if p.Text != want || p.Header.Get("Content-Type") != mediaType {
			t.Errorf("Accept %q is answered with %s %s", accept, p.Header.Get("Content-Type"), p.Text)
		}
		if !strings.Contains(strings.Join(p.Header.Values("Vary"), ","), "Accept") {
			t.Errorf("Accept %q: Vary %q", accept, p.Header.Values("Vary"))
		}
	}
	if p := read(standard, "Accept", "application/jwt"); p.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the standard dialect answers %s", p.Header.Get("Content-Type"))
	}
	p := b.Send(http.MethodGet, lab.UserinfoPath+"?callback=f&access_token="+v3, "", "Accept", "application/jwt")
	if p.Text != `/**/f(`+quoted.Text+`);` {
		t.Errorf("a script is %s", p.Text)
	}
}

// Browsers run no script of another status than 200, and the page would wait for ever.
func TestEveryErrorOfAScriptRuns(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "headers", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, NoQueryToken: true}))
	issued := func(pairs ...string) string {
		return b.Allow(append(pairs, "response_type", "token")...).Get("access_token")
	}
	expired, revoked, header := issued(), issued(), issued("client_id", "headers")
	ended := lab.Member(t, b.V3Tokens(), "access_token")
	b.Client(lab.RevokePath, "v3", "token", revoked)
	b.Client(lab.RevokePath, "v3", "token", ended)
	check := func(name, query, code string) {
		t.Helper()
		for _, path := range []string{lab.UserinfoPath, lab.UserinfoPath + ".json", lab.AttributesPath, "/api/public/v3/attributes"} {
			p := b.Get(path + "?callback=page.show" + query)
			body, ok := strings.CutPrefix(strings.TrimSuffix(p.Text, ");"), "/**/page.show(")
			var failure struct{ Error string }
			if p.StatusCode != http.StatusOK || p.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || !ok ||
				json.Unmarshal([]byte(body), &failure) != nil || failure.Error != code {
				t.Errorf("%s at %s: %s %v %s", name, path, p.Status, p.Header, p.Text)
			}
		}
	}
	check("no token", "", "invalid_request")
	check("an unknown token", "&access_token=x", "invalid_token")
	check("a revoked token", "&access_token="+revoked, "invalid_token")
	check("a token of a grant that was ended", "&access_token="+ended, "invalid_token")
	check("two tokens", "&access_token=x&access_token=y", "invalid_request")
	check("a token in the query of an application that may not", "&access_token="+header, "invalid_request")
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "machine", Dialect: provider.V3, Secret: lab.ClientSecret, GrantTypes: []string{"client_credentials"}, Scopes: []string{"military"}}))
	_, machine := b.Token("client_id", "machine", "grant_type", "client_credentials", "code", "", "redirect_uri", "")
	check("a token of nobody", "&access_token="+lab.Member(t, machine, "access_token"), "insufficient_scope")
	w.Advance(301e9)
	check("an expired token", "&access_token="+expired, "invalid_token")
	w.OK(w.Close())
	for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
		if p := b.Get(path + "?callback=f&access_token=x"); p.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a provider that is closed: %s %s", p.Status, p.Text)
		}
	}
}

func TestTokenRequestIsToldWhatDiffersInItsRedirectURI(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	const begin = "The redirect_uri is not that of the authorization request: "
	for sent, what := range map[string]string{
		"http://rp.test/cb": "the scheme differs.", "https://rp.test:8443/cb": "the port differs.", "https://evil.test/cb": "the host differs.",
		"https://rp.test/cb/": "the slash at the end of the path differs.", "https://rp.test/other": "the path differs.",
		"https://rp.test/cb?x=1": "the query differs.", "https://RP.test/cb": "only upper and lower case differ.",
		"https://rp.test/%63b": "it is encoded in another way.", "rp.test/cb": "it is no absolute address.",
		"\"><script>alert(1)</script>": "it is no absolute address.", "https://rp.test/cb\u2028x": "the path differs.",
	} {
		_, body := b.Token("code", b.Allow().Get("code"), "redirect_uri", sent)
		if body["error"] != "invalid_grant" || body["error_description"] != begin+what {
			t.Errorf("%q is answered with %v", sent, body)
		}
	}
	p, body := b.Token(lab.Std("code", b.Allow(lab.Ask()...).Get("code"), "redirect_uri", "")...)
	if body["error_description"] != begin+"it is missing." {
		t.Errorf("none is answered with %s", p.Text)
	}
	// Who has found a code, and is not the application, learns nothing about it.
	code := b.Allow(lab.Ask()...).Get("code")
	_, body = b.Token("client_id", "std2", "client_secret", lab.ClientSecret+"2", "code", code, "redirect_uri", "https://evil.test/")
	if description := body["error_description"].(string); strings.Contains(description, "redirect_uri") {
		t.Errorf("another application is told %q", description)
	}
}

// Older programs ask for one scope value and read userinfo.
func TestUserinfoOfV3NeedsNoOpenID(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	payload := func(token string) map[string]any {
		t.Helper()
		var jwt string
		if p := b.Bearer(lab.UserinfoPath, token); p.StatusCode != http.StatusOK || json.Unmarshal([]byte(p.Text), &jwt) != nil {
			t.Fatalf("userinfo: %s %s", p.Status, p.Text)
		}
		return lab.ClaimsOf(t, jwt)
	}
	plain := payload(lab.Member(t, b.V3Tokens("scope", "military"), "access_token"))
	openID := payload(lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token"))
	for _, name := range []string{"iss", "sub", "aud", "status"} {
		if plain[name] == nil || !reflect.DeepEqual(plain[name], openID[name]) {
			t.Errorf("%s is %v, and with openid %v", name, plain[name], openID[name])
		}
	}
	if plain["birthdate"] != nil {
		t.Errorf("released what the scope does not: %v", plain)
	}
}

// A scope is a set (RFC 6749 section 3.3): libraries add openid to whatever a program lists.
func TestRepeatedScopeCountsOnce(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	_, tokens := b.Token(lab.Std("code", b.Allow(lab.Ask("scope", "openid email openid email")...).Get("code"))...)
	if tokens["scope"] != "openid email" {
		t.Errorf("standard: granted %v", tokens["scope"])
	}
	for _, scope := range []string{"openid military openid", "openid,military,openid", "openid military military"} {
		if tokens := b.V3Tokens("scope", scope); tokens["scope"] != "openid military" {
			t.Errorf("v3: %q is granted as %v", scope, tokens["scope"])
		}
	}
}

// Older programs, and the SDKs of phones among them, ask which scope values there are for them.
func TestPolicies(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "few", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid", "student", "military"}}))
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "careful", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid", "student"}, NoQueryToken: true}))
	for _, path := range []string{"/api/public/v3/policies", "/api/public/v3/policies.json"} {
		p := b.Get(path + "?client_id=few&client_secret=" + lab.ClientSecret)
		if want := `[{"name":"Student status","handle":"student","active":true},{"name":"Military status","handle":"military","active":true}]`; strings.TrimSpace(p.Text) != want || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %s %v", path, p.Status, p.Text, p.Header)
		}
		if p := b.Send(http.MethodGet, path, "", "Authorization", lab.Basic("careful")); strings.TrimSpace(p.Text) != `[{"name":"Student status","handle":"student","active":true}]` {
			t.Errorf("by Basic: %s %s", p.Status, p.Text)
		}
		for _, query := range []string{"", "?client_id=few", "?client_id=few&client_secret=wrong", "?client_id=nobody&client_secret=x", "?client_id=pub",
			"?client_id=careful&client_secret=" + lab.ClientSecret, "?client_id=std&client_secret=" + lab.ClientSecret} {
			lab.Refused(t, b.Get(path+query), http.StatusUnauthorized, "invalid_client")
		}
		lab.Refused(t, b.Get(path+"?client_id=few&client_id=v3&client_secret="+lab.ClientSecret), http.StatusBadRequest, "invalid_request")
	}
}

// The interface before v3 asks for one group at a time.
func TestOlderInterfaceReadsOneGroup(t *testing.T) {
	t.Parallel()
	_, b := lab.WithAlice(t)
	token := lab.Member(t, b.V3Tokens("scope", "military"), "access_token")
	if p := b.Bearer("/api/public/v2/military.json", token); strings.TrimSpace(p.Text) != `{"id":"alice","verified":true,"affiliation":"Veteran"}` {
		t.Errorf("answered %s %s", p.Status, p.Text)
	}
	if p, same := b.Bearer("/api/public/v2/attributes.json", token), b.Bearer("/api/public/v2/military.json", token); p.Text != same.Text || p.StatusCode != http.StatusOK {
		t.Errorf("the group of the token: %s %s", p.Status, p.Text)
	}
	login := lab.Member(t, b.V3Tokens("scope", "login"), "access_token")
	lab.Refused(t, b.Bearer("/api/public/v2/attributes.json", login), http.StatusNotFound, "invalid_request")
	lab.Refused(t, b.Bearer("/api/public/v2/attributes.json", "nobody's"), http.StatusUnauthorized, "invalid_token")
	lab.Refused(t, b.Bearer("/api/public/v2/student.json", token), http.StatusForbidden, "insufficient_scope")
	if p := b.Bearer("/api/public/v2/nosuch.json", token); p.StatusCode != http.StatusNotFound {
		t.Errorf("a group that is none: %s", p.Status)
	}
	student := lab.Member(t, b.V3Tokens("scope", "student"), "access_token")
	if p := b.Bearer("/api/public/v2/student.json", student); strings.TrimSpace(p.Text) != `{"id":"alice","verified":false,"affiliation":""}` {
		t.Errorf("who is no student: %s %s", p.Status, p.Text)
	}
}

// Libraries of 2014 to 2020 name the address that they were called at, response included, and
// some keep their state in the redirect URI.
func TestRedirectURIOfOlderPrograms(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	const registered = "https://rp.test/cb?x=1&state=any"
	w.OK(w.Clients().Save(t.Context(), provider.Client{ID: "older", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{registered, lab.CallbackURI}}))
	b := w.Alice()
	exchange := func(code, redirectURI string) lab.Page {
		t.Helper()
		p, _ := b.Token("client_id", "older", "code", code, "redirect_uri", redirectURI)
		return p
	}
	begin := func(redirectURI string, pairs ...string) lab.Page {
		t.Helper()
		p := b.Open(lab.AuthorizeURL(append([]string{"client_id", "older", "redirect_uri", redirectURI}, pairs...)...))
		if p.StatusCode == http.StatusOK {
			p = b.Submit(p, "action", "allow")
		}
		return p
	}
	code := func(p lab.Page) string {
		t.Helper()
		return regexp.MustCompile(`[?&]code=(\w+)`).FindStringSubmatch(p.Header.Get("Location") + "&code=none")[1]
	}

	t.Run("MayHaveTheResponseAtTheTokenEndpoint", func(t *testing.T) {
		for _, query := range []string{"?code=abc&state=xyz", "?state=xyz", "?iss=https%3A%2F%2Fid&code=abc", ""} {
			if p := exchange(code(begin(lab.CallbackURI)), lab.CallbackURI+query); p.StatusCode != http.StatusOK {
				t.Errorf("%q: %s %s", query, p.Status, p.Text)
			}
		}
		for _, other := range []string{lab.CallbackURI + "?x=1", lab.CallbackURI + "/?code=abc", "https://rp.test/other?code=abc", lab.CallbackURI + "?%63ode=abc", lab.CallbackURI + "#code=abc"} {
			lab.Refused(t, exchange(code(begin(lab.CallbackURI)), other), http.StatusBadRequest, "invalid_grant")
		}
	})
	t.Run("MayHaveAStateThatIsNotCompared", func(t *testing.T) {
		p := begin("https://rp.test/cb?x=1&state=s123", "state", "")
		if location := p.Header.Get("Location"); !strings.HasPrefix(location, "https://rp.test/cb?x=1&state=s123&code=") {
			t.Fatalf("led to %s", location)
		}
		if p := exchange(code(p), "https://rp.test/cb?x=1&state=s123"); p.StatusCode != http.StatusOK {
			t.Errorf("answered %s %s", p.Status, p.Text)
		}
	})
	t.Run("HasOneStateInTheResponse", func(t *testing.T) {
		location := begin("https://rp.test/cb?x=1&state=s123", "state", "sent").Header.Get("Location")
		if strings.Count(location, "state=") != 1 || !strings.Contains(location, "state=sent") || !strings.HasPrefix(location, "https://rp.test/cb?x=1&code=") {
			t.Errorf("led to %s", location)
		}
	})
	t.Run("IsComparedInAllElse", func(t *testing.T) {
		for _, other := range []string{
			"https://rp.test/cb?x=2&state=a", "https://rp.test/cb?state=a", "https://rp.test/cb?x=1", "https://rp.test/cb?x=1&state=a&y=2", "https://evil.test/cb?x=1&state=a",
			"https://rp.test/cb?x=1&state=a&state=b", "https://rp.test/cb?x=1&%73tate=a", "https://rp.test/cb?x=1&state=a&code=b", lab.CallbackURI + "?state=a", "https://rp.test/cb/?x=1&state=a",
		} {
			if p := b.Get(lab.AuthorizeURL("client_id", "older", "redirect_uri", other)); p.Header.Get("Location") != "" || p.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s %s", other, p.Status, p.Header.Get("Location"))
			}
		}
	})
}
