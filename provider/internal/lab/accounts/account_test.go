package accounts

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestSignUp(t *testing.T) {
	t.Parallel()
	t.Run("EndsAtTheApplicationThatAsked", func(t *testing.T) {
		w := lab.New(t).WithClients()
		b := w.NewBrowser()
		p := b.Open(lab.AuthorizeURL("op", "signup"))
		p = b.Submit(p, "email", "carol@example.com", "new_password", lab.NewPassword)
		_, code := w.Mails.Last(t)
		p = b.Submit(p, "code", code[:3]+" "+code[3:])
		answer := lab.Response(t, b.Submit(p, "action", "allow"))
		if answer.Get("code") == "" || !w.Saw(event.SignedUp) {
			t.Fatalf("response %v", answer)
		}
	})
	t.Run("MakesNoAccountBeforeTheCodeComesBack", func(t *testing.T) {
		w := lab.New(t)
		b := w.NewBrowser()
		b.Submit(b.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		p := b.Submit(b.Open("/signin"), "email", "carol@example.com", "password", lab.NewPassword)
		if p.StatusCode != http.StatusUnauthorized {
			t.Fatalf("signed in without proving the address: %s", p.Status)
		}
	})
	t.Run("TellsNothingAboutAnAddressThatHasAnAccount", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		known, unknown := w.NewBrowser(), w.NewBrowser()
		p1 := known.Submit(known.Open("/signup"), "email", "alice@example.com", "new_password", lab.NewPassword)
		mail, code := w.Mails.Last(t)
		p2 := unknown.Submit(unknown.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		if p1.StatusCode != p2.StatusCode || p1.Request.URL.Path != p2.Request.URL.Path {
			t.Fatalf("%s %s differs from %s %s", p1.Status, p1.Request.URL.Path, p2.Status, p2.Request.URL.Path)
		}
		if mail.To != "alice@example.com" || code != "" {
			t.Fatalf("the owner got a code: %q", mail.Text)
		}
	})
	t.Run("RefusesAWrongCodeAndAllowsFiveTries", func(t *testing.T) {
		w := lab.New(t)
		b := w.NewBrowser()
		p := b.Submit(b.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		_, code := w.Mails.Last(t)
		wrong := "00000000"
		if code == wrong {
			wrong = "00000001"
		}
		for range 5 {
			if p = b.Submit(p, "code", wrong); p.StatusCode != http.StatusUnprocessableEntity {
				t.Fatalf("wrong code: %s", p.Status)
			}
		}
		if p = b.Submit(p, "code", code); p.StatusCode != http.StatusTooManyRequests || !strings.Contains(p.Text, "send a new one") {
			t.Fatalf("sixth try: %s\n%s", p.Status, p.Text)
		}
	})
	t.Run("IsClosedWithoutAMailer", func(t *testing.T) {
		w := lab.New(t, func(c *provider.Config) { c.Mailer = nil })
		if p := w.NewBrowser().Get("/signup"); p.StatusCode != http.StatusNotFound {
			t.Fatalf("sign-up: %s", p.Status)
		}
		if p := w.NewBrowser().Get("/signin"); strings.Contains(p.Text, "/signup") || strings.Contains(p.Text, "/reset") {
			t.Fatal("the sign-in screen leads to screens that do not exist")
		}
	})
}

func TestPassword(t *testing.T) {
	t.Parallel()
	t.Run("ResetEndsEverySessionAndAsksToSignIn", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		elsewhere := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b := w.NewBrowser()
		p := b.Submit(b.Open("/reset"), "email", "Alice@Example.com")
		_, code := w.Mails.Last(t)
		p = b.Submit(p, "code", code, "new_password", lab.NewPassword)
		if p.Request.URL.Path != "/signin" {
			t.Fatalf("after the reset: %s %s", p.Request.URL, p.Text)
		}
		if p := elsewhere.Open("/account"); p.Request.URL.Path != "/signin" {
			t.Fatal("a session from before the reset lives on")
		}
		b.SignIn("alice@example.com", lab.NewPassword)
	})
	t.Run("ResetCodeWorksOnce", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		form := b.Submit(b.Open("/reset"), "email", "alice@example.com")
		_, code := w.Mails.Last(t)
		b.Submit(form, "code", code, "new_password", lab.NewPassword)
		if p := b.Submit(form, "code", code, "new_password", "another-copper-meadow-3"); p.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("second use: %s", p.Status)
		}
	})
	t.Run("ResetCodeOutlivesNoQuarterOfAnHour", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		form := b.Submit(b.Open("/reset"), "email", "alice@example.com")
		_, code := w.Mails.Last(t)
		w.Advance(lab.CodeLife)
		if p := b.Submit(form, "code", code, "new_password", lab.NewPassword); p.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("expired code: %s", p.Status)
		}
	})
	t.Run("ChangeKeepsThisBrowserAndEndsTheRest", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b, elsewhere := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass), w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, tokens := b.Token("code", w.Code(b))
		p := b.Submit(b.Open("/account/password"), "password", lab.AlicePass, "new_password", lab.NewPassword)
		if p.Request.URL.Path != "/account/security" {
			t.Fatalf("change: %s %s", p.Status, p.Text)
		}
		if p := elsewhere.Open("/account"); p.Request.URL.Path != "/signin" {
			t.Error("another session lives on")
		}
		if p := b.Get("/api/public/v3/attributes.json?access_token=" + tokens["access_token"].(string)); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("an access token lives on: %s", p.Status)
		}
	})
	t.Run("ChangeNeedsTheOldOne", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p := b.Submit(b.Open("/account/password"), "password", "not-the-password", "new_password", lab.NewPassword)
		if p.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("change with a wrong password: %s", p.Status)
		}
		w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	})
}

