package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestConsent(t *testing.T) {
	t.Parallel()
	t.Run("GrantsWhatWasAskedWhateverTheFormSays", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		action, fields := b.Open(openID()).Form(t)
		fields.Set("action", "allow")
		for name, value := range map[string]string{
			"scope": "openid military identity student", "scopes": "identity", "client_id": "std2", "redirect_uri": "https://evil.test/", "response_type": "token",
			"user_id": "bob", "sub": "bob", "grant": "all", "state": "evil", "skip_consent": "true",
		} {
			fields.Set(name, value)
		}
		p := b.Follow(b.Post(action, fields))
		answer := lab.Response(t, p)
		if !strings.HasPrefix(p.Header.Get("Location"), lab.CallbackURI+"?code=") || answer.Get("state") != "xyz" || answer.Has("access_token") {
			t.Fatalf("answered %q", p.Header.Get("Location"))
		}
		_, tokens := b.Token("client_id", "std", "code", answer.Get("code"))
		_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
		if claims["sub"] != "alice" || claims["aud"] != "std" {
			t.Errorf("claims %v", claims)
		}
		if scope, ok := tokens["scope"].(string); ok && scope != "openid military" {
			t.Errorf("scope %q", scope)
		}
		lab.Told(t, w, b.Get(openID("scope", "openid identity", "prompt", "none")), "consent_required")
	})

	t.Run("OfAnotherBrowserOrSiteIsRefused", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b, bob := w.Alice(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		action, alices := b.Open(openID()).Form(t)
		_, bobs := bob.Open(openID()).Form(t)
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
			p := b.Send(http.MethodPost, action, body.Encode(), c.header...)
			lab.Shown(t, p, c.status)
			if t.Failed() {
				t.Fatal(name)
			}
		}
		if n := w.Count("consents") + w.Count("grants"); n != 0 {
			t.Errorf("%d rows were written", n)
		}
	})

	t.Run("ByTwentyAtOnceHasOneAnswer", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		action, fields := b.Open(openID()).Form(t)
		fields.Set("action", "allow")
		pages := lab.Race(20, func(int) lab.Page { return b.Follow(b.Post(action, fields)) })
		codes := 0
		for _, p := range pages {
			switch {
			case strings.Contains(p.Header.Get("Location"), "code="):
				codes++
			default:
				lab.Shown(t, p, http.StatusOK)
			}
		}
		if codes != 1 || w.Count("grants") != 1 {
			t.Errorf("%d codes, %d grants", codes, w.Count("grants"))
		}
	})

	t.Run("DeniedGivesNothingAndIsTheAnswer", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		for _, action := range []string{"deny", "", "ALLOW", "allow ", "allow\x01"} {
			p := b.Open(openID())
			if values := lab.Told(t, w, b.Submit(p, "action", action), "access_denied"); values.Get("state") != "xyz" {
				t.Errorf("answered %v", values)
			}
			// Going back and deciding otherwise would answer a second time.
			for _, other := range []string{"deny", "allow"} {
				lab.Shown(t, b.Submit(p, "action", other), http.StatusOK)
			}
		}
		if w.Count("tokens") != 0 {
			t.Error("something was granted")
		}
		if answer := lab.Response(t, b.Submit(b.Open(openID("prompt", "consent")), "action", "allow")); answer.Get("code") == "" {
			t.Errorf("a decision about another request is answered %v", answer)
		}
	})

	t.Run("AllowedCannotBeDeniedAfterwards", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		p := b.Open(openID())
		answer := lab.Response(t, b.Submit(p, "action", "allow"))
		lab.Shown(t, b.Submit(p, "action", "deny"), http.StatusOK)
		if got, _ := b.Token(lab.Std("code", answer.Get("code"))...); got.StatusCode != http.StatusOK {
			t.Errorf("the code: %s %s", got.Status, got.Text)
		}
		if w.Saw(event.Denied) {
			t.Error("the trail tells of a denial")
		}
	})

	t.Run("ShownToAliceIsNotDecidedByBob", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		old := b.Open(openID())
		b.Post("/signout", lab.SignOutForm(t, b))
		b.SignIn("bob@example.com", lab.BobPass)
		p := b.Submit(old, "action", "allow")
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "bob@example.com") || strings.Contains(p.Text, "alice@example.com") {
			t.Fatalf("not asked again for bob: %s", p.Status)
		}
		if w.Count("consents") != 0 {
			t.Fatal("bob has decided by alice's form")
		}
		code := lab.Response(t, b.Submit(p, "action", "allow")).Get("code")
		if subject := b.Subject(code, "std", lab.ClientSecret, lab.CallbackURI); subject != "bob" {
			t.Errorf("code for %s", subject)
		}
	})

	t.Run("AfterSignOutAsksToSignIn", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		old := b.Open(openID())
		b.Post("/signout", lab.SignOutForm(t, b))
		if p := b.Submit(old, "action", "allow"); p.Request.URL.Path != "/signin" || w.Count("consents") != 0 {
			t.Errorf("leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("OfTwoTabsGoesToTheApplicationOfEach", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser()
		first := b.Open(openID("state", "one"))
		second := b.Open(lab.AuthorizeURL("client_id", "std2", "redirect_uri", "https://other.test/cb", "scope", "openid military", "state", "two"))
		// Signing in in the second tab serves the first as well, each for its own application.
		second = b.Submit(second, "email", "alice@example.com", "password", lab.AlicePass)
		first = b.Submit(first, "email", "alice@example.com", "password", lab.AlicePass)
		for _, c := range []struct {
			page          lab.Page
			prefix, state string
		}{{first, lab.CallbackURI + "?", "one"}, {second, "https://other.test/cb?", "two"}} {
			p := b.Submit(c.page, "action", "allow")
			if !strings.HasPrefix(p.Header.Get("Location"), c.prefix) || lab.Response(t, p).Get("state") != c.state {
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
			w, b := lab.WithAlice(t)
			p := b.Open(openID())
			client := provider.Client{ID: "std", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}}
			c.change(&client)
			testkit.OK(t, w.Clients().Save(t.Context(), client))
			flow := p.Request.URL.Query().Get("flow")
			p = b.Submit(p, "action", "allow")
			if c.error == "" {
				lab.Shown(t, p, http.StatusBadRequest)
			} else {
				lab.Told(t, w, p, c.error)
			}
			if w.Count("tokens") != 0 {
				t.Error("granted")
			}
			if c.error == "" {
				return
			}
			client = provider.Client{ID: "std", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}}
			w.OK(w.Clients().Save(t.Context(), client))
			if again := b.Follow(b.Get(resume(flow))); again.Header.Get("Location") != "" || w.Count("tokens") != 0 {
				t.Errorf("answered again when it was changed back: %s", again.Header.Get("Location"))
			}
		})
	}
	t.Run("ScopeRemovedAfterTheAnswer", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		p := b.Open(openID())
		b.Submit(p, "action", "allow")
		client := provider.Client{ID: "std", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"identity"}}
		w.OK(w.Clients().Save(t.Context(), client))
		lab.Shown(t, b.Submit(p, "action", "allow"), http.StatusOK)
		w.Advance(2 * time.Hour)
		lab.Shown(t, b.Submit(p, "action", "allow"), http.StatusBadRequest)
	})
	t.Run("Deleted", func(t *testing.T) {
		w, b := lab.WithAlice(t)
		p := b.Open(openID())
		testkit.OK(t, w.Clients().Delete(t.Context(), "std", 0))
		lab.Shown(t, b.Submit(p, "action", "allow"), http.StatusBadRequest)
	})
}

