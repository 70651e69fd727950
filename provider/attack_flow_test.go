package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// flowOf returns the sealed flow in the address that a page leads to.
func flowOf(t testing.TB, p page) string {
	t.Helper()
	u, err := url.Parse(p.Header.Get("Location"))
	if err != nil || u.Query().Get("flow") == "" {
		t.Fatalf("no flow: %s %q", p.Status, p.Header.Get("Location"))
	}
	return u.Query().Get("flow")
}

// resume is the address that every page of a flow leads back to.
func resume(flow string) string { return "/oauth/authorize?flow=" + url.QueryEscape(flow) }

func openID(pairs ...string) string {
	return authorizeURL(append([]string{"client_id", "std", "scope", "openid military"}, pairs...)...)
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	if err := w.SaveClient(t.Context(), provider.Client{ID: "native", Dialect: provider.Standard, Public: true,
		RedirectURIs: []string{"http://127.0.0.1/cb", "com.example.app:/cb"}}); err != nil {
		t.Fatal(err)
	}
	native := []string{"client_id", "native", "scope", "openid", "code_challenge", strings.Repeat("A", 43), "code_challenge_method", "S256"}

	t.Run("NoneNeverShowsAPage", func(t *testing.T) {
		b := w.newBrowser()
		told(t, w, b.get(openID("prompt", "none")), "login_required")
		told(t, w, b.get(openID("prompt", "none", "op", "signup")), "login_required")
		b = w.newBrowser().signIn("bob@example.com", bobPass)
		told(t, w, b.get(openID("prompt", "none")), "consent_required")
		b.allow("client_id", "std", "scope", "openid military")
		if answer := response(t, b.get(openID("prompt", "none"))); answer.Get("code") == "" {
			t.Errorf("answered %v", answer)
		}
		told(t, w, b.get(openID("prompt", "none", "max_age", "0")), "login_required")
		told(t, w, b.get(openID("prompt", "none", "id_token_hint", "eyJhbGciOiJub25lIn0.e30.")), "invalid_request")
	})

	t.Run("NoneNeverAnswersAnAppThatAnotherCouldImpersonate", func(t *testing.T) {
		b := w.alice()
		for _, uri := range []string{"http://127.0.0.1:4711/cb", "com.example.app:/cb"} {
			p := b.open(authorizeURL(append(native, "redirect_uri", uri)...))
			if p = b.submit(p, "action", "allow"); !strings.Contains(p.body+p.Header.Get("Location"), "code=") {
				t.Fatalf("no code for %s: %s", uri, p.Status)
			}
			p = b.get(authorizeURL(append(native, "redirect_uri", uri, "prompt", "none")...))
			if !strings.Contains(p.Header.Get("Location"), "error=consent_required") {
				t.Errorf("%s is answered without asking: %s %q", uri, p.Status, p.Header.Get("Location"))
			}
		}
	})

	t.Run("AppIsAnsweredByAPageAfterForms", func(t *testing.T) {
		b := w.alice()
		for _, action := range []string{"allow", "deny"} {
			p := b.submit(b.open(authorizeURL(append(native, "redirect_uri", "com.example.app:/cb")...)), "action", action)
			if p.StatusCode != http.StatusOK || !strings.Contains(p.Header.Get("Refresh"), "com.example.app:/cb?") {
				t.Errorf("%s answers %s, Refresh %q", action, p.Status, p.Header.Get("Refresh"))
			}
		}
	})

	t.Run("LoginMovesTheTimeOfAuthentication", func(t *testing.T) {
		b := w.alice()
		authTime := func(code string) float64 {
			_, tokens := b.token("client_id", "std", "code", code)
			_, claims := jwt(t, text(t, tokens, "id_token"))
			return claims["auth_time"].(float64)
		}
		before := authTime(b.allow("client_id", "std", "scope", "openid military").Get("code"))
		w.advance(time.Minute)
		p := b.open(openID("prompt", "login consent"))
		if !strings.Contains(p.body, `name="password"`) {
			t.Fatal("no password asked")
		}
		p = b.submit(p, "password", alicePass)
		if !strings.Contains(p.body, `value="allow"`) {
			t.Fatalf("no consent asked: %s", p.Status)
		}
		if after := authTime(response(t, b.submit(p, "action", "allow")).Get("code")); after < before+60 {
			t.Errorf("auth_time %v after %v", after, before)
		}
	})

	t.Run("SelectAccountShowsWhoIsSignedIn", func(t *testing.T) {
		b := w.alice()
		p := b.open(openID("prompt", "select_account"))
		if !strings.Contains(p.body, "alice@example.com") || !strings.Contains(p.body, `value="continue"`) {
			t.Fatalf("no chooser: %s", p.Status)
		}
		if answer := response(t, b.submit(p, "action", "continue")); answer.Get("code") == "" {
			t.Errorf("answered %v", answer)
		}
		p = b.submit(b.open(openID("prompt", "select_account")), "action", "switch")
		if !strings.Contains(p.body, `name="email"`) {
			t.Errorf("switching leads to %s %s", p.Status, p.Request.URL)
		}
	})
}

