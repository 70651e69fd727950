package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// resume is the address that every page of a flow leads back to.
func resume(flow string) string { return "/oauth/authorize?flow=" + url.QueryEscape(flow) }

func openID(pairs ...string) string {
	return lab.AuthorizeURL(append([]string{"client_id", "std", "scope", "openid military"}, pairs...)...)
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	if err := w.Clients().Save(t.Context(), provider.Client{ID: "native", Dialect: provider.Standard, Public: true,
		RedirectURIs: []string{"http://127.0.0.1/cb", "com.example.app:/cb"}}); err != nil {
		t.Fatal(err)
	}
	native := []string{"client_id", "native", "scope", "openid", "code_challenge", strings.Repeat("A", 43), "code_challenge_method", "S256"}

	t.Run("NoneNeverShowsAPage", func(t *testing.T) {
		b := w.NewBrowser()
		lab.Told(t, w, b.Get(openID("prompt", "none")), "login_required")
		lab.Told(t, w, b.Get(openID("prompt", "none", "op", "signup")), "login_required")
		b = w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		lab.Told(t, w, b.Get(openID("prompt", "none")), "consent_required")
		b.Allow("client_id", "std", "scope", "openid military")
		if answer := lab.Response(t, b.Get(openID("prompt", "none"))); answer.Get("code") == "" {
			t.Errorf("answered %v", answer)
		}
		lab.Told(t, w, b.Get(openID("prompt", "none", "max_age", "0")), "login_required")
		lab.Told(t, w, b.Get(openID("prompt", "none", "id_token_hint", "eyJhbGciOiJub25lIn0.e30.")), "invalid_request")
	})

	t.Run("NoneNeverAnswersAnAppThatAnotherCouldImpersonate", func(t *testing.T) {
		b := w.Alice()
		for _, uri := range []string{"http://127.0.0.1:4711/cb", "com.example.app:/cb"} {
			p := b.Open(lab.AuthorizeURL(append(native, "redirect_uri", uri)...))
			if p = b.Submit(p, "action", "allow"); !strings.Contains(p.Text+p.Header.Get("Location"), "code=") {
				t.Fatalf("no code for %s: %s", uri, p.Status)
			}
			p = b.Get(lab.AuthorizeURL(append(native, "redirect_uri", uri, "prompt", "none")...))
			if !strings.Contains(p.Header.Get("Location"), "error=consent_required") {
				t.Errorf("%s is answered without asking: %s %q", uri, p.Status, p.Header.Get("Location"))
			}
		}
	})

	t.Run("AppIsAnsweredByAPageAfterForms", func(t *testing.T) {
		b := w.Alice()
		for _, action := range []string{"allow", "deny"} {
			p := b.Submit(b.Open(lab.AuthorizeURL(append(native, "redirect_uri", "com.example.app:/cb")...)), "action", action)
			if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Next(), "com.example.app:/cb?") {
				t.Errorf("%s answers %s, leads to %q", action, p.Status, p.Next())
			}
		}
	})

	t.Run("LoginMovesTheTimeOfAuthentication", func(t *testing.T) {
		b := w.Alice()
		authTime := func(code string) float64 {
			_, tokens := b.Token("client_id", "std", "code", code)
			_, claims := lab.JWT(t, lab.Member(t, tokens, "id_token"))
			return claims["auth_time"].(float64)
		}
		before := authTime(b.Allow("client_id", "std", "scope", "openid military").Get("code"))
		w.Advance(time.Minute)
		p := b.Open(openID("prompt", "login consent"))
		if !strings.Contains(p.Text, `name="password"`) {
			t.Fatal("no password asked")
		}
		p = b.Submit(p, "password", lab.AlicePass)
		if !strings.Contains(p.Text, `value="allow"`) {
			t.Fatalf("no consent asked: %s", p.Status)
		}
		if after := authTime(lab.Response(t, b.Submit(p, "action", "allow")).Get("code")); after < before+60 {
			t.Errorf("auth_time %v after %v", after, before)
		}
	})

	t.Run("SelectAccountShowsWhoIsSignedIn", func(t *testing.T) {
		b := w.Alice()
		p := b.Open(openID("prompt", "select_account"))
		if !strings.Contains(p.Text, "alice@example.com") || !strings.Contains(p.Text, `value="continue"`) {
			t.Fatalf("no chooser: %s", p.Status)
		}
		if answer := lab.Response(t, b.Submit(p, "action", "continue")); answer.Get("code") == "" {
			t.Errorf("answered %v", answer)
		}
		p = b.Submit(b.Open(openID("prompt", "select_account")), "action", "switch")
		if !strings.Contains(p.Text, `name="email"`) {
			t.Errorf("switching leads to %s %s", p.Status, p.Request.URL)
		}
	})
}

