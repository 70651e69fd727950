package provider_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// unsteadyMailer hands mails to a mailbox until it fails.
type unsteadyMailer struct {
	*mailbox
	fails atomic.Pointer[func(provider.Mail) error]
}

func (m *unsteadyMailer) Send(ctx context.Context, mail provider.Mail) error {
	if fails := m.fails.Load(); fails != nil {
		if err := (*fails)(mail); err != nil {
			return err
		}
	}
	return m.mailbox.Send(ctx, mail)
}

func (m *unsteadyMailer) failBy(fail func(provider.Mail) error) { m.fails.Store(&fail) }

func isDown(provider.Mail) error { return errors.New("smtp: connection refused") }

func withUnsteadyMailer(mailer *unsteadyMailer) func(*provider.Config) {
	return func(c *provider.Config) {
		mailer.mailbox = c.Mailer.(*mailbox)
		c.Mailer = mailer
	}
}

// asksForMail are the ways to be sent a code.
var asksForMail = map[string]func(b *browser) func() page{
	"SignUp": func(b *browser) func() page {
		return func() page {
			return b.submitOnce(b.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
		}
	},
	"Reset": func(b *browser) func() page {
		return func() page { return b.submitOnce(b.open("/reset"), "email", "alice@example.com") }
	},
	"Verify": func(b *browser) func() page {
		b.signIn("bob@example.com", bobPass)
		return func() page { return b.submitOnce(b.open("/account"), "action", "verify") }
	},
	"ChangeOfAddress": func(b *browser) func() page {
		b.signIn("alice@example.com", alicePass)
		return func() page {
			return b.submitOnce(b.open("/account/email"), "email", "alice@new.example", "password", alicePass)
		}
	},
	"Resend": func(b *browser) func() page {
		first := b.submit(b.open("/signup"), "email", "carol@example.com", "new_password", newPassword)
		b.w.advance(31 * time.Second)
		return func() page { return b.submitOnce(first, "action", "resend") }
	},
}

func TestMailThatWasNotSent(t *testing.T) {
	t.Parallel()
	for name, ways := range asksForMail {
		t.Run(name+"UsesNothingUp", func(t *testing.T) {
			t.Parallel()
			mailer := &unsteadyMailer{}
			w := newFixture(t, withUnsteadyMailer(mailer)).withUsers()
			ask := ways(w.newBrowser())
			mailer.failBy(isDown)
			for i := range 6 {
				if p := ask(); p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" {
					t.Fatalf("try %d: %s", i+1, p.Status)
				}
			}
			mailer.fails.Store(nil)
			sent := mailer.count()
			if p := ask(); p.StatusCode != http.StatusSeeOther || mailer.count() == sent {
				t.Errorf("with a mailer that is well again: %s, %d mails", p.Status, mailer.count()-sent)
			}
		})
	}
}

func TestMailThatWasSentCounts(t *testing.T) {
	t.Parallel()
	t.Run("WhenNobodyKnowsWhetherItWas", func(t *testing.T) {
		t.Parallel()
		mailer := &unsteadyMailer{}
		w := newFixture(t, withUnsteadyMailer(mailer)).withUsers()
		mailer.failBy(func(m provider.Mail) error {
			return errors.Join(mailer.mailbox.Send(context.Background(), m), context.DeadlineExceeded)
		})
		ask := asksForMail["Reset"](w.newBrowser())
		for range 10 {
			ask()
		}
		if mailer.count() != 4 {
			t.Errorf("%d mails, of which nobody knows, were sent", mailer.count())
		}
	})
	t.Run("WhenTheOtherHalfWasNotSent", func(t *testing.T) {
		t.Parallel()
		mailer := &unsteadyMailer{}
		w := newFixture(t, withUnsteadyMailer(mailer)).withUsers()
		ask := asksForMail["ChangeOfAddress"](w.newBrowser())
		mailer.failBy(func(m provider.Mail) error {
			if m.To == "alice@example.com" {
				return errors.New("smtp: 550 no such mailbox")
			}
			return nil
		})
		for range 10 {
			ask()
		}
		if mailer.count() != 4 {
			t.Errorf("%d mails were sent to a stranger, because the owner could not be sent one", mailer.count())
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
			w := newFixture(t, withUnsteadyMailer(mailer), func(c *provider.Config) {
				c.Limits.Mail = provider.Limit{Burst: 20, Every: time.Hour}
			}).withUsers()
			ask := asksForMail[name](w.newBrowser())
			mailer.failBy(isDown)
			for range tries {
				shown(t, ask(), http.StatusServiceUnavailable)
			}
			shown(t, ask(), http.StatusTooManyRequests)
		})
	}
}
