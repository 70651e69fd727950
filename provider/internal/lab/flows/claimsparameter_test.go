package flows

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// aboutAlice are the claims of alice that tests of the parameter claims look at.
var aboutAlice = []string{"fname", "lname", "email", "zip", "birthdate", "status"}

// having returns which of these claims an object has.
func having(object map[string]any, names []string) (has []string) {
	for _, name := range names {
		if _, ok := object[name]; ok {
			has = append(has, name)
		}
	}
	return has
}

func TestClaimsParameter(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers().WithEveryResponseType()
	for name, c := range map[string]struct {
		claims            string
		scope             string
		idToken, userinfo []string
	}{
		"Nothing":      {`{}`, "openid", nil, nil},
		"Null":         {`{"id_token":{"fname":null}}`, "openid", []string{"fname"}, nil},
		"Empty":        {`{"userinfo":{"birthdate":{}}}`, "openid", nil, []string{"birthdate"}},
		"Essential":    {`{"id_token":{"fname":{"essential":true}},"userinfo":{"zip":{"essential":false}}}`, "openid", []string{"fname"}, []string{"zip"}},
		"BothPlaces":   {`{"id_token":{"email":null},"userinfo":{"email":null}}`, "openid", []string{"email"}, []string{"email"}},
		"Values":       {`{"id_token":{"fname":{"value":"Bob"},"lname":{"values":["A",7,{"x":[]}]}}}`, "openid", []string{"fname", "lname"}, nil},
		"UnknownClaim": {`{"id_token":{"shoe_size":{"essential":true}},"userinfo":{"https://claims.test/x":null}}`, "openid", nil, nil},
		"UnknownPlace": {`{"elsewhere":{"fname":null},"id_token":{"zip":{"purpose":"?"}}}`, "openid", []string{"zip"}, nil},
		"OfTheProtocol": {
			`{"id_token":{"auth_time":{"essential":true},"acr":null,"iss":null,"status":null},"userinfo":{"sub":null,"exp":null}}`, "openid", nil, nil,
		},
		"BesideAScope": {
			`{"userinfo":{"birthdate":null,"zip":null}}`, "openid military",
			[]string{"status"}, []string{"zip", "birthdate", "status"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.Alice()
			p, tokens := b.Token(lab.Std("code", b.Allow(lab.AskFor(c.claims, "scope", c.scope)...).Get("code"))...)
			if p.StatusCode != http.StatusOK {
				t.Fatalf("token: %s %s", p.Status, p.Text)
			}
			for range 2 { // as issued, and after a refresh
				_, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token"))
				if diff := cmp.Diff(c.idToken, having(idToken, aboutAlice)); diff != "" {
					t.Errorf("ID token (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.userinfo, having(b.Userinfo(tokens), aboutAlice)); diff != "" {
					t.Errorf("userinfo (-want +got):\n%s", diff)
				}
				if idToken["auth_time"] == nil || idToken["acr"] != sfa {
					t.Errorf("auth_time %v, acr %v", idToken["auth_time"], idToken["acr"])
				}
				_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
			}
		})
	}
	t.Run("FrontChannel", func(t *testing.T) {
		answer := w.Alice().Allow(lab.AskFor(`{"id_token":{"fname":null}}`, "client_id", "every", "response_type", "id_token", "nonce", "n")...)
		_, idToken := lab.JWT(t, answer.Get("id_token"))
		if diff := cmp.Diff([]string{"fname"}, having(idToken, aboutAlice)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("IsIgnoredInV3AndWithoutOpenID", func(t *testing.T) {
		b := w.Alice()
		for _, pairs := range [][]string{{"scope", "openid military"}, {}, {"client_id", "std"}} {
			request := lab.AuthorizeURL(append(pairs, "prompt", "consent", "claims", `{"id_token":{"birthdate":null,"acr":{"essential":true,"value":"x"}},"userinfo":{"birthdate":null}}`)...)
			if p := b.Open(request); p.StatusCode != http.StatusOK || strings.Contains(p.Text, "Date of birth") {
				t.Errorf("%s: %s\n%s", request, p.Status, p.Text)
			}
		}
	})
	t.Run("MalformedIsRefused", func(t *testing.T) {
		b := w.Alice()
		for _, claims := range []string{
			`x`, `{`, `[]`, `null`, `7`, `"{}"`, `{}{}`, `{} x`, `{"id_token":[]}`, `{"id_token":7}`, `{"userinfo":"fname"}`,
			`{"id_token":{"fname":true}}`, `{"id_token":{"fname":[]}}`, `{"id_token":{"fname":{"essential":"true"}}}`,
			`{"id_token":{"sub":{"value":"alice","values":["bob"]}}}`, `{"id_token":{"acr":{"values":"x"}}}`,
		} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(claims)...)), "invalid_request")
		}
	})
}

