package tokens

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestAuthorize(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	err := w.Clients().Save(t.Context(), provider.Client{ID: "only-code", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI},
		ResponseTypes: []string{"code"}, Scopes: []string{"military"}})
	testkit.OK(t, err)
	b := w.Alice()
	for _, id := range []string{"v3", "std"} {
		b.Allow("client_id", id, "scope", "openid military")
	}
	issued := w.Count("grants")

	t.Run("ShowsOnePageForEveryApplicationThatIsNotThere", func(t *testing.T) {
		if err := w.Clients().Save(t.Context(), provider.Client{ID: "locked", Dialect: provider.V3, Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Disabled: true}); err != nil {
			t.Fatal(err)
		}
		bodies := map[string]bool{}
		for _, id := range []string{"nobody", "locked", "V3", "v3 ", `"><script>alert(1)</script>`, "v3\x00", "\xff\xfe", "' OR 1=1--", strings.Repeat("a", 300), "\u202ev3"} {
			p := b.Get(lab.AuthorizeURL("client_id", id))
			lab.Shown(t, p, http.StatusBadRequest)
			if strings.Contains(p.Text, "<script>alert") {
				t.Error("client_id is repeated as it was sent")
			}
			bodies[withoutIDs(p.Text)] = true
		}
		for _, id := range []string{"", strings.Repeat("a", 300_000)} { // no address to repeat, or one that is too long for it
			lab.Shown(t, b.Get(lab.AuthorizeURL("client_id", id)), http.StatusBadRequest)
		}
		if len(bodies) != 1 {
			t.Errorf("%d different pages", len(bodies))
		}
	})

	t.Run("RefusesParametersThatComeTwice", func(t *testing.T) {
		for _, name := range []string{"client_id", "redirect_uri"} {
			q, _ := url.ParseQuery(strings.TrimPrefix(lab.AuthorizeURL(), "/oauth/authorize?"))
			lab.Shown(t, b.Get(lab.AuthorizeURL()+"&"+name+"="+url.QueryEscape(q.Get(name))), http.StatusBadRequest)
			lab.Shown(t, b.Get(lab.AuthorizeURL()+"&"+name+"=other"), http.StatusBadRequest)
		}
		for _, name := range []string{
			"state", "response_type", "scope", "nonce", "prompt", "code_challenge", "code_challenge_method", "response_mode", "eid", "op", "max_age",
			"login_hint", "ui_locales", "unknown",
		} {
			for _, second := range []string{"a", "b"} {
				values := lab.Told(t, w, b.Get(lab.AuthorizeURL(name, "a")+"&"+name+"="+second), "invalid_request")
				if name == "state" && values.Has("state") {
					t.Errorf("an ambiguous state was chosen: %v", values)
				}
			}
		}
	})

	t.Run("RefusesResponseTypes", func(t *testing.T) {
		for responseType, want := range map[string]string{
			"": "invalid_request", "Code": "unsupported_response_type", "code code": "unsupported_response_type", "none": "unsupported_response_type",
			"id_token code foo": "unsupported_response_type", "code\tid_token": "invalid_request", "code,token": "unsupported_response_type",
			"code  token": "unsupported_response_type", " code": "unsupported_response_type", "token token": "unsupported_response_type",
		} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("response_type", responseType, "scope", "openid military")), want)
		}
		for _, responseType := range []string{"token", "id_token", "code token", "token id_token", "id_token code token"} {
			for _, id := range []string{"only-code", "std"} {
				lab.Told(t, w, b.Get(lab.AuthorizeURL("client_id", id, "response_type", responseType, "scope", "openid military", "nonce", "n")), "unsupported_response_type")
			}
		}
	})

	t.Run("RefusesResponseModes", func(t *testing.T) {
		for _, responseType := range []string{"token", "id_token", "code token", "code id_token", "code id_token token"} {
			p := b.Get(lab.AuthorizeURL("response_type", responseType, "response_mode", "query", "scope", "openid military"))
			lab.Told(t, w, p, "unsupported_response_mode")
			if !strings.HasPrefix(p.Header.Get("Location"), lab.CallbackURI+"#") {
				t.Errorf("error for %s in %s", responseType, p.Header.Get("Location"))
			}
		}
		for _, mode := range []string{"web_message", "jwt", "query.jwt", "x", "Fragment", "form_post query"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("response_mode", mode)), "unsupported_response_mode")
		}
	})

	t.Run("RefusesPrompts", func(t *testing.T) {
		for _, prompt := range []string{"none login", "login none", "bogus", "LOGIN", "login bogus", "none none", "login\tconsent"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("prompt", prompt)), "invalid_request")
		}
		for _, age := range []string{"-1", "1e3", "x", "99999999999999999999", "1.5", " 1", "+1"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("max_age", age)), "invalid_request")
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL("op", "admin")), "invalid_request")
	})

	t.Run("RefusesScopes", func(t *testing.T) {
		for scope, want := range map[string]string{
			"nothing": "invalid_scope", "*": "invalid_scope", "openid.*": "invalid_scope", "military.*": "invalid_scope", "MILITARY": "invalid_scope",
			"openid\nmilitary": "invalid_request", `"military"`: "invalid_scope", "military\r\nX: y": "invalid_request", "militar\u00fd": "invalid_scope",
			strings.Repeat("openid ", 5000): "invalid_request", "military nothing": "invalid_scope", "military,nothing": "invalid_scope",
			"": "invalid_scope", "<script>": "invalid_scope",
		} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("scope", scope)), want)
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL("client_id", "only-code", "scope", "identity")), "invalid_scope")
		lab.Told(t, w, b.Get(lab.AuthorizeURL("resource", "https://api.test")), "invalid_target")
		lab.Told(t, w, b.Get(lab.AuthorizeURL("audience", "https://api.test")), "invalid_target")
	})

	t.Run("FetchesNothingThatARequestNames", func(t *testing.T) {
		var fetched atomic.Int32
		trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
		defer trap.Close()
		for _, scope := range []string{"military", "openid military"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("scope", scope, "request", "eyJhbGciOiJub25lIn0.e30.")), "invalid_request_object")
			for _, uri := range []string{trap.URL, "http://169.254.169.254/", "file:///etc/passwd"} {
				lab.Told(t, w, b.Get(lab.AuthorizeURL("scope", scope, "request_uri", uri)), "request_uri_not_supported")
			}
			// One of ours that was not pushed: nothing says where to go with an error.
			lab.Shown(t, b.Get(lab.AuthorizeURL("scope", scope, "request_uri", "urn:ietf:params:oauth:request_uri:x")), http.StatusBadRequest)
			lab.Told(t, w, b.Get(lab.AuthorizeURL("scope", scope, "registration", `{"logo_uri":"`+trap.URL+`"}`)), "registration_not_supported")
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL("claims", strings.Repeat("[", 10_000))), "invalid_request")
		if fetched.Load() != 0 {
			t.Error("an address of the request was fetched")
		}
	})

	t.Run("RefusesWeakOrBrokenChallenges", func(t *testing.T) {
		good := "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
		for _, pairs := range [][]string{
			{"code_challenge", good[:42], "code_challenge_method", "S256"}, {"code_challenge", good + "A", "code_challenge_method", "S256"},
			{"code_challenge", strings.Repeat("A", 129), "code_challenge_method", "S256"}, {"code_challenge", good + "=", "code_challenge_method", "S256"},
			{"code_challenge", "+/" + good[2:], "code_challenge_method", "S256"}, {"code_challenge", good[:42] + "N", "code_challenge_method", "S256"},
			{"code_challenge", good, "code_challenge_method", "plain"}, {"code_challenge", good, "code_challenge_method", "s256"},
			{"code_challenge", good, "code_challenge_method", "S512"}, {"code_challenge", good}, {"code_challenge_method", "S256"},
		} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL(pairs...)), "invalid_request")
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL("code_challenge_method", "S256")+"&code_challenge="), "invalid_request")
		err := w.Clients().Save(t.Context(), provider.Client{ID: "page", Dialect: provider.V3, Public: true, RedirectURIs: []string{lab.CallbackURI}})
		testkit.OK(t, err)
		for _, responseType := range []string{"code", "code token", "code id_token", "code id_token token"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL("client_id", "page", "response_type", responseType, "scope", "openid military")), "invalid_request")
		}
	})

	t.Run("ReadsFormsOnlyAndNeverBesideTheAddress", func(t *testing.T) {
		query := strings.TrimPrefix(lab.AuthorizeURL("prompt", "none"), "/oauth/authorize?")
		for _, mediaType := range []string{"multipart/form-data; boundary=x", "application/json", "text/plain", "", "application/x-www-form-urlencoded+x"} {
			lab.Shown(t, b.Send(http.MethodPost, "/oauth/authorize", query, "Content-Type", mediaType), http.StatusBadRequest)
		}
		form := []string{"Content-Type", "application/x-www-form-urlencoded"}
		lab.Shown(t, b.Send(http.MethodPost, "/oauth/authorize?state=other", query, form...), http.StatusBadRequest)
		lab.Shown(t, b.Send(http.MethodPost, "/oauth/authorize", query+"&a=1;b=2", form...), http.StatusBadRequest)
		lab.Shown(t, b.Send(http.MethodPost, "/oauth/authorize", query+"&x="+strings.Repeat("a", 100<<10), form...), http.StatusRequestEntityTooLarge)
		p := b.Send(http.MethodPost, "/oauth/authorize", query, form...)
		if answer := lab.Response(t, b.Follow(p)); p.StatusCode != http.StatusSeeOther || answer.Get("code") == "" {
			t.Errorf("POST answers %s and leads to %v", p.Status, answer)
		}
		issued++
	})

	t.Run("RefusesWhatIsNoText", func(t *testing.T) {
		for _, name := range []string{"nonce", "eid", "login_hint", "ui_locales", "display", "unknown"} {
			for _, value := range []string{"%00", "%ff", "%c0%af", "a%0d%0ab", "%ed%a0%80"} {
				lab.Told(t, w, b.Get(lab.AuthorizeURL()+"&"+name+"="+value), "invalid_request")
			}
		}
		for _, broken := range []string{"&nonce=%", "&nonce=%zz", "&%=1", "&a=1;b=2"} {
			lab.Shown(t, w.Raw("GET "+lab.AuthorizeURL()+broken+" HTTP/1.1", "Host: x"), http.StatusBadRequest)
		}
		var many strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&many, "&p%d=1", i)
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL()+many.String()), "invalid_request")
	})

	if n := w.Count("grants"); n != issued {
		t.Errorf("refused requests left %d grants", n-issued)
	}
}

