package accounts

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// The names of the classes of authentication.
const (
	sfa = "https://refeds.org/profile/sfa"
	mfa = "https://refeds.org/profile/mfa"
	phr = "phr"
)

// withHealth adds a scope that requires something of the sign-in.
func withHealth(r provider.Requirement) func(*provider.Config) {
	return func(c *provider.Config) {
		c.SignIn.Passkeys.Upgrade = true
		c.Attributes = append(c.Attributes, catalogue.Attribute{Handle: "blood", Name: "Blood group"})
		c.Scopes = append(catalogue.DefaultScopes(), catalogue.Scope{Name: "health", Title: "Your health record", Attributes: []string{"blood"}, Requires: r})
	}
}

// essential demands a class of authentication by the parameter claims.
func essential(class string) []string {
	return []string{"claims", `{"id_token":{"acr":{"essential":true,"value":"` + class + `"}}}`}
}

// leadsTo reports whether a page leads to one of this path.
func leadsTo(p lab.Page, path string) bool {
	u, err := url.Parse(p.Header.Get("Location"))
	return err == nil && u.Path == path
}

// tokensOf goes from a page of a flow, where everything is allowed, to its tokens.
func tokensOf(t *testing.T, b *lab.Browser, p lab.Page) (tokens, idToken map[string]any) {
	t.Helper()
	for range 5 {
		switch {
		case strings.Contains(p.Text, `value="allow"`):
			p = b.SubmitOnce(p, "action", "allow")
		case strings.HasPrefix(p.Header.Get("Location"), "/"):
			p = b.Get(p.Header.Get("Location"))
		}
	}
	_, tokens = b.Token(lab.Std("code", lab.Response(t, p).Get("code"))...)
	_, idToken = lab.JWT(t, lab.Member(t, tokens, "id_token"))
	return tokens, idToken
}

func userinfo(b *lab.Browser, tokens map[string]any) lab.Page {
	return lab.Bearer(b, "/api/public/v3/userinfo", tokens)
}

func TestScopeThatRequiresAPasskey(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withHealth(provider.Requirement{Assurance: provider.PhishingResistant}))
	keys := withPasskey(t, w)
	w.OK(w.People().SetAttributes(t.Context(), "alice", map[string]any{"blood": "AB+"}))
	w.Advance(time.Hour)
	for name, ask := range map[string][]string{
		"Scope":           {"scope", "openid health"},
		"LowerClass":      {"scope", "openid health", "acr_values", sfa},
		"LowerCondition":  append([]string{"scope", "openid health"}, essential(sfa)...),
		"ClaimAlone":      {"scope", "openid", "claims", `{"userinfo":{"blood":null}}`},
		"ClaimInIDToken":  {"scope", "openid", "claims", `{"id_token":{"blood":{"essential":true}}}`},
		"HigherCondition": append([]string{"scope", "openid"}, essential(phr)...),
		"Wish":            {"scope", "openid", "acr_values", phr},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.Alice()
			silent := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask(append(ask, "prompt", "none")...)...)))
			if wants := name != "Wish"; wants != (silent.Get("error") == "login_required") {
				t.Errorf("silently: %v", silent)
			}
			p := b.Get(lab.AuthorizeURL(lab.Ask(ask...)...))
			if !leadsTo(p, "/signin") {
				t.Fatalf("answered with %s to %s", p.Status, p.Header.Get("Location"))
			}
			page := b.Follow(p)
			lab.Shown(t, b.SubmitOnce(page, "password", lab.AlicePass, "way", "password"), http.StatusUnauthorized)
			bare := *keys
			bare.Flags &^= authenticator.UserVerified
			lab.Shown(t, answer(b, page, "get", &bare), http.StatusUnauthorized)
			tokens, idToken := tokensOf(t, b, answer(b, page, "get", keys))
			want := phr
			if name == "LowerClass" || name == "LowerCondition" {
				want = sfa // the first of those asked for that was reached
			}
			if idToken["acr"] != want || len(idToken["amr"].([]any)) != 3 {
				t.Errorf("acr %v, amr %v", idToken["acr"], idToken["amr"])
			}
			if p := userinfo(b, tokens); p.StatusCode != http.StatusOK {
				t.Errorf("userinfo: %s %s", p.Status, p.Text)
			}
			again := b.Get(lab.AuthorizeURL(lab.Ask(append(ask, "prompt", "none")...)...))
			if lab.Response(t, again).Get("code") == "" {
				t.Errorf("it is asked again: %s", again.Header.Get("Location"))
			}
		})
	}
	t.Run("OthersNeedNone", func(t *testing.T) {
		if _, idToken := tokensOf(t, w.Alice(), w.Alice().Get(lab.AuthorizeURL(lab.Ask("scope", "openid")...))); idToken["acr"] != sfa {
			t.Errorf("acr %v", idToken["acr"])
		}
	})
	t.Run("WhoHasNoneAddsOne", func(t *testing.T) {
		b := w.NewBrowser()
		b.Attempt("bob@example.com", lab.BobPass)
		if p := b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid health")...)); !leadsTo(p, "/signin/enrol") {
			t.Errorf("answered with %s to %s", p.Status, p.Header.Get("Location"))
		}
		w.Advance(6 * time.Minute)
		if p := b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid health")...)); !leadsTo(p, "/signin") {
			t.Errorf("not asked for the password first: %s", p.Header.Get("Location"))
		}
	})
}

