package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

func TestConsent(t *testing.T) {
	t.Parallel()
	t.Run("GrantsWhatWasAskedWhateverTheFormSays", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		action, fields := b.open(openID()).form(t)
		fields.Set("action", "allow")
		for name, value := range map[string]string{
			"scope": "openid military identity student", "scopes": "identity", "client_id": "std2", "redirect_uri": "https://evil.test/", "response_type": "token",
			"user_id": "bob", "sub": "bob", "grant": "all", "state": "evil", "skip_consent": "true",
		} {
			fields.Set(name, value)
		}
		p := b.follow(b.post(action, fields))
		answer := response(t, p)
		if !strings.HasPrefix(p.Header.Get("Location"), callbackURI+"?code=") || answer.Get("state") != "xyz" || answer.Has("access_token") {
			t.Fatalf("answered %q", p.Header.Get("Location"))
		}
		_, tokens := b.token("client_id", "std", "code", answer.Get("code"))
		_, claims := jwt(t, text(t, tokens, "id_token"))
		if claims["sub"] != "alice" || claims["aud"] != "std" {
			t.Errorf("claims %v", claims)
		}
		if scope, ok := tokens["scope"].(string); ok && scope != "openid military" {
			t.Errorf("scope %q", scope)
		}
		told(t, w, b.get(openID("scope", "openid identity", "prompt", "none")), "consent_required")
	})

	t.Run("OfAnotherBrowserOrSiteIsRefused", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b, bob := w.alice(), w.newBrowser().signIn("bob@example.com", bobPass)
		action, alices := b.open(openID()).form(t)
		_, bobs := bob.open(openID()).form(t)
		without := url.Values{"flow": alices["flow"], "user": alices["user"]}
		mixed := url.Values{"flow": bobs["flow"], "user": alices["user"], "csrf": alices["csrf"]}
		form := []string{"Content-Type", "application/x-www-form-urlencoded"}
		for name, c := range map[string]struct {
			fields url.Values
			header []string
			status int
		}{
			"without token":          {without, form, http.StatusForbidden},
			"form of bob":            {bobs, form, http.StatusForbidden},
			"flow of bob":            {mixed, form, http.StatusBadRequest},
			"from another site":      {alices, append(form, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
			"from a sibling site":    {alices, append(form, "Sec-Fetch-Site", "same-site"), http.StatusForbidden},
			"from the application":   {alices, append(form, "Origin", "https://rp.test"), http.StatusForbidden},
			"as text":                {alices, []string{"Content-Type", "text/plain"}, http.StatusForbidden},
			"with the flow left out": {url.Values{"csrf": alices["csrf"], "user": alices["user"]}, form, http.StatusBadRequest},
		} {
			body := url.Values{"action": {"allow"}}
			for k, v := range c.fields {
				if k != "action" {
					body[k] = v
				}
			}
			p := b.send(http.MethodPost, action, body.Encode(), c.header...)
			shown(t, p, c.status)
			if t.Failed() {
				t.Fatal(name)
			}
		}
		if n := w.count("consents") + w.count("grants"); n != 0 {
			t.Errorf("%d rows were written", n)
		}
	})

	t.Run("ByTwentyAtOnceHasOneAnswer", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		action, fields := b.open(openID()).form(t)
		fields.Set("action", "allow")
		pages := race(20, func(int) page { return b.follow(b.post(action, fields)) })
		codes := 0
		for _, p := range pages {
			switch {
			case strings.Contains(p.Header.Get("Location"), "code="):
				codes++
			default:
				shown(t, p, http.StatusOK)
			}
		}
		if codes != 1 || w.count("grants") != 1 {
			t.Errorf("%d codes, %d grants", codes, w.count("grants"))
		}
	})

	t.Run("DeniedGivesNothingAndIsTheAnswer", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		for _, action := range []string{"deny", "", "ALLOW", "allow ", "allow\x01"} {
			p := b.open(openID())
			if values := told(t, w, b.submit(p, "action", action), "access_denied"); values.Get("state") != "xyz" {
				t.Errorf("answered %v", values)
			}
			// Going back and deciding otherwise would answer a second time.
			for _, other := range []string{"deny", "allow"} {
				shown(t, b.submit(p, "action", other), http.StatusOK)
			}
		}
		if w.count("tokens") != 0 {
			t.Error("something was granted")
		}
		if answer := response(t, b.submit(b.open(openID("prompt", "consent")), "action", "allow")); answer.Get("code") == "" {
			t.Errorf("a decision about another request is answered %v", answer)
		}
	})

	t.Run("AllowedCannotBeDeniedAfterwards", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		p := b.open(openID())
		answer := response(t, b.submit(p, "action", "allow"))
		shown(t, b.submit(p, "action", "deny"), http.StatusOK)
		if got, _ := b.token(std("code", answer.Get("code"))...); got.StatusCode != http.StatusOK {
			t.Errorf("the code: %s %s", got.Status, got.body)
		}
		if w.saw(provider.EventDenied) {
			t.Error("the trail tells of a denial")
		}
	})

	t.Run("ShownToAliceIsNotDecidedByBob", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		old := b.open(openID())
		b.post("/signout", signOutForm(t, b))
		b.signIn("bob@example.com", bobPass)
		p := b.submit(old, "action", "allow")
		if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "bob@example.com") || strings.Contains(p.body, "alice@example.com") {
			t.Fatalf("not asked again for bob: %s", p.Status)
		}
		if w.count("consents") != 0 {
			t.Fatal("bob has decided by alice's form")
		}
		code := response(t, b.submit(p, "action", "allow")).Get("code")
		if subject := b.subject(code, "std", clientSecret, callbackURI); subject != "bob" {
			t.Errorf("code for %s", subject)
		}
	})

	t.Run("AfterSignOutAsksToSignIn", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		old := b.open(openID())
		b.post("/signout", signOutForm(t, b))
		if p := b.submit(old, "action", "allow"); p.Request.URL.Path != "/signin" || w.count("consents") != 0 {
			t.Errorf("leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("OfTwoTabsGoesToTheApplicationOfEach", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser()
		first := b.open(openID("state", "one"))
		second := b.open(authorizeURL("client_id", "std2", "redirect_uri", "https://other.test/cb", "scope", "openid military", "state", "two"))
		// Signing in in the second tab serves the first as well, each for its own application.
		second = b.submit(second, "email", "alice@example.com", "password", alicePass)
		first = b.submit(first, "email", "alice@example.com", "password", alicePass)
		for _, c := range []struct {
			page          page
			prefix, state string
		}{{first, callbackURI + "?", "one"}, {second, "https://other.test/cb?", "two"}} {
			p := b.submit(c.page, "action", "allow")
			if !strings.HasPrefix(p.Header.Get("Location"), c.prefix) || response(t, p).Get("state") != c.state {
				t.Errorf("answered %q, want %s with %s", p.Header.Get("Location"), c.prefix, c.state)
			}
		}
	})
}

func TestConsentAfterTheApplicationChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*provider.Client)
		error  string // for the application; "" shows a page
	}{
		"Locked":                 {func(c *provider.Client) { c.Disabled = true }, ""},
		"AddressRemoved":         {func(c *provider.Client) { c.RedirectURIs = []string{"https://rp.test/other"} }, ""},
		"ScopeRemoved":           {func(c *provider.Client) { c.Scopes = []string{"identity"} }, "invalid_scope"},
		"ResponseTypeRemoved":    {func(c *provider.Client) { c.ResponseTypes = []string{"id_token"} }, "unsupported_response_type"},
		"ChallengeDemandedSince": {func(c *provider.Client) { c.Public, c.Secret = true, "" }, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			b := w.alice()
			p := b.open(openID())
			client := provider.Client{ID: "std", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}}
			c.change(&client)
			if err := w.SaveClient(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			flow := p.Request.URL.Query().Get("flow")
			p = b.submit(p, "action", "allow")
			if c.error == "" {
				shown(t, p, http.StatusBadRequest)
			} else {
				told(t, w, p, c.error)
			}
			if w.count("tokens") != 0 {
				t.Error("granted")
			}
			if c.error == "" {
				return
			}
			client = provider.Client{ID: "std", Secret: clientSecret, Dialect: provider.Standard, RedirectURIs: []string{callbackURI}}
			w.ok(w.SaveClient(t.Context(), client))
			if again := b.follow(b.get(resume(flow))); again.Header.Get("Location") != "" || w.count("tokens") != 0 {
				t.Errorf("answered again when it was changed back: %s", again.Header.Get("Location"))
			}
		})
	}
	t.Run("ScopeRemovedAfterTheAnswer", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		p := b.open(openID())
		b.submit(p, "action", "allow")
		client := provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}, Scopes: []string{"identity"}}
		w.ok(w.SaveClient(t.Context(), client))
		shown(t, b.submit(p, "action", "allow"), http.StatusOK)
		w.advance(2 * time.Hour)
		shown(t, b.submit(p, "action", "allow"), http.StatusBadRequest)
	})
	t.Run("Deleted", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.alice()
		p := b.open(openID())
		if err := w.DeleteClient(t.Context(), "std"); err != nil {
			t.Fatal(err)
		}
		shown(t, b.submit(p, "action", "allow"), http.StatusBadRequest)
	})
}

func TestConsentTakenBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	tokens, others := b.standardTokens(), b.v3Tokens()
	code := b.allow("client_id", "std", "scope", "openid military").Get("code")
	removal := b.get("/account/apps/remove?client_id=std")
	if p := b.submit(removal); p.StatusCode != http.StatusOK {
		t.Fatal(p.Status)
	}
	works(t, b, text(t, tokens, "access_token"), false)
	works(t, b, text(t, others, "access_token"), true)
	p, _ := b.refresh(text(t, tokens, "refresh_token"))
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, _ = b.token("client_id", "std", "code", code)
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	told(t, w, b.get(openID("prompt", "none")), "consent_required")

	bob := w.newBrowser().signIn("bob@example.com", bobPass)
	bob.allow("client_id", "std", "scope", "openid military")
	if p := bob.submit(removal); p.StatusCode != http.StatusForbidden { // the form is alice's
		t.Errorf("a form of alice in bob's browser: %s", p.Status)
	}
	if answer := response(t, bob.get(openID("prompt", "none"))); answer.Get("code") == "" {
		t.Errorf("bob's consent is gone: %v", answer)
	}
}

func TestConsentScreenNamesWhoAsks(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	for _, name := range []string{"Bonafide", "G\u043e\u043egle", "<b>Bank</b>", `"><script>alert(1)</script>`, "{{.}}", strings.Repeat("W", 120), "\u682a\u5f0f\u4f1a\u793e\u3000\u4f8b", "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"} {
		client := provider.Client{ID: "spoof", Name: name, Secret: clientSecret, RedirectURIs: []string{"https://phish.test/cb"}}
		if err := w.SaveClient(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		w.advance(2 * time.Second)
		p := w.alice().open(authorizeURL("client_id", "spoof", "redirect_uri", "https://phish.test/cb"))
		shown(t, p, http.StatusOK)
		if !strings.Contains(p.body, `<bdi dir="ltr">phish.test</bdi>`) {
			t.Errorf("%q: the screen does not tell where it leads", name)
		}
		if strings.Contains(p.body, "<b>Bank") || strings.Contains(p.body, "<script>alert") {
			t.Errorf("%q is not shown as text", name)
		}
	}
	// What was registered before names were held to one direction.
	record, err := w.store.Client(t.Context(), "spoof")
	w.ok(err)
	for _, name := range []string{"\u202eelgooG", "a\u2028b"} {
		record.Name = name
		w.ok(w.store.SaveClient(t.Context(), record))
		w.advance(2 * time.Second)
		p := w.alice().open(authorizeURL("client_id", "spoof", "redirect_uri", "https://phish.test/cb"))
		if shown(t, p, http.StatusOK); strings.ContainsAny(p.body, "\u202e\u2028") {
			t.Errorf("%q is not shown as text of its own direction", name)
		}
		record, err = w.store.Client(t.Context(), "spoof")
		w.ok(err)
	}
	for _, name := range []string{"a\nb", "a\x00b", strings.Repeat("W", 10_000), "a\xffb", "\u200b", " ", "\u202eelgooG", "a\u2028b", "a\u0085b", "a\u061cb", "\u2066moc.knab\u2069", "\u200fa"} {
		if err := w.SaveClient(t.Context(), provider.Client{ID: "spoof", Name: name, RedirectURIs: []string{callbackURI}}); err == nil {
			t.Errorf("registered the name %.20q", name)
		}
	}
}