var ownToARequest = regexp.MustCompile(`[0-9a-f]{24}|<time.*</time>|name="client_id" value="[^"]*"`)

// withoutIDs drops what differs between two error pages on purpose.
func withoutIDs(body string) string {
	return ownToARequest.ReplaceAllString(body, "")
}

func TestState(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	b.Allow()
	states := []string{
		"x", "a b", "a+b", "a%2Bb", "%00", "\x00", "\xff\xfe", "a\r\nSet-Cookie: x=1", `"><script>alert(1)</script>`, "\U0001F600", "=&?#/", strings.Repeat("s", 4096),
		"\u2028", `{"return_to":"https://rp.test/?a=1&b=2"}`,
	}

	t.Run("ComesBackByteForByteInEveryAddress", func(t *testing.T) {
		for _, state := range states {
			for _, pairs := range [][]string{
				{"state", state}, {"state", state, "response_type", "token"}, {"state", state, "prompt", "bogus"}, {"state", state, "response_mode", "fragment"},
			} {
				p := b.Get(lab.AuthorizeURL(pairs...))
				if got := lab.Response(t, p)["state"]; len(got) != 1 || got[0] != state {
					t.Errorf("state %.60q came back as %.60q", state, got)
				}
				if p.Header.Get("Location") == "" != (len(state) == 4096) || len(p.Header["Location"]) > 1 || len(p.Cookies()) != 0 || strings.ContainsAny(p.Header.Get("Location"), "\r\n <>\"") {
					t.Errorf("state %.60q in the headers: %.300q", state, p.Header)
				}
			}
		}
	})

	t.Run("SurvivesSignInAndConsent", func(t *testing.T) {
		for _, state := range states[:9] {
			fresh := w.Alice()
			p := fresh.Open(lab.AuthorizeURL("state", state, "client_id", "std", "prompt", "consent"))
			if got := lab.Response(t, fresh.Submit(p, "action", "allow")).Get("state"); got != state {
				t.Errorf("state %q came back as %q", state, got)
			}
		}
	})

	t.Run("ComesBackInAFormOrIsRefused", func(t *testing.T) {
		for _, state := range states {
			p := b.Get(lab.AuthorizeURL("state", state, "response_mode", "form_post"))
			action, fields := p.Form(t)
			lab.Safe(t, p)
			if action != lab.CallbackURI || fields.Get("iss") != w.Issuer() || strings.Contains(p.Text, "<script>alert") {
				t.Fatalf("form for %q with %v\n%s", action, fields, p.Text)
			}
			if got := fields.Get("state"); got != state && (fields.Get("error") != "invalid_request" || fields.Has("state")) {
				t.Errorf("state %q came back as %q with error %q", state, got, fields.Get("error"))
			}
			if (strings.ContainsAny(state, "\x00\r\n") || !utf8.ValidString(state)) && fields.Has("code") {
				t.Errorf("state %q travels in a form, which changes it", state)
			}
			if strings.Contains(p.Text, html.EscapeString(`<script>alert`)) != strings.Contains(state, "<script>") {
				t.Errorf("state %q is not escaped once", state)
			}
		}
	})

	t.Run("IsAbsentWhenItWas", func(t *testing.T) {
		for _, pairs := range [][]string{{"state", ""}, {"state", "", "response_type", "token"}, {"state", "", "prompt", "bogus"}} {
			if answer := lab.Response(t, b.Get(lab.AuthorizeURL(pairs...))); answer.Has("state") {
				t.Errorf("%v answers %v", pairs, answer)
			}
		}
	})

	t.Run("IsRefusedWhenTooLong", func(t *testing.T) {
		if values := lab.Told(t, w, b.Get(lab.AuthorizeURL("state", strings.Repeat("s", 4097))), "invalid_request"); values.Has("state") {
			t.Error("a state that was refused came back")
		}
	})
}

