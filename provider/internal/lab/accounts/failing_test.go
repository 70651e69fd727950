package accounts

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
)

// walker leads people to a request at which the database fails.
type walker struct {
	*lab.Fixture
	people int
}

// step is a request, and whether it has led to its end.
type step func() (ask func() lab.Page, ended func(p lab.Page) error)

var eightDigits = regexp.MustCompile(`\b\d{8}\b`)

const chosen = "violin-glacier-orbit-31"

// person is somebody with an account of their own, in a browser of their own.
func (w *walker) person() (b *lab.Browser, id, email string) {
	w.people++
	w.Advance(time.Minute)
	id = fmt.Sprint("person-", w.people)
	email = id + "@example.com"
	_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: id, Email: email, EmailVerified: true, Password: lab.BobPass})
	w.OK(err)
	return w.NewBrowser(), id, email
}

// owner is a person who has just signed in.
func (w *walker) owner() (b *lab.Browser, id, email string) {
	b, id, email = w.person()
	return b.SignIn(email, lab.BobPass), id, email
}

// half is a person with an app who has presented the password.
func (w *walker) half() (b *lab.Browser, p lab.Page, app *lab.App, codes []string) {
	b, id, email := w.person()
	app, codes = w.AddApp(id)
	return b, b.Submit(b.Open("/signin"), "email", email, "password", lab.BobPass), app, codes
}

// reader is a person with an app who has proved to read the mailbox.
func (w *walker) reader() (b *lab.Browser, p lab.Page, app *lab.App, codes []string, email string) {
	b, id, email := w.person()
	app, codes = w.AddApp(id)
	p = b.Submit(b.Open("/recover"), "email", email)
	return b, b.Submit(p, "code", w.Mails.LastCode(w.T)), app, codes, email
}

// form sends a form as often as it is asked to.
func form(b *lab.Browser, p lab.Page, values ...string) func() lab.Page {
	return func() lab.Page { return b.SubmitOnce(p, values...) }
}

func isIn(b *lab.Browser) error {
	if !b.IsSignedIn() {
		return errors.New("nobody is signed in")
	}
	return nil
}

// lets returns nil when a password alone signs in, or leads to the second step.
func (w *walker) lets(email, password string) error {
	b := w.NewBrowser()
	if p := b.SubmitOnce(b.Open("/signin"), "email", email, "password", password); p.StatusCode >= 400 {
		return fmt.Errorf("sign-in of %s: %s", email, p.Status)
	}
	return nil
}

func (w *walker) signUps() map[string]step {
	begun := func() (b *lab.Browser, p lab.Page, email string) {
		w.people++
		w.Advance(time.Minute)
		b, email = w.NewBrowser(), fmt.Sprint("newcomer-", w.people, "@example.com")
		return b, b.Submit(b.Open("/signup"), "email", email, "new_password", lab.BobPass), email
	}
	enters := func(b *lab.Browser, p lab.Page, email string) error {
		b.Submit(b.Follow(p), "code", w.Mails.LastCode(w.T))
		return errors.Join(isIn(b), w.lets(email, lab.BobPass))
	}
	return map[string]step{
		"TheAddressOfANewAccount": func() (func() lab.Page, func(lab.Page) error) {
			w.people++
			w.Advance(time.Minute)
			b, email := w.NewBrowser(), fmt.Sprint("newcomer-", w.people, "@example.com")
			return form(b, b.Open("/signup"), "email", email, "new_password", lab.BobPass), func(p lab.Page) error { return enters(b, p, email) }
		},
		"TheCodeOfANewAccount": func() (func() lab.Page, func(lab.Page) error) {
			b, p, email := begun()
			return form(b, p, "code", w.Mails.LastCode(w.T)), func(lab.Page) error { return errors.Join(isIn(b), w.lets(email, lab.BobPass)) }
		},
		"ThePasskeyOfANewAccount": func() (func() lab.Page, func(lab.Page) error) {
			w.people++
			w.Advance(time.Minute)
			b := w.NewBrowser()
			p := b.Submit(b.Open("/signup"), "email", fmt.Sprint("newcomer-", w.people, "@example.com"), "action", "passkey")
			p = b.Submit(p, "code", w.Mails.LastCode(w.T))
			return answering(b, p, "create", authenticator.New()), func(p lab.Page) error {
				if n := len(codesOn(p)); n != 10 {
					return fmt.Errorf("%d recovery codes are shown", n)
				}
				return isIn(b)
			}
		},
		"AnotherCode": func() (func() lab.Page, func(lab.Page) error) {
			b, p, email := begun()
			w.Advance(time.Minute)
			return form(b, p, "action", "resend"), func(p lab.Page) error { return enters(b, p, email) }
		},
	}
}