func TestReauthentication(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	b.allow("client_id", "std", "scope", "openid military")

	t.Run("IsNotLeftOutByOpeningTheWayBack", func(t *testing.T) {
		flow := flowOf(t, b.get(openID("prompt", "login")))
		for _, path := range []string{resume(flow), "/oauth/consent?flow=" + flow, "/oauth/select-account?flow=" + flow} {
			p := b.open(path)
			if strings.HasSuffix(p.Request.URL.Path, "/select-account") { // shows who is signed in, and leads back
				p = b.submit(p, "action", "continue")
			}
			if p.Request.URL.Path != "/signin" || !strings.Contains(p.body, `name="password"`) {
				t.Errorf("%s leads to %s %s", path, p.Status, p.Request.URL.Path)
			}
		}
	})

	t.Run("IsNotReplacedByAConsent", func(t *testing.T) {
		flow := flowOf(t, b.get(openID("prompt", "login")))
		consent := b.open(openID("prompt", "consent"))
		action, fields := consent.form(t)
		fields.Set("flow", flow)
		fields.Set("action", "allow")
		if p := b.follow(b.post(action, fields)); p.Request.URL.Path != "/signin" {
			t.Errorf("leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("IsNotReplacedByAnEarlierOne", func(t *testing.T) {
		p := b.open(openID("prompt", "login"))
		_, fields := p.form(t)
		done := fields.Get("flow")
		if answer := response(t, b.submit(p, "password", alicePass)); answer.Get("code") == "" {
			t.Fatal("no code")
		}
		grants := w.count("grants")
		p = b.open(resume(done))
		shown(t, p, http.StatusOK)
		if w.count("grants") != grants {
			t.Error("a finished request was answered again")
		}
		w.advance(time.Second)
		if p := b.open(openID("prompt", "login")); p.Request.URL.Path != "/signin" {
			t.Errorf("a later request leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("WithAWrongPasswordKeepsAsking", func(t *testing.T) {
		p := b.open(openID("prompt", "login"))
		wrong := b.submit(p, "password", bobPass)
		shown(t, wrong, http.StatusUnauthorized)
		// The page asks for alice's password; the name of somebody else beside it changes nothing.
		shown(t, b.submit(p, "password", bobPass, "email", "bob@example.com"), http.StatusUnauthorized)
		_, fields := p.form(t)
		if p := b.open(resume(fields.Get("flow"))); p.Request.URL.Path != "/signin" {
			t.Errorf("leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("BySomebodyElseAnswersForThemAfterTheirOwnConsent", func(t *testing.T) {
		flow := flowOf(t, b.get(openID("prompt", "login")))
		b.post("/signout", signOutForm(t, b))
		b.signIn("bob@example.com", bobPass)
		p := b.open(resume(flow))
		if !strings.Contains(p.body, "bob@example.com") || !strings.Contains(p.body, `value="allow"`) {
			t.Fatalf("no consent of bob: %s\n%s", p.Status, p.body)
		}
		code := response(t, b.submit(p, "action", "allow")).Get("code")
		if subject := b.subject(code, "std", clientSecret, callbackURI); subject != "bob" {
			t.Errorf("code for %s", subject)
		}
	})
}

func signOutForm(t testing.TB, b *browser) url.Values {
	t.Helper()
	_, fields := b.get("/signout").form(t)
	return fields
}

func TestSealedFlow(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.alice()
	b.allow()
	flow := flowOf(t, w.newBrowser().get(authorizeURL()))
	own := flowOf(t, b.get(authorizeURL("prompt", "consent")))

	t.Run("OfAnotherBrowserIsRefusedOnEveryPage", func(t *testing.T) {
		for _, path := range []string{"/oauth/authorize", "/oauth/consent", "/oauth/select-account", "/oauth/select-scope", "/signin", "/signup", "/reset"} {
			shown(t, b.get(path+"?flow="+flow), http.StatusBadRequest)
			shown(t, w.newBrowser().get(path+"?flow="+flow), http.StatusBadRequest)
		}
	})

	t.Run("ThatWasTouchedIsRefused", func(t *testing.T) {
		for i := 0; i < len(own); i += 7 {
			flipped := byte('A')
			if own[i] == flipped {
				flipped = 'B'
			}
			shown(t, b.get(resume(own[:i]+string(flipped)+own[i+1:])), http.StatusBadRequest)
			shown(t, b.get(resume(own[:i])), http.StatusBadRequest)
		}
		for _, value := range []string{own + "A", own + "=", "\n" + own, own + "\n", "AAAA", "null", "{}", strings.Repeat("A", 100_000)} {
			shown(t, b.get(resume(value)), http.StatusBadRequest)
		}
	})

	t.Run("OfAnotherPurposeOrProviderIsRefused", func(t *testing.T) {
		u, err := url.Parse(b.submitOnce(b.get("/reset"), "email", "alice@example.com").Header.Get("Location"))
		if err != nil || u.Query().Get("ticket") == "" {
			t.Fatalf("no ticket in %v", u)
		}
		shown(t, b.get(resume(u.Query().Get("ticket"))), http.StatusBadRequest)
		shown(t, b.get("/reset/finish?ticket="+own), http.StatusBadRequest)
		sandbox := newFixture(t).withClients().withUsers() // the same secret under another issuer
		shown(t, b.get(sandbox.server.URL+resume(own)), http.StatusBadRequest)
	})

	t.Run("WinsOverParametersBesideIt", func(t *testing.T) {
		p := b.open(resume(own) + "&response_type=token&scope=student&prompt=none&state=evil&redirect_uri=" + url.QueryEscape("https://evil.test/"))
		if !strings.Contains(p.body, `value="allow"`) {
			t.Fatalf("no consent: %s", p.Status)
		}
		answer := response(t, b.submit(p, "action", "allow", "response_type", "token", "scope", "student", "client_id", "std", "redirect_uri", "https://evil.test/", "prompt", "none"))
		if answer.Get("code") == "" || answer.Has("access_token") || answer.Get("state") != "xyz" {
			t.Errorf("answered %v", answer)
		}
	})

	t.Run("IsAnsweredOnceEverywhere", func(t *testing.T) {
		grants := w.count("grants")
		for range 3 {
			p := b.open(resume(own))
			shown(t, p, http.StatusOK)
			if strings.Contains(p.body, "code=") {
				t.Error("a code on the page of a finished request")
			}
		}
		if w.count("grants") != grants {
			t.Error("answered twice")
		}
	})

	t.Run("EndsAfterItsTimeWithAWayBack", func(t *testing.T) {
		later := flowOf(t, b.get(authorizeURL("prompt", "consent")))
		p := b.open(resume(later))
		w.advance(time.Hour + time.Second)
		expired := b.submit(p, "action", "allow")
		shown(t, expired, http.StatusBadRequest)
		if !strings.Contains(expired.body, `href="https://rp.test/"`) {
			t.Error("no way back to the application")
		}
		shown(t, b.open(resume(later)), http.StatusBadRequest)
	})

	t.Run("DoesNotMoveWithThePlantedMarkOfABrowser", func(t *testing.T) {
		victim := w.newBrowser()
		victim.get("/signin")
		attacker := w.newBrowser()
		planted := flowOf(t, attacker.get(authorizeURL()))
		victim.setCookie(session.Browser, "x"+attacker.cookie(session.Browser))
		shown(t, victim.get(resume(planted)), http.StatusBadRequest)
	})
}

func TestRedirectsNeverRepeatAForm(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	b := w.newBrowser()
	p := b.get(authorizeURL())
	for step := 0; ; step++ {
		if p.StatusCode != http.StatusSeeOther || p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Fatalf("step %d: %s %v", step, p.Status, p.Header)
		}
		if !strings.HasPrefix(p.Header.Get("Location"), "/") {
			break
		}
		p = b.get(p.Header.Get("Location"))
		switch {
		case p.StatusCode != http.StatusOK:
		case strings.Contains(p.body, `name="password"`):
			p = b.submitOnce(p, "email", "alice@example.com", "password", alicePass)
		default:
			p = b.submitOnce(p, "action", "allow")
		}
	}
	if response(t, p).Get("code") == "" {
		t.Error("the last redirect has no code")
	}
}
