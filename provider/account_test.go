package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

const (
	newPassword = "lantern-breeze-quartz-19"
	codeLife    = 15 * time.Minute
)

func TestSignUp(t *testing.T) {
	t.Parallel()
	t.Run("EndsAtTheApplicationThatAsked", func(t *testing.T) {
		w := newFixture(t).withClients()
		b := w.newBrowser()
		p := b.open(authorizeURL("op", "signup"))
		p = b.submit(p, "email", "carol@example.com", "new_password", newPassword)
		_, code := w.mails.last(t)
		p = b.submit(p, "code", code[:3]+" "+code[3:])
		answer := response(t, b.submit(p, "action", "allow"))
		if answer.Get("code") == "" || !w.saw(provider.EventSignedUp) {
			t.Fatalf("response %v", answer)
		}
	})
	t.Run("MakesNoAccountBeforeTheCodeComesBack", func(t *testing.T) {
		w := newFixture(t)
		b := w.newBrowser()
		b.submit(b.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
		p := b.submit(b.open("/signin"), "email", "carol@example.com", "password", newPassword)
		if p.StatusCode != http.StatusUnauthorized {
			t.Fatalf("signed in without proving the address: %s", p.Status)
		}
	})
	t.Run("TellsNothingAboutAnAddressThatHasAnAccount", func(t *testing.T) {
		w := newFixture(t).withUsers()
		known, unknown := w.newBrowser(), w.newBrowser()
		p1 := known.submit(known.open("/signup"), "email", "alice@example.com", "new_password", newPassword)
		mail, code := w.mails.last(t)
		p2 := unknown.submit(unknown.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
		if p1.StatusCode != p2.StatusCode || p1.Request.URL.Path != p2.Request.URL.Path {
			t.Fatalf("%s %s differs from %s %s", p1.Status, p1.Request.URL.Path, p2.Status, p2.Request.URL.Path)
		}
		if mail.To != "alice@example.com" || code != "" {
			t.Fatalf("the owner got a code: %q", mail.Text)
		}
	})
	t.Run("RefusesAWrongCodeAndAllowsFiveTries", func(t *testing.T) {
		w := newFixture(t)
		b := w.newBrowser()
		p := b.submit(b.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
		_, code := w.mails.last(t)
		wrong := "00000000"
		if code == wrong {
			wrong = "00000001"
		}
		for range 5 {
			if p = b.submit(p, "code", wrong); p.StatusCode != http.StatusUnprocessableEntity {
				t.Fatalf("wrong code: %s", p.Status)
			}
		}
		if p = b.submit(p, "code", code); p.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("sixth try: %s", p.Status)
		}
	})
	t.Run("IsClosedWithoutAMailer", func(t *testing.T) {
		w := newFixture(t, func(c *provider.Config) { c.Mailer = nil })
		if p := w.newBrowser().get("/signup"); p.StatusCode != http.StatusNotFound {
			t.Fatalf("sign-up: %s", p.Status)
		}
		if p := w.newBrowser().get("/signin"); strings.Contains(p.body, "/signup") || strings.Contains(p.body, "/reset") {
			t.Fatal("the sign-in screen leads to screens that do not exist")
		}
	})
}

func TestPassword(t *testing.T) {
	t.Parallel()
	t.Run("ResetEndsEverySessionAndAsksToSignIn", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		elsewhere := w.newBrowser().signIn("alice@example.com", alicePass)
		b := w.newBrowser()
		p := b.submit(b.open("/reset"), "email", "Alice@Example.com")
		_, code := w.mails.last(t)
		p = b.submit(p, "code", code, "new_password", newPassword)
		if p.Request.URL.Path != "/signin" {
			t.Fatalf("after the reset: %s %s", p.Request.URL, p.body)
		}
		if p := elsewhere.open("/account"); p.Request.URL.Path != "/signin" {
			t.Fatal("a session from before the reset lives on")
		}
		b.signIn("alice@example.com", newPassword)
	})
	t.Run("ResetCodeWorksOnce", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser()
		form := b.submit(b.open("/reset"), "email", "alice@example.com")
		_, code := w.mails.last(t)
		b.submit(form, "code", code, "new_password", newPassword)
		if p := b.submit(form, "code", code, "new_password", "another-copper-meadow-3"); p.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("second use: %s", p.Status)
		}
	})
	t.Run("ResetCodeOutlivesNoQuarterOfAnHour", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser()
		form := b.submit(b.open("/reset"), "email", "alice@example.com")
		_, code := w.mails.last(t)
		w.advance(codeLife)
		if p := b.submit(form, "code", code, "new_password", newPassword); p.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("expired code: %s", p.Status)
		}
	})
	t.Run("ChangeKeepsThisBrowserAndEndsTheRest", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b, elsewhere := w.newBrowser().signIn("alice@example.com", alicePass), w.newBrowser().signIn("alice@example.com", alicePass)
		_, tokens := b.token("code", w.code(b))
		p := b.submit(b.open("/account/password"), "password", alicePass, "new_password", newPassword)
		if p.Request.URL.Path != "/account" {
			t.Fatalf("change: %s %s", p.Status, p.body)
		}
		if p := elsewhere.open("/account"); p.Request.URL.Path != "/signin" {
			t.Error("another session lives on")
		}
		if p := b.get("/api/public/v3/attributes.json?access_token=" + tokens["access_token"].(string)); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("an access token lives on: %s", p.Status)
		}
	})
	t.Run("ChangeNeedsTheOldOne", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p := b.submit(b.open("/account/password"), "password", "not-the-password", "new_password", newPassword)
		if p.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("change with a wrong password: %s", p.Status)
		}
		w.newBrowser().signIn("alice@example.com", alicePass)
	})
}

