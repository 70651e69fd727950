package flows

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
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// wayBack returns where the one link of a page that ends a flow leads.
func wayBack(t *testing.T, p lab.Page) string {
	t.Helper()
	lab.Shown(t, p, http.StatusForbidden)
	lab.Safe(t, p)
	_, rest, ok := strings.Cut(p.Text, `<a class="button primary" href="`)
	link, _, _ := strings.Cut(rest, `"`)
	if !ok || strings.Count(p.Text, `class="button primary"`) != 1 {
		t.Fatalf("not one way back:\n%s", p.Text)
	}
	return strings.ReplaceAll(link, "&amp;", "&")
}

// deniedAt demands that a link is the answer access_denied to the application.
func deniedAt(t *testing.T, w *lab.Fixture, link string) {
	t.Helper()
	answer := lab.Response(t, lab.Page{Response: &http.Response{Header: http.Header{"Location": {link}}}})
	if !strings.HasPrefix(link, lab.CallbackURI+"?") || answer.Get("error") != "access_denied" || answer.Get("state") != "xyz" || answer.Get("iss") != w.Issuer() || answer.Has("code") {
		t.Errorf("the way back is %s", link)
	}
}

func TestUserWhomTheHostDoesNotKnow(t *testing.T) {
	t.Parallel()
	d, w := lab.NewDirectory(t)
	b := w.NewBrowser()
	consent := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "consent")...))
	tokens := b.StandardTokens()
	chooser := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "select_account")...))
	d.Set(func() { d.Err = provider.ErrNoUser })

	t.Run("GetsAPageAndTheApplicationARefusal", func(t *testing.T) {
		p := b.Get(consent.Request.URL.RequestURI())
		deniedAt(t, w, wayBack(t, p))
		if !strings.Contains(p.Text, "no longer exists or is locked") {
			t.Error("the page does not say why")
		}
		p = b.Get(chooser.Request.URL.RequestURI())
		deniedAt(t, w, wayBack(t, p))
	})
	t.Run("GetsNoCodeForARememberedConsent", func(t *testing.T) {
		deniedAt(t, w, wayBack(t, b.Open(lab.AuthorizeURL(lab.Ask()...))))
	})
	t.Run("IsToldNothingWhereNoPageIsAllowed", func(t *testing.T) {
		deniedAt(t, w, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...)).Header.Get("Location"))
	})
	t.Run("GoesBackByAFormWhereTheAnswerIsOne", func(t *testing.T) {
		p := b.Open(lab.AuthorizeURL(lab.Ask("response_mode", "form_post")...))
		lab.Shown(t, p, http.StatusForbidden)
		action, fields := p.Form(t)
		if action != lab.CallbackURI || fields.Get("error") != "access_denied" || fields.Get("state") != "xyz" {
			t.Errorf("form to %s with %v", action, fields)
		}
	})
	t.Run("CannotBeAnsweredOtherwiseAfterwards", func(t *testing.T) {
		d.Set(func() { d.Err = nil })
		p := b.Submit(consent, "action", "allow")
		if p.Header.Get("Location") != "" || !strings.Contains(p.Text, "already done") {
			t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
		}
		d.Set(func() { d.Err = provider.ErrNoUser })
	})
	t.Run("SeesThatOnTheAccountScreen", func(t *testing.T) {
		p := b.Get("/account")
		lab.Shown(t, p, http.StatusForbidden)
		if !strings.Contains(p.Text, "We can’t find your account") {
			t.Error("the page does not say why")
		}
	})
	t.Run("CanSignOut", func(t *testing.T) {
		p := b.Get("/signout")
		if p.StatusCode != http.StatusOK {
			t.Fatalf("answered %s", p.Status)
		}
		if p = b.SubmitOnce(p); p.Header.Get("Location") != "https://host.test/logout" {
			t.Errorf("answered %s %s", p.Status, p.Header.Get("Location"))
		}
	})
	t.Run("HasNoTokensThatWork", func(t *testing.T) {
		lab.Refused(t, b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")), http.StatusUnauthorized, "invalid_token")
		p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
	})
	t.Run("IsNoErrorOfTheService", func(t *testing.T) {
		if strings.Contains(w.Log.String(), "level=ERROR") {
			t.Errorf("the log has errors:\n%s", w.Log)
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
	for name, w := range map[string]*lab.Fixture{
		"OfEmbeddedAccounts": lab.New(t, hook).WithClients().WithUsers(),
		"OfAHost": lab.New(t, (&lab.Directory{User: provider.SignedIn{UserID: "alice", AuthTime: time.Now().Add(-time.Hour)},
			Person: provider.Person{Attributes: map[string]any{"fname": "Alice"}}}).Configure, hook).WithClients(),
	} {
		t.Run(name, func(t *testing.T) {
			b := w.NewBrowser()
			if name == "OfEmbeddedAccounts" {
				b = w.Alice()
			}
			no := provider.Refusal{Message: "Your plan has no <b>single</b> sign-on."}
			say(nil)
			consent := b.Open(lab.AuthorizeURL(lab.Ask()...))
			tokens := b.StandardTokens()
			if diff := cmp.Diff([]string{"alice", "std", "openid", "military"}, *asked.Load()); diff != "" {
				t.Error(diff)
			}
			for name, err := range map[string]error{"Value": no, "Pointer": &no, "Wrapped": errors.Join(errors.New("policy"), no)} {
				t.Run("Refusal"+name+"IsShown", func(t *testing.T) {
					say(err)
					p := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "consent")...))
					deniedAt(t, w, wayBack(t, p))
					if !strings.Contains(p.Text, "Your plan has no &lt;b&gt;single&lt;/b&gt; sign-on.") {
						t.Errorf("the words of the host are not on the page:\n%s", p.Text)
					}
				})
			}
			t.Run("IsAskedAgainBeforeTheAnswer", func(t *testing.T) {
				deniedAt(t, w, wayBack(t, b.Submit(consent, "action", "allow")))
			})
			t.Run("RefusesInSilenceWhereNoPageIsAllowed", func(t *testing.T) {
				deniedAt(t, w, b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...)).Header.Get("Location"))
			})
			t.Run("IsAskedWhenTokensAreRefreshed", func(t *testing.T) {
				p, _ := b.Refresh(lab.Member(t, tokens, "refresh_token"))
				lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
				say(provider.ErrNoUser)
				p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token"))
				lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
				say(errors.New("policy: canary"))
				p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token"))
				lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
				say(nil)
				if p, _ = b.Refresh(lab.Member(t, tokens, "refresh_token")); p.StatusCode != http.StatusOK {
					t.Errorf("allowed again: %s %s", p.Status, p.Text)
				}
			})
			t.Run("IsAskedWhenACodeIsRedeemed", func(t *testing.T) {
				code := b.Allow(lab.Ask()...).Get("code")
				redeem := func() lab.Page {
					p, _ := b.Token(lab.Std("code", code, "redirect_uri", lab.CallbackURI)...)
					return p
				}
				for _, err := range []error{no, provider.ErrNoUser} {
					say(err)
					lab.Refused(t, redeem(), http.StatusBadRequest, "invalid_grant")
				}
				say(errors.New("policy: canary"))
				lab.Refused(t, redeem(), http.StatusServiceUnavailable, "temporarily_unavailable")
				say(nil)
				if p := redeem(); p.StatusCode != http.StatusOK {
					t.Errorf("allowed again: %s %s", p.Status, p.Text)
				}
				if diff := cmp.Diff([]string{"alice", "std", "openid", "military"}, *asked.Load()); diff != "" {
					t.Error(diff)
				}
			})
			t.Run("ThatFailsIsAskedLater", func(t *testing.T) {
				say(errors.New("policy: canary"))
				lab.Unavailable(t, b.Get(lab.AuthorizeURL(lab.Ask()...)))
				say(nil)
				if b.Allow(lab.Ask()...).Get("code") == "" {
					t.Error("no code afterwards")
				}
			})
		})
	}
}