func (w *walker) signIns() map[string]step {
	return map[string]step{
		"ThePassword": func() (func() lab.Page, func(lab.Page) error) {
			b, _, email := w.person()
			return form(b, b.Open("/signin"), "email", email, "password", lab.BobPass), func(lab.Page) error { return isIn(b) }
		},
		"ThePasswordBeforeACode": func() (func() lab.Page, func(lab.Page) error) {
			b, id, email := w.person()
			app, _ := w.AddApp(id)
			return form(b, b.Open("/signin"), "email", email, "password", lab.BobPass), func(p lab.Page) error {
				b.Submit(b.Follow(p), "code", app.Code())
				return isIn(b)
			}
		},
		"TheCodeOfAnApp": func() (func() lab.Page, func(lab.Page) error) {
			b, p, app, _ := w.half()
			return form(b, p, "code", app.Code(), "trust", "1"), func(lab.Page) error { return isIn(b) }
		},
		"APasskeyAlone": func() (func() lab.Page, func(lab.Page) error) {
			b, _, _ := w.owner()
			keys := authenticator.New()
			answer(b, b.Open("/account/passkeys"), "create", keys)
			other := w.NewBrowser()
			return answering(other, other.Open("/signin"), "get", keys), func(lab.Page) error { return isIn(other) }
		},
		"ARecoveryCode": func() (func() lab.Page, func(lab.Page) error) {
			b, p, _, codes := w.half()
			return form(b, b.Open(p.Request.URL.String()+"&way=codes"), "code", codes[0]), func(lab.Page) error { return isIn(b) }
		},
	}
}

func (w *walker) recoveries() map[string]step {
	return map[string]step{
		"TheAddressOfAReset": func() (func() lab.Page, func(lab.Page) error) {
			b, _, email := w.person()
			return form(b, b.Open("/reset"), "email", email), func(p lab.Page) error {
				b.Submit(b.Follow(p), "code", w.Mails.LastCode(w.T), "new_password", chosen)
				return w.lets(email, chosen)
			}
		},
		"TheCodeOfAReset": func() (func() lab.Page, func(lab.Page) error) {
			b, _, email := w.person()
			p := b.Submit(b.Open("/reset"), "email", email)
			return form(b, p, "code", w.Mails.LastCode(w.T), "new_password", chosen), func(lab.Page) error { return w.lets(email, chosen) }
		},
		"TheCodeOfARecovery": func() (func() lab.Page, func(lab.Page) error) {
			b, id, email := w.person()
			app, _ := w.AddApp(id)
			p := b.Submit(b.Open("/recover"), "email", email)
			return form(b, p, "code", w.Mails.LastCode(w.T)), func(p lab.Page) error {
				b.Submit(b.Submit(to(b, b.Follow(p), "/recover/app"), "code", app.Code()), "new_password", chosen)
				return w.lets(email, chosen)
			}
		},
		"TheAppOfARecovery": func() (func() lab.Page, func(lab.Page) error) {
			b, p, app, _, email := w.reader()
			return form(b, b.Submit(to(b, p, "/recover/app"), "code", app.Code()), "new_password", chosen), func(lab.Page) error { return w.lets(email, chosen) }
		},
		"TheRecoveryCodeOfARecovery": func() (func() lab.Page, func(lab.Page) error) {
			b, p, _, codes, email := w.reader()
			return form(b, b.Submit(to(b, p, "/recover/codes"), "code", codes[0]), "new_password", chosen), func(lab.Page) error { return w.lets(email, chosen) }
		},
		"TheWaitOfARecovery": func() (func() lab.Page, func(lab.Page) error) {
			b, p, _, _, _ := w.reader()
			return form(b, to(b, p, "/recover/wait")), func(p lab.Page) error {
				if next := b.Follow(p); next.Request.URL.Path != "/recover/wait" {
					return fmt.Errorf("at %s", next.Request.URL)
				}
				return nil
			}
		},
	}
}

