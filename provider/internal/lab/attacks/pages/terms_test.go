package pages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// grown is the default catalogue with another attribute in the scope military.
func grown(c *provider.Config) {
	c.Attributes = []catalogue.Attribute{{Handle: "ssn", Name: "Social security number"}}
	c.Scopes = catalogue.DefaultScopes()
	for i := range c.Scopes {
		if c.Scopes[i].Name == "military" {
			c.Scopes[i].Attributes = append(c.Scopes[i].Attributes, "ssn")
		}
	}
}

func TestConsentIsToWhatTheScreenShowed(t *testing.T) {
	t.Parallel()
	t.Run("WhatAScopeHasComeToMeanIsNotReleasedUnderAnOldConsent", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		tokens := b.StandardTokens()
		next := w.Twin(grown) // the host starts again with a larger catalogue
		testkit.OK(t, next.People().SetAttributes(t.Context(), "alice", map[string]any{"ssn": "123-45-6789"}))
		later := &lab.Browser{T: t, Fixture: next, HTTP: b.HTTP}
		_, refreshed := later.Refresh(lab.Member(t, tokens, "refresh_token"))
		for name, p := range map[string]lab.Page{
			"userinfo of the old token":         later.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")),
			"attributes of the old token":       later.Bearer(lab.AttributesPath, lab.Member(t, tokens, "access_token")),
			"attributes of the refreshed token": later.Bearer(lab.AttributesPath, lab.Member(t, refreshed, "access_token")),
		} {
			if p.StatusCode != http.StatusOK || strings.Contains(p.Text, "123-45-6789") || !strings.Contains(p.Text, "military") {
				t.Errorf("%s: %s %s", name, p.Status, p.Text)
			}
		}
		if claims := lab.ClaimsOf(t, lab.Member(t, refreshed, "id_token")); claims["ssn"] != nil || claims["status"] == nil {
			t.Errorf("refreshed ID token: %v", claims)
		}
		lab.Told(t, next, later.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...)), "consent_required")
		p, asked := later.Asked()
		if !asked {
			t.Fatal("nobody is asked for what is more")
		}
		if news := strings.Count(p.Text, `class="chip new"`); news != 1 || !strings.Contains(p.Text, "Social security number") {
			t.Errorf("%d things are said to be new, want the one:\n%s", news, p.Text)
		}
		answer := lab.Response(t, later.Submit(p, "action", "allow"))
		_, fresh := later.Token(lab.Std("code", answer.Get("code"))...)
		if got := later.Bearer(lab.AttributesPath, lab.Member(t, fresh, "access_token")); !strings.Contains(got.Text, "123-45-6789") {
			t.Errorf("what has been allowed is not released: %s", got.Text)
		}
	})

	t.Run("WhatIsNotKnownYetIsShownAsWell", func(t *testing.T) {
		w := lab.New(t, grown).WithClients().WithUsers()
		p, _ := w.Alice().Asked()
		if !strings.Contains(p.Text, "Social security number") {
			t.Error("it would be released when it becomes known")
		}
	})

	t.Run("AFormIsForWhatItWasShownWith", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		p, _ := b.Asked()
		later := &lab.Browser{T: t, Fixture: w.Twin(grown), HTTP: b.HTTP}
		again := later.Submit(p, "action", "allow")
		if !strings.Contains(again.Text, "Social security number") {
			t.Errorf("allowed without a look at it: %s %s", again.Status, again.Header.Get("Location"))
		}
		if w.Count("consents")+w.Count("grants") != 0 {
			t.Error("a decision was kept")
		}
	})

	t.Run("AnotherNameOrPlaceAsksAgain", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		b.Allow(lab.Ask()...)
		if _, asked := b.Asked(); asked {
			t.Fatal("asked twice for the same")
		}
		if _, asked := b.Asked("redirect_uri", "https://rp.test/other"); asked {
			t.Error("another path of the same host asks again")
		}
		c := provider.Client{ID: "std", Name: "Your Bank", Dialect: provider.Standard,
			RedirectURIs: []string{lab.CallbackURI, "https://evil.test/cb"}, GrantTypes: []string{"authorization_code", "refresh_token"}}
		testkit.OK(t, w.Clients().Save(t.Context(), c))
		if p, asked := b.Asked(); !asked || strings.Contains(p.Text, `class="chip new"`) {
			t.Error("another name does not ask for all of it")
		}
		c.Name = "Standard App"
		testkit.OK(t, w.Clients().Save(t.Context(), c))
		if _, asked := b.Asked("redirect_uri", "https://evil.test/cb"); !asked {
			t.Error("another host does not ask")
		}
	})

	t.Run("UseOfAFirstPartyApplicationIsNoDecision", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		own := provider.Client{ID: "std", Name: "Own", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, SkipConsent: true}
		testkit.OK(t, w.Clients().Save(t.Context(), own))
		b := w.Alice()
		if lab.CodeOf(b.Get(lab.AuthorizeURL(lab.Ask()...))) == "" {
			t.Fatal("a first-party application asks")
		}
		if apps := b.Get("/account/apps"); !strings.Contains(apps.Text, "Own") {
			t.Error("its user does not find it")
		}
		for _, scope := range []string{"openid identity", "openid student"} {
			if lab.CodeOf(b.Get(lab.AuthorizeURL(lab.Ask("scope", scope)...))) == "" {
				t.Fatalf("asks for %s", scope)
			}
		}
		use := testkit.Must(w.Store.Consent(t.Context(), "alice", "std"))(w.T)
		if !slices.Contains(use.Groups, "military") || !slices.Contains(use.Groups, "student") || !slices.Contains(use.Scopes, "identity") {
			t.Errorf("its user finds %q of what it gets", use.Scopes)
		}
		own.SkipConsent = false
		testkit.OK(t, w.Clients().Save(t.Context(), own))
		if _, asked := b.Asked(); !asked {
			t.Error("nobody was ever asked")
		}
	})
}

