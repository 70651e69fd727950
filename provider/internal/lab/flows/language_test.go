package flows

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// speaking is a browser that prefers a language.
func speaking(w *lab.Fixture, language string) *lab.Browser {
	b := w.NewBrowser()
	b.HTTP.Transport = preferring{language, b.HTTP.Transport}
	return b
}

type preferring struct {
	language string
	http.RoundTripper
}

func (p preferring) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Language", p.language)
	return p.RoundTripper.RoundTrip(r)
}

// inFlow opens the sign-in of an application that asks for German, and the page that a link leads to.
func inFlow(t *testing.T, b *lab.Browser, page string, pairs ...string) lab.Page {
	t.Helper()
	p := b.Open(lab.AuthorizeURL(lab.Ask(append(pairs, "ui_locales", "de")...)...))
	if page == "" {
		return p
	}
	return b.Open(page + "?" + p.Request.URL.RawQuery)
}

// TestMailsOfAFlowAreInItsLanguage has each mail that a page of a flow causes, in a browser that
// prefers English.
func TestMailsOfAFlowAreInItsLanguage(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]func(t *testing.T, w *lab.Fixture, b *lab.Browser){
		"sign_up": func(t *testing.T, _ *lab.Fixture, b *lab.Browser) {
			b.Submit(inFlow(t, b, "", "prompt", "create"), "email", "carol@example.com", "new_password", lab.NewPassword)
		},
		"sign_up again": func(t *testing.T, w *lab.Fixture, b *lab.Browser) {
			p := b.Submit(inFlow(t, b, "", "prompt", "create"), "email", "carol@example.com", "new_password", lab.NewPassword)
			w.Advance(time.Minute)
			b.Submit(p, "action", "resend")
		},
		"account_exists": func(t *testing.T, _ *lab.Fixture, b *lab.Browser) {
			b.Submit(inFlow(t, b, "", "prompt", "create"), "email", "alice@example.com", "new_password", lab.NewPassword)
		},
		"reset_password": func(t *testing.T, _ *lab.Fixture, b *lab.Browser) {
			b.Submit(inFlow(t, b, "/reset"), "email", "alice@example.com")
		},
		"no_account": func(t *testing.T, _ *lab.Fixture, b *lab.Browser) {
			b.Submit(inFlow(t, b, "/reset"), "email", "nobody@example.com")
		},
		"password_changed": func(t *testing.T, w *lab.Fixture, b *lab.Browser) {
			p := b.Submit(inFlow(t, b, "/reset"), "email", "alice@example.com")
			b.Submit(p, "code", w.Mails.LastCode(t), "new_password", lab.NewPassword)
		},
		"new_device": func(t *testing.T, w *lab.Fixture, b *lab.Browser) {
			w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			b.Submit(inFlow(t, b, ""), "email", "alice@example.com", "password", lab.AlicePass)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t).WithClients().WithUsers()
			b := speaking(w, "en")
			cause(t, w, b)
			sent := w.Mails.Since(0)
			if len(sent) == 0 {
				t.Fatal("no mail was sent")
			}
			for _, m := range sent {
				if m.To == "alice@example.com" && name == "new_device" && m.Language == "en" {
					continue
				}
				if m.Language != "de" {
					t.Errorf("the mail %s is in %q", m.Kind, m.Language)
				}
			}
		})
	}
}

func TestNoPageOfAFlowChangesItsLanguage(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.MustExec(`UPDATE accounts SET language = 'fr' WHERE id = 'alice'`)
	b := speaking(w, "en")
	for _, p := range []lab.Page{
		inFlow(t, b, ""), b.SubmitOnce(inFlow(t, b, ""), "email", "alice@example.com", "password", "wrong"),
		b.Open(lab.AuthorizeURL(lab.Ask("ui_locales", "de", "response_type", "nothing", "redirect_uri", "https://nobody.example")...)),
		b.Submit(inFlow(t, b, ""), "email", "alice@example.com", "password", lab.AlicePass),
	} {
		if p.StatusCode != http.StatusSeeOther && !strings.Contains(p.Text, `<html lang="de"`) {
			t.Errorf("%s at %s:\n%s", p.Status, p.Request.URL.Path, p.Text)
		}
	}
}

// TestNewAccountRemembersItsLanguage: mails that nothing in a browser causes come in it.
func TestNewAccountRemembersItsLanguage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		accepted, asked, want string
	}{
		"OfTheBrowser": {"de", "", "de"}, "OfTheFlow": {"en", "de", "de"}, "OfNobody": {"", "", "en"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := lab.New(t).WithClients()
			b := w.NewBrowser()
			if test.accepted != "" {
				b = speaking(w, test.accepted)
			}
			p := b.Open(lab.AuthorizeURL(lab.Ask("prompt", "create", "ui_locales", test.asked)...))
			p = b.Submit(p, "email", "carol@example.com", "new_password", lab.NewPassword)
			b.Submit(p, "code", w.Mails.LastCode(t))
			a, err := w.Accounts().GetByEmail(t.Context(), "carol@example.com")
			w.OK(err)
			before := w.Mails.Count()
			w.OK(w.Rooms().Accounts.SendCallerCode(t.Context(), a.ID))
			if told := w.Mails.Since(before); len(told) != 1 || told[0].Language != test.want {
				t.Errorf("told %+v", told)
			}
		})
	}
}

func TestLanguageSwitchOfTheOwnerIsRemembered(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	speaks := func(want string, header ...string) {
		t.Helper()
		b.Ask(http.MethodGet, "/account?ui_locales=fr", header...)
		if l, err := w.Rooms().People.Locale(t.Context(), "alice"); err != nil || l.Lang != want {
			t.Errorf("after %v: %v, %v, want %s", header, l, err, want)
		}
	}
	speaks("en")
	speaks("en", "Sec-Fetch-Site", "cross-site")
	speaks("en", "Referer", "https://evil.example/")
	speaks("fr", "Referer", w.Server.URL+"/account")
	w.MustExec(`UPDATE accounts SET language = '' WHERE id = 'alice'`)
	speaks("fr", "Sec-Fetch-Site", "same-origin")
}