func (w *walker) addresses() map[string]step {
	moved := func(id, to string) error {
		if got := w.EmailOf(id); got != to {
			return fmt.Errorf("the address is %s", got)
		}
		return nil
	}
	enters := func(b *lab.Browser, p lab.Page, n int, email string) func() lab.Page {
		mailed := map[string]string{}
		for _, m := range w.Mails.Since(n) {
			mailed[m.To] = eightDigits.FindString(m.Text)
		}
		return form(b, p, "code", mailed["new-"+email], "old_code", mailed[email])
	}
	unverified := func() (*lab.Browser, string) {
		_, id, email := w.owner()
		_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: id, Email: email})
		w.OK(err)
		return w.NewBrowser().SignIn(email, lab.BobPass), id
	}
	verified := func(id string) error {
		if a, err := w.Accounts().Get(w.T.Context(), id); err != nil || !a.EmailVerified {
			return fmt.Errorf("not verified, %w", err)
		}
		return nil
	}
	return map[string]step{
		"ANewAddress": func() (func() lab.Page, func(lab.Page) error) {
			b, id, email := w.owner()
			n := w.Mails.Count()
			return form(b, b.Open("/account/email"), "email", "new-"+email, "password", lab.BobPass), func(p lab.Page) error {
				enters(b, b.Follow(p), n, email)()
				return moved(id, "new-"+email)
			}
		},
		"TheCodesOfANewAddress": func() (func() lab.Page, func(lab.Page) error) {
			b, id, email := w.owner()
			n := w.Mails.Count()
			p := b.Submit(b.Open("/account/email"), "email", "new-"+email, "password", lab.BobPass)
			return enters(b, p, n, email), func(lab.Page) error { return errors.Join(moved(id, "new-"+email), isIn(b)) }
		},
		"AnAddressToBeVerified": func() (func() lab.Page, func(lab.Page) error) {
			b, id := unverified()
			return form(b, b.Open("/account"), "action", "verify"), func(p lab.Page) error {
				b.Submit(b.Follow(p), "code", w.Mails.LastCode(w.T))
				return verified(id)
			}
		},
		"TheCodeOfAnAddress": func() (func() lab.Page, func(lab.Page) error) {
			b, id := unverified()
			p := b.Submit(b.Open("/account"), "action", "verify")
			return form(b, p, "code", w.Mails.LastCode(w.T)), func(lab.Page) error { return verified(id) }
		},
	}
}