// A decision about one request is none about another where it must be made each time.
func TestDecisionIsAboutOneRequest(t *testing.T) {
	t.Parallel()
	for name, request := range map[string][]string{
		"PromptConsent": lab.Ask("prompt", "consent"),
		"AppOnLoopback": {"client_id", "pub", "scope", "openid military", "redirect_uri", "http://127.0.0.1:6666/cb",
			"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method", "S256"},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := lab.WithAlice(t)
			first := b.Open(lab.AuthorizeURL(request...))
			second := b.Open(lab.AuthorizeURL(append(request, "state", "second")...))
			w.Advance(time.Second)
			answer := lab.Response(t, b.Submit(second, "action", "allow"))
			if answer.Get("code") == "" || answer.Get("state") != "second" {
				t.Fatalf("answered %v", answer)
			}
			again := b.Follow(b.Get(first.Request.URL.RequestURI()))
			if code := lab.CodeOf(again); code != "" {
				t.Error("the other request was answered with a code")
			}
			if !strings.Contains(again.Request.URL.Path, "/oauth/consent") {
				t.Errorf("the other request leads to %s", again.Request.URL.Path)
			}
		})
	}
}

func TestChooserIsForTheAccountThatItShowed(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.NewBrowser().SignIn("bob@example.com", lab.BobPass).Allow(lab.Ask()...)
	b := w.Alice()
	p := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "select_account")...))
	if !strings.Contains(p.Text, "alice@example.com") {
		t.Fatalf("no chooser: %s", p.Text)
	}
	b.Post("/signout", lab.SignOutForm(t, b))
	b.SignIn("bob@example.com", lab.BobPass)
	again := b.SubmitOnce(p, "action", "continue")
	if again.StatusCode != http.StatusOK || !strings.Contains(again.Text, "bob@example.com") {
		t.Errorf("goes on as bob: %s %s", again.Status, again.Header.Get("Location"))
	}
}