func TestIssuerIsInEveryResponse(t *testing.T) {
	t.Parallel()
	w := lab.New(t, func(c *provider.Config) { c.BaseURL += "/id" }).WithClients().WithUsers()
	b := w.NewBrowser()
	p := b.Get("/id/signin")
	if p = b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass); p.StatusCode != http.StatusOK {
		t.Fatal(p.Status)
	}
	if p = b.Submit(b.Open("/id"+lab.AuthorizeURL("scope", "openid military")), "action", "allow"); lab.Response(t, p).Get("code") == "" {
		t.Fatal("no code")
	}
	var discovery struct {
		Issuer    string `json:"issuer"`
		Supported bool   `json:"authorization_response_iss_parameter_supported"`
	}
	if err := json.Unmarshal([]byte(b.Get("/id/oidc/.well-known/openid-configuration").Text), &discovery); err != nil {
		t.Fatal(err)
	}
	if discovery.Issuer != w.Server.URL+"/id/oidc" || !discovery.Supported {
		t.Errorf("discovery %+v", discovery)
	}
	for _, responseType := range []string{"code", "token", "id_token", "code id_token", "code token", "token id_token code"} {
		for _, mode := range []string{"", "fragment", "form_post"} {
			for _, prompt := range []string{"none", "bogus"} {
				p := b.Get("/id" + lab.AuthorizeURL("response_type", responseType, "response_mode", mode, "prompt", prompt, "scope", "openid military"))
				var values url.Values
				if mode == "form_post" {
					_, values = p.Form(t)
				} else {
					values = lab.Response(t, p)
				}
				if iss := values["iss"]; len(iss) != 1 || iss[0] != discovery.Issuer || len(values["state"]) != 1 {
					t.Errorf("%s in %q with prompt %s: %v", responseType, mode, prompt, values)
				}
				if (prompt == "none") == values.Has("error") {
					t.Errorf("%s in %q with prompt %s: %v", responseType, mode, prompt, values)
				}
			}
		}
	}
}
