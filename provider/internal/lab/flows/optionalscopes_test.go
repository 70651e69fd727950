package flows

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// withSecretive is a fixture whose scope student releases what no other does, and whose
// standard client lets users leave out these scopes.
func withSecretive(t *testing.T, optional ...string) *lab.Fixture {
	t.Helper()
	w := lab.New(t, func(c *provider.Config) {
		c.Attributes = []catalogue.Attribute{{Handle: "ssn", Name: "Social security number"}}
		c.Scopes = catalogue.DefaultScopes()
		for i := range c.Scopes {
			if c.Scopes[i].Name == "student" {
				c.Scopes[i].Attributes = append(slices.Clone(c.Scopes[i].Attributes), "ssn")
			}
		}
	}).WithClients().WithUsers()
	w.OK(w.People().SetAttributes(t.Context(), "alice", map[string]any{"ssn": secretNumber}))
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
	w.LetLeaveOut(optional...)
	return w
}

const (
	secretNumber = "123-45-6789"
)

func TestOptionalScopes(t *testing.T) {
	t.Parallel()
	t.Run("WhatIsTakenBackIsTakenFromTokens", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		before := b.Exchanged(b.AllowOnly(p, "student"))
		if !strings.Contains(b.Tells(before), secretNumber) {
			t.Fatal("what was allowed is not released")
		}
		before = b.Exchanged(b.Open(lab.AuthorizeURL(lab.Std("scope", lab.BothScopes)...)))
		p, _ = b.Asked("scope", lab.BothScopes, "prompt", "consent")
		after := b.Exchanged(b.AllowOnly(p))
		w.Advance(2 * time.Second)
		if told := b.Bearer(lab.AttributesPath, lab.Member(t, before, "access_token")); told.StatusCode != http.StatusUnauthorized {
			t.Errorf("a token from before: %s", told.Status)
		}
		if got, _ := b.Refresh(lab.Member(t, before, "refresh_token")); got.StatusCode == http.StatusOK {
			t.Error("a refresh token from before is good")
		}
		if told := b.Tells(after); strings.Contains(told, secretNumber) || !strings.Contains(told, "military") {
			t.Errorf("released: %s", told)
		}
	})
	t.Run("WhatIsLeftOutIsNowhere", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		if !strings.Contains(p.Text, `name="scope" value="student"`) || strings.Count(p.Text, "Social security number") == 0 {
			t.Fatalf("it cannot be left out:\n%s", p.Text)
		}
		tokens := b.Exchanged(b.AllowOnly(p))
		if tokens["scope"] != "openid military" {
			t.Errorf("scope %v", tokens["scope"])
		}
		told := b.Tells(tokens)
		if strings.Contains(told, secretNumber) || strings.Contains(told, "student") || !strings.Contains(told, "military") {
			t.Errorf("told %s", told)
		}
		got, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"), "scope", lab.BothScopes)
		if got.StatusCode == http.StatusOK {
			t.Errorf("refreshed to more: %s", got.Text)
		}
		c := testkit.Must(w.Store.Consent(t.Context(), "alice", "std"))(w.T)
		if !slices.Equal(c.LeftOut, []string{"student"}) || slices.Contains(c.Scopes, "student") || slices.Contains(c.Attributes, "ssn") || slices.Contains(c.Groups, "student") {
			t.Errorf("recorded %+v", c)
		}
		if apps := b.Get("/account/apps"); strings.Contains(apps.Text, "Social security number") {
			t.Error("the account says that it was allowed")
		}
	})

	t.Run("TheScreenSaysOnceWhatEachReleases", func(t *testing.T) {
		b := withSecretive(t, "student", "offline_access").Alice()
		p, _ := b.Asked("scope", lab.BothScopes+" offline_access")
		required, optional, found := strings.Cut(p.Text, `id="options"`)
		if !found || strings.Contains(required, "Social security number") || !strings.Contains(required, "alice@example.com") {
			t.Errorf("what is required:\n%s", required)
		}
		if n := strings.Count(optional, "checked"); n != 0 || strings.Count(optional, secretNumber) != 1 || strings.Contains(optional, "alice@example.com") {
			t.Errorf("what is optional, %d ticked:\n%s", n, optional)
		}
		if n := strings.Count(p.Text, "Keep access when you’re not using"); n != 1 {
			t.Errorf("going offline is told %d times", n)
		}
	})

	t.Run("WhatWasAllowedBeforeIsTickedAndNamed", func(t *testing.T) {
		w := withSecretive(t, "student", "teacher")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes+" teacher")
		b.AllowOnly(p, "student")
		p, _ = b.Asked("scope", lab.BothScopes+" teacher", "prompt", "consent")
		sentence, options, _ := strings.Cut(p.Text, `id="options"`)
		if !strings.Contains(sentence, "still ticked below: “Student status”.") || strings.Contains(sentence, "Teacher status") {
			t.Errorf("the sentence does not name what is ticked:\n%s", sentence)
		}
		if strings.Count(options, "checked") != 1 || !strings.Contains(options, `value="student" id="option-1" aria-describedby="option-1-what" checked`) {
			t.Errorf("what was allowed is not ticked alone:\n%s", options)
		}
	})

	t.Run("WhatStaysIsReleased", func(t *testing.T) {
		b := withSecretive(t, "student").Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		tokens := b.Exchanged(b.AllowOnly(p, "student"))
		if told := b.Tells(tokens); tokens["scope"] != lab.BothScopes || !strings.Contains(told, secretNumber) {
			t.Errorf("scope %v: %s", tokens["scope"], told)
		}
	})

	t.Run("NobodyIsAskedAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		b.AllowOnly(p)
		for _, prompt := range []string{"", "none"} {
			tokens := b.Exchanged(b.Get(lab.AuthorizeURL(lab.Ask("scope", lab.BothScopes, "prompt", prompt)...)))
			if told := b.Tells(tokens); tokens["scope"] != "openid military" || strings.Contains(told, secretNumber) {
				t.Errorf("prompt=%s: scope %v: %s", prompt, tokens["scope"], told)
			}
		}
		if p, asked := b.Asked("scope", lab.BothScopes+" identity"); !asked || !strings.Contains(p.Text, `value="student"`) || strings.Contains(p.Text, `aria-describedby="option-1-what" checked`) {
			t.Error("who is asked for more cannot allow it, or finds it allowed")
		}
	})

	t.Run("OpenIDAloneIsEnough", func(t *testing.T) {
		b := withSecretive(t, "student").Alice()
		p, _ := b.Asked("scope", "openid student")
		if tokens := b.Exchanged(b.AllowOnly(p)); tokens["scope"] != "openid" {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("NothingAtAllIsANo", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", "student")
		lab.Told(t, w, b.AllowOnly(p), "access_denied")
		if n := w.Count("consents") + w.Count("tokens"); n != 0 {
			t.Errorf("%d rows", n)
		}
		p, _ = b.Asked("scope", lab.BothScopes)
		b.AllowOnly(p)
		if _, asked := b.Asked("scope", "student"); !asked {
			t.Error("a request of which nothing remains is answered")
		}
	})

	t.Run("PromptConsentAsksAgainAndCanAllowIt", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		b.AllowOnly(p)
		p, asked := b.Asked("scope", lab.BothScopes, "prompt", "consent")
		if !asked {
			t.Fatal("not asked")
		}
		if tokens := b.Exchanged(b.AllowOnly(p, "student")); !strings.Contains(b.Tells(tokens), secretNumber) {
			t.Error("what is allowed after all is not released")
		}
		if c, err := w.Store.Consent(t.Context(), "alice", "std"); err != nil || len(c.LeftOut) != 0 {
			t.Errorf("left out %v (%v)", c.LeftOut, err)
		}
		p, _ = b.Asked("scope", lab.BothScopes, "prompt", "consent")
		if tokens := b.Exchanged(b.AllowOnly(p)); tokens["scope"] != "openid military" {
			t.Errorf("taken back: scope %v", tokens["scope"])
		}
		if c, err := w.Store.Consent(t.Context(), "alice", "std"); err != nil || slices.Contains(c.Scopes, "student") || slices.Contains(c.Attributes, "ssn") {
			t.Errorf("taken back and still allowed: %+v (%v)", c, err)
		}
	})

	t.Run("WithoutOfflineAccessThereIsNoRefreshToken", func(t *testing.T) {
		b := withSecretive(t, "offline_access").Alice()
		p, _ := b.Asked("scope", "openid military offline_access")
		if tokens := b.Exchanged(b.AllowOnly(p)); tokens["refresh_token"] != nil || tokens["scope"] != "openid military" {
			t.Errorf("%v", tokens)
		}
		p, _ = b.Asked("scope", "openid military offline_access", "prompt", "consent")
		if tokens := b.Exchanged(b.AllowOnly(p, "offline_access")); tokens["refresh_token"] == nil {
			t.Errorf("%v", tokens)
		}
	})

	t.Run("UnderAnotherNameAllIsAskedAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		b.AllowOnly(p)
		c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		c.Name = "Your Bank"
		w.OK(w.Clients().Save(t.Context(), c))
		w.Advance(2 * time.Second)
		if p, asked := b.Asked("scope", lab.BothScopes); !asked || !strings.Contains(p.Text, `value="student"`) || strings.Contains(p.Text, "checked") {
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
		"WhatIsRequiredIsNotLeftOut":      {[]string{"student"}, lab.BothScopes},
		"WhatWasNotAskedForIsNotAllowed":  {[]string{"identity", "teacher", "offline_access"}, "openid military"},
		"OneOfThemTwiceIsOne":             {[]string{"student", "student"}, lab.BothScopes},
		"ScopesInOneValueAreNone":         {[]string{"student identity"}, "openid military"},
		"AnotherSpellingIsAnother":        {[]string{"Student", " student"}, "openid military"},
		"WhatIsOptionalAndNotAskedForToo": {[]string{"student", "teacher"}, lab.BothScopes},
	} {
		t.Run(name, func(t *testing.T) {
			b := withSecretive(t, "student", "teacher").Alice()
			p, _ := b.Asked("scope", lab.BothScopes)
			if tokens := b.Exchanged(b.AllowOnly(p, c.posted...)); tokens["scope"] != c.scope {
				t.Errorf("scope %v, want %s", tokens["scope"], c.scope)
			}
		})
	}

	t.Run("NoOtherFieldIsGivenTwice", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		for _, field := range []string{"action", "user", "terms", "flow"} {
			p, _ := b.Asked("scope", lab.BothScopes)
			action, fields := p.Form(t)
			fields.Set("action", "allow")
			fields[field] = append(fields[field], fields.Get(field))
			lab.Shown(t, b.Post(action, fields), http.StatusBadRequest)
		}
		if n := w.Count("consents"); n != 0 {
			t.Errorf("%d decisions", n)
		}
	})

	t.Run("OfTwoTabsTheLaterDecisionCounts", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		first, _ := b.Asked("scope", lab.BothScopes, "state", "one")
		second, _ := b.Asked("scope", lab.BothScopes, "state", "two")
		if tokens := b.Exchanged(b.AllowOnly(first, "student")); tokens["scope"] != lab.BothScopes {
			t.Errorf("the first: scope %v", tokens["scope"])
		}
		if tokens := b.Exchanged(b.AllowOnly(second)); tokens["scope"] != "openid military" {
			t.Errorf("the second: scope %v", tokens["scope"])
		}
		if c, err := w.Store.Consent(t.Context(), "alice", "std"); err != nil || slices.Contains(c.Scopes, "student") {
			t.Errorf("%+v (%v)", c, err)
		}
	})

	t.Run("ATabThatLeavesItOutGetsNoneByTheYesOfAnother", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		first, _ := b.Asked("scope", lab.BothScopes, "state", "one")
		second, _ := b.Asked("scope", lab.BothScopes, "state", "two")
		action, fields := first.Form(t)
		fields.Set("action", "allow")
		onItsWay := b.Post(action, fields).Header.Get("Location")
		b.AllowOnly(second, "student")
		if tokens := b.Exchanged(b.Open(onItsWay)); tokens["scope"] != "openid military" {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("ATabThatAllowsItGetsNoneAfterTheNoOfAnother", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		first, _ := b.Asked("scope", lab.BothScopes, "state", "one")
		second, _ := b.Asked("scope", lab.BothScopes, "state", "two")
		action, fields := first.Form(t)
		fields.Set("action", "allow")
		fields.Set("scope", "student")
		onItsWay := b.Post(action, fields).Header.Get("Location")
		b.AllowOnly(second)
		if tokens := b.Exchanged(b.Open(onItsWay)); tokens["scope"] != "openid military" {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("WhatHasBecomeRequiredIsShownAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		w.LetLeaveOut()
		again := b.AllowOnly(p)
		lab.Shown(t, again, http.StatusOK)
		if strings.Contains(again.Text, `value="student"`) || w.Count("consents")+w.Count("grants") != 0 {
			t.Error("decided by a screen that said otherwise")
		}
		if tokens := b.Exchanged(b.AllowOnly(again)); tokens["scope"] != lab.BothScopes {
			t.Errorf("scope %v", tokens["scope"])
		}
	})

	t.Run("WhatHasBecomeRequiredSinceIsAskedAgain", func(t *testing.T) {
		w := withSecretive(t, "student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		b.AllowOnly(p)
		w.LetLeaveOut()
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("scope", lab.BothScopes, "prompt", "none")...)), "consent_required")
	})
}

