package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// TestAttackAddressFoundOutByANewCode asks for a new code with a ticket, also with one that has
// been exchanged for another already, and with one that has expired: what comes back must not
// tell whether the address has an account.
func TestAttackAddressFoundOutByANewCode(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]time.Duration{"in time": 31 * time.Second, "exchanged": 31 * time.Second, "expired": 16 * time.Minute} {
		answers := map[string]string{}
		w := lab.New(t).WithUsers()
		for _, email := range []string{"alice@example.com", "nobod@example.com"} {
			b := w.NewBrowser()
			p := b.Submit(b.Open("/signup"), "email", email, "new_password", lab.NewPassword)
			if name == "exchanged" {
				w.Advance(31 * time.Second)
				b.SubmitOnce(p, "action", "resend")
			}
			w.Advance(late)
			mails := w.Mails.Count()
			again := b.SubmitOnce(p, "action", "resend")
			next := b.Follow(again)
			answers[email] = fmt.Sprint(again.Status, len(again.Header.Get("Location")), next.Status, next.Size(), w.Mails.Count()-mails)
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
	w := lab.New(t).WithUsers()
	b := w.NewBrowser()
	p := b.Submit(b.Open("/signup"), "email", "alice@example.com", "new_password", lab.NewPassword)
	for _, code := range []string{"-", "00000000", "nothing to do: 0", strings.Repeat("0", 16)} {
		if got := b.SubmitOnce(p, "code", code); got.StatusCode != 422 {
			t.Errorf("%q: %s", code, got.Status)
		}
	}
}
