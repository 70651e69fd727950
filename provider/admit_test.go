package provider_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
)

// wayBack returns where the one link of a page that ends a flow leads.
func wayBack(t *testing.T, p page) string {
	t.Helper()
	shown(t, p, http.StatusForbidden)
	safe(t, p)
	_, rest, ok := strings.Cut(p.body, `<a class="button primary" href="`)
	link, _, _ := strings.Cut(rest, `"`)
	if !ok || strings.Count(p.body, `class="button primary"`) != 1 {
		t.Fatalf("not one way back:\n%s", p.body)
	}
	return strings.ReplaceAll(link, "&amp;", "&")
}

// deniedAt demands that a link is the answer access_denied to the application.
func deniedAt(t *testing.T, w *fixture, link string) {
	t.Helper()
	answer := response(t, page{Response: &http.Response{Header: http.Header{"Location": {link}}}})
	if !strings.HasPrefix(link, callbackURI+"?") || answer.Get("error") != "access_denied" || answer.Get("state") != "xyz" || answer.Get("iss") != w.Issuer() || answer.Has("code") {
		t.Errorf("the way back is %s", link)
	}
}

func TestUserWhomTheHostDoesNotKnow(t *testing.T) {
	t.Parallel()
	d, w := newDirectory(t)
	b := w.newBrowser()
	consent := b.open(authorizeURL(ask("prompt", "consent")...))
	tokens := b.standardTokens()
	chooser := b.open(authorizeURL(ask("prompt", "select_account")...))
	d.set(func() { d.err = provider.ErrNoUser })

	t.Run("GetsAPageAndTheApplicationARefusal", func(t *testing.T) {
		p := b.get(consent.Request.URL.RequestURI())
		deniedAt(t, w, wayBack(t, p))
		if !strings.Contains(p.body, "no longer exists or is locked") {
			t.Error("the page does not say why")
		}
		p = b.get(chooser.Request.URL.RequestURI())
		deniedAt(t, w, wayBack(t, p))
	})
	t.Run("GetsNoCodeForARememberedConsent", func(t *testing.T) {
		deniedAt(t, w, wayBack(t, b.open(authorizeURL(ask()...))))
	})
	t.Run("IsToldNothingWhereNoPageIsAllowed", func(t *testing.T) {
		deniedAt(t, w, b.get(authorizeURL(ask("prompt", "none")...)).Header.Get("Location"))
	})
	t.Run("GoesBackByAFormWhereTheAnswerIsOne", func(t *testing.T) {
		p := b.open(authorizeURL(ask("response_mode", "form_post")...))
		shown(t, p, http.StatusForbidden)
		action, fields := p.form(t)
		if action != callbackURI || fields.Get("error") != "access_denied" || fields.Get("state") != "xyz" {
			t.Errorf("form to %s with %v", action, fields)
		}
	})
	t.Run("CannotBeAnsweredOtherwiseAfterwards", func(t *testing.T) {
		d.set(func() { d.err = nil })
		p := b.submit(consent, "action", "allow")
		if p.Header.Get("Location") != "" || !strings.Contains(p.body, "already done") {
			t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
		}
		d.set(func() { d.err = provider.ErrNoUser })
	})
	t.Run("SeesThatOnTheAccountScreen", func(t *testing.T) {
		p := b.get("/account")
		shown(t, p, http.StatusForbidden)
		if !strings.Contains(p.body, "We can’t find your account") {
			t.Error("the page does not say why")
		}
	})
	t.Run("CanSignOut", func(t *testing.T) {
		p := b.get("/signout")
		if p.StatusCode != http.StatusOK {
			t.Fatalf("answered %s", p.Status)
		}
		if p = b.submitOnce(p); p.Header.Get("Location") != "https://host.test/logout" {
			t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("HasNoTokensThatWork", func(t *testing.T) {
		refused(t, b.bearer(userinfoPath, text(t, tokens, "access_token")), http.StatusUnauthorized, "invalid_token")
		p, _ := b.refresh(text(t, tokens, "refresh_token"))
		refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("IsNoErrorOfTheService", func(t *testing.T) {
		if strings.Contains(w.log.String(), "level=ERROR") {
			t.Errorf("the log has errors:\n%s", w.log)
		}
	})
}

func TestAuthorizeOfTheHost(t *testing.T) {
	t.Parallel()
	var verdict atomic.Pointer[error]
	var asked atomic.Pointer[[]string]
	hook := func(c *provider.Config) {
		c.Authorize = func(ctx context.Context, userID, clientID string, scopes []string) error {
			request, _ := provider.RequestOf(ctx)
			told := append([]string{userID, clientID}, scopes...)
			if !slices.Equal(request.Scopes, scopes) || request.ClientID != clientID {
				told = append(told, "but RequestOf says otherwise")
			}
			asked.Store(&told)
			scopes[0] = "changed" // its own
			if v := verdict.Load(); v != nil {
				return *v
			}
			return nil
		}
	}
	say := func(err error) { verdict.Store(&err) }
	for name, w := range map[string]*fixture{
		"OfEmbeddedAccounts": newFixture(t, hook).withClients().withUsers(),
		"OfAHost": newFixture(t, (&directory{user: provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(-time.Hour)},
			person: provider.Person{Attributes: map[string]any{"fname": "Alice"}}}).configure, hook).withClients(),
	} {
		t.Run(name, func(t *testing.T) {
			b := w.newBrowser()
			if name == "OfEmbeddedAccounts" {
				b = w.alice()
			}
			no := provider.Refusal{Message: "Your plan has no <b>single</b> sign-on."}
			say(nil)
			consent := b.open(authorizeURL(ask()...))
			tokens := b.standardTokens()
			if diff := cmp.Diff([]string{"alice", "std", "openid", "military"}, *asked.Load()); diff != "" {
				t.Error(diff)
			}
			for name, err := range map[string]error{"Value": no, "Pointer": &no, "Wrapped": errors.Join(errors.New("policy"), no)} {
				t.Run("Refusal"+name+"IsShown", func(t *testing.T) {
					say(err)
					p := b.open(authorizeURL(ask("prompt", "consent")...))
					deniedAt(t, w, wayBack(t, p))
					if !strings.Contains(p.body, "Your plan has no &lt;b&gt;single&lt;/b&gt; sign-on.") {
						t.Errorf("the words of the host are not on the page:\n%s", p.body)
					}
				})
			}
			t.Run("IsAskedAgainBeforeTheAnswer", func(t *testing.T) {
				deniedAt(t, w, wayBack(t, b.submit(consent, "action", "allow")))
			})
			t.Run("RefusesInSilenceWhereNoPageIsAllowed", func(t *testing.T) {
				deniedAt(t, w, b.get(authorizeURL(ask("prompt", "none")...)).Header.Get("Location"))
			})
			t.Run("IsAskedWhenTokensAreRefreshed", func(t *testing.T) {
				p, _ := b.refresh(text(t, tokens, "refresh_token"))
				refused(t, p, http.StatusBadRequest, "invalid_grant")
				say(provider.ErrNoUser)
				p, _ = b.refresh(text(t, tokens, "refresh_token"))
				refused(t, p, http.StatusBadRequest, "invalid_grant")
				say(errors.New("policy: canary"))
				p, _ = b.refresh(text(t, tokens, "refresh_token"))
				refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
				say(nil)
				if p, _ = b.refresh(text(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
					t.Errorf("allowed again: %s %s", p.Status, p.body)
				}
			})
			t.Run("IsAskedWhenACodeIsRedeemed", func(t *testing.T) {
				code := b.allow(ask()...).Get("code")
				redeem := func() page {
					p, _ := b.token(std("code", code, "redirect_uri", callbackURI)...)
					return p
				}
				for _, err := range []error{no, provider.ErrNoUser} {
					say(err)
					refused(t, redeem(), http.StatusBadRequest, "invalid_grant")
				}
				say(errors.New("policy: canary"))
				refused(t, redeem(), http.StatusServiceUnavailable, "temporarily_unavailable")
				say(nil)
				if p := redeem(); p.StatusCode != http.StatusOK {
					t.Errorf("allowed again: %s %s", p.Status, p.body)
				}
				if diff := cmp.Diff([]string{"alice", "std", "openid", "military"}, *asked.Load()); diff != "" {
					t.Error(diff)
				}
			})
			t.Run("ThatFailsIsAskedLater", func(t *testing.T) {
				say(errors.New("policy: canary"))
				unavailable(t, b.get(authorizeURL(ask()...)))
				say(nil)
				if b.allow(ask()...).Get("code") == "" {
					t.Error("no code afterwards")
				}
			})
		})
	}
}