func TestAccount(t *testing.T) {
	t.Parallel()
	t.Run("VerifiesItsAddress", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("bob@example.com", bobPass)
		p := b.submit(b.open("/account"), "action", "verify")
		_, code := w.mails.last(t)
		b.submit(p, "code", code)
		if !w.saw(provider.EventEmailVerified) {
			t.Fatal("the address is not verified")
		}
	})
	t.Run("RemovesAnApplicationWithItsTokens", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		_, kept := b.token("code", w.code(b), "client_id", "v3")
		_, gone := b.token("code", w.code(b, "client_id", "std"), "client_id", "std")
		p := b.open("/account/apps")
		if !strings.Contains(p.body, "Standard App") || !strings.Contains(p.body, "Military status") {
			t.Fatalf("the list does not say what may be seen:\n%s", p.body)
		}
		b.submit(b.open("/account/apps/remove?client_id=std"))
		if p := b.open("/account/apps"); strings.Contains(p.body, "Standard App") {
			t.Error("the application is still listed")
		}
		if p := bearer(b, "/api/public/v3/attributes.json", gone); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("its access token lives on: %s", p.Status)
		}
		if p, _ := b.token("grant_type", "refresh_token", "client_id", "std", "refresh_token", gone["refresh_token"].(string)); p.StatusCode != http.StatusBadRequest {
			t.Errorf("its refresh token lives on: %s", p.Status)
		}
		if p := bearer(b, "/api/public/v3/attributes.json", kept); p.StatusCode != http.StatusOK {
			t.Errorf("another application's token has died: %s", p.Status)
		}
		if p := b.open(authorizeURL("client_id", "std")); p.Header.Get("Location") != "" {
			t.Error("the decision is still remembered")
		}
	})
	t.Run("EndsOtherSessions", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b, elsewhere := w.newBrowser().signIn("alice@example.com", alicePass), w.newBrowser().signIn("alice@example.com", alicePass)
		b.submit(b.open("/account/sessions"), "action", "others")
		if p := elsewhere.open("/account"); p.Request.URL.Path != "/signin" {
			t.Error("the other session lives on")
		}
		if p := b.open("/account"); p.Request.URL.Path != "/account" {
			t.Error("this session has ended")
		}
	})
	t.Run("SignsOut", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		b.submit(b.open("/signout"))
		if p := b.open("/account"); p.Request.URL.Path != "/signin" {
			t.Fatal("still signed in")
		}
	})
}

// bearer asks for data with an access token in the header.
func bearer(b *browser, path string, tokens map[string]any) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.absolute(path), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	token, _ := tokens["access_token"].(string)
	r.Header.Set("Authorization", "Bearer "+token)
	return b.do(r)
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	t.Run("GoesBackToARegisteredAddressWithState", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		_, tokens := b.token("code", w.code(b, "client_id", "std", "scope", "openid military"), "client_id", "std")
		q := url.Values{"id_token_hint": {tokens["id_token"].(string)}, "post_logout_redirect_uri": {"https://rp.test/bye"}, "state": {"s1"}}
		p := b.get("/signout?" + q.Encode())
		if p.Header.Get("Location") != "https://rp.test/bye?state=s1" {
			t.Fatalf("%s %q", p.Status, p.Header.Get("Location"))
		}
		if p := b.open("/account"); p.Request.URL.Path != "/signin" {
			t.Error("still signed in")
		}
	})
	t.Run("RefusesAnAddressThatIsNotRegistered", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		p := w.newBrowser().get("/signout?client_id=std&post_logout_redirect_uri=" + url.QueryEscape("https://evil.test/"))
		if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" {
			t.Fatalf("%s %q", p.Status, p.Header.Get("Location"))
		}
	})
}

func TestSignUpWithoutAPasswordPointsAtTheFieldForIt(t *testing.T) {
	t.Parallel()
	b := newFixture(t).newBrowser()
	p := b.submit(b.open("/signup"), "email", "new@example.com", "new_password", "")
	if p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.body, `id="new_password-problem"`) {
		t.Errorf("answer is %s:\n%s", p.Status, p.body)
	}
}
