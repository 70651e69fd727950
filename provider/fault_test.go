package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// unavailable demands the page that says to come back later, and nothing that
// blames the user.
func unavailable(t testing.TB, p page) {
	t.Helper()
	if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" {
		t.Errorf("%s %s answered %s %v", p.Request.Method, p.Request.URL.Path, p.Status, p.Header)
	}
	if p.Header.Get("Location") != "" || strings.Contains(p.body, "<form method=\"post\"") || strings.Contains(p.body, "type=\"password\"") {
		t.Errorf("%s %s leads elsewhere: %q\n%s", p.Request.Method, p.Request.URL.Path, p.Header.Get("Location"), p.body)
	}
	for _, c := range p.Cookies() {
		if strings.HasSuffix(c.Name, "_session") {
			t.Errorf("%s %s touches the session: %v", p.Request.Method, p.Request.URL.Path, c)
		}
	}
}

// underWay is everything that can be asked of a provider with a session, a consent
// screen, a code and tokens at hand.
type underWay struct {
	b            *browser
	newcomer     *browser
	signInPage   page
	consentPage  page
	code         string
	access       string
	refreshToken string
	idToken      string
	v3           string
}

func (w *fixture) underWay() *underWay {
	w.t.Helper()
	u := &underWay{b: w.alice(), newcomer: w.newBrowser()}
	tokens := u.b.standardTokens()
	u.access, u.refreshToken, u.idToken = text(w.t, tokens, "access_token"), text(w.t, tokens, "refresh_token"), text(w.t, tokens, "id_token")
	u.code = u.b.allow(ask()...).Get("code")
	u.v3 = text(w.t, u.b.v3Tokens(), "access_token")
	u.consentPage = u.b.open(authorizeURL(ask("prompt", "consent")...))
	u.signInPage = u.newcomer.open(authorizeURL())
	return u
}

// programs asks what programs ask, by name.
func (u *underWay) programs() map[string]page {
	secret := []string{"client_id", "std", "client_secret", clientSecret}
	redeem, _ := u.b.token(std("code", u.code)...)
	refresh, _ := u.b.refresh(u.refreshToken)
	guess, _ := u.b.token(std("code", "x", "client_secret", "wrong-secret")...)
	return map[string]page{
		"token":                 redeem,
		"refresh":               refresh,
		"token with bad secret": guess,
		"revoke":                u.b.post(revokePath, form(append(secret, "token", u.access)...)),
		"revoke a grant":        u.b.post(revokePath, form(append(secret, "token", u.refreshToken)...)),
		"introspect":            u.b.post(introspectPath, form(append(secret, "token", u.access)...)),
		"userinfo":              u.b.bearer(userinfoPath, u.access),
		"attributes":            u.b.bearer(attributesPath, u.access),
		"attributes by query":   u.b.get(attributesPath + "?access_token=" + u.v3),
	}
}

// people asks what people ask, by name.
func (u *underWay) people() map[string]page {
	return map[string]page{
		"authorize":            u.b.get(authorizeURL(ask()...)),
		"authorize silently":   u.b.get(authorizeURL(ask("prompt", "none")...)),
		"authorize with hint":  u.b.get(authorizeURL(ask("id_token_hint", u.idToken)...)),
		"consent":              u.b.submitOnce(u.consentPage, "action", "allow"),
		"refusal":              u.b.submitOnce(u.consentPage, "action", "deny"),
		"sign in":              u.newcomer.submitOnce(u.signInPage, "email", "alice@example.com", "password", alicePass),
		"sign in, wrong":       u.newcomer.submitOnce(u.signInPage, "email", "alice@example.com", "password", "wrong-password"),
		"sign in, nobody":      u.newcomer.submitOnce(u.signInPage, "email", "nobody@example.com", "password", "wrong-password"),
		"account":              u.b.get("/account"),
		"account apps":         u.b.get("/account/apps"),
		"account sessions":     u.b.get("/account/sessions"),
		"sign out of all this": u.b.get("/signout"),
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
			var store *faultyStore
			w := newFixture(t, faulty(&store)).withClients().withUsers()
			u := w.underWay()
			w.advance(2 * time.Second) // no client is remembered any more
			store.down(cause)
			for name, p := range u.programs() {
				t.Run(name, func(t *testing.T) { refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable") })
			}
			for name, p := range u.people() {
				t.Run(name, func(t *testing.T) { unavailable(t, p) })
			}
			p := u.b.get(attributesPath + "?callback=show&access_token=" + u.v3)
			if p.StatusCode != http.StatusOK || p.Header.Get("Retry-After") == "" || !strings.HasPrefix(p.body, `/**/show({"error":"temporarily_unavailable"`) {
				t.Errorf("JSONP: %s %v %s", p.Status, p.Header, p.body)
			}
			for _, path := range []string{discoveryPath, keysPath} {
				if p := u.b.get(path); p.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", path, p.Status)
				}
			}

			store.down(nil) // and all goes on, where it was, without a restart
			works(t, u.b, u.access, true)
			if p, _ := u.b.token(std("code", u.code)...); p.StatusCode != http.StatusOK {
				t.Errorf("the code afterwards: %s %s", p.Status, p.body)
			}
			if p, _ := u.b.refresh(u.refreshToken); p.StatusCode != http.StatusOK {
				t.Errorf("the refresh token afterwards: %s %s", p.Status, p.body)
			}
			if got := response(t, u.b.submit(u.consentPage, "action", "allow")); got.Get("code") == "" {
				t.Errorf("the consent screen afterwards: %v", got)
			}
			p = u.newcomer.submit(u.signInPage, "email", "alice@example.com", "password", alicePass)
			if p.StatusCode != http.StatusSeeOther && !strings.Contains(p.body, "Veterans Shop") {
				t.Errorf("the sign-in screen afterwards: %s\n%s", p.Status, p.body)
			}
		})
	}
}

