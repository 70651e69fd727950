package provider_test

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
	"github.com/bonafide-id/bonafide/storage"
)

// withMarks is a fixture of whose scopes several release the same. Each attribute of alice
// has a value that says which it is: a screen shows, and a token tells, what holds it.
func withMarks(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t, func(c *provider.Config) {
		for _, name := range markNames {
			c.Attributes = append(c.Attributes, provider.Attribute{Handle: name, Name: "About " + name})
		}
		c.Attributes = append(c.Attributes, provider.Attribute{Handle: "pair", Name: "Both", From: []string{"first", "second"}})
		c.Groups = []provider.Group{{Name: "military", Subgroups: []string{"Veteran"}}, {Name: "student"}}
		c.Scopes = []provider.Scope{
			{Name: "one", Attributes: []string{"first"}}, {Name: "two", Attributes: []string{"first", "second"}, Groups: []string{"student"}},
			{Name: "three", Attributes: []string{"second", "third"}}, {Name: "four", Attributes: []string{"fourth", "first"}},
			{Name: "five", Attributes: []string{"fifth", "pair"}},
		}
	}).withClients().withUsers()
	marks := map[string]any{}
	for _, name := range markNames {
		marks[name] = mark(name)
	}
	w.ok(w.SetAttributes(t.Context(), "alice", marks))
	w.ok(w.SetStatus(t.Context(), "alice", provider.Status{Group: "student", Verified: true}))
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
func wordsOf(p page) (required []string, options map[string][]string) {
	parts := strings.Split(p.body, `<div class="option">`)
	options = map[string][]string{}
	for _, part := range parts[1:] {
		_, scope, _ := strings.Cut(part, `name="scope" value="`)
		scope, _, _ = strings.Cut(scope, `"`)
		options[scope] = marked(part)
	}
	return marked(parts[0]), options
}

// subsets returns all ways to choose among names.
func subsets(names []string) (all [][]string) {
	for set := range 1 << len(names) {
		var chosen []string
		for i, name := range names {
			if set&(1<<i) != 0 {
				chosen = append(chosen, name)
			}
		}
		all = append(all, chosen)
	}
	return all
}

// TestWhatIsReleasedIsWhatTheScreenSays compares the words of the consent screen, of what
// is required and of the boxes that are ticked, with all that the tokens lead to.
func TestWhatIsReleasedIsWhatTheScreenSays(t *testing.T) {
	t.Parallel()
	w := withMarks(t)
	b := w.alice()
	var before map[string]any
	for _, optional := range [][]string{{"one"}, {"two", "four"}, {"one", "two", "three"}, {"one", "two", "three", "four"}} {
		w.letLeaveOut(optional...)
		for _, claims := range []string{
			"", `{"userinfo":{"first":null,"third":null}}`, `{"id_token":{"fourth":{"essential":true},"fifth":null}}`, `{"userinfo":{"pair":null}}`,
		} {
			for _, ticked := range subsets(optional) {
				asked := fmt.Sprintf("optional %v, claims %s, ticked %v", optional, claims, ticked)
				p, _ := b.asked("scope", "openid one two three four", "claims", claims, "prompt", "consent")
				shown, options := wordsOf(p)
				for _, scope := range ticked {
					shown = append(shown, options[scope]...)
				}
				slices.Sort(shown)
				shown = slices.Compact(shown)
				tokens := b.exchanged(b.allowOnly(p, ticked...))
				released := marked(b.tells(tokens))
				slices.Sort(released)
				if !slices.Equal(shown, released) {
					t.Errorf("%s: shown %v, released %v", asked, shown, released)
				}
				if before != nil {
					b.holdsNoMoreThanIsAllowed(asked, before)
				}
				before = tokens
			}
		}
	}
}

// holdsNoMoreThanIsAllowed demands that what was issued once leads to nothing that the
// decision in force does not allow.
func (b *browser) holdsNoMoreThanIsAllowed(asked string, tokens map[string]any) {
	b.t.Helper()
	c, err := b.w.store.Consent(b.t.Context(), "alice", "std")
	b.w.ok(err)
	told := b.bearer(attributesPath, text(b.t, tokens, "access_token")).body
	told += b.bearer(userinfoPath, text(b.t, tokens, "access_token")).body
	for _, name := range marked(told) {
		if !slices.Contains(c.Attributes, name) {
			b.t.Errorf("%s: a token of before tells %s", asked, name)
		}
	}
}

// isDead reports whether nothing can be had for tokens any more.
func (b *browser) isDead(tokens map[string]any) bool {
	b.t.Helper()
	for _, path := range []string{userinfoPath, attributesPath} {
		if p := b.bearer(path, text(b.t, tokens, "access_token")); p.StatusCode != http.StatusUnauthorized {
			return false
		}
	}
	p, _ := b.refresh(text(b.t, tokens, "refresh_token"))
	return p.StatusCode == http.StatusBadRequest
}

