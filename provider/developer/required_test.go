package developer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// offered are the values of the required sign-in on a page.
func offered(p page) []string {
	var values []string
	for _, value := range []string{"any", "two_factors", "phishing_resistant"} {
		if strings.Contains(p.body, `id="requires-`+value+`"`) {
			values = append(values, value)
		}
	}
	return values
}

func TestRequiredSignIn(t *testing.T) {
	t.Parallel()
	w := newFixtureAt(t, "localhost")
	// What an operator requires beside the level stays as it is.
	times := provider.Requirement{MaxAge: 15 * time.Minute, Enrolled: 24 * time.Hour}
	for _, env := range []string{storage.Sandbox, storage.Production} {
		w.withApplication(river, env, "shop", func(c *provider.Client) { c.Unreviewed, c.Requires = env == storage.Production, times })
		b, path, before := w.as(dev), "/developer/o/river/"+env+"/shop", "max_age 15m0s, enrolled 24h0m0s"
		p := b.open(path + "/settings")
		says(t, p, http.StatusOK, "asked to add what’s missing")
		if diff := cmp.Diff([]string{"any", "two_factors", "phishing_resistant"}, offered(p)); diff != "" {
			t.Errorf("%s offers (-want +got):\n%s", env, diff)
		}
		for _, step := range []struct {
			word  string
			level provider.Assurance
		}{
			{"two_factors", provider.TwoFactors}, {"phishing_resistant", provider.PhishingResistant}, {"two_factors", provider.TwoFactors}, {"any", provider.AnyAssurance},
		} {
			says(t, b.submit(b.open(path+"/settings"), "requires", step.word, "action", "save"), http.StatusOK, "saved and active")
			want := times
			want.Assurance = step.level
			if got := w.client(env, "shop").Requires; got != want {
				t.Fatalf("%s %s: registered %+v", env, step.word, got)
			}
			after := strings.TrimPrefix(step.word+", max_age 15m0s, enrolled 24h0m0s", "any, ")
			if diff := cmp.Diff([]storage.ChangedField{{Name: "requires", Before: before, After: after}}, w.changes(river)[0].Fields); diff != "" {
				t.Errorf("%s %s is recorded as (-want +got):\n%s", env, step.word, diff)
			}
			before = after
		}
	}
	says(t, w.as(viewer).open("/developer/o/river/activity"), http.StatusOK, "requires", "<del><bdi>phishing_resistant, max_age 15m0s")
}

func TestRequiredSignInStaysWhenAnotherFieldChanges(t *testing.T) {
	t.Parallel()
	for name, required := range map[string]provider.Requirement{
		"OneFactor":   {Assurance: provider.OneFactor, MaxAge: time.Hour},
		"TwoFactors":  {Assurance: provider.TwoFactors, Enrolled: time.Hour},
		"BeyondReach": {Assurance: provider.PhishingResistant}, // of production
	} {
		w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.Requires = required })
		b := w.as(dev)
		p := b.open(shopPath + "/settings")
		says(t, b.submit(p, "name", "Till", "action", "save"), http.StatusOK, "saved and active")
		action, fields := b.open(shopPath+"/settings").form(t, "lean_id_tokens", "on", "action", "save")
		fields.Del("requires") // of a page without the choice
		says(t, b.follow(b.post(action, fields)), http.StatusOK, "saved and active")
		if c := w.client(storage.Sandbox, "shop"); c.Requires != required || c.Name != "Till" || !c.LeanIDTokens {
			t.Errorf("%s: registered %+v", name, c)
		}
	}
}

