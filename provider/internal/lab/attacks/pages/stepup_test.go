package pages

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// requires has the application "std" require something of sign-ins.
func requires(w *lab.Fixture, r provider.Requirement) {
	w.T.Helper()
	w.OK(w.Clients().Save(w.T.Context(), provider.Client{
		ID: "std", Name: "Standard App", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, Requires: r,
	}))
}

// std are the parameters of a request of the application "std".
func std(pairs ...string) []string {
	return append([]string{"client_id", "std", "scope", "openid military offline_access", "prompt", "consent"}, pairs...)
}

// W15: the request is stripped of what it demands, or demands less, where the application's
// registration requires more.
func TestRequestDemandsLessThanTheApplication(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey()
	requires(w, provider.Requirement{Assurance: provider.PhishingResistant})
	for name, pairs := range map[string][]string{
		"Nothing":        nil,
		"OneFactor":      {"acr_values", oneFactor},
		"Unknown":        {"acr_values", "urn:nobody:knows"},
		"EssentialOne":   {"claims", `{"id_token":{"acr":{"essential":true,"value":"` + oneFactor + `"}}}`},
		"AnyAge":         {"max_age", "100000"},
		"NoneVoluntary":  {"claims", `{"id_token":{"acr":null}}`},
		"EmptyACRValues": {"acr_values", " "},
	} {
		t.Run(name, func(t *testing.T) {
			b := owner.elsewhere()
			b.Browser.SignIn(b.email, b.password)
			p := b.Open(lab.AuthorizeURL(std(pairs...)...))
			if strings.Contains(p.Request.URL.Path, "/oauth/consent") || p.StatusCode >= 400 || strings.HasPrefix(p.Header.Get("Location"), lab.CallbackURI) {
				t.Fatalf("the password alone leads to %s %s %q", p.Status, p.Request.URL.Path, p.Header.Get("Location"))
			}
			p = b.Follow(send(b.Browser, b.shown(p)))
			if !strings.Contains(p.Request.URL.Path, "/oauth/consent") {
				t.Fatalf("a passkey leads to %s %s\n%s", p.Status, p.Request.URL.Path, p.Text)
			}
			code := lab.Response(t, b.Submit(p, "action", "allow")).Get("code")
			answer, tokens := b.Token("client_id", "std", "code", code)
			if answer.StatusCode != http.StatusOK {
				t.Fatalf("token: %s %s", answer.Status, answer.Text)
			}
			if _, claims := lab.JWT(t, lab.Member(t, tokens, "id_token")); !slices.Equal(claims["amr"].([]any), []any{"pop", "user", "mfa"}) {
				t.Errorf("amr %v", claims["amr"])
			}
		})
	}
	b := owner.elsewhere()
	b.Browser.SignIn(b.email, b.password)
	lab.Told(t, w, b.Open(lab.AuthorizeURL(std("prompt", "none")...)), "login_required")
}

// W16: a requirement is raised after tokens were issued. The data and the refresh end, and a
// new sign-in brings both back.
func TestRequirementIsRaisedAfterTheIssue(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w)
	requires(w, provider.Requirement{})
	code := owner.Allow(std()...).Get("code")
	p, tokens := owner.Token("client_id", "std", "code", code)
	if p.StatusCode != http.StatusOK || tokens["refresh_token"] == nil {
		t.Fatalf("token: %s %s", p.Status, p.Text)
	}
	if p := lab.Bearer(owner.Browser, lab.AttributesPath, tokens); p.StatusCode != http.StatusOK {
		t.Fatalf("data: %s", p.Status)
	}
	owner.addPasskey()
	requires(w, provider.Requirement{Assurance: provider.PhishingResistant})
	w.Advance(2 * time.Second) // what is remembered of applications
	for _, path := range []string{lab.AttributesPath, "/api/public/v3/userinfo"} {
		p := lab.Bearer(owner.Browser, path, tokens)
		if challenge := p.Header.Get("WWW-Authenticate"); p.StatusCode != http.StatusUnauthorized ||
			!strings.Contains(challenge, "insufficient_user_authentication") || !strings.Contains(challenge, `acr_values="`+phishingResistant+`"`) {
			t.Errorf("%s: %s %q", path, p.Status, challenge)
		}
	}
	p, body := owner.Token("client_id", "std", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "redirect_uri", "")
	if p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_grant" {
		t.Errorf("refresh: %s %v", p.Status, body)
	}
}

