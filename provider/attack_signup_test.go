package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// wrongCode returns eight digits that are not the code.
func wrongCode(code string) string {
	if code == "00000000" {
		return "00000001"
	}
	return "00000000"
}

func TestAddressOfAnAccountIsNotToldBy(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	if _, err := w.SaveAccount(t.Context(), provider.Account{ID: "lock", Email: "locky@example.com", Password: alicePass}); err != nil {
		t.Fatal(err)
	}
	if err := w.SetAccountDisabled(t.Context(), "lock", true); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/signup", "/reset"} {
		t.Run(path, func(t *testing.T) {
			answers := map[string]string{}
			for _, email := range []string{"alice@example.com", "nobod@example.com", "locky@example.com"} {
				b := w.newBrowser()
				first := b.submitOnce(b.get(path), "email", email, "new_password", newPassword)
				second := b.follow(first)
				_, code := w.mails.last(t)
				third := b.submit(second, "code", wrongCode(code), "new_password", newPassword)
				key := fmt.Sprint(first.StatusCode, " ", len(first.Header.Get("Location")), " ", second.StatusCode, " ", len(second.body), " ",
					third.StatusCode, " ", len(third.body), " ", len(b.http.Jar.Cookies(b.serverURL())))
				answers[key] += " " + email
			}
			if len(answers) != 1 {
				t.Errorf("answers differ: %v", answers)
			}
		})
	}
}

func TestResetCode(t *testing.T) {
	t.Parallel()
	// ask asks for a new password and returns the page that wants the code.
	ask := func(b *browser, email string) page { return b.submit(b.get("/reset"), "email", email) }

	t.Run("GoesToTheAddressOfTheAccountHoweverItIsSpelled", func(t *testing.T) {
		w := newFixture(t).withUsers()
		for _, spelling := range []string{"ALICE@EXAMPLE.COM", "alice@\uff45xample.com"} {
			before := w.mails.count()
			ask(w.newBrowser(), spelling)
			if w.mails.count() != before+1 {
				t.Fatalf("%d mails for %s", w.mails.count()-before, spelling)
			}
			if mail, _ := w.mails.last(t); mail.To != "alice@example.com" {
				t.Errorf("asked for %s, sent to %s", spelling, mail.To)
			}
		}
		before := w.mails.count()
		for _, another := range []string{"al\u0130ce@example.com", "\uff41lice@example.com"} {
			ask(w.newBrowser(), another)
		}
		if n := w.mails.count() - before; n != 0 {
			t.Errorf("%d mails for addresses of others", n)
		}
	})

	t.Run("IsOfNoUseInAnotherBrowserOrForAnotherPurpose", func(t *testing.T) {
		w := newFixture(t).withUsers()
		victim, thief := w.newBrowser(), w.newBrowser()
		p := ask(victim, "alice@example.com")
		_, code := w.mails.last(t)
		thief.get("/signin")
		shown(t, thief.get(p.Request.URL.RequestURI()), http.StatusBadRequest)
		ticket := p.Request.URL.Query().Get("ticket")
		for _, path := range []string{"/signup/code", "/account/verify"} {
			shown(t, victim.get(path+"?ticket="+ticket), http.StatusBadRequest)
		}
		theirs := ask(thief, "bob@example.com")
		if p := thief.submit(theirs, "code", code, "new_password", newPassword); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("a code for somebody else: %s", p.Status)
		}
	})

	t.Run("IsSpentByUseAndNotByALook", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser()
		p := ask(b, "alice@example.com")
		_, code := w.mails.last(t)
		for range 3 { // a mail scanner follows addresses; there is none with the code in it
			b.get(p.Request.URL.RequestURI())
			b.send(http.MethodHead, p.Request.URL.RequestURI(), "")
		}
		if p := b.submitOnce(p, "code", code, "new_password", newPassword); p.StatusCode != http.StatusSeeOther {
			t.Fatalf("first use: %s", p.Status)
		}
		if p := b.submitOnce(p, "code", code, "new_password", "tundra-saxophone-61-ivory"); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("second use: %s", p.Status)
		}
		if mail, _ := w.mails.last(t); strings.Contains(mail.Text, code) || mail.To != "alice@example.com" {
			t.Errorf("notice to %s: %s", mail.To, mail.Text)
		}
	})

	t.Run("EndsAfterItsTimeWithoutACleaner", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser()
		p := ask(b, "alice@example.com")
		_, code := w.mails.last(t)
		w.advance(codeLife + time.Second)
		if p := b.submitOnce(p, "code", code, "new_password", newPassword); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("late use: %s", p.Status)
		}
	})

	for name, change := range map[string]func(w *fixture) error{
		"ANewAddress": func(w *fixture) error {
			_, err := w.SaveAccount(w.t.Context(), provider.Account{ID: "alice", Email: "alice@new.example", EmailVerified: true})
			return err
		},
		"ALock":    func(w *fixture) error { return w.SetAccountDisabled(w.t.Context(), "alice", true) },
		"Deletion": func(w *fixture) error { return w.DeleteAccount(w.t.Context(), "alice") },
	} {
		t.Run("IsOfNoUseAfter"+name, func(t *testing.T) {
			w := newFixture(t).withUsers()
			b := w.newBrowser()
			p := ask(b, "alice@example.com")
			_, code := w.mails.last(t)
			if err := change(w); err != nil {
				t.Fatal(err)
			}
			shown(t, b.submitOnce(p, "code", code, "new_password", newPassword), http.StatusBadRequest)
			if w.saw(provider.EventPasswordChanged) {
				t.Error("the password was changed")
			}
		})
	}

	t.Run("IsNotInTheDatabaseOrTheLog", func(t *testing.T) {
		w := newFixture(t).withUsers()
		b := w.newBrowser()
		p := ask(b, "alice@example.com")
		_, code := w.mails.last(t)
		b.submitOnce(p, "code", code, "new_password", newPassword)
		b.attempt("alice@example.com", newPassword)
		for _, secret := range []string{code, newPassword, p.Request.URL.Query().Get("ticket")} {
			if strings.Contains(w.log.String(), secret) {
				t.Errorf("%.10q is in the log", secret)
			}
		}
	})
}