func TestReauthentication(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	b.Allow("client_id", "std", "scope", "openid military")

	t.Run("IsNotLeftOutByOpeningTheWayBack", func(t *testing.T) {
		flow := lab.FlowOf(t, b.Get(openID("prompt", "login")))
		for _, path := range []string{resume(flow), "/oauth/consent?flow=" + flow, "/oauth/select-account?flow=" + flow} {
			p := b.Open(path)
			if strings.HasSuffix(p.Request.URL.Path, "/select-account") { // shows who is signed in, and leads back
				p = b.Submit(p, "action", "continue")
			}
			if p.Request.URL.Path != "/signin" || !strings.Contains(p.Text, `name="password"`) {
				t.Errorf("%s leads to %s %s", path, p.Status, p.Request.URL.Path)
			}
		}
	})

	t.Run("IsNotReplacedByAConsent", func(t *testing.T) {
		flow := lab.FlowOf(t, b.Get(openID("prompt", "login")))
		consent := b.Open(openID("prompt", "consent"))
		action, fields := consent.Form(t)
		fields.Set("flow", flow)
		fields.Set("action", "allow")
		if p := b.Follow(b.Post(action, fields)); p.Request.URL.Path != "/signin" {
			t.Errorf("leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("IsNotReplacedByAnEarlierOne", func(t *testing.T) {
		p := b.Open(openID("prompt", "login"))
		_, fields := p.Form(t)
		done := fields.Get("flow")
		if answer := lab.Response(t, b.Submit(p, "password", lab.AlicePass)); answer.Get("code") == "" {
			t.Fatal("no code")
		}
		grants := w.Count("grants")
		p = b.Open(resume(done))
		lab.Shown(t, p, http.StatusOK)
		if w.Count("grants") != grants {
			t.Error("a finished request was answered again")
		}
		w.Advance(time.Second)
		if p := b.Open(openID("prompt", "login")); p.Request.URL.Path != "/signin" {
			t.Errorf("a later request leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("WithAWrongPasswordKeepsAsking", func(t *testing.T) {
		p := b.Open(openID("prompt", "login"))
		wrong := b.Submit(p, "password", lab.BobPass)
		lab.Shown(t, wrong, http.StatusUnauthorized)
		// The page asks for alice's password; the name of somebody else beside it changes nothing.
		lab.Shown(t, b.Submit(p, "password", lab.BobPass, "email", "bob@example.com"), http.StatusUnauthorized)
		_, fields := p.Form(t)
		if p := b.Open(resume(fields.Get("flow"))); p.Request.URL.Path != "/signin" {
			t.Errorf("leads to %s %s", p.Status, p.Request.URL.Path)
		}
	})

	t.Run("BySomebodyElseAnswersForThemAfterTheirOwnConsent", func(t *testing.T) {
		flow := lab.FlowOf(t, b.Get(openID("prompt", "login")))
		b.Post("/signout", lab.SignOutForm(t, b))
		b.SignIn("bob@example.com", lab.BobPass)
		p := b.Open(resume(flow))
		if !strings.Contains(p.Text, "bob@example.com") || !strings.Contains(p.Text, `value="allow"`) {
			t.Fatalf("no consent of bob: %s\n%s", p.Status, p.Text)
		}
		code := lab.Response(t, b.Submit(p, "action", "allow")).Get("code")
		if subject := b.Subject(code, "std", lab.ClientSecret, lab.CallbackURI); subject != "bob" {
			t.Errorf("code for %s", subject)
		}
	})
}

func TestSealedFlow(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	b.Allow()
	flow := lab.FlowOf(t, w.NewBrowser().Get(lab.AuthorizeURL()))
	own := lab.FlowOf(t, b.Get(lab.AuthorizeURL("prompt", "consent")))

	t.Run("OfAnotherBrowserIsRefusedOnEveryPage", func(t *testing.T) {
		for _, path := range []string{"/oauth/authorize", "/oauth/consent", "/oauth/select-account", "/oauth/select-scope", "/signin", "/signup", "/reset"} {
			lab.Shown(t, b.Get(path+"?flow="+flow), http.StatusBadRequest)
			lab.Shown(t, w.NewBrowser().Get(path+"?flow="+flow), http.StatusBadRequest)
		}
	})

	t.Run("ThatWasTouchedIsRefused", func(t *testing.T) {
		for i := 0; i < len(own); i += 7 {
			flipped := byte('A')
			if own[i] == flipped {
				flipped = 'B'
			}
			lab.Shown(t, b.Get(resume(own[:i]+string(flipped)+own[i+1:])), http.StatusBadRequest)
			lab.Shown(t, b.Get(resume(own[:i])), http.StatusBadRequest)
		}
		for _, value := range []string{own + "A", own + "=", "\n" + own, own + "\n", "AAAA", "null", "{}", strings.Repeat("A", 100_000)} {
			lab.Shown(t, b.Get(resume(value)), http.StatusBadRequest)
		}
	})

	t.Run("OfAnotherPurposeOrProviderIsRefused", func(t *testing.T) {
		u, err := url.Parse(b.SubmitOnce(b.Get("/reset"), "email", "alice@example.com").Header.Get("Location"))
		if err != nil || u.Query().Get("ticket") == "" {
			t.Fatalf("no ticket in %v", u)
		}
		lab.Shown(t, b.Get(resume(u.Query().Get("ticket"))), http.StatusBadRequest)
		lab.Shown(t, b.Get("/reset/finish?ticket="+own), http.StatusBadRequest)
		sandbox := lab.New(t).WithClients().WithUsers() // the same secret under another issuer
		lab.Shown(t, b.Get(sandbox.Server.URL+resume(own)), http.StatusBadRequest)
	})

	t.Run("WinsOverParametersBesideIt", func(t *testing.T) {
		p := b.Open(resume(own) + "&response_type=token&scope=student&prompt=none&state=evil&redirect_uri=" + url.QueryEscape("https://evil.test/"))
		if !strings.Contains(p.Text, `value="allow"`) {
			t.Fatalf("no consent: %s", p.Status)
		}
		answer := lab.Response(t, b.Submit(p, "action", "allow", "response_type", "token", "scope", "student", "client_id", "std", "redirect_uri", "https://evil.test/", "prompt", "none"))
		if answer.Get("code") == "" || answer.Has("access_token") || answer.Get("state") != "xyz" {
			t.Errorf("answered %v", answer)
		}
	})

	t.Run("IsAnsweredOnceEverywhere", func(t *testing.T) {
		grants := w.Count("grants")
		for range 3 {
			p := b.Open(resume(own))
			lab.Shown(t, p, http.StatusOK)
			if strings.Contains(p.Text, "code=") {
				t.Error("a code on the page of a finished request")
			}
		}
		if w.Count("grants") != grants {
			t.Error("answered twice")
		}
	})

	t.Run("EndsAfterItsTimeWithAWayBack", func(t *testing.T) {
		later := lab.FlowOf(t, b.Get(lab.AuthorizeURL("prompt", "consent")))
		p := b.Open(resume(later))
		w.Advance(time.Hour + time.Second)
		expired := b.Submit(p, "action", "allow")
		lab.Shown(t, expired, http.StatusBadRequest)
		if !strings.Contains(expired.Text, `href="https://rp.test/"`) {
			t.Error("no way back to the application")
		}
		lab.Shown(t, b.Open(resume(later)), http.StatusBadRequest)
	})

	t.Run("DoesNotMoveWithThePlantedMarkOfABrowser", func(t *testing.T) {
		victim := w.NewBrowser()
		victim.Get("/signin")
		attacker := w.NewBrowser()
		planted := lab.FlowOf(t, attacker.Get(lab.AuthorizeURL()))
		victim.SetCookie(session.Browser, "x"+attacker.Cookie(session.Browser))
		lab.Shown(t, victim.Get(resume(planted)), http.StatusBadRequest)
	})
}

func TestRedirectsNeverRepeatAForm(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	b := w.NewBrowser()
	p := b.Get(lab.AuthorizeURL())
	for step := 0; ; step++ {
		if p.StatusCode != http.StatusSeeOther || p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Fatalf("step %d: %s %v", step, p.Status, p.Header)
		}
		if !strings.HasPrefix(p.Header.Get("Location"), "/") {
			break
		}
		p = b.Get(p.Header.Get("Location"))
		switch {
		case p.StatusCode != http.StatusOK:
		case strings.Contains(p.Text, `name="password"`):
			p = b.SubmitOnce(p, "email", "alice@example.com", "password", lab.AlicePass)
		default:
			p = b.SubmitOnce(p, "action", "allow")
		}
	}
	if lab.Response(t, p).Get("code") == "" {
		t.Error("the last redirect has no code")
	}
}