// Going back to a request that was answered long ago answers it no second time, also
// when all that came of it has been removed.
func TestAnsweredRequestStaysAnswered(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	p := b.Open(lab.AuthorizeURL("scope", "openid military", "response_type", "token", "client_id", "v3"))
	answered := b.Submit(p, "action", "allow")
	flow := p.Request.URL.Query().Get("flow")
	if !strings.Contains(answered.Header.Get("Location"), "access_token=") {
		t.Fatalf("answered %s", answered.Header.Get("Location"))
	}
	for _, after := range []time.Duration{time.Minute, 10 * time.Minute, 45 * time.Minute} {
		w.Advance(after)
		testkit.Must(w.Store.Sweep(t.Context(), w.Now(), 1000))(t)
		again := b.Follow(b.Get("/oauth/authorize?" + url.Values{"flow": {flow}}.Encode()))
		if strings.Contains(again.Header.Get("Location"), "access_token=") {
			t.Errorf("answered again after %v", after)
		}
	}
}

func TestScopeThatIsTakenAwayIsGone(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	other := w.Twin()
	b := w.Alice()
	tokens := b.StandardTokens()
	elsewhere := &lab.Browser{T: t, Fixture: other, HTTP: b.HTTP}
	lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), true)
	err := w.Clients().Save(t.Context(), provider.Client{ID: "std", Name: "Standard App", Dialect: provider.Standard,
		RedirectURIs: []string{lab.CallbackURI}, GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"student"}})
	testkit.OK(t, err)
	lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
	w.Advance(time.Second)
	lab.Works(t, elsewhere, lab.Member(t, tokens, "access_token"), false)
	lab.Refused(t, b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")), http.StatusUnauthorized, "invalid_token")
}

func TestTokenDoesNotOutliveWhatItTellsOf(t *testing.T) {
	t.Parallel()
	end := func(w *lab.Fixture, after time.Duration) time.Time {
		t.Helper()
		at := w.Now().Add(after)
		status := provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: at}
		testkit.OK(t, w.People().SetStatus(t.Context(), "alice", status))
		return at
	}
	w, b := lab.WithAlice(t)
	soon := end(w, 100*time.Second)
	if exp := lab.ClaimsOf(t, lab.Member(t, b.StandardTokens(), "id_token"))["exp"]; exp != float64(soon.Unix()) {
		t.Errorf("ID token: exp %v, want %d", exp, soon.Unix())
	}
	p := b.Bearer(lab.UserinfoPath, lab.Member(t, b.V3Tokens("scope", "openid military"), "access_token"))
	var token string
	if err := json.Unmarshal([]byte(p.Text), &token); err != nil {
		t.Fatalf("userinfo: %s", p.Text)
	}
	if exp := lab.ClaimsOf(t, token)["exp"]; exp != float64(soon.Unix()) {
		t.Errorf("signed userinfo: exp %v, want %d", exp, soon.Unix())
	}
	end(w, time.Hour)
	if exp := lab.ClaimsOf(t, lab.Member(t, b.StandardTokens(), "id_token"))["exp"]; exp != float64(w.Now().Add(300*time.Second).Unix()) {
		t.Errorf("ID token of a status that lasts: exp %v", exp)
	}
}

// What a clock did that was ahead exempts nobody from being asked.
func TestPromptAfterTheClockWasCorrected(t *testing.T) {
	t.Parallel()
	for name, request := range map[string][]string{
		"login":   lab.Ask("prompt", "login"),
		"max_age": lab.Ask("max_age", "0"),
		"consent": lab.Ask("prompt", "consent"),
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithClients().WithUsers()
			w.Advance(10 * time.Second)
			b := w.Alice()
			b.Allow(lab.Ask()...)
			w.Advance(-10 * time.Second)
			if code := lab.CodeOf(b.Follow(b.Get(lab.AuthorizeURL(request...)))); code != "" {
				t.Error("nobody was asked")
			}
			w.Advance(20 * time.Second)
			if code := lab.CodeOf(b.Follow(b.Get(lab.AuthorizeURL(request...)))); code != "" {
				t.Error("nobody was asked once the clock had caught up")
			}
		})
	}
}

func TestAccessTokenDoesNotLiveAgainWhenTheClockGoesBack(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	token := lab.Member(t, b.StandardTokens(), "access_token")
	w.Advance(6 * time.Minute)
	lab.Works(t, b, token, false)
	w.Advance(-2 * time.Hour)
	lab.Works(t, b, token, false)
}
