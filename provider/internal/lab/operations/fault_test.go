package operations

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// underWay is everything that can be asked of a provider with a session, a consent
// screen, a code and tokens at hand.
type underWay struct {
	b            *lab.Browser
	newcomer     *lab.Browser
	signInPage   lab.Page
	consentPage  lab.Page
	code         string
	access       string
	refreshToken string
	idToken      string
	v3           string
}

func newUnderWay(w *lab.Fixture) *underWay {
	w.T.Helper()
	u := &underWay{b: w.Alice(), newcomer: w.NewBrowser()}
	tokens := u.b.StandardTokens()
	u.access, u.refreshToken, u.idToken = lab.Member(w.T, tokens, "access_token"), lab.Member(w.T, tokens, "refresh_token"), lab.Member(w.T, tokens, "id_token")
	u.code = u.b.Allow(lab.Ask()...).Get("code")
	u.v3 = lab.Member(w.T, u.b.V3Tokens(), "access_token")
	u.consentPage = u.b.Open(lab.AuthorizeURL(lab.Ask("prompt", "consent")...))
	u.signInPage = u.newcomer.Open(lab.AuthorizeURL())
	return u
}

// programs asks what programs ask, by name.
func (u *underWay) programs() map[string]lab.Page {
	secret := []string{"client_id", "std", "client_secret", lab.ClientSecret}
	redeem, _ := u.b.Token(lab.Std("code", u.code)...)
	refresh, _ := u.b.Refresh(u.refreshToken)
	guess, _ := u.b.Token(lab.Std("code", "x", "client_secret", "wrong-secret")...)
	return map[string]lab.Page{
		"token":                 redeem,
		"refresh":               refresh,
		"token with bad secret": guess,
		"revoke":                u.b.Post(lab.RevokePath, lab.Form(append(secret, "token", u.access)...)),
		"revoke a grant":        u.b.Post(lab.RevokePath, lab.Form(append(secret, "token", u.refreshToken)...)),
		"introspect":            u.b.Post(lab.IntrospectPath, lab.Form(append(secret, "token", u.access)...)),
		"userinfo":              u.b.Bearer(lab.UserinfoPath, u.access),
		"attributes":            u.b.Bearer(lab.AttributesPath, u.access),
		"attributes by query":   u.b.Get(lab.AttributesPath + "?access_token=" + u.v3),
	}
}

// people asks what people ask, by name.
func (u *underWay) people() map[string]lab.Page {
	return map[string]lab.Page{
		"authorize":            u.b.Get(lab.AuthorizeURL(lab.Ask()...)),
		"authorize silently":   u.b.Get(lab.AuthorizeURL(lab.Ask("prompt", "none")...)),
		"authorize with hint":  u.b.Get(lab.AuthorizeURL(lab.Ask("id_token_hint", u.idToken)...)),
		"consent":              u.b.SubmitOnce(u.consentPage, "action", "allow"),
		"refusal":              u.b.SubmitOnce(u.consentPage, "action", "deny"),
		"sign in":              u.newcomer.SubmitOnce(u.signInPage, "email", "alice@example.com", "password", lab.AlicePass),
		"sign in, wrong":       u.newcomer.SubmitOnce(u.signInPage, "email", "alice@example.com", "password", "wrong-password"),
		"sign in, nobody":      u.newcomer.SubmitOnce(u.signInPage, "email", "nobody@example.com", "password", "wrong-password"),
		"account":              u.b.Get("/account"),
		"account apps":         u.b.Get("/account/apps"),
		"account sessions":     u.b.Get("/account/sessions"),
		"sign out of all this": u.b.Get("/signout"),
	}
}

func TestDatabaseDown(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]error{
		"Unavailable": storage.ErrUnavailable,
		"Wrapped":     fmt.Errorf("spend code: %w", storage.ErrUnavailable),
		"TooSlow":     context.DeadlineExceeded,
	} {
		t.Run(name, func(t *testing.T) {
			var store *lab.FaultyStore
			w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
			u := newUnderWay(w)
			w.Advance(2 * time.Second) // no client is remembered any more
			store.Down(cause)
			for name, p := range u.programs() {
				t.Run(name, func(t *testing.T) { lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable") })
			}
			for name, p := range u.people() {
				t.Run(name, func(t *testing.T) { lab.Unavailable(t, p) })
			}
			p := u.b.Get(lab.AttributesPath + "?callback=show&access_token=" + u.v3)
			if p.StatusCode != http.StatusOK || p.Header.Get("Retry-After") == "" || !strings.HasPrefix(p.Text, `/**/show({"error":"temporarily_unavailable"`) {
				t.Errorf("JSONP: %s %v %s", p.Status, p.Header, p.Text)
			}
			for _, path := range []string{lab.DiscoveryPath, lab.KeysPath} {
				if p := u.b.Get(path); p.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", path, p.Status)
				}
			}

			store.Down(nil) // and all goes on, where it was, without a restart
			lab.Works(t, u.b, u.access, true)
			if p, _ := u.b.Token(lab.Std("code", u.code)...); p.StatusCode != http.StatusOK {
				t.Errorf("the code afterwards: %s %s", p.Status, p.Text)
			}
			if p, _ := u.b.Refresh(u.refreshToken); p.StatusCode != http.StatusOK {
				t.Errorf("the refresh token afterwards: %s %s", p.Status, p.Text)
			}
			if got := lab.Response(t, u.b.Submit(u.consentPage, "action", "allow")); got.Get("code") == "" {
				t.Errorf("the consent screen afterwards: %v", got)
			}
			p = u.newcomer.Submit(u.signInPage, "email", "alice@example.com", "password", lab.AlicePass)
			if p.StatusCode != http.StatusSeeOther && !strings.Contains(p.Text, "Veterans Shop") {
				t.Errorf("the sign-in screen afterwards: %s\n%s", p.Status, p.Text)
			}
		})
	}
}