func TestDecisionEndsWhatItDoesNotAllow(t *testing.T) {
	t.Parallel()
	t.Run("ThatWasGotByClaims", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		w.letLeaveOut("email", "student")
		b := w.alice()
		byClaims := b.exchanged(b.submit(b.open(authorizeURL(askFor(`{"userinfo":{"email":null}}`)...)), "action", "allow"))
		if b.userinfo(byClaims)["email"] != "alice@example.com" {
			t.Fatal("what was asked for is not released")
		}
		p, _ := b.asked("scope", "openid email student")
		b.exchanged(b.allowOnly(p))
		if !b.isDead(byClaims) {
			t.Error("a token that got the same by claims lives on")
		}
	})
	t.Run("ButNothingThatItDoes", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		w.letLeaveOut("email", "student")
		b := w.alice()
		narrow := b.exchanged(b.submit(b.open(authorizeURL(ask("scope", "openid military")...)), "action", "allow"))
		p, _ := b.asked("scope", "openid email student")
		wide := b.exchanged(b.allowOnly(p, "email", "student"))
		p, _ = b.asked("scope", "openid email student", "prompt", "consent")
		b.exchanged(b.allowOnly(p, "email"))
		if b.isDead(narrow) {
			t.Error("a token that holds no more than is allowed has ended")
		}
		if !b.isDead(wide) {
			t.Error("one that holds more lives on")
		}
	})
	t.Run("WhenNothingIsTicked", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		w.letLeaveOut("email", "student")
		b := w.alice()
		both := ask("scope", "email student")
		wide := b.exchanged(b.allowOnly(b.open(authorizeURL(both...)), "email", "student"))
		told(t, w, b.allowOnly(b.open(authorizeURL(append(both, "prompt", "consent")...))), "access_denied")
		if told := b.bearer(attributesPath, text(t, wide, "access_token")); told.StatusCode != http.StatusUnauthorized {
			t.Errorf("an access token from before: %s", told.Status)
		}
		if p, _ := b.refresh(text(t, wide, "refresh_token")); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a refresh token from before: %s", p.Status)
		}
		told(t, w, b.get(authorizeURL(append(both, "prompt", "none")...)), "consent_required")
		p, asked := b.asked("scope", "email student")
		if !asked || strings.Contains(p.body, "checked") {
			t.Error("what was not allowed is ticked, or not asked for")
		}
	})
	t.Run("ThatAnOlderVersionLeft", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		w.letLeaveOut("student")
		b := w.alice()
		p, _ := b.asked("scope", bothScopes)
		wide := b.exchanged(b.allowOnly(p, "student"))
		// The narrower decision was recorded, and the grants were not ended.
		c, err := w.store.Consent(t.Context(), "alice", "std")
		w.ok(err)
		was := c.Decision
		c.Scopes, c.LeftOut, c.DecidedAt, c.Decision = []string{"openid", "military"}, []string{"student"}, time.Time{}, storage.Digest{7}
		w.ok(w.store.SaveConsent(t.Context(), c, storage.ConsentBasis{Replaced: was}))
		p, _ = b.asked("scope", bothScopes, "prompt", "consent")
		b.exchanged(b.allowOnly(p))
		if !b.isDead(wide) {
			t.Error("pressing Allow again does not mend it")
		}
	})
}