func TestClaimsParameterIsAskedForAndRemembered(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	birthdate := `{"userinfo":{"birthdate":null}}`
	p := b.Open(lab.AuthorizeURL(lab.AskFor(birthdate)...))
	for _, shown := range []string{"Date of birth", "2 April 1990", "your date of birth"} {
		if !strings.Contains(p.Text, shown) {
			t.Errorf("the screen does not show %q:\n%s", shown, p.Text)
		}
	}
	if strings.Contains(p.Text, "22030") {
		t.Error("the screen shows what nobody asked for")
	}
	lab.Response(t, b.Submit(p, "action", "allow"))
	if code := lab.Response(t, b.Get(lab.AuthorizeURL(lab.AskFor(birthdate, "prompt", "none")...))).Get("code"); code == "" {
		t.Error("the decision was not remembered")
	}
	lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(`{"id_token":{"zip":null}}`, "prompt", "none")...)), "consent_required")
	p = b.Open(lab.AuthorizeURL(lab.AskFor(`{"id_token":{"zip":null},"userinfo":{"birthdate":null}}`)...))
	if n := strings.Count(p.Text, "chip new"); n != 1 {
		t.Errorf("%d of two details are marked as new:\n%s", n, p.Text)
	}
	if apps := b.Get("/account/apps").Text; !strings.Contains(apps, "Date of birth") {
		t.Errorf("the list of applications does not say what it sees:\n%s", apps)
	}
	data, err := w.People().Get(t.Context(), "alice")
	if err != nil || !slices.Equal(data.Consents[0].Attributes, []string{"birthdate"}) {
		t.Errorf("recorded %+v, %v", data.Consents, err)
	}
}

func TestSubjectOfTheClaimsParameter(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	b.Allow(lab.Ask()...)
	for sub, want := range map[string]string{
		`{"value":"alice"}`: "", `{"values":["bob","alice"]}`: "", `{"value":null}`: "login_required", `{"values":[]}`: "", `null`: "",
		`{"value":"bob"}`: "login_required", `{"values":["bob","carol"]}`: "login_required", `{"value":7}`: "login_required",
	} {
		for _, in := range []string{"id_token", "userinfo"} {
			answer := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none", "claims", `{"`+in+`":{"sub":`+sub+`}}`)...)))
			if answer.Get("error") != want || answer.Has("code") == (want != "") {
				t.Errorf("sub %s in %s: %v, want %q", sub, in, answer, want)
			}
		}
	}
	forBob := lab.AuthorizeURL(lab.Ask("claims", `{"id_token":{"sub":{"value":"bob"}}}`)...)
	p := b.Open(forBob)
	if !strings.Contains(p.Text, `type="password"`) {
		t.Fatalf("alice is not asked to let bob sign in: %s\n%s", p.Status, p.Text)
	}
	lab.Told(t, w, b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass), "login_required")
	p = b.Submit(b.Open(forBob), "email", "bob@example.com", "password", lab.BobPass)
	if code := lab.Response(t, b.Submit(p, "action", "allow")).Get("code"); b.Subject(code, "std", lab.ClientSecret, lab.CallbackURI) != "bob" {
		t.Error("it is not about bob")
	}
}

