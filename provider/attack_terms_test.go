package provider_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// grown is the default catalogue with another attribute in the scope military.
func grown(c *provider.Config) {
	c.Attributes = []provider.Attribute{{Handle: "ssn", Name: "Social security number"}}
	c.Scopes = provider.DefaultScopes()
	for i := range c.Scopes {
		if c.Scopes[i].Name == "military" {
			c.Scopes[i].Attributes = append(c.Scopes[i].Attributes, "ssn")
		}
	}
}

// asked reports whether a request leads to the consent screen, and returns it.
func (b *browser) asked(pairs ...string) (page, bool) {
	b.t.Helper()
	p := b.open(authorizeURL(ask(pairs...)...))
	return p, strings.Contains(p.Request.URL.Path, "/oauth/consent")
}

func TestConsentIsToWhatTheScreenShowed(t *testing.T) {
	t.Parallel()
	t.Run("WhatAScopeHasComeToMeanIsNotReleasedUnderAnOldConsent", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		tokens := b.standardTokens()
		next := w.twin(grown) // the host starts again with a larger catalogue
		if err := next.SetAttributes(t.Context(), "alice", map[string]any{"ssn": "123-45-6789"}); err != nil {
			t.Fatal(err)
		}
		later := &browser{t, next, b.http}
		_, refreshed := later.refresh(text(t, tokens, "refresh_token"))
		for name, p := range map[string]page{
			"userinfo of the old token":         later.bearer(userinfoPath, text(t, tokens, "access_token")),
			"attributes of the old token":       later.bearer(attributesPath, text(t, tokens, "access_token")),
			"attributes of the refreshed token": later.bearer(attributesPath, text(t, refreshed, "access_token")),
		} {
			if p.StatusCode != http.StatusOK || strings.Contains(p.body, "123-45-6789") || !strings.Contains(p.body, "alice@example.com") {
				t.Errorf("%s: %s %s", name, p.Status, p.body)
			}
		}
		if claims := claimsOf(t, text(t, refreshed, "id_token")); claims["ssn"] != nil || claims["email"] == nil {
			t.Errorf("refreshed ID token: %v", claims)
		}
		told(t, next, later.get(authorizeURL(ask("prompt", "none")...)), "consent_required")
		p, asked := later.asked()
		if !asked {
			t.Fatal("nobody is asked for what is more")
		}
		if news := strings.Count(p.body, `class="chip new"`); news != 1 || !strings.Contains(p.body, "Social security number") {
			t.Errorf("%d things are said to be new, want the one:\n%s", news, p.body)
		}
		answer := response(t, later.submit(p, "action", "allow"))
		_, fresh := later.token(std("code", answer.Get("code"))...)
		if got := later.bearer(attributesPath, text(t, fresh, "access_token")); !strings.Contains(got.body, "123-45-6789") {
			t.Errorf("what has been allowed is not released: %s", got.body)
		}
	})

	t.Run("WhatIsNotKnownYetIsShownAsWell", func(t *testing.T) {
		w := newFixture(t, grown).withClients().withUsers()
		p, _ := w.alice().asked()
		if !strings.Contains(p.body, "Social security number") {
			t.Error("it would be released when it becomes known")
		}
	})

	t.Run("AFormIsForWhatItWasShownWith", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		p, _ := b.asked()
		later := &browser{t, w.twin(grown), b.http}
		again := later.submit(p, "action", "allow")
		if !strings.Contains(again.body, "Social security number") {
			t.Errorf("allowed without a look at it: %s %s", again.Status, again.Header.Get("Location"))
		}
		if w.count("consents")+w.count("grants") != 0 {
			t.Error("a decision was kept")
		}
	})

	t.Run("AnotherNameOrPlaceAsksAgain", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		b.allow(ask()...)
		if _, asked := b.asked(); asked {
			t.Fatal("asked twice for the same")
		}
		if _, asked := b.asked("redirect_uri", "https://rp.test/other"); asked {
			t.Error("another path of the same host asks again")
		}
		c := provider.Client{ID: "std", Name: "Your Bank", Dialect: provider.Standard,
			RedirectURIs: []string{callbackURI, "https://evil.test/cb"}, GrantTypes: []string{"authorization_code", "refresh_token"}}
		if err := w.SaveClient(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if p, asked := b.asked(); !asked || strings.Contains(p.body, `class="chip new"`) {
			t.Error("another name does not ask for all of it")
		}
		c.Name = "Standard App"
		if err := w.SaveClient(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if _, asked := b.asked("redirect_uri", "https://evil.test/cb"); !asked {
			t.Error("another host does not ask")
		}
	})

	t.Run("UseOfAFirstPartyApplicationIsNoDecision", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		own := provider.Client{ID: "std", Name: "Own", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, SkipConsent: true}
		if err := w.SaveClient(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		b := w.alice()
		if codeOf(b.get(authorizeURL(ask()...))) == "" {
			t.Fatal("a first-party application asks")
		}
		if apps := b.get("/account/apps"); !strings.Contains(apps.body, "Own") {
			t.Error("its user does not find it")
		}
		for _, scope := range []string{"openid identity", "openid student"} {
			if codeOf(b.get(authorizeURL(ask("scope", scope)...))) == "" {
				t.Fatalf("asks for %s", scope)
			}
		}
		use, err := w.store.Consent(t.Context(), "alice", "std")
		w.ok(err)
		if !slices.Contains(use.Groups, "military") || !slices.Contains(use.Groups, "student") || !slices.Contains(use.Scopes, "identity") {
			t.Errorf("its user finds %q of what it gets", use.Scopes)
		}
		own.SkipConsent = false
		if err := w.SaveClient(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		if _, asked := b.asked(); !asked {
			t.Error("nobody was ever asked")
		}
	})
}

// A decision about one request is none about another where it must be made each time.
func TestDecisionIsAboutOneRequest(t *testing.T) {
	t.Parallel()
	for name, request := range map[string][]string{
		"PromptConsent": ask("prompt", "consent"),
		"AppOnLoopback": {"client_id", "pub", "scope", "openid military", "redirect_uri", "http://127.0.0.1:6666/cb",
			"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method", "S256"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			b := w.alice()
			first := b.open(authorizeURL(request...))
			second := b.open(authorizeURL(append(request, "state", "second")...))
			w.advance(time.Second)
			answer := response(t, b.submit(second, "action", "allow"))
			if answer.Get("code") == "" || answer.Get("state") != "second" {
				t.Fatalf("answered %v", answer)
			}
			again := b.follow(b.get(first.Request.URL.RequestURI()))
			if code := codeOf(again); code != "" {
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
	w := newFixture(t).withClients().withUsers()
	w.newBrowser().signIn("bob@example.com", bobPass).allow(ask()...)
	b := w.alice()
	p := b.open(authorizeURL(ask("prompt", "select_account")...))
	if !strings.Contains(p.body, "alice@example.com") {
		t.Fatalf("no chooser: %s", p.body)
	}
	b.post("/signout", signOutForm(t, b))
	b.signIn("bob@example.com", bobPass)
	again := b.submitOnce(p, "action", "continue")
	if again.StatusCode != http.StatusOK || !strings.Contains(again.body, "bob@example.com") {
		t.Errorf("goes on as bob: %s %s", again.Status, again.Header.Get("Location"))
	}
}

// Going back to a request that was answered long ago answers it no second time, also
// when all that came of it has been removed.
func TestAnsweredRequestStaysAnswered(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	p := b.open(authorizeURL("scope", "openid military", "response_type", "token", "client_id", "v3"))
	answered := b.submit(p, "action", "allow")
	flow := p.Request.URL.Query().Get("flow")
	if !strings.Contains(answered.Header.Get("Location"), "access_token=") {
		t.Fatalf("answered %s", answered.Header.Get("Location"))
	}
	for _, after := range []time.Duration{time.Minute, 10 * time.Minute, 45 * time.Minute} {
		w.advance(after)
		if _, err := w.store.Sweep(t.Context(), w.now(), 1000); err != nil {
			t.Fatal(err)
		}
		again := b.follow(b.get("/oauth/authorize?" + url.Values{"flow": {flow}}.Encode()))
		if strings.Contains(again.Header.Get("Location"), "access_token=") {
			t.Errorf("answered again after %v", after)
		}
	}
}

func TestScopeThatIsTakenAwayIsGone(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	other := w.twin()
	b := w.alice()
	tokens := b.standardTokens()
	elsewhere := &browser{t, other, b.http}
	works(t, elsewhere, text(t, tokens, "access_token"), true)
	err := w.SaveClient(t.Context(), provider.Client{ID: "std", Name: "Standard App", Dialect: provider.Standard,
		RedirectURIs: []string{callbackURI}, GrantTypes: []string{"authorization_code", "refresh_token"}, Scopes: []string{"student"}})
	if err != nil {
		t.Fatal(err)
	}
	works(t, b, text(t, tokens, "access_token"), false)
	w.advance(time.Second)
	works(t, elsewhere, text(t, tokens, "access_token"), false)
	refused(t, b.bearer(userinfoPath, text(t, tokens, "access_token")), http.StatusUnauthorized, "invalid_token")
}

func TestTokenDoesNotOutliveWhatItTellsOf(t *testing.T) {
	t.Parallel()
	end := func(w *fixture, after time.Duration) time.Time {
		t.Helper()
		at := w.now().Add(after)
		status := provider.Status{Group: "military", Subgroups: []string{"Veteran"}, Verified: true, ExpiresAt: at}
		if err := w.SetStatus(t.Context(), "alice", status); err != nil {
			t.Fatal(err)
		}
		return at
	}
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	soon := end(w, 100*time.Second)
	if exp := claimsOf(t, text(t, b.standardTokens(), "id_token"))["exp"]; exp != float64(soon.Unix()) {
		t.Errorf("ID token: exp %v, want %d", exp, soon.Unix())
	}
	p := b.bearer(userinfoPath, text(t, b.v3Tokens("scope", "openid military"), "access_token"))
	var token string
	if err := json.Unmarshal([]byte(p.body), &token); err != nil {
		t.Fatalf("userinfo: %s", p.body)
	}
	if exp := claimsOf(t, token)["exp"]; exp != float64(soon.Unix()) {
		t.Errorf("signed userinfo: exp %v, want %d", exp, soon.Unix())
	}
	end(w, time.Hour)
	if exp := claimsOf(t, text(t, b.standardTokens(), "id_token"))["exp"]; exp != float64(w.now().Add(300*time.Second).Unix()) {
		t.Errorf("ID token of a status that lasts: exp %v", exp)
	}
}

// What a clock did that was ahead exempts nobody from being asked.
func TestPromptAfterTheClockWasCorrected(t *testing.T) {
	t.Parallel()
	for name, request := range map[string][]string{
		"login":   ask("prompt", "login"),
		"max_age": ask("max_age", "0"),
		"consent": ask("prompt", "consent"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			w.advance(10 * time.Second)
			b := w.alice()
			b.allow(ask()...)
			w.advance(-10 * time.Second)
			if code := codeOf(b.follow(b.get(authorizeURL(request...)))); code != "" {
				t.Error("nobody was asked")
			}
			w.advance(20 * time.Second)
			if code := codeOf(b.follow(b.get(authorizeURL(request...)))); code != "" {
				t.Error("nobody was asked once the clock had caught up")
			}
		})
	}
}

func TestAccessTokenDoesNotLiveAgainWhenTheClockGoesBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	token := text(t, b.standardTokens(), "access_token")
	w.advance(6 * time.Minute)
	works(t, b, token, false)
	w.advance(-2 * time.Hour)
	works(t, b, token, false)
}