func TestConsentTakenBack(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	tokens, others := b.StandardTokens(), b.V3Tokens()
	code := b.Allow("client_id", "std", "scope", "openid military").Get("code")
	removal := b.Get("/account/apps/remove?client_id=std")
	if p := b.Submit(removal); p.StatusCode != http.StatusOK {
		t.Fatal(p.Status)
	}
	lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
	lab.Works(t, b, lab.Member(t, others, "access_token"), true)
	p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	p, _ = b.Token("client_id", "std", "code", code)
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	lab.Told(t, w, b.Get(openID("prompt", "none")), "consent_required")

	bob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	bob.Allow("client_id", "std", "scope", "openid military")
	if p := bob.Submit(removal); p.StatusCode != http.StatusForbidden { // the form is alice's
		t.Errorf("a form of alice in bob's browser: %s", p.Status)
	}
	if answer := lab.Response(t, bob.Get(openID("prompt", "none"))); answer.Get("code") == "" {
		t.Errorf("bob's consent is gone: %v", answer)
	}
}

func TestConsentScreenNamesWhoAsks(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	for _, name := range []string{"Bonafide", "G\u043e\u043egle", "<b>Bank</b>", `"><script>alert(1)</script>`, "{{.}}", strings.Repeat("W", 120), "\u682a\u5f0f\u4f1a\u793e\u3000\u4f8b", "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"} {
		client := provider.Client{ID: "spoof", Dialect: provider.V3, Name: name, Secret: lab.ClientSecret, RedirectURIs: []string{"https://phish.test/cb"}}
		if err := w.Clients().Save(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		w.Advance(2 * time.Second)
		p := w.Alice().Open(lab.AuthorizeURL("client_id", "spoof", "redirect_uri", "https://phish.test/cb"))
		lab.Shown(t, p, http.StatusOK)
		if !strings.Contains(p.Text, `<bdi dir="ltr">phish.test</bdi>`) {
			t.Errorf("%q: the screen does not tell where it leads", name)
		}
		if strings.Contains(p.Text, "<b>Bank") || strings.Contains(p.Text, "<script>alert") {
			t.Errorf("%q is not shown as text", name)
		}
	}
	// What was registered before names were held to one direction.
	record, err := w.Store.Client(t.Context(), "spoof")
	w.OK(err)
	for _, name := range []string{"\u202eelgooG", "a\u2028b"} {
		record.Name = name
		w.OK(w.Store.SaveClient(t.Context(), record))
		w.Advance(2 * time.Second)
		p := w.Alice().Open(lab.AuthorizeURL("client_id", "spoof", "redirect_uri", "https://phish.test/cb"))
		if lab.Shown(t, p, http.StatusOK); strings.ContainsAny(p.Text, "\u202e\u2028") {
			t.Errorf("%q is not shown as text of its own direction", name)
		}
		record, err = w.Store.Client(t.Context(), "spoof")
		w.OK(err)
	}
	for _, name := range []string{"a\nb", "a\x00b", strings.Repeat("W", 10_000), "a\xffb", "\u200b", " ", "\u202eelgooG", "a\u2028b", "a\u0085b", "a\u061cb", "\u2066moc.knab\u2069", "\u200fa"} {
		if err := w.Clients().Save(t.Context(), provider.Client{ID: "spoof", Dialect: provider.V3, Name: name, RedirectURIs: []string{lab.CallbackURI}}); err == nil {
			t.Errorf("registered the name %.20q", name)
		}
	}
}