func (w *walker) factors() map[string]step {
	count := func(id string) (passkeys, codes int, app, password bool) {
		set, err := w.Sealed().Authenticators(w.T.Context(), id)
		w.OK(err)
		return len(set.Passkeys), len(set.Recovery.Digests), len(set.TOTP.Secret) > 0, set.Account.PasswordHash != ""
	}
	withApp := func() (b *lab.Browser, id string) {
		b, p, app, _ := w.half()
		b.Submit(p, "code", app.Code())
		w.OK(isIn(b))
		return b, fmt.Sprint("person-", w.people)
	}
	withPasskey := func() (b *lab.Browser, id string) {
		b, id, _ = w.owner()
		answer(b, b.Open("/account/passkeys"), "create", authenticator.New())
		return b, id
	}
	removal := func(b *lab.Browser, page string) string {
		found := regexp.MustCompile(`href="(` + page + `[^"]*)"`).FindStringSubmatch(b.Open("/account/security").Text)
		if found == nil {
			w.T.Fatalf("nothing leads to %s", page)
		}
		return html.UnescapeString(found[1])
	}
	hasStep := func(b *lab.Browser, id string, on bool) func(lab.Page) error {
		return func(lab.Page) error {
			if set, err := w.Accounts().Authenticators(w.T.Context(), id); err != nil || set.SecondStep != on {
				return fmt.Errorf("second step %v, %w", set.SecondStep, err)
			}
			return isIn(b)
		}
	}
	return map[string]step{
		"AnApp": func() (func() lab.Page, func(lab.Page) error) {
			b, id, _ := w.owner()
			p := b.Open("/account/totp")
			return form(b, p, "code", appCode(w.Fixture, p)), func(p lab.Page) error {
				if _, codes, app, _ := count(id); !app || codes != 10 || len(codesOn(p)) != 10 {
					return fmt.Errorf("app %v, %d codes, %d shown", app, codes, len(codesOn(p)))
				}
				return nil
			}
		},
		"TheEndOfAnApp": func() (func() lab.Page, func(lab.Page) error) {
			b, id := withApp()
			return form(b, b.Open("/account/totp/remove")), func(lab.Page) error {
				if _, _, app, _ := count(id); app {
					return errors.New("the app is still there")
				}
				return isIn(b)
			}
		},
		"RecoveryCodes": func() (func() lab.Page, func(lab.Page) error) {
			b, _ := withApp()
			return form(b, b.Open("/account/codes")), func(p lab.Page) error {
				if n := len(codesOn(p)); n != 10 {
					return fmt.Errorf("%d codes are shown", n)
				}
				return nil
			}
		},
		"AnotherPassword": func() (func() lab.Page, func(lab.Page) error) {
			b, _, email := w.owner()
			return form(b, b.Open("/account/password"), "password", lab.BobPass, "new_password", chosen), func(lab.Page) error {
				return errors.Join(isIn(b), w.lets(email, chosen))
			}
		},
		"TheEndOfAPasskey": func() (func() lab.Page, func(lab.Page) error) {
			b, id := withPasskey()
			return form(b, b.Open(removal(b, "/account/passkeys/remove"))), func(lab.Page) error {
				if passkeys, _, _, _ := count(id); passkeys != 0 {
					return errors.New("the passkey is still there")
				}
				return isIn(b)
			}
		},
		"TheEndOfAPassword": func() (func() lab.Page, func(lab.Page) error) {
			b, id := withPasskey()
			b.SubmitOnce(b.Open("/account/codes"))
			return form(b, b.Open("/account/password/remove")), func(lab.Page) error {
				if _, _, _, password := count(id); password {
					return errors.New("the password is still there")
				}
				return isIn(b)
			}
		},
		"TheEndOfALink": func() (func() lab.Page, func(lab.Page) error) {
			b, id, email := w.owner()
			w.AddLink(id, "former", email)
			return form(b, b.Open(removal(b, "/account/connections/remove"))), func(lab.Page) error {
				if set, err := w.Accounts().Authenticators(w.T.Context(), id); err != nil || len(set.Links) != 0 {
					return fmt.Errorf("%+v is still there, %w", set.Links, err)
				}
				return isIn(b)
			}
		},
		"TheSecondStep": func() (func() lab.Page, func(lab.Page) error) {
			b, id := withPasskey()
			return form(b, b.Open("/account/second-step"), "action", "on"), hasStep(b, id, true)
		},
		"TheEndOfTheSecondStep": func() (func() lab.Page, func(lab.Page) error) {
			b, id := withPasskey()
			b.Submit(b.Open("/account/second-step"), "action", "on")
			w.OK(hasStep(b, id, true)(lab.Page{}))
			return form(b, b.Open("/account/second-step"), "action", "off"), hasStep(b, id, false)
		},
		"APasskey": func() (func() lab.Page, func(lab.Page) error) {
			b, id, _ := w.owner()
			return answering(b, b.Open("/account/passkeys"), "create", authenticator.New()), func(lab.Page) error {
				if passkeys, _, _, _ := count(id); passkeys != 1 {
					return fmt.Errorf("%d passkeys", passkeys)
				}
				return nil
			}
		},
	}
}

// A database that fails at any statement of what people do is "try again in a moment", and the same
// form leads to its end afterwards: nobody is told that a code is wrong.
func TestFailingStatement(t *testing.T) {
	t.Parallel()
	for _, of := range []func(*walker) map[string]step{
		(*walker).signUps, (*walker).signIns, (*walker).recoveries, (*walker).addresses, (*walker).factors,
	} {
		for name := range of(nil) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f, tap := lab.Tapped(t, named)
				tap.Walk(t, of(&walker{Fixture: atName(f)})[name])
			})
		}
	}
}

// Codes that were right while the database failed are no guesses: however many there were, the next
// one signs in.
func TestRightCodesOfAFailingDatabase(t *testing.T) {
	t.Parallel()
	f, tap := lab.Tapped(t, named)
	w := &walker{Fixture: atName(f)}
	b, p, app, _ := w.half()
	for at, reached := 1, true; reached; at++ {
		for range 2 {
			tap.Open(at, false)
			got := b.SubmitOnce(p, "code", app.Code())
			if reached = len(tap.Close()) >= at && got.StatusCode >= http.StatusBadRequest; !reached {
				break // it has signed in: what fails behind that harms nobody
			}
			if got.StatusCode != http.StatusServiceUnavailable {
				t.Fatalf("statement %d fails: %s\n%s", at, got.Status, got.Text)
			}
		}
	}
	w.OK(isIn(b))
}
