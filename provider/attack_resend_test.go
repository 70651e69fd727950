package provider_test

import (
	"strings"
	"testing"
	"time"
)

// TestAttackAddressFoundOutByOldTickets asks for a new code with a ticket that has been
// exchanged for another already, and with one that has expired: what comes back must not
// tell whether the address has an account.
func TestAttackAddressFoundOutByOldTickets(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]time.Duration{"exchanged": 31 * time.Second, "expired": 16 * time.Minute} {
		answers := map[string]int{}
		w := newFixture(t).withUsers()
		for _, email := range []string{"alice@example.com", "nobod@example.com"} {
			b := w.newBrowser()
			p := b.submit(b.open("/signup"), "email", email, "new_password", newPassword)
			if name == "exchanged" {
				w.advance(31 * time.Second)
				b.submitOnce(p, "action", "resend")
			}
			w.advance(late)
			mails := w.mails.count()
			answers[email] = b.submitOnce(p, "action", "resend").StatusCode*10 + w.mails.count() - mails
		}
		if answers["alice@example.com"] != answers["nobod@example.com"] {
			t.Errorf("%s: %v", name, answers)
		}
	}
}

// TestAttackCodeOfWhomThereIsNothingFor enters what the ticket of an address with an account
// has in place of a code, in all that a field can carry.
func TestAttackCodeOfWhomThereIsNothingFor(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	b := w.newBrowser()
	p := b.submit(b.open("/signup"), "email", "alice@example.com", "new_password", newPassword)
	for _, code := range []string{"-", "00000000", "nothing to do: 0", strings.Repeat("0", 16)} {
		if got := b.submitOnce(p, "code", code); got.StatusCode != 422 {
			t.Errorf("%q: %s", code, got.Status)
		}
	}
}