func TestSignUpRace(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	type finished struct {
		b    *browser
		page page
		code string
	}
	tickets := make([]finished, 4) // as many mails as one address gets at once
	for i := range tickets {
		b := w.newBrowser()
		p := b.submit(b.get("/signup"), "email", "carol@example.com", "new_password", newPassword)
		_, code := w.mails.last(t)
		tickets[i] = finished{b, p, code}
	}
	pages := race(len(tickets), func(i int) page { return tickets[i].b.submitOnce(tickets[i].page, "code", tickets[i].code) })
	won := 0
	for i, p := range pages {
		if p.StatusCode != http.StatusSeeOther {
			t.Errorf("answered %s", p.Status)
		}
		if tickets[i].b.isSignedIn() {
			won++
		}
	}
	if n := w.count("accounts"); n != 1 || won != 1 {
		t.Errorf("%d accounts, %d signed in", n, won)
	}
}

func TestSignUpRefuses(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	b := w.newBrowser()
	start := b.open(authorizeURL("op", "signup"))
	for _, password := range []string{
		"", "short", "password1234", "1234567890", "qwertyuiop12", "Michelle1990!", "carol@example.com", "veterans shop", "carolexample", "Password123!",
		"\xff\xfelantern-breeze-19", strings.Repeat("lantern-breeze", 1000),
	} {
		p := b.submit(start, "email", "carol@example.com", "new_password", password)
		if p.StatusCode != http.StatusUnprocessableEntity && p.StatusCode != http.StatusBadRequest {
			t.Errorf("password %.40q: %s", password, p.Status)
		}
	}
	for _, email := range []string{
		"", "carol", "carol@", "@example.com", "carol@example.com\r\nBcc: all@example.com", "carol@example.com, all@example.com", "Carol <carol@example.com>", `"a b"@example.com`,
		"carol@example.com\x00", "carol@exa\xffmple.com", "<script>@example.com", strings.Repeat("a", 250) + "@example.com", "carol @example.com", "carol@example.com\u2028",
	} {
		p := b.submit(start, "email", email, "new_password", newPassword)
		if p.StatusCode != http.StatusUnprocessableEntity && p.StatusCode != http.StatusBadRequest {
			t.Errorf("address %.40q: %s to %s", email, p.Status, p.Request.URL.Path)
		}
		if strings.Contains(p.body, "<script>@") {
			t.Error("the address is repeated as markup")
		}
	}
	if w.mails.count() != 0 || w.count("accounts") != 0 {
		t.Errorf("%d mails, %d accounts", w.mails.count(), w.count("accounts"))
	}
}

func TestHintsOfTheApplicationAreShownAsText(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	for _, hint := range []string{`"><script>alert(1)</script>`, "{{.}}", `{{template "x"}}`, "</title><script>alert(1)</script>", "\u202egnp.exe", strings.Repeat("x", 2000)} {
		for _, op := range []string{"signin", "signup"} {
			p := w.newBrowser().open(authorizeURL("op", op, "login_hint", hint))
			shown(t, p, http.StatusOK)
			_, fields := p.form(t)
			if strings.Contains(p.body, "<script>alert") || !strings.Contains(hint, fields.Get("email")) {
				t.Errorf("hint %.40q is shown as %q", hint, fields.Get("email"))
			}
		}
	}
}
