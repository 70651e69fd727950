package provider_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// askToMove asks for another address and returns the page that wants the codes, with the
// code that went to each address.
func (b *browser) askToMove(to, password string) (codes page, mailed map[string]string) {
	b.t.Helper()
	before := b.w.mails.count()
	codes = b.submit(b.open("/account/email"), "email", to, "password", password)
	if codes.Request.URL.Path != "/account/email/codes" {
		b.t.Fatalf("codes for %s: %s\n%s", to, codes.Status, codes.body)
	}
	mailed = map[string]string{}
	for _, mail := range b.w.mails.since(before) {
		mailed[mail.To] = mailedCode.FindString(mail.Text)
	}
	return codes, mailed
}

func (w *fixture) emailOf(id string) string {
	w.t.Helper()
	account, err := w.Account(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return account.Email
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	t.Run("TakesBothMailboxes", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := b.askToMove("alice@new.example", alicePass)
		p = b.submit(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"])
		if p.Request.URL.Path != "/account" || w.emailOf("alice") != "alice@new.example" || !w.saw(provider.EventEmailChanged) {
			t.Fatalf("%s %s: the address is %s", p.Status, p.Request.URL.Path, w.emailOf("alice"))
		}
		if mail, code := w.mails.last(t); mail.To != "alice@example.com" || code != "" {
			t.Errorf("the notice went to %s: %s", mail.To, mail.Text)
		}
		w.newBrowser().signIn("alice@new.example", alicePass)
		if p := w.newBrowser().attempt("alice@example.com", alicePass); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("the old address still signs in: %s", p.Status)
		}
	})
	t.Run("EndsEveryOtherSessionAndGrant", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		thief := w.newBrowser().signIn("alice@example.com", alicePass)
		copied := w.newBrowser().signIn("alice@example.com", alicePass)
		tokens := copied.standardTokens()
		b := copied.thief() // has the very session that the owner changes the address in
		p, mailed := b.askToMove("alice@new.example", alicePass)
		w.advance(time.Minute)
		b.submit(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"])
		if !b.isSignedIn() {
			t.Error("the owner is signed out")
		}
		if thief.isSignedIn() || copied.isSignedIn() {
			t.Error("another browser is signed in")
		}
		if !copied.isDead(tokens) {
			t.Error("a token works")
		}
		_, claims := jwt(t, text(t, b.standardTokens(), "id_token"))
		if at := w.now().Add(-time.Minute).Unix(); claims["auth_time"] != float64(at) {
			t.Errorf("auth_time %v, and the password was checked at %d", claims["auth_time"], at)
		}
	})
	t.Run("TheHostTakesItBackFromAThief", func(t *testing.T) {
		w := newFixture(t).withUsers()
		thief := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := thief.askToMove("thief@evil.example", alicePass)
		thief.submit(p, "code", mailed["thief@evil.example"], "old_code", mailed["alice@example.com"])
		if _, err := w.SaveAccount(t.Context(), provider.Account{
			ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: newPassword,
		}); err != nil {
			t.Fatal(err)
		}
		if thief.isSignedIn() || thief.attempt("thief@evil.example", alicePass).StatusCode != http.StatusUnauthorized {
			t.Error("the thief gets in")
		}
		w.newBrowser().signIn("alice@example.com", newPassword)
	})
	t.Run("WithOneMailboxAloneMovesNothing", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := b.askToMove("thief@evil.example", alicePass)
		fresh, old := mailed["thief@evil.example"], mailed["alice@example.com"]
		for _, codes := range [][2]string{{fresh, ""}, {"", old}, {fresh, fresh}, {old, old}, {fresh, wrongCode(old)}, {fresh + old, ""}} {
			shown(t, b.submitOnce(p, "code", codes[0], "old_code", codes[1]), http.StatusUnprocessableEntity)
		}
		if w.emailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("OfAnAddressThatNobodyHasProvedTakesTheNewOne", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("bob@example.com", bobPass)
		p, mailed := b.askToMove("bob@new.example", bobPass)
		if _, told := mailed["bob@example.com"]; told {
			t.Error("a code went to an address that nobody has proved")
		}
		b.submit(p, "code", mailed["bob@new.example"])
		if w.emailOf("bob") != "bob@new.example" {
			t.Errorf("the address is %s", w.emailOf("bob"))
		}
	})
	t.Run("NeedsThePasswordInAnOpenBrowser", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		for _, password := range []string{"", "not-the-password", bobPass} {
			p := b.submitOnce(b.open("/account/email"), "email", "thief@evil.example", "password", password)
			shown(t, p, http.StatusUnprocessableEntity)
		}
		if w.mails.count() != 0 {
			t.Error("a mail was sent")
		}
	})
	t.Run("DoesNotTellWhetherAnAddressHasAnAccount", func(t *testing.T) {
		w := newFixture(t).withUsers()
		answers := map[string]string{}
		for _, to := range []string{"bob@example.com", "nob@example.com"} {
			b := w.newBrowser().signIn("alice@example.com", alicePass)
			first := b.submitOnce(b.open("/account/email"), "email", to, "password", alicePass)
			second := b.follow(first)
			third := b.submit(second, "code", "11111111", "old_code", "22222222")
			answers[fmt.Sprint(first.StatusCode, " ", len(first.Header.Get("Location")), " ", second.StatusCode, " ", len(second.body), " ",
				third.StatusCode, " ", len(third.body))] += " " + to
		}
		if len(answers) != 1 {
			t.Errorf("answers differ: %v", answers)
		}
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		_, mailed := b.askToMove("bob@example.com", alicePass)
		if mailed["bob@example.com"] != "" || mailed["alice@example.com"] == "" {
			t.Errorf("codes went to %v", mailed)
		}
	})
	t.Run("EndsWithANewPassword", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := b.askToMove("alice@new.example", alicePass)
		if _, err := w.SaveAccount(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: newPassword}); err != nil {
			t.Fatal(err)
		}
		b.signIn("alice@example.com", newPassword)
		shown(t, b.submitOnce(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.emailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("IsOfWhoAskedForIt", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := b.askToMove("alice@new.example", alicePass)
		b.submit(b.open("/signout"))
		b.signIn("bob@example.com", bobPass)
		shown(t, b.submitOnce(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.emailOf("alice") != "alice@example.com" || w.emailOf("bob") != "bob@example.com" {
			t.Error("an account has moved")
		}
		shown(t, w.newBrowser().signIn("alice@example.com", alicePass).get(p.Request.URL.RequestURI()), http.StatusBadRequest)
	})
	t.Run("WorksOnce", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := b.askToMove("alice@new.example", alicePass)
		codes := []string{"code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]}
		b.submit(p, codes...)
		shown(t, b.submitOnce(p, codes...), http.StatusUnprocessableEntity)
	})
	t.Run("ToAnAddressThatGotAnAccountMeanwhileFails", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("alice@example.com", alicePass)
		p, mailed := b.askToMove("carol@example.com", alicePass)
		if _, err := w.SaveAccount(t.Context(), provider.Account{ID: "carol", Email: "carol@example.com"}); err != nil {
			t.Fatal(err)
		}
		shown(t, b.submitOnce(p, "code", mailed["carol@example.com"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.emailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("FloodsNoMailbox", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser().signIn("bob@example.com", bobPass)
		for n := range 8 {
			b.submit(b.open("/account/email"), "email", "stranger@example.com", "password", bobPass)
			if n >= 4 && w.mails.count() > 4 {
				t.Fatalf("%d mails to a stranger", w.mails.count())
			}
		}
	})
}

// Each form of the account pages is worth nothing without the proof of this browser.
func TestFormsOfTheAccountFromAnotherSite(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	for _, path := range []string{"/account/email", "/account/delete", "/account/export", "/account/data", "/account/language"} {
		fields := url.Values{"password": {alicePass}, "email": {"x@evil.example"}, "language": {"ar"}, "first_name": {"Mallory"}, "user": {"alice"}}
		shown(t, b.post(path, fields), http.StatusForbidden)
		_, foreign := w.newBrowser().get("/signin").form(t)
		fields.Set("csrf", foreign.Get("csrf"))
		shown(t, b.post(path, fields), http.StatusForbidden)
	}
	if !b.isSignedIn() || w.mails.count() > 0 || strings.Contains(b.open("/account").body, "Mallory") {
		t.Error("a form of another site was taken")
	}
}
