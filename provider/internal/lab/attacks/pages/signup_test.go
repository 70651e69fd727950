package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
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
	w := lab.New(t).WithUsers()
	testkit.Must(w.Accounts().Save(t.Context(), provider.Account{ID: "lock", Email: "locky@example.com", Password: lab.AlicePass}))(t)
	testkit.OK(t, w.Accounts().SetDisabled(t.Context(), "lock", true))
	for _, path := range []string{"/signup", "/reset"} {
		t.Run(path, func(t *testing.T) {
			answers := map[string]string{}
			for _, email := range []string{"alice@example.com", "nobod@example.com", "locky@example.com"} {
				b := w.NewBrowser()
				first := b.SubmitOnce(b.Get(path), "email", email, "new_password", lab.NewPassword)
				second := b.Follow(first)
				_, code := w.Mails.Last(t)
				third := b.Submit(second, "code", wrongCode(code), "new_password", lab.NewPassword)
				key := fmt.Sprint(first.StatusCode, " ", len(first.Header.Get("Location")), " ", second.StatusCode, " ", second.Size(), " ",
					third.StatusCode, " ", third.Size(), " ", len(b.HTTP.Jar.Cookies(b.ServerURL())))
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
	ask := func(b *lab.Browser, email string) lab.Page { return b.Submit(b.Get("/reset"), "email", email) }

	t.Run("GoesToTheAddressOfTheAccountHoweverItIsSpelled", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		for _, spelling := range []string{"ALICE@EXAMPLE.COM", "alice@\uff45xample.com"} {
			before := w.Mails.Count()
			ask(w.NewBrowser(), spelling)
			if w.Mails.Count() != before+1 {
				t.Fatalf("%d mails for %s", w.Mails.Count()-before, spelling)
			}
			if mail, _ := w.Mails.Last(t); mail.To != "alice@example.com" {
				t.Errorf("asked for %s, sent to %s", spelling, mail.To)
			}
		}
		before := w.Mails.Count()
		for _, another := range []string{"al\u0130ce@example.com", "\uff41lice@example.com"} {
			ask(w.NewBrowser(), another)
		}
		if n := w.Mails.Count() - before; n != 0 {
			t.Errorf("%d mails for addresses of others", n)
		}
	})

	t.Run("IsOfNoUseInAnotherBrowserOrForAnotherPurpose", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		victim, thief := w.NewBrowser(), w.NewBrowser()
		p := ask(victim, "alice@example.com")
		_, code := w.Mails.Last(t)
		thief.Get("/signin")
		lab.Shown(t, thief.Get(p.Request.URL.RequestURI()), http.StatusBadRequest)
		ticket := p.Request.URL.Query().Get("ticket")
		for _, path := range []string{"/signup/code", "/account/verify"} {
			lab.Shown(t, victim.Get(path+"?ticket="+ticket), http.StatusBadRequest)
		}
		theirs := ask(thief, "bob@example.com")
		if p := thief.Submit(theirs, "code", code, "new_password", lab.NewPassword); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("a code for somebody else: %s", p.Status)
		}
	})

	t.Run("IsSpentByUseAndNotByALook", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		p := ask(b, "alice@example.com")
		_, code := w.Mails.Last(t)
		for range 3 { // a mail scanner follows addresses; there is none with the code in it
			b.Get(p.Request.URL.RequestURI())
			b.Send(http.MethodHead, p.Request.URL.RequestURI(), "")
		}
		if p := b.SubmitOnce(p, "code", code, "new_password", lab.NewPassword); p.StatusCode != http.StatusSeeOther {
			t.Fatalf("first use: %s", p.Status)
		}
		if p := b.SubmitOnce(p, "code", code, "new_password", "tundra-saxophone-61-ivory"); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("second use: %s", p.Status)
		}
		if mail, _ := w.Mails.Last(t); strings.Contains(mail.Text, code) || mail.To != "alice@example.com" {
			t.Errorf("notice to %s: %s", mail.To, mail.Text)
		}
	})

	t.Run("EndsAfterItsTimeWithoutACleaner", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		p := ask(b, "alice@example.com")
		_, code := w.Mails.Last(t)
		w.Advance(lab.CodeLife + time.Second)
		if p := b.SubmitOnce(p, "code", code, "new_password", lab.NewPassword); p.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("late use: %s", p.Status)
		}
	})

	for name, change := range map[string]func(w *lab.Fixture) error{
		"ANewAddress": func(w *lab.Fixture) error {
			_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: "alice", Email: "alice@new.example", EmailVerified: true})
			return err
		},
		"ALock":    func(w *lab.Fixture) error { return w.Accounts().SetDisabled(w.T.Context(), "alice", true) },
		"Deletion": func(w *lab.Fixture) error { return w.Accounts().Delete(w.T.Context(), "alice") },
	} {
		t.Run("IsOfNoUseAfter"+name, func(t *testing.T) {
			w := lab.New(t).WithUsers()
			b := w.NewBrowser()
			p := ask(b, "alice@example.com")
			_, code := w.Mails.Last(t)
			testkit.OK(t, change(w))
			lab.Shown(t, b.SubmitOnce(p, "code", code, "new_password", lab.NewPassword), http.StatusBadRequest)
			if w.Saw(event.PasswordChanged) {
				t.Error("the password was changed")
			}
		})
	}

	t.Run("IsNotInTheDatabaseOrTheLog", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		p := ask(b, "alice@example.com")
		_, code := w.Mails.Last(t)
		b.SubmitOnce(p, "code", code, "new_password", lab.NewPassword)
		b.Attempt("alice@example.com", lab.NewPassword)
		for _, secret := range []string{code, lab.NewPassword, p.Request.URL.Query().Get("ticket")} {
			if strings.Contains(w.Log.String(), secret) {
				t.Errorf("%.10q is in the log", secret)
			}
		}
	})
}

