package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// withMarks is a fixture of whose scopes several release the same. Each attribute of alice
// has a value that says which it is: a screen shows, and a token tells, what holds it.
func withMarks(t *testing.T) *lab.Fixture {
	t.Helper()
	w := lab.New(t, func(c *provider.Config) {
		for _, name := range markNames {
			c.Attributes = append(c.Attributes, catalogue.Attribute{Handle: name, Name: "About " + name})
		}
		c.Attributes = append(c.Attributes, catalogue.Attribute{Handle: "pair", Name: "Both", From: []string{"first", "second"}})
		c.Groups = []catalogue.Group{{Name: "military", Subgroups: []string{"Veteran"}}, {Name: "student"}}
		c.Scopes = []catalogue.Scope{
			{Name: "one", Attributes: []string{"first"}}, {Name: "two", Attributes: []string{"first", "second"}, Groups: []string{"student"}},
			{Name: "three", Attributes: []string{"second", "third"}}, {Name: "four", Attributes: []string{"fourth", "first"}},
			{Name: "five", Attributes: []string{"fifth", "pair"}},
		}
	}).WithClients().WithUsers()
	marks := map[string]any{}
	for _, name := range markNames {
		marks[name] = mark(name)
	}
	w.OK(w.People().SetAttributes(t.Context(), "alice", marks))
	w.OK(w.People().SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
	return w
}

var markNames = []string{"first", "second", "third", "fourth", "fifth"}

func mark(name string) string { return "marked-" + name }

// marked returns the attributes whose values a text has.
func marked(text string) (names []string) {
	for _, name := range markNames {
		if strings.Contains(text, mark(name)) {
			names = append(names, name)
		}
	}
	return names
}

// wordsOf returns what a consent screen shows of what is required, and of each option.
func wordsOf(p lab.Page) (required []string, options map[string][]string) {
	parts := strings.Split(p.Text, `<div class="option">`)
	options = map[string][]string{}
	for _, part := range parts[1:] {
		_, scope, _ := strings.Cut(part, `name="scope" value="`)
		scope, _, _ = strings.Cut(scope, `"`)
		options[scope] = marked(part)
	}
	return marked(parts[0]), options
}

// TestWhatIsReleasedIsWhatTheScreenSays compares the words of the consent screen, of what
// is required and of the boxes that are ticked, with all that the tokens lead to.
func TestWhatIsReleasedIsWhatTheScreenSays(t *testing.T) {
	t.Parallel()
	w := withMarks(t)
	b := w.Alice()
	var before map[string]any
	for _, optional := range [][]string{{"one"}, {"two", "four"}, {"one", "two", "three"}, {"one", "two", "three", "four"}} {
		w.LetLeaveOut(optional...)
		for _, claims := range []string{
			"", `{"userinfo":{"first":null,"third":null}}`, `{"id_token":{"fourth":{"essential":true},"fifth":null}}`, `{"userinfo":{"pair":null}}`,
		} {
			for _, ticked := range lab.Subsets(optional) {
				asked := fmt.Sprintf("optional %v, claims %s, ticked %v", optional, claims, ticked)
				p, _ := b.Asked("scope", "openid one two three four", "claims", claims, "prompt", "consent")
				shown, options := wordsOf(p)
				for _, scope := range ticked {
					shown = append(shown, options[scope]...)
				}
				slices.Sort(shown)
				shown = slices.Compact(shown)
				tokens := b.Exchanged(b.AllowOnly(p, ticked...))
				released := marked(b.Tells(tokens))
				slices.Sort(released)
				if !slices.Equal(shown, released) {
					t.Errorf("%s: shown %v, released %v", asked, shown, released)
				}
				if before != nil {
					holdsNoMoreThanIsAllowed(b, asked, before)
				}
				before = tokens
			}
		}
	}
}

// holdsNoMoreThanIsAllowed demands that what was issued once leads to nothing that the
// decision in force does not allow.
func holdsNoMoreThanIsAllowed(b *lab.Browser, asked string, tokens map[string]any) {
	b.T.Helper()
	c, err := b.Fixture.Store.Consent(b.T.Context(), "alice", "std")
	b.Fixture.OK(err)
	told := b.Bearer(lab.AttributesPath, lab.Member(b.T, tokens, "access_token")).Text
	told += b.Bearer(lab.UserinfoPath, lab.Member(b.T, tokens, "access_token")).Text
	for _, name := range marked(told) {
		if !slices.Contains(c.Attributes, name) {
			b.T.Errorf("%s: a token of before tells %s", asked, name)
		}
	}
}

// isDead reports whether nothing can be had for tokens any more.
func isDead(b *lab.Browser, tokens map[string]any) bool {
	b.T.Helper()
	for _, path := range []string{lab.UserinfoPath, lab.AttributesPath} {
		if p := b.Bearer(path, lab.Member(b.T, tokens, "access_token")); p.StatusCode != http.StatusUnauthorized {
			return false
		}
	}
	p, _ := b.Refresh(lab.Member(b.T, tokens, "refresh_token"))
	return p.StatusCode == http.StatusBadRequest
}

func TestDecisionEndsWhatItDoesNotAllow(t *testing.T) {
	t.Parallel()
	t.Run("ThatWasGotByClaims", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		w.LetLeaveOut("email", "student")
		b := w.Alice()
		byClaims := b.Exchanged(b.Submit(b.Open(lab.AuthorizeURL(lab.AskFor(`{"userinfo":{"email":null}}`)...)), "action", "allow"))
		if b.Userinfo(byClaims)["email"] != "alice@example.com" {
			t.Fatal("what was asked for is not released")
		}
		p, _ := b.Asked("scope", "openid email student")
		b.Exchanged(b.AllowOnly(p))
		if !isDead(b, byClaims) {
			t.Error("a token that got the same by claims lives on")
		}
	})
	t.Run("ButNothingThatItDoes", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		w.LetLeaveOut("email", "student")
		b := w.Alice()
		narrow := b.Exchanged(b.Submit(b.Open(lab.AuthorizeURL(lab.Ask("scope", "openid military")...)), "action", "allow"))
		p, _ := b.Asked("scope", "openid email student")
		wide := b.Exchanged(b.AllowOnly(p, "email", "student"))
		p, _ = b.Asked("scope", "openid email student", "prompt", "consent")
		b.Exchanged(b.AllowOnly(p, "email"))
		if isDead(b, narrow) {
			t.Error("a token that holds no more than is allowed has ended")
		}
		if !isDead(b, wide) {
			t.Error("one that holds more lives on")
		}
	})
	t.Run("WhenNothingIsTicked", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		w.LetLeaveOut("email", "student")
		b := w.Alice()
		both := lab.Ask("scope", "email student")
		wide := b.Exchanged(b.AllowOnly(b.Open(lab.AuthorizeURL(both...)), "email", "student"))
		lab.Told(t, w, b.AllowOnly(b.Open(lab.AuthorizeURL(append(both, "prompt", "consent")...))), "access_denied")
		if told := b.Bearer(lab.AttributesPath, lab.Member(t, wide, "access_token")); told.StatusCode != http.StatusUnauthorized {
			t.Errorf("an access token from before: %s", told.Status)
		}
		if p, _ := b.Refresh(lab.Member(t, wide, "refresh_token")); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a refresh token from before: %s", p.Status)
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL(append(both, "prompt", "none")...)), "consent_required")
		p, asked := b.Asked("scope", "email student")
		if !asked || strings.Contains(p.Text, "checked") {
			t.Error("what was not allowed is ticked, or not asked for")
		}
	})
	t.Run("ThatAnOlderVersionLeft", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		w.LetLeaveOut("student")
		b := w.Alice()
		p, _ := b.Asked("scope", lab.BothScopes)
		wide := b.Exchanged(b.AllowOnly(p, "student"))
		// The narrower decision was recorded, and the grants were not ended.
		c := testkit.Must(w.Store.Consent(t.Context(), "alice", "std"))(w.T)
		was := c.Decision
		c.Scopes, c.LeftOut, c.DecidedAt, c.Decision = []string{"openid", "military"}, []string{"student"}, time.Time{}, storage.Digest{7}
		w.OK(w.Store.SaveConsent(t.Context(), c, storage.ConsentBasis{Replaced: was}))
		p, _ = b.Asked("scope", lab.BothScopes, "prompt", "consent")
		b.Exchanged(b.AllowOnly(p))
		if !isDead(b, wide) {
			t.Error("pressing Allow again does not mend it")
		}
	})
}