// Whoever has stolen a password cannot add a passkey and go on.
func TestPasskeyThatIsTooNew(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withHealth(provider.Requirement{Assurance: provider.PhishingResistant, Enrolled: 24 * time.Hour}))
	keys := withPasskey(t, w)
	w.Advance(23 * time.Hour)
	b := w.NewBrowser()
	answer(b, b.Open("/signin"), "get", keys)
	if answer := lab.Response(t, b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid health")...))); answer.Get("error") != "unmet_authentication_requirements" {
		t.Errorf("a day before: %v", answer)
	}
	w.Advance(time.Hour)
	if _, idToken := tokensOf(t, b, b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid health")...))); idToken["acr"] != phr {
		t.Errorf("a day later: acr %v", idToken["acr"])
	}
}

// What is required of everybody is asked on the pages of the account as well.
func TestAccountRequiresTheLevelOfEverybody(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade, func(c *provider.Config) { c.SignIn.Require = provider.TwoFactors })
	b := w.NewBrowser()
	b.Attempt("bob@example.com", lab.BobPass)
	for _, path := range []string{"/account", "/account/data", "/account/export"} {
		if p := b.Get(path); !leadsTo(p, "/signin") {
			t.Errorf("%s is answered with %s", path, p.Status)
		}
	}
	if p := b.Get("/signin"); !leadsTo(p, "/signin/enrol") {
		t.Errorf("no factor is added: %s to %s", p.Status, p.Header.Get("Location"))
	}
}

var challenged = regexp.MustCompile(`^Bearer error="insufficient_user_authentication", error_description="[^"]+", acr_values="([^"]+)"(?:, max_age="(\d+)")?$`)

// A requirement that was raised ends refreshes and data, until the application has sent the
// user through another request with what it was told.
func TestRequirementThatIsRaised(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withHealth(provider.Requirement{}))
	keys, b := withPasskey(t, w), w.Alice()
	client := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
	rp := lab.NewRelyingParty(t, w.Issuer(), "std", "openid", "health")
	code := lab.Response(t, b.Submit(b.Open(rp.AuthCodeURL("s")), "action", "allow")).Get("code")
	held := lab.Response(t, b.Open(rp.AuthCodeURL("s"))).Get("code")
	token := testkit.Must(rp.Exchange(rp.Ctx, code))(w.T)

	client.Requires = provider.Requirement{Assurance: provider.PhishingResistant}
	w.OK(w.Clients().Save(t.Context(), client))
	w.Advance(2 * time.Second)
	if _, err := rp.Exchange(rp.Ctx, held); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("the code: %v", err)
	}
	if _, err := rp.TokenSource(rp.Ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("the refresh: %v", err)
	}
	for _, path := range []string{"/api/public/v3/userinfo", "/api/public/v3/attributes.json"} {
		p := lab.Bearer(b, path, map[string]any{"access_token": token.AccessToken})
		told := challenged.FindStringSubmatch(p.Header.Get("WWW-Authenticate"))
		if p.StatusCode != http.StatusUnauthorized || told == nil {
			t.Fatalf("%s: %s %q", path, p.Status, p.Header.Get("WWW-Authenticate"))
		}
		page := b.Open(rp.AuthCodeURL("s", oauth2.SetAuthURLParam("acr_values", told[1]), oauth2.SetAuthURLParam("prompt", "login")))
		again := testkit.Must(rp.Exchange(rp.Ctx, lab.Response(t, b.Follow(answer(b, page, "get", keys))).Get("code")))(w.T)
		if p := lab.Bearer(b, path, map[string]any{"access_token": again.AccessToken}); p.StatusCode != http.StatusOK {
			t.Errorf("%s after the step: %s %s", path, p.Status, p.Text)
		}
	}
}