func TestSignUpRace(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	type finished struct {
		b    *lab.Browser
		page lab.Page
		code string
	}
	tickets := make([]finished, 4) // as many mails as one address gets at once
	for i := range tickets {
		b := w.NewBrowser()
		p := b.Submit(b.Get("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		_, code := w.Mails.Last(t)
		tickets[i] = finished{b, p, code}
	}
	pages := lab.Race(len(tickets), func(i int) lab.Page { return tickets[i].b.SubmitOnce(tickets[i].page, "code", tickets[i].code) })
	won := 0
	for i, p := range pages {
		if p.StatusCode != http.StatusSeeOther {
			t.Errorf("answered %s", p.Status)
		}
		if tickets[i].b.IsSignedIn() {
			won++
		}
	}
	if n := w.Count("accounts"); n != 1 || won != 1 {
		t.Errorf("%d accounts, %d signed in", n, won)
	}
}

func TestSignUpRefuses(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	start := b.Open(lab.AuthorizeURL("op", "signup"))
	for _, password := range []string{
		"", "short", "password1234", "1234567890", "qwertyuiop12", "Michelle1990!", "carol@example.com", "veterans shop", "carolexample", "Password123!",
		"\xff\xfelantern-breeze-19", strings.Repeat("lantern-breeze", 1000),
	} {
		p := b.Submit(start, "email", "carol@example.com", "new_password", password)
		if p.StatusCode != http.StatusUnprocessableEntity && p.StatusCode != http.StatusBadRequest {
			t.Errorf("password %.40q: %s", password, p.Status)
		}
	}
	for _, email := range []string{
		"", "carol", "carol@", "@example.com", "carol@example.com\r\nBcc: all@example.com", "carol@example.com, all@example.com", "Carol <carol@example.com>", `"a b"@example.com`,
		"carol@example.com\x00", "carol@exa\xffmple.com", "<script>@example.com", strings.Repeat("a", 250) + "@example.com", "carol @example.com", "carol@example.com\u2028",
	} {
		p := b.Submit(start, "email", email, "new_password", lab.NewPassword)
		if p.StatusCode != http.StatusUnprocessableEntity && p.StatusCode != http.StatusBadRequest {
			t.Errorf("address %.40q: %s to %s", email, p.Status, p.Request.URL.Path)
		}
		if strings.Contains(p.Text, "<script>@") {
			t.Error("the address is repeated as markup")
		}
	}
	if w.Mails.Count() != 0 || w.Count("accounts") != 0 {
		t.Errorf("%d mails, %d accounts", w.Mails.Count(), w.Count("accounts"))
	}
}

func TestHintsOfTheApplicationAreShownAsText(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	for _, hint := range []string{`"><script>alert(1)</script>`, "{{.}}", `{{template "x"}}`, "</title><script>alert(1)</script>", "\u202egnp.exe", strings.Repeat("x", 2000)} {
		for _, op := range []string{"signin", "signup"} {
			p := w.NewBrowser().Open(lab.AuthorizeURL("op", op, "login_hint", hint))
			lab.Shown(t, p, http.StatusOK)
			_, fields := p.Form(t)
			if strings.Contains(p.Text, "<script>alert") || !strings.Contains(hint, fields.Get("email")) {
				t.Errorf("hint %.40q is shown as %q", hint, fields.Get("email"))
			}
		}
	}
}
