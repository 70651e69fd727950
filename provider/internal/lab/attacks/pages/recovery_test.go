package pages

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// recovers begins a recovery as whoever reads the mail of an account, up to the page that
// asks for one more proof.
func (p *person) recovers() lab.Page {
	p.T.Helper()
	page := p.Submit(p.Open("/recover"), "email", p.email)
	_, code := p.Fixture.Mails.Last(p.T)
	return p.Submit(page, "code", code)
}

// W12: a new mail does not begin the count of wrong codes again.
func TestNewMailDoesNotResetTheCount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addApp()
	thief := owner.elsewhere()
	tried := 0
	for range 4 {
		page := thief.recovers()
		if page.StatusCode == http.StatusTooManyRequests {
			break
		}
		if !strings.Contains(page.Text, "code") {
			t.Fatalf("%s", page.Text)
		}
		f := withField(t, linked(thief.Browser, page, "authenticator app"), "code")
		for range 10 {
			p := send(thief.Browser, f.with("code", noCode(owner)))
			if p.StatusCode == http.StatusTooManyRequests {
				break
			}
			tried++
		}
		w.Advance(time.Minute)
	}
	if tried == 0 || tried > 5 {
		t.Errorf("%d codes were tried", tried)
	}
}

// One mailed code leads to a few mails about beginnings and ends, not to a mailbox full of them.
func TestRecoveryBegunWithoutEnd(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	thief := alice(w).addApp().elsewhere()
	wait := linked(thief.Browser, thief.recovers(), "I have only my email").Request.URL.String()
	before, begun := w.Mails.Count(), 0
	for range 20 {
		page := thief.Submit(thief.Open(wait))
		if page.StatusCode == http.StatusTooManyRequests {
			break
		}
		begun++
		thief.Submit(page, "action", "stop")
	}
	if begun != 5 || w.Mails.Count()-before > 2*begun {
		t.Errorf("it was begun %d times, with %d mails", begun, w.Mails.Count()-before)
	}
	w.Advance(time.Hour)
	if page := thief.Submit(linked(thief.Browser, thief.recovers(), "I have only my email")); !strings.Contains(page.Text, "Stop the recovery") {
		t.Errorf("an hour later: %s", page.Text)
	}
}

// An owner who is locked while the password is checked gets no further, and no page of an error.
func TestLockWhileThePasswordIsChecked(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]func(w *lab.Fixture) (*person, lab.Page){
		"Export": func(w *lab.Fixture) (*person, lab.Page) {
			owner := alice(w)
			return owner, owner.Open("/account/export")
		},
		"Recovery": func(w *lab.Fixture) (*person, lab.Page) {
			w.Advance(72 * time.Hour) // the password is old enough to stand for its owner
			other := alice(w).addApp().elsewhere()
			return other, linked(other.Browser, other.recovers(), "Use your password")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var store *lab.FaultyStore
			w := newFixture(t, lab.Faulty(&store))
			who, page := asked(w)
			once(store, "AccountByEmail", func() { disabled(w, "alice") })
			if p := send(who.Browser, withField(t, page, "password").with("password", lab.AlicePass)); !strings.Contains(p.Text, "Wrong password") {
				t.Errorf("%s:\n%s", p.Status, p.Text)
			}
		})
	}
}