// The maximum age of a scope counts each time that data is read; a refresh is no sign-in.
func TestDataOfAnOldAuthentication(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withHealth(provider.Requirement{MaxAge: 15 * time.Minute}))
	b := w.Alice()
	tokens, first := tokensOf(t, b, b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid health")...)))
	w.Advance(14 * time.Minute)
	_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	if p := userinfo(b, tokens); p.StatusCode != http.StatusOK {
		t.Fatalf("in time: %s", p.Status)
	}
	w.Advance(2 * time.Minute)
	_, tokens = b.Refresh(lab.Member(t, tokens, "refresh_token"))
	if _, idToken := lab.JWT(t, lab.Member(t, tokens, "id_token")); idToken["auth_time"] != first["auth_time"] {
		t.Errorf("auth_time %v, then %v", first["auth_time"], idToken["auth_time"])
	}
	told := challenged.FindStringSubmatch(userinfo(b, tokens).Header.Get("WWW-Authenticate"))
	if told == nil || told[1] != sfa || told[2] != "900" {
		t.Errorf("it is told %q", told)
	}
	if p := b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid health")...)); !leadsTo(p, "/signin") {
		t.Errorf("the session is good enough: %s", p.Header.Get("Location"))
	}
}

// An ID token says how and when the factors were presented that meet the request, not what the
// session has beside them.
func TestAuthTimeOfTheFactorsThatCount(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade)
	keys := withPasskey(t, w)
	b := w.NewBrowser()
	answer(b, b.Open("/signin"), "get", keys)
	w.Advance(time.Hour)
	p := b.Follow(b.Get(lab.AuthorizeURL(lab.Ask("max_age", "60")...)))
	if way := regexp.MustCompile(`href="([^"]*way=password[^"]*)"`).FindStringSubmatch(p.Text); way != nil {
		p = b.Get(strings.ReplaceAll(way[1], "&amp;", "&"))
	}
	_, idToken := tokensOf(t, b, b.SubmitOnce(p, "password", lab.AlicePass))
	at := time.Unix(int64(idToken["auth_time"].(float64)), 0)
	if age := w.Now().Sub(at); age > time.Minute || idToken["acr"] != sfa {
		t.Errorf("acr %v, %v ago", idToken["acr"], age)
	}
	_, idToken = tokensOf(t, b, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...)))
	if idToken["acr"] != phr {
		t.Errorf("without max_age: acr %v", idToken["acr"])
	}
}

func TestRequirementsHaveAForm(t *testing.T) {
	t.Parallel()
	want := `{"assurance":"phishing_resistant","max_age":"15m0s","enrolled":"24h0m0s"}`
	r := provider.Requirement{Assurance: provider.PhishingResistant, MaxAge: 15 * time.Minute, Enrolled: 24 * time.Hour}
	text, err := json.Marshal(r)
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	var again provider.Requirement
	if err := json.Unmarshal(text, &again); err != nil || again != r {
		t.Errorf("%+v, %v", again, err)
	}
	for _, bad := range []string{`{"max_age":"soon"}`, `{"assurance":"gold"}`, `{"max_age":5}`} {
		if json.Unmarshal([]byte(bad), &again) == nil {
			t.Errorf("%s is read", bad)
		}
	}
	w := atLocalhost(t)
	client := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
	client.Requires = r
	w.OK(w.Clients().Save(t.Context(), client))
	if client, err = w.Clients().Get(t.Context(), "std"); err != nil || client.Requires != r {
		t.Errorf("registered %+v, %v", client.Requires, err)
	}
	client.Requires.MaxAge = -time.Second
	if err := w.Clients().Save(t.Context(), client); err == nil {
		t.Error("a negative age is registered")
	}
}
