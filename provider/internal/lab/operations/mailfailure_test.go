package operations

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// unsteadyMailer hands mails to a mailbox until it fails.
type unsteadyMailer struct {
	*lab.Mailbox
	fails atomic.Pointer[func(provider.Mail) error]
}

func (m *unsteadyMailer) Send(ctx context.Context, mail provider.Mail) error {
	if fails := m.fails.Load(); fails != nil {
		if err := (*fails)(mail); err != nil {
			return err
		}
	}
	return m.Mailbox.Send(ctx, mail)
}

func (m *unsteadyMailer) failBy(fail func(provider.Mail) error) { m.fails.Store(&fail) }

func isDown(provider.Mail) error { return errors.New("smtp: connection refused") }

func withUnsteadyMailer(mailer *unsteadyMailer) func(*provider.Config) {
	return func(c *provider.Config) {
		mailer.Mailbox = c.Mailer.(*lab.Mailbox)
		c.Mailer = mailer
	}
}

// asksForMail are the ways to be sent a code.
var asksForMail = map[string]func(b *lab.Browser) func() lab.Page{
	"SignUp": func(b *lab.Browser) func() lab.Page {
		return func() lab.Page {
			return b.SubmitOnce(b.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		}
	},
	"Reset": func(b *lab.Browser) func() lab.Page {
		return func() lab.Page { return b.SubmitOnce(b.Open("/reset"), "email", "alice@example.com") }
	},
	"Verify": func(b *lab.Browser) func() lab.Page {
		b.SignIn("bob@example.com", lab.BobPass)
		return func() lab.Page { return b.SubmitOnce(b.Open("/account"), "action", "verify") }
	},
	"ChangeOfAddress": func(b *lab.Browser) func() lab.Page {
		b.SignIn("alice@example.com", lab.AlicePass)
		return func() lab.Page {
			return b.SubmitOnce(b.Open("/account/email"), "email", "alice@new.example", "password", lab.AlicePass)
		}
	},
	"Resend": func(b *lab.Browser) func() lab.Page {
		first := b.Submit(b.Open("/signup"), "email", "carol@example.com", "new_password", lab.NewPassword)
		b.Fixture.Advance(31 * time.Second)
		return func() lab.Page { return b.SubmitOnce(first, "action", "resend") }
	},
}

func TestMailThatWasNotSent(t *testing.T) {
	t.Parallel()
	for name, ways := range asksForMail {
		t.Run(name+"UsesNothingUp", func(t *testing.T) {
			t.Parallel()
			mailer := &unsteadyMailer{}
			w := lab.New(t, withUnsteadyMailer(mailer)).WithUsers()
			ask := ways(w.NewBrowser())
			mailer.failBy(isDown)
			for i := range 6 {
				if p := ask(); p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" {
					t.Fatalf("try %d: %s", i+1, p.Status)
				}
			}
			mailer.fails.Store(nil)
			sent := mailer.Count()
			if p := ask(); p.StatusCode != http.StatusSeeOther || mailer.Count() == sent {
				t.Errorf("with a mailer that is well again: %s, %d mails", p.Status, mailer.Count()-sent)
			}
		})
	}
}

func TestMailThatWasSentCounts(t *testing.T) {
	t.Parallel()
	t.Run("WhenNobodyKnowsWhetherItWas", func(t *testing.T) {
		t.Parallel()
		mailer := &unsteadyMailer{}
		w := lab.New(t, withUnsteadyMailer(mailer)).WithUsers()
		mailer.failBy(func(m provider.Mail) error {
			return errors.Join(mailer.Mailbox.Send(context.Background(), m), context.DeadlineExceeded)
		})
		ask := asksForMail["Reset"](w.NewBrowser())
		for range 10 {
			ask()
		}
		if mailer.Count() != 4 {
			t.Errorf("%d mails, of which nobody knows, were sent", mailer.Count())
		}
	})
	t.Run("WhenTheOtherHalfWasNotSent", func(t *testing.T) {
		t.Parallel()
		mailer := &unsteadyMailer{}
		w := lab.New(t, withUnsteadyMailer(mailer)).WithUsers()
		ask := asksForMail["ChangeOfAddress"](w.NewBrowser())
		mailer.failBy(func(m provider.Mail) error {
			if m.To == "alice@example.com" {
				return errors.New("smtp: 550 no such mailbox")
			}
			return nil
		})
		for range 10 {
			ask()
		}
		if mailer.Count() != 4 {
			t.Errorf("%d mails were sent to a stranger, because the owner could not be sent one", mailer.Count())
		}
	})
}