// What nobody could meet in production is not offered, in the sandbox neither; a form that
// asks for it changes nothing.
func TestAttackRequiredSignInOfNobody(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	w.withApplication(river, storage.Production, "shop", func(c *provider.Client) { c.Unreviewed = true })
	b := w.as(dev)
	unchanged := w.unchanged()
	for _, path := range []string{shopPath, "/developer/o/river/production/shop"} {
		p := b.open(path + "/settings")
		if diff := cmp.Diff([]string{"any", "two_factors"}, offered(p)); diff != "" {
			t.Errorf("%s offers (-want +got):\n%s", path, diff)
		}
		action, fields := p.form(t, "name", "Till", "action", "save")
		for _, forged := range []string{"phishing_resistant", "one_factor", "2", "TWO_FACTORS", "assurance 9", " ", "<b>"} {
			fields.Set("requires", forged)
			again := b.post(action, fields)
			says(t, again, http.StatusUnprocessableEntity, "Nobody can sign in that way here", `id="requires-problem"`, `value="Till"`)
			if strings.Contains(again.body, "<b>") {
				t.Errorf("%q is on the page", forged)
			}
		}
	}
	unchanged("the application")
	// One that is registered there is not copied to where nobody can meet it.
	c := w.client(storage.Sandbox, "shop")
	c.Requires.Assurance = provider.PhishingResistant
	w.ok(w.sandbox.Clients().Save(t.Context(), c))
	unchanged = w.unchanged()
	says(t, b.submit(b.open(shopPath), "action", "copy"), http.StatusUnprocessableEntity, "Requires.Assurance")
	unchanged("production")
}

// Somebody finds a browser open, and has the application take a password again.
func TestAttackRequiredSignInLoweredWithoutAFreshSignIn(t *testing.T) {
	t.Parallel()
	w := newFixtureAt(t, "localhost").withApplication(river, storage.Production, "shop", func(c *provider.Client) {
		c.Unreviewed, c.Requires = true, provider.Requirement{Assurance: provider.PhishingResistant}
	})
	const path = "/developer/o/river/production/shop/settings"
	b := w.as(owner)
	w.advance(10 * time.Minute)
	unchanged := w.unchanged()
	for _, word := range []string{"two_factors", "any"} {
		p := b.submit(b.open(path), "requires", word, "action", "save")
		says(t, p, http.StatusForbidden, "First confirm that it’s you")
		if _, fields := p.form(t, "action", "save"); fields.Get("requires") != word {
			t.Errorf("%s: what was chosen is lost: %q", word, fields.Get("requires"))
		}
	}
	action, fields := b.open(path).form(t, "requires", "any", "action", "save")
	other := w.as(viewer)
	fields.Set("csrf", other.csrfOf(viewer))
	says(t, other.post(action, fields), http.StatusForbidden)
	unchanged("the application")
}

// Of two who change it at once the second is told what the first has saved.
func TestRequiredSignInOfTwoAtOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	first, second := w.as(dev), w.as(owner)
	of1, of2 := first.open(shopPath+"/settings"), second.open(shopPath+"/settings")
	first.submit(of1, "requires", "two_factors", "action", "save")
	p := second.submit(of2, "requires", "any", "name", "Till", "action", "save")
	says(t, p, http.StatusConflict, "This page has changed since you opened it", "Required sign-in", "<bdi>two_factors</bdi>")
	if c := w.client(storage.Sandbox, "shop"); c.Requires.Assurance != provider.TwoFactors || c.Name == "Till" {
		t.Errorf("registered %+v", c)
	}
}

func TestTheOperatorIsShownTheRequiredSignIn(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t, func(c *provider.Client) { c.Requires.Assurance = provider.TwoFactors })
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	b := w.as(operator)
	p := b.open(reviewPath)
	says(t, p, http.StatusOK, "Required sign-in", "two_factors")
	says(t, b.submit(p, "action", "approve"), http.StatusOK, "Approved and in production.")
	i := slices.IndexFunc(w.live(), func(a storage.Application) bool {
		return w.client(storage.Production, a.ClientID).Requires.Assurance == provider.TwoFactors
	})
	if i < 0 {
		t.Error("it is not required in production")
	}
}