// One method at a time fails, so that every later step is reached with all before
// it working.
func TestDatabaseFailsAtOneStep(t *testing.T) {
	t.Parallel()
	blames := []string{"invalid_client", "invalid_grant", "invalid_token", "login_required", "consent_required", "access_denied"}
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	for _, method := range []string{
		"Client", "Token", "Exchange", "Person", "AccountByEmail", "AllowAttempt", "Session", "CreateSession",
		"Consent", "SaveConsent", "CreateGrant", "RevokeGrants", "EndSessions", "Consents", "Sessions",
	} {
		t.Run(method, func(t *testing.T) {
			u := newUnderWay(w)
			w.Advance(2 * time.Second)
			reached := false
			store.BreakBefore(func(_ context.Context, m string) error {
				if m != method {
					return nil
				}
				reached = true
				return fmt.Errorf("%s: %w", method, storage.ErrUnavailable)
			})
			defer store.Down(nil)
			mine := map[string]lab.Page{}
			for name, ask := range map[string]func() lab.Page{
				"token":   func() lab.Page { p, _ := u.b.Token(lab.Std("code", u.code)...); return p },
				"refresh": func() lab.Page { p, _ := u.b.Refresh(u.refreshToken); return p },
				"revoke": func() lab.Page {
					return u.b.Post(lab.RevokePath, lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", u.access))
				},
				"revoke a grant": func() lab.Page {
					return u.b.Post(lab.RevokePath, lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", u.refreshToken))
				},
				"wrong secret": func() lab.Page { p, _ := u.b.Token(lab.Std("code", "x", "client_secret", "wrong-secret")...); return p },
				"userinfo":     func() lab.Page { return u.b.Bearer(lab.UserinfoPath, u.access) },
				"attributes":   func() lab.Page { return u.b.Bearer(lab.AttributesPath, u.access) },
				"authorize":    func() lab.Page { return u.b.Get(lab.AuthorizeURL(lab.Ask()...)) },
				"consent":      func() lab.Page { return u.b.Submit(u.consentPage, "action", "allow") },
				"sign in": func() lab.Page {
					return u.newcomer.Submit(u.signInPage, "email", "alice@example.com", "password", lab.AlicePass)
				},
				"apps": func() lab.Page { return u.b.Get("/account/apps") },
				"verify e-mail": func() lab.Page {
					_, fields := u.consentPage.Form(t)
					return u.b.Post("/account", lab.Form("csrf", fields.Get("csrf"), "action", "verify"))
				},
				"sessions": func() lab.Page { return u.b.Get("/account/sessions") },
			} {
				reached = false
				if p := ask(); reached {
					mine[name] = p
				}
			}
			if method == "EndSessions" {
				reached = false
				if p := u.b.Submit(u.b.Get("/signout")); reached {
					mine["sign out"] = p
				}
			}
			if len(mine) == 0 {
				t.Fatal("nothing asks for it")
			}
			for name, p := range mine {
				if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" {
					t.Errorf("%s answered %s %s\n%s", name, p.Status, p.Header.Get("Location"), p.Text)
				}
				for _, blame := range blames {
					if strings.Contains(p.Text+p.Header.Get("Location"), blame) {
						t.Errorf("%s is blamed with %s", name, blame)
					}
				}
			}
		})
	}
}

func TestSignInGoesOnWhenItsAttemptCannotBeGivenBack(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"ResetAttempts", "GiveBackAttempt"} {
		t.Run(method, func(t *testing.T) {
			var store *lab.FaultyStore
			w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
			store.BreakBefore(func(_ context.Context, m string) error {
				if m == method {
					return storage.ErrUnavailable
				}
				return nil
			})
			if p := w.NewBrowser().Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
				t.Errorf("sign-in: %s", p.Status)
			}
			if !strings.Contains(w.Log.String(), "could not be given back yet") {
				t.Error("nobody is told")
			}
		})
	}
}