// TestTriesThatMailNobodyAreBoundedByAddress tests that an address that the mail server
// refuses does not keep the mailer busy for others.
func TestTriesThatMailNobodyAreBoundedByAddress(t *testing.T) {
	t.Parallel()
	for name, tries := range map[string]int{"Reset": 20, "Verify": 20 + 4} { // the second is known, and has a share of its own
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mailer := &unsteadyMailer{}
			w := lab.New(t, withUnsteadyMailer(mailer), func(c *provider.Config) {
				c.Limits.Mail = provider.Limit{Burst: 20, Every: time.Hour}
			}).WithUsers()
			ask := asksForMail[name](w.NewBrowser())
			mailer.failBy(isDown)
			for range tries {
				lab.Shown(t, ask(), http.StatusServiceUnavailable)
			}
			lab.Shown(t, ask(), http.StatusTooManyRequests)
		})
	}
}

// noSuchMailbox is what a mailer says of an address that the mail server does not have.
func noSuchMailbox(provider.Mail) error {
	return fmt.Errorf("smtp: %w: 550 5.1.1", provider.ErrRecipientRefused)
}

func TestRecipientThatIsRefusedIsAWordOnTheForm(t *testing.T) {
	t.Parallel()
	for name, ways := range asksForMail {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mailer := &unsteadyMailer{}
			w := lab.New(t, withUnsteadyMailer(mailer)).WithUsers()
			ask := ways(w.NewBrowser())
			mailer.failBy(noSuchMailbox)
			p := ask()
			if p.StatusCode != http.StatusUnprocessableEntity || p.Header.Get("Retry-After") != "" || !strings.Contains(p.Text, "Email can’t be delivered to this address") {
				t.Errorf("%s\n%s", p.Status, p.Text)
			}
			if _, kept := p.Form(t); name == "SignUp" && kept.Get("email") != "carol@example.com" {
				t.Errorf("of what was entered is left %v", kept)
			}
			if log := w.Log.String(); !strings.Contains(log, "level=INFO msg=\"mail cannot be delivered\"") || strings.Contains(log, "level=ERROR") {
				t.Errorf("the log:\n%s", log)
			}
			mailer.fails.Store(nil)
			if p := ask(); p.StatusCode != http.StatusSeeOther {
				t.Errorf("corrected: %s", p.Status)
			}
		})
	}
	t.Run("OfTheOldAddress", func(t *testing.T) {
		t.Parallel()
		mailer := &unsteadyMailer{}
		w := lab.New(t, withUnsteadyMailer(mailer)).WithUsers()
		ask := asksForMail["ChangeOfAddress"](w.NewBrowser())
		mailer.failBy(func(m provider.Mail) error {
			if m.To == "alice@example.com" {
				return noSuchMailbox(m)
			}
			return nil
		})
		if p := ask(); p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.Text, "your current address") {
			t.Errorf("the page blames another address:\n%s", p.Text)
		}
	})
	t.Run("WhetherOrNotItHasAnAccount", func(t *testing.T) {
		t.Parallel()
		mailer := &unsteadyMailer{}
		w := lab.New(t, withUnsteadyMailer(mailer)).WithUsers()
		mailer.failBy(noSuchMailbox)
		var said []string
		for _, email := range []string{"alice@example.com", "alicf@example.com"} {
			b := w.NewBrowser()
			p := b.SubmitOnce(b.Open("/reset"), "email", email)
			lab.Shown(t, p, http.StatusUnprocessableEntity)
			said = append(said, regexp.MustCompile(`value="[^"]*"`).ReplaceAllString(p.Text, ""))
		}
		if said[0] != said[1] {
			t.Errorf("the page tells who has an account:\n%s\n%s", said[0], said[1])
		}
	})
}
