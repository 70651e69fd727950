package provider_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// withSecretive is a fixture whose scope student releases what no other does, and whose
// standard client lets users leave out these scopes.
func withSecretive(t *testing.T, optional ...string) *fixture {
	t.Helper()
	w := newFixture(t, func(c *provider.Config) {
		c.Attributes = []provider.Attribute{{Handle: "ssn", Name: "Social security number"}}
		c.Scopes = provider.DefaultScopes()
		for i := range c.Scopes {
			if c.Scopes[i].Name == "student" {
				c.Scopes[i].Attributes = append(slices.Clone(c.Scopes[i].Attributes), "ssn")
			}
		}
	}).withClients().withUsers()
	w.ok(w.SetAttributes(t.Context(), "alice", map[string]any{"ssn": secretNumber}))
	w.ok(w.SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
	w.letLeaveOut(optional...)
	return w
}

const (
	secretNumber = "123-45-6789"
	bothScopes   = "openid military student"
)

// letLeaveOut registers the standard client with these optional scopes.
func (w *fixture) letLeaveOut(scopes ...string) {
	w.t.Helper()
	c, err := w.Client(w.t.Context(), "std")
	w.ok(err)
	c.OptionalScopes = scopes
	w.ok(w.SaveClient(w.t.Context(), c))
	w.advance(2 * time.Second)
}

// allowOnly allows what a consent screen asks for, and of what can be left out these scopes.
func (b *browser) allowOnly(p page, scopes ...string) page {
	b.t.Helper()
	action, fields := p.form(b.t)
	fields.Set("action", "allow")
	fields["scope"] = scopes
	return b.follow(b.post(action, fields))
}

// exchanged exchanges the code of an answer.
func (b *browser) exchanged(p page) map[string]any {
	b.t.Helper()
	got, tokens := b.token(std("code", response(b.t, p).Get("code"))...)
	granted(b.t, got, tokens)
	return tokens
}

// tells returns all that a token response leads to.
func (b *browser) tells(tokens map[string]any) string {
	b.t.Helper()
	told := ""
	for range 2 {
		access := text(b.t, tokens, "access_token")
		told += b.bearer(attributesPath, access).body
		if id, ok := tokens["id_token"].(string); ok {
			_, claims := jwt(b.t, id)
			told += fmt.Sprint(claims) + b.bearer(userinfoPath, access).body
		}
		refresh, ok := tokens["refresh_token"].(string)
		if !ok {
			break
		}
		_, tokens = b.refresh(refresh)
	}
	return told
}

func TestOptionalScopes(t *testing.T) {
	t.Parallel()
	t.Run("WhatIsTakenBackIsTakenFromTokens", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		before := b.exchanged(b.allowOnly(p, "student"))
		if !strings.Contains(b.tells(before), secretNumber) {
			t.Fatal("what was allowed is not released")
		}
		before = b.exchanged(b.open(authorizeURL(std("scope", bothScopes)...)))
		p, _ = b.asked("scope", bothScopes, "prompt", "consent")
		after := b.exchanged(b.allowOnly(p))
		w.advance(2 * time.Second)
		if told := b.bearer(attributesPath, text(t, before, "access_token")); told.StatusCode != http.StatusUnauthorized {
			t.Errorf("a token from before: %s", told.Status)
		}
		if got, _ := b.refresh(text(t, before, "refresh_token")); got.StatusCode == http.StatusOK {
			t.Error("a refresh token from before is good")
		}
		if told := b.tells(after); strings.Contains(told, secretNumber) || !strings.Contains(told, "military") {
			t.Errorf("released: %s", told)
		}
	})
	t.Run("WhatIsLeftOutIsNowhere", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		if !strings.Contains(p.body, `name="scope" value="student"`) || strings.Count(p.body, "Social security number") == 0 {
			t.Fatalf("it cannot be left out:\n%s", p.body)
		}
		tokens := b.exchanged(b.allowOnly(p))
		if tokens["scope"] != "openid military" {
			t.Errorf("scope %v", tokens["scope"])
		}
		told := b.tells(tokens)
		if strings.Contains(told, secretNumber) || strings.Contains(told, "student") || !strings.Contains(told, "alice@example.com") {
			t.Errorf("told %s", told)
		}
		got, _ := b.refresh(text(t, tokens, "refresh_token"), "scope", bothScopes)
		if got.StatusCode == http.StatusOK {
			t.Errorf("refreshed to more: %s", got.body)
		}
		c, err := w.store.Consent(t.Context(), "alice", "std")
		w.ok(err)
		if !slices.Equal(c.LeftOut, []string{"student"}) || slices.Contains(c.Scopes, "student") || slices.Contains(c.Attributes, "ssn") || slices.Contains(c.Groups, "student") {
			t.Errorf("recorded %+v", c)
		}
		if apps := b.get("/account/apps"); strings.Contains(apps.body, "Social security number") {
			t.Error("the account says that it was allowed")
		}
	})

	t.Run("TheScreenSaysOnceWhatEachReleases", func(t *testing.T) {
		b := withSecretive(t, "student", "offline_access").alice()
		p, _ := b.asked("scope", bothScopes+" offline_access")
		required, optional, found := strings.Cut(p.body, `id="options"`)
		if !found || strings.Contains(required, "Social security number") || !strings.Contains(required, "alice@example.com") {
			t.Errorf("what is required:\n%s", required)
		}
		if n := strings.Count(optional, "checked"); n != 0 || strings.Count(optional, secretNumber) != 1 || strings.Contains(optional, "alice@example.com") {
			t.Errorf("what is optional, %d ticked:\n%s", n, optional)
		}
		if n := strings.Count(p.body, "Keep access when you’re not using"); n != 1 {
			t.Errorf("going offline is told %d times", n)
		}
	})

	t.Run("WhatWasAllowedBeforeIsTickedAndNamed", func(t *testing.T) {
		w := withSecretive(t, "student", "teacher")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes+" teacher")
		b.allowOnly(p, "student")
		p, _ = b.asked("scope", bothScopes+" teacher", "prompt", "consent")
		sentence, options, _ := strings.Cut(p.body, `id="options"`)
		if !strings.Contains(sentence, "still ticked below: “Student status”.") || strings.Contains(sentence, "Teacher status") {
			t.Errorf("the sentence does not name what is ticked:\n%s", sentence)
		}
		if strings.Count(options, "checked") != 1 || !strings.Contains(options, `value="student" id="option-1" aria-describedby="option-1-what" checked`) {
			t.Errorf("what was allowed is not ticked alone:\n%s", options)
		}
	})

	t.Run("WhatStaysIsReleased", func(t *testing.T) {
		b := withSecretive(t, "student").alice()
		p, _ := b.asked("scope", bothScopes)
		tokens := b.exchanged(b.allowOnly(p, "student"))
		if told := b.tells(tokens); tokens["scope"] != bothScopes || !strings.Contains(told, secretNumber) {
			t.Errorf("scope %v: %s", tokens["scope"], told)
		}
	})

	t.Run("NobodyIsAskedAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		b.allowOnly(p)
		for _, prompt := range []string{"", "none"} {
			tokens := b.exchanged(b.get(authorizeURL(ask("scope", bothScopes, "prompt", prompt)...)))
			if told := b.tells(tokens); tokens["scope"] != "openid military" || strings.Contains(told, secretNumber) {
				t.Errorf("prompt=%s: scope %v: %s", prompt, tokens["scope"], told)
			}
		}
		if p, asked := b.asked("scope", bothScopes+" identity"); !asked || !strings.Contains(p.body, `value="student"`) || strings.Contains(p.body, `aria-describedby="option-1-what" checked`) {
			t.Error("who is asked for more cannot allow it, or finds it allowed")
		}
	})

	t.Run("OpenIDAloneIsEnough", func(t *testing.T) {
		b := withSecretive(t, "student").alice()
		p, _ := b.asked("scope", "openid student")
		if tokens := b.exchanged(b.allowOnly(p)); tokens["scope"] != "openid" {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("NothingAtAllIsANo", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", "student")
		told(t, w, b.allowOnly(p), "access_denied")
		if n := w.count("consents") + w.count("tokens"); n != 0 {
			t.Errorf("%d rows", n)
		}
		p, _ = b.asked("scope", bothScopes)
		b.allowOnly(p)
		if _, asked := b.asked("scope", "student"); !asked {
			t.Error("a request of which nothing remains is answered")
		}
	})

	t.Run("PromptConsentAsksAgainAndCanAllowIt", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		b.allowOnly(p)
		p, asked := b.asked("scope", bothScopes, "prompt", "consent")
		if !asked {
			t.Fatal("not asked")
		}
		if tokens := b.exchanged(b.allowOnly(p, "student")); !strings.Contains(b.tells(tokens), secretNumber) {
			t.Error("what is allowed after all is not released")
		}
		if c, err := w.store.Consent(t.Context(), "alice", "std"); err != nil || len(c.LeftOut) != 0 {
			t.Errorf("left out %v (%v)", c.LeftOut, err)
		}
		p, _ = b.asked("scope", bothScopes, "prompt", "consent")
		if tokens := b.exchanged(b.allowOnly(p)); tokens["scope"] != "openid military" {
			t.Errorf("taken back: scope %v", tokens["scope"])
		}
		if c, err := w.store.Consent(t.Context(), "alice", "std"); err != nil || slices.Contains(c.Scopes, "student") || slices.Contains(c.Attributes, "ssn") {
			t.Errorf("taken back and still allowed: %+v (%v)", c, err)
		}
	})

	t.Run("WithoutOfflineAccessThereIsNoRefreshToken", func(t *testing.T) {
		b := withSecretive(t, "offline_access").alice()
		p, _ := b.asked("scope", "openid military offline_access")
		if tokens := b.exchanged(b.allowOnly(p)); tokens["refresh_token"] != nil || tokens["scope"] != "openid military" {
			t.Errorf("%v", tokens)
		}
		p, _ = b.asked("scope", "openid military offline_access", "prompt", "consent")
		if tokens := b.exchanged(b.allowOnly(p, "offline_access")); tokens["refresh_token"] == nil {
			t.Errorf("%v", tokens)
		}
	})

	t.Run("UnderAnotherNameAllIsAskedAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		b.allowOnly(p)
		c, err := w.Client(t.Context(), "std")
		w.ok(err)
		c.Name = "Your Bank"
		w.ok(w.SaveClient(t.Context(), c))
		w.advance(2 * time.Second)
		if p, asked := b.asked("scope", bothScopes); !asked || !strings.Contains(p.body, `value="student"`) || strings.Contains(p.body, "checked") {
			t.Error("a decision about another application counts")
		}
	})
}