func TestAuditTrailThatCannotBeWrittenIsAnAlarm(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "AppendEvent" {
			return storage.ErrUnavailable
		}
		return nil
	})
	w.NewBrowser().Attempt("alice@example.com", "wrong-password")
	if !strings.Contains(w.Log.String(), "audit event could not be stored") {
		t.Errorf("no alarm:\n%s", w.Log.String())
	}
	if !w.Saw(event.SignInFailed) {
		t.Error("OnEvent was not told")
	}
}

// A write that took effect but could not say so.
func TestAnswerOfTheDatabaseIsLost(t *testing.T) {
	t.Parallel()
	lose := func(store *lab.FaultyStore, method string) {
		store.BreakAfter(func(m string) error {
			if m == method {
				return storage.ErrUnavailable
			}
			return nil
		})
	}

	t.Run("RefreshingAgainWorks", func(t *testing.T) {
		var store *lab.FaultyStore
		_, b := lab.WithAlice(t, lab.Faulty(&store))
		first := lab.Member(t, b.StandardTokens(), "refresh_token")
		lose(store, "Exchange")
		p, _ := b.Refresh(first)
		lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		store.BreakAfter(nil)
		p, second := b.Refresh(first)
		if p.StatusCode != http.StatusOK {
			t.Fatalf("again: %s %s", p.Status, p.Text)
		}
		lab.Works(t, b, lab.Member(t, second, "access_token"), true)
	})

	t.Run("RedeemingAgainIsOneClearRefusalAndNoTokenIsLeft", func(t *testing.T) {
		var store *lab.FaultyStore
		_, b := lab.WithAlice(t, lab.Faulty(&store))
		code := b.Allow(lab.Ask()...).Get("code")
		lose(store, "Exchange")
		p, _ := b.Token(lab.Std("code", code)...)
		lab.Refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		store.BreakAfter(nil)
		p, _ = b.Token(lab.Std("code", code)...)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_grant")
		b.StandardTokens() // and a new attempt works
	})

	t.Run("RevokingAgainWorks", func(t *testing.T) {
		var store *lab.FaultyStore
		_, b := lab.WithAlice(t, lab.Faulty(&store))
		tokens := b.StandardTokens()
		revoke := lab.Form("client_id", "std", "client_secret", lab.ClientSecret, "token", lab.Member(t, tokens, "refresh_token"))
		lose(store, "RevokeGrants")
		lab.Refused(t, b.Post(lab.RevokePath, revoke), http.StatusServiceUnavailable, "temporarily_unavailable")
		store.BreakAfter(nil)
		if p := b.Post(lab.RevokePath, revoke); p.StatusCode != http.StatusOK {
			t.Errorf("again: %s %s", p.Status, p.Text)
		}
		lab.Works(t, b, lab.Member(t, tokens, "access_token"), false)
	})

	t.Run("AnsweringAgainShowsTheWayBack", func(t *testing.T) {
		var store *lab.FaultyStore
		_, b := lab.WithAlice(t, lab.Faulty(&store))
		consent := b.Open(lab.AuthorizeURL())
		lose(store, "CreateGrant")
		p := b.Submit(consent, "action", "allow")
		lab.Unavailable(t, p)
		store.BreakAfter(nil)
		p = b.Get(p.Request.URL.RequestURI())
		if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "https://rp.test/") {
			t.Errorf("again: %s\n%s", p.Status, p.Text)
		}
	})

	t.Run("SigningInAgainWorks", func(t *testing.T) {
		var store *lab.FaultyStore
		w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
		b := w.NewBrowser()
		form := b.Open("/signin")
		lose(store, "CreateSession")
		lab.Unavailable(t, b.Submit(form, "email", "alice@example.com", "password", lab.AlicePass))
		store.BreakAfter(nil)
		b.SignIn("alice@example.com", lab.AlicePass)
	})
}

// errBroken is a fault that no contract knows.
var errBroken = errors.New("disk I/O error at /var/lib/secret-path")

func TestUnknownFaultIsNotShown(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	u := newUnderWay(w)
	w.Advance(2 * time.Second)
	store.Down(errBroken)
	for name, p := range u.programs() {
		lab.Refused(t, p, http.StatusInternalServerError, "server_error")
		if strings.Contains(p.Text, "secret-path") {
			t.Errorf("%s shows: %s", name, p.Text)
		}
	}
	for name, p := range u.people() {
		if p.StatusCode != http.StatusInternalServerError && p.StatusCode != http.StatusSeeOther || strings.Contains(p.Text+p.Header.Get("Location"), "secret-path") {
			t.Errorf("%s: %s %s\n%s", name, p.Status, p.Header.Get("Location"), p.Text)
		}
	}
	if !strings.Contains(w.Log.String(), "secret-path") {
		t.Error("the log does not tell")
	}
}
