package flows

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// responseTypes are all that there are, with the members that a response has beside state,
// iss and, with an access token, its scope.
var responseTypes = map[string][]string{
	"code":                {"code"},
	"token":               {"access_token", "expires_in", "token_type"},
	"id_token":            {"id_token"},
	"id_token token":      {"access_token", "expires_in", "id_token", "token_type"},
	"code id_token":       {"code", "id_token"},
	"code token":          {"access_token", "code", "expires_in", "token_type"},
	"code id_token token": {"access_token", "code", "expires_in", "id_token", "token_type"},
}

// TestOpenIDConnectRules holds what the standards ask of a provider in the flows by code,
// implicit and hybrid, by query, fragment and form_post, as a client sees it.
func TestOpenIDConnectRules(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithEveryResponseType()
	b := w.Alice()
	request := func(pairs ...string) string {
		return lab.AuthorizeURL(append([]string{"client_id", "every", "scope", "openid military", "nonce", "n-1"}, pairs...)...)
	}
	first := b.Allow("client_id", "every", "scope", "openid military", "response_type", "id_token", "nonce", "n-0")
	hint := first.Get("id_token")
	_, before := lab.JWT(t, hint)

	t.Run("ResponseHasWhatItsTypeNames", func(t *testing.T) {
		for responseType, members := range responseTypes {
			for _, mode := range []string{"", "form_post"} {
				got := answered(t, b.Get(request("response_type", responseType, "response_mode", mode)))
				want := append([]string{"iss", "state"}, members...)
				if slices.Contains(members, "access_token") {
					want = append(want, "scope")
				}
				slices.Sort(want)
				if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
					t.Errorf("%s by %q (-want +got):\n%s", responseType, mode, diff)
				}
				if token := got.Get("id_token"); token != "" {
					if _, claims := lab.JWT(t, token); claims["nonce"] != "n-1" || claims["sub"] != "alice" || claims["aud"] != "every" {
						t.Errorf("%s: %v", responseType, claims)
					}
				}
			}
		}
	})

	t.Run("NonceIsRequiredWithAnIDTokenOnly", func(t *testing.T) {
		for responseType, members := range responseTypes {
			got := answered(t, b.Get(request("response_type", responseType, "nonce", "")))
			needed := slices.Contains(members, "id_token")
			if (got.Get("error") == "invalid_request") != needed || got.Has("error") != needed || got.Get("state") != "xyz" {
				t.Errorf("%s: %v", responseType, got)
			}
		}
	})

	t.Run("WishesAreNoConditions", func(t *testing.T) {
		for name, wish := range map[string][]string{
			"UnknownParameter":    {"extra", "foobar"},
			"DisplayPage":         {"display", "page"},
			"DisplayPopup":        {"display", "popup"},
			"DisplayUnknown":      {"display", "wap"},
			"UILocales":           {"ui_locales", "se fr-CA x-klingon"},
			"ClaimsLocales":       {"claims_locales", "se fr-CA"},
			"LoginHint":           {"login_hint", "somebody@example.com"},
			"ACRValues":           {"acr_values", "single_factor"},
			"ACRValuesUnknown":    {"acr_values", "1 2"},
			"IDTokenHint":         {"id_token_hint", hint},
			"MaxAgeLong":          {"max_age", "10000"},
			"ScopeInAnotherOrder": {"scope", "military openid"},
			"ClaimsOfNoCatalogue": {"claims", `{"userinfo":{"shoe_size":{"essential":true}},"id_token":{"shoe_size":null}}`},
			"AuthTimeEssential":   {"claims", `{"id_token":{"auth_time":{"essential":true}}}`},
			"EmptyParameter":      {"max_age", ""},
			"ResponseModeDefault": {"response_mode", "query"},
		} {
			for _, prompt := range []string{"", "none"} {
				got := answered(t, b.Get(request(append(wish, "prompt", prompt)...)))
				if got.Get("code") == "" || got.Has("error") {
					t.Errorf("%s with prompt=%q: %v", name, prompt, got)
					continue
				}
				_, tokens := b.Token("client_id", "every", "code", got.Get("code"))
				_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
				if claims["auth_time"] != before["auth_time"] || claims["nonce"] != "n-1" {
					t.Errorf("%s: %v", name, claims)
				}
			}
		}
	})

	t.Run("AuthTimeMovesWithTheSignIn", func(t *testing.T) {
		w.Advance(time.Minute)
		for _, again := range [][]string{{"prompt", "login"}, {"max_age", "1"}} {
			p := b.Submit(b.Open(request(append(again, "response_type", "id_token token")...)), "password", lab.AlicePass)
			_, claims := lab.JWT(t, answered(t, p).Get("id_token"))
			if claims["sub"] != "alice" || claims["auth_time"].(float64) < before["auth_time"].(float64)+60 {
				t.Errorf("%v: %v, before %v", again, claims, before)
			}
			w.Advance(time.Minute)
		}
	})

	t.Run("UserinfoIsTheSameInEveryWay", func(t *testing.T) {
		for _, responseType := range []string{"code", "id_token token"} {
			got := answered(t, b.Get(request("response_type", responseType)))
			token := got.Get("access_token")
			if token == "" {
				_, tokens := b.Token("client_id", "every", "code", got.Get("code"))
				token = lab.Member(t, tokens, "access_token")
			}
			bearer := []string{"Authorization", "Bearer " + token}
			form := []string{"Content-Type", "application/x-www-form-urlencoded"}
			bodies := map[string]bool{}
			for _, p := range []lab.Page{
				b.Send(http.MethodGet, lab.UserinfoPath, "", bearer...),
				b.Send(http.MethodPost, lab.UserinfoPath, "", bearer...),
				b.Send(http.MethodPost, lab.UserinfoPath, url.Values{"access_token": {token}}.Encode(), form...),
			} {
				bodies[p.Text] = true
				if p.StatusCode != http.StatusOK || p.Header.Get("Content-Type") != "application/json" || !strings.Contains(p.Text, `"sub":"alice"`) {
					t.Errorf("%s: %s %s", responseType, p.Status, p.Text)
				}
			}
			if len(bodies) != 1 {
				t.Errorf("%s: %d different answers", responseType, len(bodies))
			}
		}
	})

	t.Run("RequestByPOSTIsTheSame", func(t *testing.T) {
		query, _ := url.ParseQuery(strings.TrimPrefix(request("response_type", "code id_token"), "/oauth/authorize?"))
		if got := answered(t, b.Follow(b.Post("/oauth/authorize", query))); got.Get("code") == "" || got.Get("id_token") == "" {
			t.Errorf("answered %v", got)
		}
	})

	t.Run("SilentErrorsComeInEveryMode", func(t *testing.T) {
		nobody := w.NewBrowser()
		for responseType := range responseTypes {
			for _, mode := range []string{"", "fragment", "form_post"} {
				got := answered(t, nobody.Get(request("response_type", responseType, "response_mode", mode, "prompt", "none")))
				if got.Get("error") != "login_required" || got.Get("state") != "xyz" || got.Get("iss") != w.Issuer() || len(got) != 4 {
					t.Errorf("%s by %q: %v", responseType, mode, got)
				}
			}
		}
	})
}

// answered returns the parameters of a response, in whichever mode it comes.
func answered(t testing.TB, p lab.Page) url.Values {
	t.Helper()
	if p.StatusCode != http.StatusOK {
		return lab.Response(t, p)
	}
	action, fields := p.Form(t)
	if action != lab.CallbackURI {
		t.Fatalf("a page in place of a response: %s\n%s", p.Request.URL, p.Text)
	}
	return fields
}