func TestJWTBearerHasNothingThatIsLeftOut(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c := testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
	c.OptionalScopes = []string{"student"}
	w.OK(w.Clients().Save(t.Context(), c))
	b := w.Alice()
	b.AllowOnly(b.Open(lab.AuthorizeURL("client_id", "key", "scope", lab.BothScopes)))
	p, body := b.BearerToken(w.AssertionAbout("alice"), "scope", lab.BothScopes)
	lab.Granted(t, p, body)
	if body["scope"] != "openid military" {
		t.Errorf("scope %v", body["scope"])
	}
	p, _ = b.BearerToken(w.AssertionAbout("alice"), "scope", "student")
	lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	c = testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
	c.SkipConsent = true // the host's own has all but what its user has refused it
	w.OK(w.Clients().Save(t.Context(), c))
	w.Advance(2 * time.Second)
	if _, body := b.BearerToken(w.AssertionAbout("alice"), "scope", lab.BothScopes); body["scope"] != "openid military" {
		t.Errorf("of the host's own: scope %v", body["scope"])
	}
}

func TestOptionalScopesOfARegistration(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
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
			client := provider.Client{ID: "app", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}}
			c.change(&client)
			var wrong *provider.FieldError
			err := w.Clients().Save(t.Context(), client)
			if c.field == "" {
				w.OK(err)
				if got, err := w.Clients().Get(t.Context(), "app"); err != nil || !slices.Equal(got.OptionalScopes, client.OptionalScopes) {
					t.Errorf("read back as %v (%v)", got.OptionalScopes, err)
				}
			} else if !errors.As(err, &wrong) || wrong.Field != c.field {
				t.Errorf("%v, want one of %s", err, c.field)
			}
		})
	}
}
