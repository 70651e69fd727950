package factors

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

// W14: whoever reads the mail wants the account.
func TestMailboxThiefRecovers(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey()
	thief := owner.elsewhere()
	mails := w.Mails.Count()
	page := linked(thief.Browser, thief.recovers(), "I have only my email")
	thief.Follow(send(thief.Browser, formsOf(t, page)[0]))
	if w.Mails.Count() < mails+2 {
		t.Error("the owner is not told")
	}
	for _, wait := range []time.Duration{0, 24 * time.Hour, 47 * time.Hour} {
		w.Advance(wait)
		early := owner.elsewhere()
		if p := early.recovers(); hasNewPassword(t, p) {
			t.Fatalf("a password can be chosen after %s", wait)
		}
	}
	// The owner signs in with the passkey, which ends it.
	again := owner.elsewhere()
	if p := send(again.Browser, again.shown(again.Open("/signin"))); p.StatusCode != http.StatusSeeOther {
		t.Fatalf("the owner: %s", p.Status)
	}
	if n := w.Count("recoveries"); n != 0 {
		t.Fatalf("%d recoveries go on", n)
	}
	w.Advance(4 * time.Hour)
	late := owner.elsewhere()
	if p := late.recovers(); hasNewPassword(t, p) {
		t.Error("a recovery that was stopped is finished")
	}
}

// The wait over, and nobody having stopped it, whoever reads the mail gets the account, without
// its factors; and everything that was signed in is signed out.
func TestRecoveryAfterTheWait(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().addApp()
	other := owner.elsewhere()
	page := linked(other.Browser, other.recovers(), "I have only my email")
	other.Follow(send(other.Browser, formsOf(t, page)[0]))
	w.Advance(72*time.Hour + time.Minute)
	later := owner.elsewhere()
	p := later.recovers()
	f := withField(t, p, "new_password")
	p = later.Follow(send(later.Browser, f.with("new_password", lab.NewPassword)))
	if w.Count("passkeys")+w.Count("totp")+w.Count("recovery_codes")+w.Count("recoveries") != 0 {
		t.Errorf("factors are left: %s\n%s", p.Status, p.Text)
	}
	if owner.IsSignedIn() {
		t.Error("a session of before goes on")
	}
	w.NewBrowser().SignIn(owner.email, lab.NewPassword)
	again := owner.elsewhere()
	wrong(t, again.Browser, send(again.Browser, again.shown(again.Open("/signin"))))
}

// A reset by mail is not for an account with more than a password (W14).
func TestMailboxThiefResets(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addApp()
	thief := owner.elsewhere()
	page := thief.Submit(thief.Open("/reset"), "email", owner.email)
	_, code := w.Mails.Last(t)
	p := thief.Submit(page, "code", code, "new_password", lab.NewPassword)
	if thief.IsSignedIn() {
		t.Fatalf("the mail signs in: %s", p.Request.URL.Path)
	}
	if w.Count("totp") != 1 {
		t.Error("the app is gone")
	}
	try := owner.elsewhere()
	try.password = lab.NewPassword
	if q := try.enterPassword(); try.IsSignedIn() || q.Request.URL.Path == "/signin/factor" {
		t.Errorf("the mail alone has set a password: %s", q.Request.URL.Path)
	}
	// That would also be a way around the shorter wait of who knows the password.
	if _, fields := thief.Open("/recover").Form(t); fields.Has("new_password") {
		t.Error("a password can be chosen at once")
	}
}

// hasNewPassword reports whether a page lets a password be chosen without another proof.
func hasNewPassword(t testing.TB, p lab.Page) bool {
	t.Helper()
	for _, f := range formsOf(t, p) {
		if f.fields.Has("new_password") && !f.fields.Has("code") && !f.fields.Has("password") && f.passkey == "" {
			return true
		}
	}
	return false
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
			p := send(thief.Browser, f.with("code", wrongCode(owner)))
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