func TestAttackOptionalScopes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		posted []string
		scope  string
	}{
		"WhatIsRequiredIsNotLeftOut":      {[]string{"student"}, bothScopes},
		"WhatWasNotAskedForIsNotAllowed":  {[]string{"identity", "teacher", "offline_access"}, "openid military"},
		"OneOfThemTwiceIsOne":             {[]string{"student", "student"}, bothScopes},
		"ScopesInOneValueAreNone":         {[]string{"student identity"}, "openid military"},
		"AnotherSpellingIsAnother":        {[]string{"Student", " student"}, "openid military"},
		"WhatIsOptionalAndNotAskedForToo": {[]string{"student", "teacher"}, bothScopes},
	} {
		t.Run(name, func(t *testing.T) {
			b := withSecretive(t, "student", "teacher").alice()
			p, _ := b.asked("scope", bothScopes)
			if tokens := b.exchanged(b.allowOnly(p, c.posted...)); tokens["scope"] != c.scope {
				t.Errorf("scope %v, want %s", tokens["scope"], c.scope)
			}
		})
	}

	t.Run("NoOtherFieldIsGivenTwice", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		for _, field := range []string{"action", "user", "terms", "flow"} {
			p, _ := b.asked("scope", bothScopes)
			action, fields := p.form(t)
			fields.Set("action", "allow")
			fields[field] = append(fields[field], fields.Get(field))
			shown(t, b.post(action, fields), http.StatusBadRequest)
		}
		if n := w.count("consents"); n != 0 {
			t.Errorf("%d decisions", n)
		}
	})

	t.Run("OfTwoTabsTheLaterDecisionCounts", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		first, _ := b.asked("scope", bothScopes, "state", "one")
		second, _ := b.asked("scope", bothScopes, "state", "two")
		if tokens := b.exchanged(b.allowOnly(first, "student")); tokens["scope"] != bothScopes {
			t.Errorf("the first: scope %v", tokens["scope"])
		}
		if tokens := b.exchanged(b.allowOnly(second)); tokens["scope"] != "openid military" {
			t.Errorf("the second: scope %v", tokens["scope"])
		}
		if c, err := w.store.Consent(t.Context(), "alice", "std"); err != nil || slices.Contains(c.Scopes, "student") {
			t.Errorf("%+v (%v)", c, err)
		}
	})

	t.Run("ATabThatLeavesItOutGetsNoneByTheYesOfAnother", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		first, _ := b.asked("scope", bothScopes, "state", "one")
		second, _ := b.asked("scope", bothScopes, "state", "two")
		action, fields := first.form(t)
		fields.Set("action", "allow")
		onItsWay := b.post(action, fields).Header.Get("Location")
		b.allowOnly(second, "student")
		if tokens := b.exchanged(b.open(onItsWay)); tokens["scope"] != "openid military" {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("ATabThatAllowsItGetsNoneAfterTheNoOfAnother", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		first, _ := b.asked("scope", bothScopes, "state", "one")
		second, _ := b.asked("scope", bothScopes, "state", "two")
		action, fields := first.form(t)
		fields.Set("action", "allow")
		fields.Set("scope", "student")
		onItsWay := b.post(action, fields).Header.Get("Location")
		b.allowOnly(second)
		if tokens := b.exchanged(b.open(onItsWay)); tokens["scope"] != "openid military" {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("WhatHasBecomeRequiredIsShownAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		w.letLeaveOut()
		again := b.allowOnly(p)
		shown(t, again, http.StatusOK)
		if strings.Contains(again.body, `value="student"`) || w.count("consents")+w.count("grants") != 0 {
			t.Error("decided by a screen that said otherwise")
		}
		if tokens := b.exchanged(b.allowOnly(again)); tokens["scope"] != bothScopes {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("WhatHasBecomeRequiredSinceIsAskedAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		b.allowOnly(p)
		w.letLeaveOut()
		told(t, w, b.get(authorizeURL(ask("scope", bothScopes, "prompt", "none")...)), "consent_required")
	})
}

func TestJWTBearerHasNothingThatIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.OptionalScopes = []string{"student"}
	w.ok(w.SaveClient(t.Context(), c))
	b := w.alice()
	b.allowOnly(b.open(authorizeURL("client_id", "key", "scope", bothScopes)))
	p, body := b.bearerToken(w.assertionAbout("alice"), "scope", bothScopes)
	granted(t, p, body)
	if body["scope"] != "openid military" {
		t.Errorf("scope %v", body["scope"])
	}
	p, _ = b.bearerToken(w.assertionAbout("alice"), "scope", "student")
	refused(t, p, http.StatusBadRequest, "invalid_grant")
	c, err = w.Client(t.Context(), "key")
	w.ok(err)
	c.SkipConsent = true // the host's own has all but what its user has refused it
	w.ok(w.SaveClient(t.Context(), c))
	w.advance(2 * time.Second)
	if _, body := b.bearerToken(w.assertionAbout("alice"), "scope", bothScopes); body["scope"] != "openid military" {
		t.Errorf("of the host's own: scope %v", body["scope"])
	}
}

func TestOptionalScopesOfARegistration(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for name, c := range map[string]struct {
		change func(*provider.Client)
		field  string
	}{
		"Offline":         {func(c *provider.Client) { c.OptionalScopes = []string{"offline_access", "student"} }, ""},
		"AmongThoseNamed": {func(c *provider.Client) { c.Scopes, c.OptionalScopes = []string{"student"}, []string{"student"} }, ""},
		"NotAmongThose":   {func(c *provider.Client) { c.Scopes, c.OptionalScopes = []string{"military"}, []string{"student"} }, "OptionalScopes[0]"},
		"Unknown":         {func(c *provider.Client) { c.OptionalScopes = []string{"student", "unknown"} }, "OptionalScopes[1]"},
		"OpenID":          {func(c *provider.Client) { c.OptionalScopes = []string{"openid"} }, "OptionalScopes[0]"},
		"Twice":           {func(c *provider.Client) { c.OptionalScopes = []string{"student", "student"} }, "OptionalScopes[1]"},
		"InV3":            {func(c *provider.Client) { c.Dialect, c.OptionalScopes = provider.V3, []string{"student"} }, "OptionalScopes"},
		"AndVerified":     {func(c *provider.Client) { c.RequireVerified, c.OptionalScopes = true, []string{"student"} }, "OptionalScopes[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			client := provider.Client{ID: "app", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}}
			c.change(&client)
			var wrong *provider.FieldError
			err := w.SaveClient(t.Context(), client)
			if c.field == "" {
				w.ok(err)
				if got, err := w.Client(t.Context(), "app"); err != nil || !slices.Equal(got.OptionalScopes, client.OptionalScopes) {
					t.Errorf("read back as %v (%v)", got.OptionalScopes, err)
				}
			} else if !errors.As(err, &wrong) || wrong.Field != c.field {
				t.Errorf("%v, want one of %s", err, c.field)
			}
		})
	}
}
