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

// AskToMove asks for another address and returns the page that wants the codes, with the
// code that went to each address.
func (b *Browser) AskToMove(to, password string) (codes Page, mailed map[string]string) {
	b.T.Helper()
	before := b.Fixture.Mails.Count()
	codes = b.Submit(b.Open("/account/email"), "email", to, "password", password)
	if codes.Request.URL.Path != "/account/email/codes" {
		b.T.Fatalf("codes for %s: %s\n%s", to, codes.Status, codes.Text)
	}
	mailed = map[string]string{}
	for _, mail := range b.Fixture.Mails.Since(before) {
		mailed[mail.To] = mailedCode.FindString(mail.Text)
	}
	return codes, mailed
}

// EmailOf returns the address of an account.
func (w *Fixture) EmailOf(id string) string {
	w.T.Helper()
	account, err := w.Account(w.T.Context(), id)
	if err != nil {
		w.T.Fatal(err)
	}
	return account.Email
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	t.Run("TakesBothMailboxes", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := b.AskToMove("alice@new.example", AlicePass)
		p = b.Submit(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"])
		if p.Request.URL.Path != "/account" || w.EmailOf("alice") != "alice@new.example" || !w.Saw(provider.EventEmailChanged) {
			t.Fatalf("%s %s: the address is %s", p.Status, p.Request.URL.Path, w.EmailOf("alice"))
		}
		if mail, code := w.Mails.Last(t); mail.To != "alice@example.com" || code != "" {
			t.Errorf("the notice went to %s: %s", mail.To, mail.Text)
		}
		w.NewBrowser().SignIn("alice@new.example", AlicePass)
		if p := w.NewBrowser().Attempt("alice@example.com", AlicePass); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("the old address still signs in: %s", p.Status)
		}
	})
	t.Run("EndsEveryOtherSessionAndGrant", func(t *testing.T) {
		w := New(t).WithClients().WithUsers()
		thief := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		copied := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		tokens := copied.StandardTokens()
		b := copied.Thief() // has the very session that the owner changes the address in
		p, mailed := b.AskToMove("alice@new.example", AlicePass)
		w.Advance(time.Minute)
		b.Submit(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"])
		if !b.IsSignedIn() {
			t.Error("the owner is signed out")
		}
		if thief.IsSignedIn() || copied.IsSignedIn() {
			t.Error("another browser is signed in")
		}
		if !isDead(copied, tokens) {
			t.Error("a token works")
		}
		_, claims := JWT(t, Member(t, b.StandardTokens(), "id_token"))
		if at := w.Now().Add(-time.Minute).Unix(); claims["auth_time"] != float64(at) {
			t.Errorf("auth_time %v, and the password was checked at %d", claims["auth_time"], at)
		}
	})
	t.Run("TheHostTakesItBackFromAThief", func(t *testing.T) {
		w := New(t).WithUsers()
		thief := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := thief.AskToMove("thief@evil.example", AlicePass)
		thief.Submit(p, "code", mailed["thief@evil.example"], "old_code", mailed["alice@example.com"])
		if _, err := w.SaveAccount(t.Context(), provider.Account{
			ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: NewPassword,
		}); err != nil {
			t.Fatal(err)
		}
		if thief.IsSignedIn() || thief.Attempt("thief@evil.example", AlicePass).StatusCode != http.StatusUnauthorized {
			t.Error("the thief gets in")
		}
		w.NewBrowser().SignIn("alice@example.com", NewPassword)
	})
	t.Run("WithOneMailboxAloneMovesNothing", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := b.AskToMove("thief@evil.example", AlicePass)
		fresh, old := mailed["thief@evil.example"], mailed["alice@example.com"]
		for _, codes := range [][2]string{{fresh, ""}, {"", old}, {fresh, fresh}, {old, old}, {fresh, wrongCode(old)}, {fresh + old, ""}} {
			Shown(t, b.SubmitOnce(p, "code", codes[0], "old_code", codes[1]), http.StatusUnprocessableEntity)
		}
		if w.EmailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("OfAnAddressThatNobodyHasProvedTakesTheNewOne", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("bob@example.com", BobPass)
		p, mailed := b.AskToMove("bob@new.example", BobPass)
		if _, told := mailed["bob@example.com"]; told {
			t.Error("a code went to an address that nobody has proved")
		}
		b.Submit(p, "code", mailed["bob@new.example"])
		if w.EmailOf("bob") != "bob@new.example" {
			t.Errorf("the address is %s", w.EmailOf("bob"))
		}
	})
	t.Run("NeedsThePasswordInAnOpenBrowser", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		for _, password := range []string{"", "not-the-password", BobPass} {
			p := b.SubmitOnce(b.Open("/account/email"), "email", "thief@evil.example", "password", password)
			Shown(t, p, http.StatusUnprocessableEntity)
		}
		if w.Mails.Count() != 0 {
			t.Error("a mail was sent")
		}
	})
	t.Run("DoesNotTellWhetherAnAddressHasAnAccount", func(t *testing.T) {
		w := New(t).WithUsers()
		answers := map[string]string{}
		for _, to := range []string{"bob@example.com", "nob@example.com"} {
			b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
			first := b.SubmitOnce(b.Open("/account/email"), "email", to, "password", AlicePass)
			second := b.Follow(first)
			third := b.Submit(second, "code", "11111111", "old_code", "22222222")
			answers[fmt.Sprint(first.StatusCode, " ", len(first.Header.Get("Location")), " ", second.StatusCode, " ", len(second.Text), " ",
				third.StatusCode, " ", len(third.Text))] += " " + to
		}
		if len(answers) != 1 {
			t.Errorf("answers differ: %v", answers)
		}
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		_, mailed := b.AskToMove("bob@example.com", AlicePass)
		if mailed["bob@example.com"] != "" || mailed["alice@example.com"] == "" {
			t.Errorf("codes went to %v", mailed)
		}
	})
	t.Run("EndsWithANewPassword", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := b.AskToMove("alice@new.example", AlicePass)
		if _, err := w.SaveAccount(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: NewPassword}); err != nil {
			t.Fatal(err)
		}
		b.SignIn("alice@example.com", NewPassword)
		Shown(t, b.SubmitOnce(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.EmailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("IsOfWhoAskedForIt", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := b.AskToMove("alice@new.example", AlicePass)
		b.Submit(b.Open("/signout"))
		b.SignIn("bob@example.com", BobPass)
		Shown(t, b.SubmitOnce(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.EmailOf("alice") != "alice@example.com" || w.EmailOf("bob") != "bob@example.com" {
			t.Error("an account has moved")
		}
		Shown(t, w.NewBrowser().SignIn("alice@example.com", AlicePass).Get(p.Request.URL.RequestURI()), http.StatusBadRequest)
	})
	t.Run("WorksOnce", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := b.AskToMove("alice@new.example", AlicePass)
		codes := []string{"code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]}
		b.Submit(p, codes...)
		Shown(t, b.SubmitOnce(p, codes...), http.StatusUnprocessableEntity)
	})
	t.Run("ToAnAddressThatGotAnAccountMeanwhileFails", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
		p, mailed := b.AskToMove("carol@example.com", AlicePass)
		if _, err := w.SaveAccount(t.Context(), provider.Account{ID: "carol", Email: "carol@example.com"}); err != nil {
			t.Fatal(err)
		}
		Shown(t, b.SubmitOnce(p, "code", mailed["carol@example.com"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.EmailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("FloodsNoMailbox", func(t *testing.T) {
		w := New(t).WithUsers()
		b := w.NewBrowser().SignIn("bob@example.com", BobPass)
		for n := range 8 {
			b.Submit(b.Open("/account/email"), "email", "stranger@example.com", "password", BobPass)
			if n >= 4 && w.Mails.Count() > 4 {
				t.Fatalf("%d mails to a stranger", w.Mails.Count())
			}
		}
	})
}

// Each form of the account pages is worth nothing without the proof of this browser.
func TestFormsOfTheAccountFromAnotherSite(t *testing.T) {
	t.Parallel()
	w := New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", AlicePass)
	for _, path := range []string{"/account/email", "/account/delete", "/account/export", "/account/data", "/account/language"} {
		fields := url.Values{"password": {AlicePass}, "email": {"x@evil.example"}, "language": {"ar"}, "first_name": {"Mallory"}, "user": {"alice"}}
		Shown(t, b.Post(path, fields), http.StatusForbidden)
		_, foreign := w.NewBrowser().Get("/signin").Form(t)
		fields.Set("csrf", foreign.Get("csrf"))
		Shown(t, b.Post(path, fields), http.StatusForbidden)
	}
	if !b.IsSignedIn() || w.Mails.Count() > 0 || strings.Contains(b.Open("/account").Text, "Mallory") {
		t.Error("a form of another site was taken")
	}
}