// A request that is cut off, before or after any call of the store, leaves what was allowed
// before or what is allowed now; and pressing the button again is enough.
func TestDecisionIsOneStep(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	w.LetLeaveOut("student")
	b := w.Alice()
	calls := 0
	for failing := 0; ; failing++ {
		p, _ := b.Asked("scope", lab.BothScopes, "prompt", "consent")
		wide := b.Exchanged(b.AllowOnly(p, "student"))
		p, _ = b.Asked("scope", lab.BothScopes, "prompt", "consent")
		action, fields := p.Form(t)
		fields.Set("action", "allow")
		calls = 0
		store.BreakBefore(func(context.Context, string) error {
			if calls++; calls > failing {
				return storage.ErrUnavailable
			}
			return nil
		})
		first := b.Post(action, fields)
		store.Down(nil)
		c := testkit.Must(w.Store.Consent(t.Context(), "alice", "std"))(w.T)
		if dead, narrow := isDead(b, wide), slices.Contains(c.LeftOut, "student"); dead != narrow {
			t.Errorf("cut off after %d calls: the decision is recorded: %v, the tokens have ended: %v", failing, narrow, dead)
		}
		if first.StatusCode == http.StatusSeeOther && calls <= failing {
			break
		}
		if first.StatusCode < http.StatusInternalServerError && first.StatusCode != http.StatusSeeOther {
			t.Errorf("cut off after %d calls: %s", failing, first.Status)
		}
		b.Follow(b.Post(action, fields))
		if !isDead(b, wide) {
			t.Errorf("cut off after %d calls, and pressed again: the tokens live on", failing)
		}
	}
	if calls < 3 {
		t.Errorf("only %d calls", calls)
	}
}