// One method at a time fails, so that every later step is reached with all before
// it working.
func TestDatabaseFailsAtOneStep(t *testing.T) {
	t.Parallel()
	blames := []string{"invalid_client", "invalid_grant", "invalid_token", "login_required", "consent_required", "access_denied"}
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	for _, method := range []string{
		"Client", "Token", "Exchange", "Person", "AccountByEmail", "AllowAttempt", "Session", "CreateSession",
		"Consent", "SaveConsent", "CreateGrant", "RevokeGrants", "EndSession", "Consents", "Sessions",
	} {
		t.Run(method, func(t *testing.T) {
			u := w.underWay()
			w.advance(2 * time.Second)
			reached := false
			store.breakBefore(func(_ context.Context, m string) error {
				if m != method {
					return nil
				}
				reached = true
				return fmt.Errorf("%s: %w", method, storage.ErrUnavailable)
			})
			defer store.down(nil)
			mine := map[string]page{}
			for name, ask := range map[string]func() page{
				"token":   func() page { p, _ := u.b.token(std("code", u.code)...); return p },
				"refresh": func() page { p, _ := u.b.refresh(u.refreshToken); return p },
				"revoke": func() page {
					return u.b.post(revokePath, form("client_id", "std", "client_secret", clientSecret, "token", u.access))
				},
				"revoke a grant": func() page {
					return u.b.post(revokePath, form("client_id", "std", "client_secret", clientSecret, "token", u.refreshToken))
				},
				"wrong secret": func() page { p, _ := u.b.token(std("code", "x", "client_secret", "wrong-secret")...); return p },
				"userinfo":     func() page { return u.b.bearer(userinfoPath, u.access) },
				"attributes":   func() page { return u.b.bearer(attributesPath, u.access) },
				"authorize":    func() page { return u.b.get(authorizeURL(ask()...)) },
				"consent":      func() page { return u.b.submit(u.consentPage, "action", "allow") },
				"sign in": func() page {
					return u.newcomer.submit(u.signInPage, "email", "alice@example.com", "password", alicePass)
				},
				"apps": func() page { return u.b.get("/account/apps") },
				"verify e-mail": func() page {
					_, fields := u.consentPage.form(t)
					return u.b.post("/account", form("csrf", fields.Get("csrf"), "action", "verify"))
				},
				"sessions": func() page { return u.b.get("/account/sessions") },
			} {
				reached = false
				if p := ask(); reached {
					mine[name] = p
				}
			}
			if method == "EndSession" {
				reached = false
				if p := u.b.submit(u.b.get("/signout")); reached {
					mine["sign out"] = p
				}
			}
			if len(mine) == 0 {
				t.Fatal("nothing asks for it")
			}
			for name, p := range mine {
				if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" {
					t.Errorf("%s answered %s %s\n%s", name, p.Status, p.Header.Get("Location"), p.body)
				}
				for _, blame := range blames {
					if strings.Contains(p.body+p.Header.Get("Location"), blame) {
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
			var store *faultyStore
			w := newFixture(t, faulty(&store)).withClients().withUsers()
			store.breakBefore(func(_ context.Context, m string) error {
				if m == method {
					return storage.ErrUnavailable
				}
				return nil
			})
			if p := w.newBrowser().attempt("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
				t.Errorf("sign-in: %s", p.Status)
			}
			if !strings.Contains(w.log.String(), "stays counted") {
				t.Error("nobody is told")
			}
		})
	}
}

func TestAuditTrailThatCannotBeWrittenIsAnAlarm(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	store.breakBefore(func(_ context.Context, method string) error {
		if method == "AppendEvent" {
			return storage.ErrUnavailable
		}
		return nil
	})
	b := w.alice()
	b.standardTokens()
	if !strings.Contains(w.log.String(), "audit event could not be stored") {
		t.Errorf("no alarm:\n%s", w.log.String())
	}
	if !w.saw(provider.EventSignedIn) {
		t.Error("OnEvent was not told")
	}
}

// A write that took effect but could not say so.
func TestAnswerOfTheDatabaseIsLost(t *testing.T) {
	t.Parallel()
	lose := func(store *faultyStore, method string) {
		store.breakAfter(func(m string) error {
			if m == method {
				return storage.ErrUnavailable
			}
			return nil
		})
	}

	t.Run("RefreshingAgainWorks", func(t *testing.T) {
		var store *faultyStore
		w := newFixture(t, faulty(&store)).withClients().withUsers()
		b := w.alice()
		first := text(t, b.standardTokens(), "refresh_token")
		lose(store, "Exchange")
		p, _ := b.refresh(first)
		refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		store.breakAfter(nil)
		p, second := b.refresh(first)
		if p.StatusCode != http.StatusOK {
			t.Fatalf("again: %s %s", p.Status, p.body)
		}
		works(t, b, text(t, second, "access_token"), true)
	})

	t.Run("RedeemingAgainIsOneClearRefusalAndNoTokenIsLeft", func(t *testing.T) {
		var store *faultyStore
		w := newFixture(t, faulty(&store)).withClients().withUsers()
		b := w.alice()
		code := b.allow(ask()...).Get("code")
		lose(store, "Exchange")
		p, _ := b.token(std("code", code)...)
		refused(t, p, http.StatusServiceUnavailable, "temporarily_unavailable")
		store.breakAfter(nil)
		p, _ = b.token(std("code", code)...)
		refused(t, p, http.StatusBadRequest, "invalid_grant")
		b.standardTokens() // and a new attempt works
	})

	t.Run("RevokingAgainWorks", func(t *testing.T) {
		var store *faultyStore
		w := newFixture(t, faulty(&store)).withClients().withUsers()
		b := w.alice()
		tokens := b.standardTokens()
		revoke := form("client_id", "std", "client_secret", clientSecret, "token", text(t, tokens, "refresh_token"))
		lose(store, "RevokeGrants")
		refused(t, b.post(revokePath, revoke), http.StatusServiceUnavailable, "temporarily_unavailable")
		store.breakAfter(nil)
		if p := b.post(revokePath, revoke); p.StatusCode != http.StatusOK {
			t.Errorf("again: %s %s", p.Status, p.body)
		}
		works(t, b, text(t, tokens, "access_token"), false)
	})

	t.Run("AnsweringAgainShowsTheWayBack", func(t *testing.T) {
		var store *faultyStore
		w := newFixture(t, faulty(&store)).withClients().withUsers()
		b := w.alice()
		consent := b.open(authorizeURL())
		lose(store, "CreateGrant")
		p := b.submit(consent, "action", "allow")
		unavailable(t, p)
		store.breakAfter(nil)
		p = b.get(p.Request.URL.RequestURI())
		if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "https://rp.test/") {
			t.Errorf("again: %s\n%s", p.Status, p.body)
		}
	})

	t.Run("SigningInAgainWorks", func(t *testing.T) {
		var store *faultyStore
		w := newFixture(t, faulty(&store)).withClients().withUsers()
		b := w.newBrowser()
		form := b.open("/signin")
		lose(store, "CreateSession")
		unavailable(t, b.submit(form, "email", "alice@example.com", "password", alicePass))
		store.breakAfter(nil)
		b.signIn("alice@example.com", alicePass)
	})
}

// errBroken is a fault that no contract knows.
var errBroken = errors.New("disk I/O error at /var/lib/secret-path")

func TestUnknownFaultIsNotShown(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	u := w.underWay()
	w.advance(2 * time.Second)
	store.down(errBroken)
	for name, p := range u.programs() {
		refused(t, p, http.StatusInternalServerError, "server_error")
		if strings.Contains(p.body, "secret-path") {
			t.Errorf("%s shows: %s", name, p.body)
		}
	}
	for name, p := range u.people() {
		if p.StatusCode != http.StatusInternalServerError && p.StatusCode != http.StatusSeeOther || strings.Contains(p.body+p.Header.Get("Location"), "secret-path") {
			t.Errorf("%s: %s %s\n%s", name, p.Status, p.Header.Get("Location"), p.body)
		}
	}
	if !strings.Contains(w.log.String(), "secret-path") {
		t.Error("the log does not tell")
	}
}