func TestAccount(t *testing.T) {
	t.Parallel()
	t.Run("VerifiesItsAddress", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		p := b.Submit(b.Open("/account"), "action", "verify")
		_, code := w.Mails.Last(t)
		b.Submit(p, "code", code)
		if !w.Saw(event.EmailVerified) {
			t.Fatal("the address is not verified")
		}
	})
	t.Run("RemovesAnApplicationWithItsTokens", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, kept := b.Token("code", w.Code(b), "client_id", "v3")
		_, gone := b.Token("code", w.Code(b, "client_id", "std"), "client_id", "std")
		p := b.Open("/account/apps")
		if !strings.Contains(p.Text, "Standard App") || !strings.Contains(p.Text, "Military status") {
			t.Fatalf("the list does not say what may be seen:\n%s", p.Text)
		}
		b.Submit(b.Open("/account/apps/remove?client_id=std"))
		if p := b.Open("/account/apps"); strings.Contains(p.Text, "Standard App") {
			t.Error("the application is still listed")
		}
		if p := lab.Bearer(b, "/api/public/v3/attributes.json", gone); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("its access token lives on: %s", p.Status)
		}
		if p, _ := b.Token("grant_type", "refresh_token", "client_id", "std", "refresh_token", gone["refresh_token"].(string)); p.StatusCode != http.StatusBadRequest {
			t.Errorf("its refresh token lives on: %s", p.Status)
		}
		if p := lab.Bearer(b, "/api/public/v3/attributes.json", kept); p.StatusCode != http.StatusOK {
			t.Errorf("another application's token has died: %s", p.Status)
		}
		if p := b.Open(lab.AuthorizeURL("client_id", "std")); p.Header.Get("Location") != "" {
			t.Error("the decision is still remembered")
		}
	})
	t.Run("EndsOtherSessions", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b, elsewhere := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass), w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.Submit(b.Open("/account/sessions"), "action", "others")
		if p := elsewhere.Open("/account"); p.Request.URL.Path != "/signin" {
			t.Error("the other session lives on")
		}
		if p := b.Open("/account"); p.Request.URL.Path != "/account" {
			t.Error("this session has ended")
		}
	})
	t.Run("SignsOut", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		b.Submit(b.Open("/signout"))
		if p := b.Open("/account"); p.Request.URL.Path != "/signin" {
			t.Fatal("still signed in")
		}
	})
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	t.Run("GoesBackToARegisteredAddressWithState", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, tokens := b.Token("code", w.Code(b, "client_id", "std", "scope", "openid military"), "client_id", "std")
		q := url.Values{"id_token_hint": {tokens["id_token"].(string)}, "post_logout_redirect_uri": {"https://rp.test/bye"}, "state": {"s1"}}
		p := b.Get("/signout?" + q.Encode())
		if p.Header.Get("Location") != "https://rp.test/bye?state=s1" {
			t.Fatalf("%s %q", p.Status, p.Header.Get("Location"))
		}
		if p := b.Open("/account"); p.Request.URL.Path != "/signin" {
			t.Error("still signed in")
		}
	})
	t.Run("RefusesAnAddressThatIsNotRegistered", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		p := w.NewBrowser().Get("/signout?client_id=std&post_logout_redirect_uri=" + url.QueryEscape("https://evil.test/"))
		if p.StatusCode != http.StatusBadRequest || p.Header.Get("Location") != "" {
			t.Fatalf("%s %q", p.Status, p.Header.Get("Location"))
		}
	})
}

func TestSignUpWithoutAPasswordPointsAtTheFieldForIt(t *testing.T) {
	t.Parallel()
	b := lab.New(t).NewBrowser()
	p := b.Submit(b.Open("/signup"), "email", "new@example.com", "new_password", "")
	if p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.Text, `id="new_password-problem"`) {
		t.Errorf("answer is %s:\n%s", p.Status, p.Text)
	}
}