// TestNothingOutlivesWhatIsTakenBack presses the button twice, drops the connection, and has
// an application that goes on as fast as it can, while a user takes something back.
func TestNothingOutlivesWhatIsTakenBack(t *testing.T) {
	t.Parallel()
	rounds := *endRounds
	if testing.Short() {
		rounds = 1
	}
	onBothDatabases(t, lab.Unlimited, func(t *testing.T, w, elsewhere *lab.Fixture) {
		w.LetLeaveOut("student")
		w.Advance(2 * time.Second)
		for round := range rounds {
			name := fmt.Sprint("taker", round)
			w.AddAccount(provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: lab.OldPassword})
			b := w.NewBrowser().SignIn(name+"@example.com", lab.OldPassword)
			p, _ := b.Asked("scope", lab.BothScopes)
			issued := []map[string]any{b.Exchanged(b.AllowOnly(p, "student"))}
			var codes []string
			var mu sync.Mutex
			p, _ = b.Asked("scope", lab.BothScopes, "prompt", "consent")
			action, fields := p.Form(t)
			fields.Set("action", "allow")
			lab.Race(8, func(i int) struct{} {
				own := b.Thief()
				if i%2 == 1 {
					own.Fixture = elsewhere
				}
				switch {
				case i < 2:
					own.Post(action, fields)
				case i == 2:
					drop(own, action, fields.Encode(), time.Duration(round%20)*200*time.Microsecond)
				default:
					if code := lab.CodeOf(own.Get(lab.AuthorizeURL(lab.Ask("scope", lab.BothScopes)...))); code != "" {
						mu.Lock()
						defer mu.Unlock()
						codes = append(codes, code)
					}
				}
				return struct{}{}
			})
			for _, code := range codes {
				if p, tokens := b.Token(lab.Std("code", code)...); p.StatusCode == http.StatusOK {
					issued = append(issued, tokens)
				}
			}
			w.Advance(2 * time.Second)
			for _, tokens := range issued {
				if strings.Contains(fmt.Sprint(tokens["scope"]), "student") && !isDead(b, tokens) {
					t.Errorf("round %d: what was taken back is released", round)
				}
			}
		}
	})
}