// The same with the time that the account must have had the factors: once it has, the refresh goes on.
func TestAgeOfFactorsIsRequiredAfterTheIssue(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey()
	requires(w, provider.Requirement{})
	_, tokens := owner.Token("client_id", "std", "code", owner.Allow(std()...).Get("code"))
	requires(w, provider.Requirement{Assurance: provider.PhishingResistant, Enrolled: 24 * time.Hour})
	w.Advance(2 * time.Second)
	for _, path := range []string{lab.AttributesPath, "/api/public/v3/userinfo"} {
		if p := lab.Bearer(owner.Browser, path, tokens); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", path, p.Status)
		}
	}
	refresh := []string{"client_id", "std", "grant_type", "refresh_token", "refresh_token", lab.Member(t, tokens, "refresh_token"), "redirect_uri", ""}
	if p, body := owner.Token(refresh...); p.StatusCode != http.StatusBadRequest || body["error"] != "invalid_grant" {
		t.Errorf("refresh: %s %v", p.Status, body)
	}
	w.Advance(24 * time.Hour)
	p, tokens := owner.Token(refresh...)
	if p.StatusCode != http.StatusOK {
		t.Fatalf("refresh a day later: %s", p.Status)
	}
	if p := lab.Bearer(owner.Browser, lab.AttributesPath, tokens); p.StatusCode != http.StatusOK {
		t.Errorf("data a day later: %s", p.Status)
	}
}

// W17: bob presents his factor in alice's flow. Alice's session stays as it is.
func TestStepUpAsSomebodyElse(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	a, b := alice(w).addPasskey(), bob(w).addPasskey()
	requires(w, provider.Requirement{Assurance: provider.PhishingResistant})
	at := a.elsewhere()
	at.Browser.SignIn(at.email, at.password)
	before := at.Cookie(session.Session)
	page := at.Open(lab.AuthorizeURL(std()...))
	f := asking(t, page, "get")
	at.keys = b.keys
	answer, err := b.keys.Get([]byte(strings.ReplaceAll(string(f.options), "allowCredentials", "allowed")), origin(at.Browser))
	w.OK(err)
	p := send(at.Browser, f.with("passkey", answer))
	if p.StatusCode < 400 || at.Cookie(session.Session) != before {
		t.Errorf("bob's passkey: %s, Location %q", p.Status, p.Header.Get("Location"))
	}
	if p := at.Get("/account"); !strings.Contains(p.Text, at.email) {
		t.Error("alice's session is not as it was")
	}
}

// W9: whoever has only the password adds a passkey, and goes to an application that takes
// only what the account has had for a day. The owner is told by mail.
func TestFactorOfAThiefIsTooNew(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	requires(w, provider.Requirement{Assurance: provider.PhishingResistant, Enrolled: 24 * time.Hour})
	mails := w.Mails.Count()
	thief := alice(w).addPasskey()
	if w.Mails.Count() == mails {
		t.Error("nobody is told")
	}
	again := thief.elsewhere()
	if p := send(again.Browser, again.shown(again.Open("/signin"))); p.StatusCode != http.StatusSeeOther {
		t.Fatalf("sign-in: %s", p.Status)
	}
	p := again.Open(lab.AuthorizeURL(std()...))
	if strings.Contains(p.Request.URL.Path, "/oauth/consent") || lab.CodeOf(p) != "" {
		t.Fatalf("a passkey of now leads to %s", p.Request.URL.Path)
	}
	w.Advance(24*time.Hour + time.Minute)
	later := thief.elsewhere()
	if p := send(later.Browser, later.shown(later.Open("/signin"))); p.StatusCode != http.StatusSeeOther {
		t.Fatalf("sign-in: %s", p.Status)
	}
	if p := later.Open(lab.AuthorizeURL(std()...)); !strings.Contains(p.Request.URL.Path, "/oauth/consent") {
		t.Errorf("a passkey of yesterday leads to %s %s", p.Status, p.Request.URL.Path)
	}
}