// A request that is cut off, before or after any call of the store, leaves what was allowed
// before or what is allowed now; and pressing the button again is enough.
func TestDecisionIsOneStep(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	w.letLeaveOut("student")
	b := w.alice()
	calls := 0
	for failing := 0; ; failing++ {
		p, _ := b.asked("scope", bothScopes, "prompt", "consent")
		wide := b.exchanged(b.allowOnly(p, "student"))
		p, _ = b.asked("scope", bothScopes, "prompt", "consent")
		action, fields := p.form(t)
		fields.Set("action", "allow")
		calls = 0
		store.breakBefore(func(context.Context, string) error {
			if calls++; calls > failing {
				return storage.ErrUnavailable
			}
			return nil
		})
		first := b.post(action, fields)
		store.down(nil)
		c, err := w.store.Consent(t.Context(), "alice", "std")
		w.ok(err)
		if dead, narrow := b.isDead(wide), slices.Contains(c.LeftOut, "student"); dead != narrow {
			t.Errorf("cut off after %d calls: the decision is recorded: %v, the tokens have ended: %v", failing, narrow, dead)
		}
		if first.StatusCode == http.StatusSeeOther && calls <= failing {
			break
		}
		if first.StatusCode < http.StatusInternalServerError && first.StatusCode != http.StatusSeeOther {
			t.Errorf("cut off after %d calls: %s", failing, first.Status)
		}
		b.follow(b.post(action, fields))
		if !b.isDead(wide) {
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
	onBothDatabases(t, unlimited, func(t *testing.T, w, elsewhere *fixture) {
		w.letLeaveOut("student")
		w.advance(2 * time.Second)
		for round := range rounds {
			name := fmt.Sprint("taker", round)
			w.account(provider.Account{ID: name, Email: name + "@example.com", EmailVerified: true, Password: oldPassword})
			b := w.newBrowser().signIn(name+"@example.com", oldPassword)
			p, _ := b.asked("scope", bothScopes)
			issued := []map[string]any{b.exchanged(b.allowOnly(p, "student"))}
			var codes []string
			var mu sync.Mutex
			p, _ = b.asked("scope", bothScopes, "prompt", "consent")
			action, fields := p.form(t)
			fields.Set("action", "allow")
			race(8, func(i int) struct{} {
				own := b.thief()
				if i%2 == 1 {
					own.w = elsewhere
				}
				switch {
				case i < 2:
					own.post(action, fields)
				case i == 2:
					own.drop(action, fields.Encode(), time.Duration(round%20)*200*time.Microsecond)
				default:
					if code := codeOf(own.get(authorizeURL(ask("scope", bothScopes)...))); code != "" {
						mu.Lock()
						defer mu.Unlock()
						codes = append(codes, code)
					}
				}
				return struct{}{}
			})
			for _, code := range codes {
				if p, tokens := b.token(std("code", code)...); p.StatusCode == http.StatusOK {
					issued = append(issued, tokens)
				}
			}
			w.advance(2 * time.Second)
			for _, tokens := range issued {
				if strings.Contains(fmt.Sprint(tokens["scope"]), "student") && !b.isDead(tokens) {
					t.Errorf("round %d: what was taken back is released", round)
				}
			}
		}
	})
}

// drop posts a form and hangs up after a while.
func (b *browser) drop(address, form string, after time.Duration) {
	ctx, cancel := context.WithTimeout(b.t.Context(), after+time.Microsecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.absolute(address), strings.NewReader(form))
	if err != nil {
		b.t.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if response, err := b.http.Do(r); err == nil {
		_ = response.Body.Close()
	}
}

// An application of the host's own that nobody is asked about gets nothing of what its user
// has left out by asking for it in another way.
func TestApplicationOfTheHostsOwnGetsNothingBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	c, err := w.Client(t.Context(), "std")
	w.ok(err)
	c.SkipConsent = true
	w.ok(w.SaveClient(t.Context(), c))
	w.letLeaveOut("email", "student")
	// decided is what alice has decided: of both boxes these are ticked.
	decided := func(t *testing.T, ticked ...string) *browser {
		t.Helper()
		w.ok(w.store.RevokeConsent(t.Context(), "alice", "std", w.now()))
		b := w.alice()
		plain := b.exchanged(b.get(authorizeURL(ask("scope", "openid email student")...))) // nobody is asked
		if !strings.Contains(b.tells(plain), "alice@example.com") {
			t.Fatal("what is the host's own is asked about")
		}
		p, _ := b.asked("scope", "openid email student", "prompt", "consent")
		b.exchanged(b.allowOnly(p, ticked...))
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
			told(t, w, b.get(authorizeURL(ask(append(asked, "prompt", "none")...)...)), "consent_required")
			p, isAsked := b.asked(asked...)
			if !isAsked {
				t.Fatalf("answered %s", p.Header.Get("Location"))
			}
			if tokens := b.exchanged(b.allowOnly(p, "email")); !strings.Contains(b.tells(tokens), "alice@example.com") {
				t.Error("it cannot be allowed again")
			}
		})
	}
	t.Run("BesideWhatStays", func(t *testing.T) {
		b := decided(t, "student")
		if tokens := b.exchanged(b.get(authorizeURL(ask("scope", "email student")...))); tokens["scope"] != "student" {
			t.Errorf("scope %v", tokens["scope"])
		}
		told(t, w, b.get(authorizeURL(ask("scope", "email", "prompt", "none")...)), "consent_required")
	})
	t.Run("ByTheFirstDecisionOfAll", func(t *testing.T) {
		w.ok(w.store.RevokeConsent(t.Context(), "alice", "std", w.now()))
		b := w.alice()
		p, _ := b.asked("scope", "email", "prompt", "consent")
		told(t, w, b.allowOnly(p), "access_denied")
		told(t, w, b.get(authorizeURL(ask("scope", "email", "prompt", "none")...)), "consent_required")
	})
}

// The JWT bearer grant, which asks nobody, gives none of it either.
func TestJWTBearerOfTheHostsOwnGetsNothingBack(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers().withSigners()
	c, err := w.Client(t.Context(), "key")
	w.ok(err)
	c.OptionalScopes, c.SkipConsent = []string{"email"}, true
	w.ok(w.SaveClient(t.Context(), c))
	b := w.alice()
	b.allowOnly(b.open(authorizeURL("client_id", "key", "scope", "openid email", "prompt", "consent")))
	p, body := b.bearerToken(w.assertionAbout("alice"), "scope", "openid identity")
	told := b.bearer(attributesPath, granted(t, p, body)).body
	var attributes map[string]json.RawMessage
	if json.Unmarshal([]byte(told), &attributes) != nil || strings.Contains(told, "alice@example.com") || !strings.Contains(told, "Alice") {
		t.Errorf("told %s", told)
	}
}