// drop posts a form and hangs up after a while.
func drop(b *lab.Browser, address, form string, after time.Duration) {
	ctx, cancel := context.WithTimeout(b.T.Context(), after+time.Microsecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.Absolute(address), strings.NewReader(form))
	if err != nil {
		b.T.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if response, err := b.HTTP.Do(r); err == nil {
		_ = response.Body.Close()
	}
}

// An application of the host's own that nobody is asked about gets nothing of what its user
// has left out by asking for it in another way.
func TestApplicationOfTheHostsOwnGetsNothingBack(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	c := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
	c.SkipConsent = true
	w.OK(w.Clients().Save(t.Context(), c))
	w.LetLeaveOut("email", "student")
	// decided is what alice has decided: of both boxes these are ticked.
	decided := func(t *testing.T, ticked ...string) *lab.Browser {
		t.Helper()
		w.OK(w.Store.RevokeConsent(t.Context(), "alice", "std", w.Now()))
		b := w.Alice()
		plain := b.Exchanged(b.Get(lab.AuthorizeURL(lab.Ask("scope", "openid email student")...))) // nobody is asked
		if !strings.Contains(b.Tells(plain), "alice@example.com") {
			t.Fatal("what is the host's own is asked about")
		}
		p, _ := b.Asked("scope", "openid email student", "prompt", "consent")
		b.Exchanged(b.AllowOnly(p, ticked...))
		return b
	}
	for name, asked := range map[string][]string{
		"ByNothingElse":  {"scope", "email"},
		"ByAllOfIt":      {"scope", "email student"},
		"ByClaims":       {"scope", "openid", "claims", `{"userinfo":{"email":null}}`},
		"ByAnotherScope": {"scope", "openid identity"},
	} {
		t.Run(name, func(t *testing.T) {
			b := decided(t)
			lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask(append(asked, "prompt", "none")...)...)), "consent_required")
			p, isAsked := b.Asked(asked...)
			if !isAsked {
				t.Fatalf("answered %s", p.Header.Get("Location"))
			}
			if tokens := b.Exchanged(b.AllowOnly(p, "email")); !strings.Contains(b.Tells(tokens), "alice@example.com") {
				t.Error("it cannot be allowed again")
			}
		})
	}
	t.Run("BesideWhatStays", func(t *testing.T) {
		b := decided(t, "student")
		if tokens := b.Exchanged(b.Get(lab.AuthorizeURL(lab.Ask("scope", "email student")...))); tokens["scope"] != "student" {
			t.Errorf("scope %v", tokens["scope"])
		}
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("scope", "email", "prompt", "none")...)), "consent_required")
	})
	t.Run("ByTheFirstDecisionOfAll", func(t *testing.T) {
		w.OK(w.Store.RevokeConsent(t.Context(), "alice", "std", w.Now()))
		b := w.Alice()
		p, _ := b.Asked("scope", "email", "prompt", "consent")
		lab.Told(t, w, b.AllowOnly(p), "access_denied")
		lab.Told(t, w, b.Get(lab.AuthorizeURL(lab.Ask("scope", "email", "prompt", "none")...)), "consent_required")
	})
}

// The JWT bearer grant, which asks nobody, gives none of it either.
func TestJWTBearerOfTheHostsOwnGetsNothingBack(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers().WithSigners()
	c := testkit.Must(w.Clients().Get(t.Context(), "key"))(w.T)
	c.OptionalScopes, c.SkipConsent = []string{"email"}, true
	w.OK(w.Clients().Save(t.Context(), c))
	b := w.Alice()
	b.AllowOnly(b.Open(lab.AuthorizeURL("client_id", "key", "scope", "openid email", "prompt", "consent")))
	p, body := b.BearerToken(w.AssertionAbout("alice"), "scope", "openid identity")
	told := b.Bearer(lab.AttributesPath, lab.Granted(t, p, body)).Text
	var attributes map[string]json.RawMessage
	if json.Unmarshal([]byte(told), &attributes) != nil || strings.Contains(told, "alice@example.com") || !strings.Contains(told, "Alice") {
		t.Errorf("told %s", told)
	}
}