func TestAttackClaimsParameter(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	err := w.Clients().Save(t.Context(), provider.Client{ID: "narrow", Name: "Narrow App", Secret: lab.ClientSecret, Dialect: provider.Standard,
		RedirectURIs: []string{lab.CallbackURI}, GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"openid", "email", "student"}})
	testkit.OK(t, err)
	narrow := func(pairs ...string) []string {
		return lab.AskFor(`{"userinfo":{"birthdate":null,"zip":null,"email":null}}`, append(pairs, "client_id", "narrow")...)
	}

	t.Run("IsNoWayAroundTheRegistration", func(t *testing.T) {
		b := w.Alice()
		p := b.Open(lab.AuthorizeURL(narrow()...))
		if strings.Contains(p.Text, "Date of birth") || strings.Contains(p.Text, "22030") || !strings.Contains(p.Text, "alice@example.com") {
			t.Errorf("the screen shows\n%s", p.Text)
		}
		_, tokens := b.Token("client_id", "narrow", "code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))
		if diff := cmp.Diff([]string{"email"}, having(b.Userinfo(tokens), aboutAlice)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("IsNoWayAroundConsent", func(t *testing.T) {
		b := w.Alice()
		b.Allow(lab.Ask("scope", "openid")...)
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(`{"userinfo":{"email":null}}`, "prompt", "none")...)), "consent_required")
		// A form for less does not allow more.
		first, more := b.Open(lab.AuthorizeURL(lab.AskFor(`{"userinfo":{"fname":null}}`)...)), b.Open(lab.AuthorizeURL(lab.AskFor(`{"userinfo":{"email":null}}`)...))
		_, little := first.Form(t)
		action, much := more.Form(t)
		much.Set("terms", little.Get("terms"))
		much.Set("action", "allow")
		if p := b.Follow(b.Post(action, much)); p.Header.Get("Location") != "" || p.StatusCode != http.StatusOK {
			t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("EndsWithTheScopesOfTheRegistration", func(t *testing.T) {
		b := w.Alice()
		_, tokens := b.Token(lab.Std("code", b.Allow(lab.AskFor(`{"userinfo":{"birthdate":null}}`)...).Get("code"))...)
		if has := having(b.Userinfo(tokens), aboutAlice); len(has) != 1 {
			t.Fatalf("userinfo has %v", has)
		}
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(t)
		c.Scopes = []string{"openid", "student"}
		testkit.OK(t, w.Clients().Save(t.Context(), c))
		if has := having(b.Userinfo(tokens), aboutAlice); len(has) > 0 {
			t.Errorf("userinfo still has %v", has)
		}
	})
	t.Run("SaysNotWhoIsSignedInWithoutConsent", func(t *testing.T) {
		b := w.Alice()
		for _, sub := range []string{"alice", "bob"} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("client_id", "narrow", "scope", "openid student", "prompt", "none",
				"claims", `{"id_token":{"sub":{"value":"`+sub+`"}}}`)...)), "login_required")
		}
	})
	t.Run("BombIsRefused", func(t *testing.T) {
		b := w.Alice()
		for name, bomb := range map[string]string{
			"Deep":     `{"id_token":{"fname":{"value":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}}`,
			"DeepOnly": strings.Repeat(`{"a":`, 700) + "1" + strings.Repeat("}", 700),
			"Long":     `{"id_token":{"` + strings.Repeat("a", 5000) + `":null}}`,
			"Open":     strings.Repeat("[", 4000),
		} {
			t.Run(name, func(t *testing.T) { lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(bomb)...)), "invalid_request") })
		}
	})
	t.Run("PollutionIsRefused", func(t *testing.T) {
		b := w.Alice()
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(`{}`)...)+"&claims="+url.QueryEscape(`{"userinfo":{"email":null}}`)), "invalid_request")
		for _, twice := range []string{
			`{"id_token":{},"id_token":{"email":null}}`, `{"userinfo":{"email":null,"\u0065mail":null}}`,
			`{"id_token":{"sub":{"value":"alice","value":"bob"}}}`, `{"elsewhere":{"a":1,"a":2}}`,
		} {
			lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.AskFor(twice)...)), "invalid_request")
		}
	})
	t.Run("IsReadAsTextOnly", func(t *testing.T) {
		b := w.Alice()
		name := `<script>alert(1)</script>`
		raw, _ := json.Marshal(map[string]any{"userinfo": map[string]any{name: nil}})
		if p := b.Open(lab.AuthorizeURL(lab.AskFor(string(raw))...)); strings.Contains(p.Text, "alert(1)") {
			t.Error("the name of a claim is repeated")
		}
	})
}

// A function of the host that refuses by what is asked for must hear of all of it.
func TestHostIsToldOfClaimsOneByOne(t *testing.T) {
	t.Parallel()
	var asked []string
	_, b := lab.WithAlice(t, func(c *provider.Config) {
		c.Authorize = func(ctx context.Context, _, _ string, _ []string) error {
			request, _ := provider.RequestOf(ctx)
			asked = append(asked, strings.Join(request.Scopes, " ")+" + "+strings.Join(request.Claims, " "))
			if slices.Contains(request.Claims, "birthdate") {
				return provider.Refusal{}
			}
			return nil
		}
	})
	denied := b.Open(lab.AuthorizeURL(lab.AskFor(`{"id_token":{"zip":null},"userinfo":{"birthdate":null,"shoe_size":null}}`)...))
	lab.Shown(t, denied, http.StatusForbidden)
	_, tokens := b.Token(lab.Std("code", b.Allow(lab.AskFor(`{"id_token":{"zip":null,"acr":null}}`)...).Get("code"))...)
	if p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
		t.Errorf("refresh: %s %s", p.Status, p.Text)
	}
	if diff := cmp.Diff([]string{"openid + zip birthdate", "openid + zip"}, slices.Compact(asked)); diff != "" {
		t.Error(diff)
	}
}

// A claim that is made of others is what libraries ask for first; the screen shows it made of
// them.
func TestStandardClaimsOneByOne(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	names := []string{"name", "given_name", "fname", "lname", "email", "email_verified"}
	for _, in := range []string{"userinfo", "id_token"} {
		b := w.Alice()
		p := b.Open(lab.AuthorizeURL(lab.AskFor(`{"`+in+`":{"name":{"essential":true},"email_verified":null}}`, "prompt", "consent")...))
		for _, shown := range []string{"Full name", "Email"} {
			if !strings.Contains(p.Text, "<dt>"+shown) {
				t.Errorf("the screen does not show %q", shown)
			}
		}
		_, tokens := b.Token(lab.Std("code", lab.Response(t, b.Submit(p, "action", "allow")).Get("code"))...)
		_, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		got := map[string][]string{"id_token": having(idToken, names), "userinfo": having(b.Userinfo(tokens), names)}
		want := map[string][]string{"id_token": nil, "userinfo": nil}
		want[in] = []string{"name", "email_verified"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}
