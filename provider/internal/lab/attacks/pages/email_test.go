package pages

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestEmailChange(t *testing.T) {
	t.Parallel()
	t.Run("TakesBothMailboxes", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := b.AskToMove("alice@new.example", lab.AlicePass)
		p = b.Submit(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"])
		if p.Request.URL.Path != "/account" || w.EmailOf("alice") != "alice@new.example" || !w.Saw(event.EmailChanged) {
			t.Fatalf("%s %s: the address is %s", p.Status, p.Request.URL.Path, w.EmailOf("alice"))
		}
		if mail, code := w.Mails.Last(t); mail.To != "alice@example.com" || code != "" {
			t.Errorf("the notice went to %s: %s", mail.To, mail.Text)
		}
		w.NewBrowser().SignIn("alice@new.example", lab.AlicePass)
		if p := w.NewBrowser().Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("the old address still signs in: %s", p.Status)
		}
	})
	t.Run("EndsEveryOtherSessionAndGrant", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		thief := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		copied := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		tokens := copied.StandardTokens()
		b := copied.Thief() // has the very session that the owner changes the address in
		p, mailed := b.AskToMove("alice@new.example", lab.AlicePass)
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
		_, claims := lab.JWT(t, lab.Member(t, b.StandardTokens(), "id_token"))
		if at := w.Now().Add(-time.Minute).Unix(); claims["auth_time"] != float64(at) {
			t.Errorf("auth_time %v, and the password was checked at %d", claims["auth_time"], at)
		}
	})
	t.Run("TheHostTakesItBackFromAThief", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		thief := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := thief.AskToMove("thief@evil.example", lab.AlicePass)
		thief.Submit(p, "code", mailed["thief@evil.example"], "old_code", mailed["alice@example.com"])
		testkit.Must(w.Accounts().Save(t.Context(), provider.Account{
			ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.NewPassword,
		}))(t)
		if thief.IsSignedIn() || thief.Attempt("thief@evil.example", lab.AlicePass).StatusCode != http.StatusUnauthorized {
			t.Error("the thief gets in")
		}
		w.NewBrowser().SignIn("alice@example.com", lab.NewPassword)
	})
	t.Run("WithOneMailboxAloneMovesNothing", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := b.AskToMove("thief@evil.example", lab.AlicePass)
		fresh, old := mailed["thief@evil.example"], mailed["alice@example.com"]
		for _, codes := range [][2]string{{fresh, ""}, {"", old}, {fresh, fresh}, {old, old}, {fresh, wrongCode(old)}, {fresh + old, ""}} {
			lab.Shown(t, b.SubmitOnce(p, "code", codes[0], "old_code", codes[1]), http.StatusUnprocessableEntity)
		}
		if w.EmailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("OfAnAddressThatNobodyHasProvedTakesTheNewOne", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		p, mailed := b.AskToMove("bob@new.example", lab.BobPass)
		if _, told := mailed["bob@example.com"]; told {
			t.Error("a code went to an address that nobody has proved")
		}
		b.Submit(p, "code", mailed["bob@new.example"])
		if w.EmailOf("bob") != "bob@new.example" {
			t.Errorf("the address is %s", w.EmailOf("bob"))
		}
	})
	t.Run("NeedsThePasswordInAnOpenBrowser", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		for _, password := range []string{"", "not-the-password", lab.BobPass} {
			p := b.SubmitOnce(b.Open("/account/email"), "email", "thief@evil.example", "password", password)
			lab.Shown(t, p, http.StatusUnprocessableEntity)
		}
		if w.Mails.Count() != 0 {
			t.Error("a mail was sent")
		}
	})
	t.Run("DoesNotTellWhetherAnAddressHasAnAccount", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		answers := map[string]string{}
		for _, to := range []string{"bob@example.com", "nob@example.com"} {
			b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			first := b.SubmitOnce(b.Open("/account/email"), "email", to, "password", lab.AlicePass)
			second := b.Follow(first)
			third := b.Submit(second, "code", "11111111", "old_code", "22222222")
			answers[fmt.Sprint(first.StatusCode, " ", len(first.Header.Get("Location")), " ", second.StatusCode, " ", second.Size(), " ",
				third.StatusCode, " ", third.Size())] += " " + to
		}
		if len(answers) != 1 {
			t.Errorf("answers differ: %v", answers)
		}
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		_, mailed := b.AskToMove("bob@example.com", lab.AlicePass)
		if mailed["bob@example.com"] != "" || mailed["alice@example.com"] == "" {
			t.Errorf("codes went to %v", mailed)
		}
	})
	t.Run("EndsWithANewPassword", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := b.AskToMove("alice@new.example", lab.AlicePass)
		testkit.Must(w.Accounts().Save(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: lab.NewPassword}))(t)
		b.SignIn("alice@example.com", lab.NewPassword)
		lab.Shown(t, b.SubmitOnce(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.EmailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("IsOfWhoAskedForIt", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := b.AskToMove("alice@new.example", lab.AlicePass)
		b.Submit(b.Open("/signout"))
		b.SignIn("bob@example.com", lab.BobPass)
		lab.Shown(t, b.SubmitOnce(p, "code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.EmailOf("alice") != "alice@example.com" || w.EmailOf("bob") != "bob@example.com" {
			t.Error("an account has moved")
		}
		lab.Shown(t, w.NewBrowser().SignIn("alice@example.com", lab.AlicePass).Get(p.Request.URL.RequestURI()), http.StatusBadRequest)
	})
	t.Run("WorksOnce", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := b.AskToMove("alice@new.example", lab.AlicePass)
		codes := []string{"code", mailed["alice@new.example"], "old_code", mailed["alice@example.com"]}
		b.Submit(p, codes...)
		lab.Shown(t, b.SubmitOnce(p, codes...), http.StatusUnprocessableEntity)
	})
	t.Run("ToAnAddressThatGotAnAccountMeanwhileFails", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
		p, mailed := b.AskToMove("carol@example.com", lab.AlicePass)
		testkit.Must(w.Accounts().Save(t.Context(), provider.Account{ID: "carol", Email: "carol@example.com"}))(t)
		lab.Shown(t, b.SubmitOnce(p, "code", mailed["carol@example.com"], "old_code", mailed["alice@example.com"]), http.StatusBadRequest)
		if w.EmailOf("alice") != "alice@example.com" {
			t.Error("the account has moved")
		}
	})
	t.Run("FloodsNoMailbox", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		for n := range 8 {
			b.Submit(b.Open("/account/email"), "email", "stranger@example.com", "password", lab.BobPass)
			if n >= 4 && w.Mails.Count() > 4 {
				t.Fatalf("%d mails to a stranger", w.Mails.Count())
			}
		}
	})
}

// Each form of the account pages is worth nothing without the proof of this browser.
func TestFormsOfTheAccountFromAnotherSite(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	for _, path := range []string{"/account/email", "/account/delete", "/account/export", "/account/data", "/account/language"} {
		fields := url.Values{"password": {lab.AlicePass}, "email": {"x@evil.example"}, "language": {"ar"}, "first_name": {"Mallory"}, "user": {"alice"}}
		lab.Shown(t, b.Post(path, fields), http.StatusForbidden)
		_, foreign := w.NewBrowser().Get("/signin").Form(t)
		fields.Set("csrf", foreign.Get("csrf"))
		lab.Shown(t, b.Post(path, fields), http.StatusForbidden)
	}
	if !b.IsSignedIn() || w.Mails.Count() > 0 || strings.Contains(b.Open("/account").Text, "Mallory") {
		t.Error("a form of another site was taken")
	}
}
