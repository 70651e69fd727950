package pages

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// W8: the password alone opens nothing of an account with a second step, not by a single page.
func TestPasswordThiefBeforeTheSecondFactor(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().addApp()
	thief := owner.elsewhere()
	before := sessions(w)
	page := thief.enterPassword()
	if thief.Cookie(session.Session) != "" || sessions(w) != before {
		t.Fatal("the password alone makes a session")
	}
	for _, path := range []string{
		"/account", securityPath, "/account/passkeys", "/account/totp", "/account/codes", "/account/password", "/account/email", "/account/delete",
		"/account/sessions", "/account/export", "/signin/enrol", "/signin/passkey", "/signin/upgrade",
	} {
		p := thief.Follow(thief.Get(path))
		if p.StatusCode == http.StatusOK && !strings.HasPrefix(p.Request.URL.Path, "/signin") {
			t.Errorf("%s leads to %s", path, p.Request.URL.Path)
		}
		if strings.Contains(p.Text, `data-passkey="create"`) || strings.Contains(p.Text, "select key") {
			t.Errorf("%s enrols", path)
		}
	}
	// Nor does the sealed state, at the pages that take one of their own.
	state := formsOf(t, page)[0].fields
	for _, path := range []string{"/signin/passkey", "/signin/deletion", "/signup/passkey", "/signup/code", "/reset/code", "/recover/code"} {
		p := thief.Post(path, state)
		if p.StatusCode < 400 && p.StatusCode != http.StatusSeeOther || thief.IsSignedIn() {
			t.Errorf("the state of the second step at %s: %s", path, p.Status)
		}
	}
	if thief.IsSignedIn() || sessions(w) != before {
		t.Error("the thief is signed in")
	}
	// A thief of the page lacks the browser.
	third := owner.elsewhere()
	third.Open("/signin")
	f := formsWithCode(t, thief, page, "app").with("code", owner.code())
	if p := third.Post(f.action, f.fields); p.StatusCode < 400 || third.IsSignedIn() {
		t.Errorf("the page in another browser: %s", p.Status)
	}
}

// W10: a code of the app is entered twice, in parallel and in two tabs.
func TestCodeOfTheAppTwice(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addApp()
	one, other := owner.elsewhere(), owner.elsewhere()
	first, second := one.askedCode("app"), other.askedCode("app")
	code := owner.code()
	before := sessions(w)
	lab.Race(3, func(i int) int {
		if i%2 == 0 {
			return send(one.Browser, first.with("code", code)).StatusCode
		}
		return send(other.Browser, second.with("code", code)).StatusCode
	})
	if n := sessions(w) - before; n != 1 {
		t.Errorf("one code makes %d sessions", n)
	}
	late := owner.elsewhere()
	wrong(t, late.Browser, send(late.Browser, late.askedCode("app").with("code", code)))
	// Nor is one from before the last.
	late = owner.elsewhere()
	wrong(t, late.Browser, send(late.Browser, late.askedCode("app").with("code", codeAt(owner.secret, owner.last-1))))
}

// W11: codes are guessed from many addresses. The owner on a known device is not shut out, nor
// is the password.
func TestCodesAreGuessed(t *testing.T) {
	t.Parallel()
	w := newFixture(t, lab.Unlimited)
	owner := alice(w).addApp()
	known := &person{Browser: owner.Browser, email: owner.email, password: owner.password, secret: owner.secret, last: owner.last}
	thief := owner.elsewhere()
	tried := 0
	const minutes = 12 * 60 // too few for the app to be barred
	for range minutes / 10 {
		f := thief.askedCode("app")
		for {
			p := send(thief.Browser, f.with("code", noCode(owner)))
			if p.StatusCode == http.StatusTooManyRequests {
				break
			}
			wrong(t, thief.Browser, p)
			if tried++; tried > 1000 {
				t.Fatal("nothing ends the guesses")
			}
		}
		w.Advance(10 * time.Minute)
	}
	if tried > 5+minutes/10 {
		t.Errorf("%d codes tried in half a day", tried)
	}
	if p := send(known.Browser, known.askedCode("app").with("code", known.code())); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the owner on a known device: %s", p.Status)
	}
	// Elsewhere the owner is held up at the second step, and the password is not.
	if p := owner.elsewhere().enterPassword(); p.StatusCode != http.StatusOK || p.Request.URL.Path != "/signin/factor" {
		t.Errorf("the password elsewhere: %s at %s", p.Status, p.Request.URL.Path)
	}
}

// Codes are guessed for days, few enough each day. The owner is told, and in the end no code of the
// app is right until the owner has signed in otherwise.
func TestCodesAreGuessedForDays(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(at, owner *person) form{
		"UntilAPasskey":      func(at, _ *person) form { return at.shown(at.enterPassword()) },
		"UntilARecoveryCode": func(at, owner *person) form { return at.askedCode("codes").with("code", owner.codes[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			owner := alice(w).addApp()
			if name == "UntilAPasskey" {
				owner.addPasskey()
			}
			mails := w.Mails.Count()
			asked := owner.guessedFor(t, storage.MaxTOTPMisses)
			var told []ui.MailKind
			for _, mail := range w.Mails.Since(mails) {
				told = append(told, mail.Kind)
			}
			if want := []ui.MailKind{ui.MailAppGuessed, ui.MailAppBarred}; !slices.Equal(told, want) {
				t.Errorf("the owner is told %q, want %q", told, want)
			}
			at := owner.elsewhere()
			p := at.enterPassword()
			if !strings.Contains(said(t, p), "too many wrong codes") || strings.Contains(said(t, p), "authenticator app") {
				t.Errorf("the second step:\n%s", said(t, p))
			}
			p = send(asked.Browser, asked.with("code", owner.code()))
			wrong(t, asked.Browser, p)
			if !strings.Contains(said(t, p), "too many wrong codes") {
				t.Errorf("a right code:\n%s", said(t, p))
			}
			if reader := owner.elsewhere().recovers(); strings.HasSuffix(reader.Request.URL.Path, "/app") || strings.Contains(reader.Text, "/recover/app") {
				t.Errorf("the app recovers the account:\n%s", said(t, reader))
			}
			w.Advance(time.Hour) // of the limit, which is another one
			if p := send(at.Browser, back(at, owner)); p.StatusCode != http.StatusSeeOther {
				t.Fatalf("the other way: %s\n%s", p.Status, p.Text)
			}
			again := owner.elsewhere()
			if p := send(again.Browser, again.askedCode("app").with("code", owner.code())); p.StatusCode != http.StatusSeeOther {
				t.Errorf("the app, after the owner is back: %s", p.Status)
			}
		})
	}
}

// A wrong code that cannot be counted is none that was looked at.
func TestGuessThatIsNotCounted(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := newFixture(t, lab.Faulty(&store))
	owner := alice(w).addApp()
	thief := owner.elsewhere()
	f := thief.askedCode("app").with("code", noCode(owner))
	misses := func() int {
		set, err := w.Store.Authenticators(t.Context(), "alice")
		w.OK(err)
		return set.TOTP.Misses
	}
	store.BreakBefore(func(_ context.Context, called string) error {
		if called == "CountTOTPMiss" {
			return storage.ErrUnavailable
		}
		return nil
	})
	refused(t, thief.Browser, send(thief.Browser, f), http.StatusServiceUnavailable)
	if n := misses(); n != 0 {
		t.Errorf("%d codes are counted", n)
	}
	store.BreakBefore(nil)
	wrong(t, thief.Browser, send(thief.Browser, f))
	if n := misses(); n != 1 {
		t.Errorf("%d codes are counted", n)
	}
}

// asked is the form for a code in the browser to which it was shown.
type asked struct {
	*lab.Browser
	form
}

// guessedFor has somebody who knows the password enter wrong codes, as many as the limit lets,
// and returns the form of the last.
func (p *person) guessedFor(t *testing.T, codes int) (last asked) {
	t.Helper()
	thief := p.elsewhere()
	for n := range codes {
		if n%5 == 0 {
			p.Fixture.Advance(5 * time.Hour)
			last = asked{thief.Browser, formsWithCode(t, thief, thief.enterPassword(), "app")}
		}
		wrong(t, thief.Browser, send(thief.Browser, last.with("code", noCode(p))))
	}
	return last
}

// noCode is a code that is none now.
func noCode(p *person) string {
	step := p.Fixture.Now().Unix() / 30
	for n := range 10 {
		code := strings.Repeat(string(rune('0'+n)), 6)
		if code != codeAt(p.secret, step-1) && code != codeAt(p.secret, step) && code != codeAt(p.secret, step+1) {
			return code
		}
	}
	return ""
}

// W12: a recovery code twice, in parallel, and one of a set that was replaced.
func TestRecoveryCodeTwice(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addApp()
	one, other := owner.elsewhere(), owner.elsewhere()
	first, second := one.askedCode("codes"), other.askedCode("codes")
	before := sessions(w)
	lab.Race(3, func(i int) int {
		if i%2 == 0 {
			return send(one.Browser, first.with("code", owner.codes[0])).StatusCode
		}
		return send(other.Browser, second.with("code", owner.codes[0])).StatusCode
	})
	if n := sessions(w) - before; n != 1 {
		t.Errorf("one code makes %d sessions", n)
	}
	if n := w.Count("recovery_codes"); n != 9 {
		t.Errorf("%d codes are left", n)
	}
	old := owner.codes
	owner.newCodes()
	late := owner.elsewhere()
	f := late.askedCode("codes")
	wrong(t, late.Browser, send(late.Browser, f.with("code", old[1])))
	if p := send(late.Browser, late.askedCode("codes").with("code", owner.codes[1])); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a code of the new set: %s", p.Status)
	}
}

// newCodes replaces the recovery codes, in the owner's browser.
func (p *person) newCodes() {
	p.T.Helper()
	page := linked(p.Browser, p.Open(securityPath), "Get new codes")
	p.keepCodes(p.Follow(send(p.Browser, formsOf(p.T, page)[0])))
}

// W13: the mark of a trusted device after changes, on another account, and past its end.
func TestTrustOfADevice(t *testing.T) {
	t.Parallel()
	trusting := func(c *provider.Config) { c.SignIn.TrustDevices = 7 * 24 * time.Hour }
	trusted := func(t *testing.T, w *lab.Fixture) (owner, device *person) {
		t.Helper()
		owner = alice(w).addApp()
		device = owner.elsewhere()
		f := device.askedCode("app").with("code", owner.code(), "trust", "trust")
		if p := send(device.Browser, f); p.StatusCode != http.StatusSeeOther {
			t.Fatalf("sign-in: %s\n%s", p.Status, p.Text)
		}
		owner.last, device.last = max(owner.last, device.last), max(owner.last, device.last)
		device.Post("/signout", lab.SignOutForm(t, device.Browser))
		return owner, device
	}
	for name, after := range map[string]func(w *lab.Fixture, owner, device *person){
		"NewCodes":           func(_ *lab.Fixture, owner, _ *person) { owner.newCodes() },
		"AnotherPasskey":     func(_ *lab.Fixture, owner, _ *person) { owner.addPasskey() },
		"NewPassword":        func(w *lab.Fixture, _, d *person) { withNewPassword(w, "alice", d.email); d.password = lab.NewPassword },
		"ItsEnd":             func(w *lab.Fixture, _, _ *person) { w.Advance(7*24*time.Hour + time.Second) },
		"TheMarkOfAnAccount": func(_ *lab.Fixture, _, d *person) { d.email, d.password = "bob@example.com", lab.BobPass },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, trusting)
			if name == "TheMarkOfAnAccount" {
				bob(w).addApp()
			}
			owner, device := trusted(t, w)
			if p := device.enterPassword(); name == "ItsEnd" && p.Request.URL.Path != "/account" {
				t.Fatalf("a trusted device is asked at %s", p.Request.URL.Path)
			}
			device.HTTP.Jar.SetCookies(device.ServerURL(), nil)
			if device.IsSignedIn() {
				device.Post("/signout", lab.SignOutForm(t, device.Browser))
			}
			after(w, owner, device)
			if p := device.enterPassword(); p.Request.URL.Path != "/signin/factor" || device.IsSignedIn() {
				t.Errorf("the second step is left out: %s", p.Request.URL.Path)
			}
		})
	}
}

// What a trusted device leaves out is no factor.
func TestTrustOfADeviceIsNoFactor(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(c *provider.Config) { c.SignIn.TrustDevices = 7 * 24 * time.Hour })
	owner := alice(w).addApp()
	device := owner.elsewhere()
	f := device.askedCode("app").with("code", owner.code(), "trust", "trust")
	send(device.Browser, f)
	device.Post("/signout", lab.SignOutForm(t, device.Browser))
	if p := device.enterPassword(); p.Request.URL.Path != "/account" {
		t.Fatalf("a trusted device is asked at %s", p.Request.URL.Path)
	}
	if token := idToken(device.Browser); token["acr"] != oneFactor {
		t.Errorf("acr %v", token["acr"])
	}
	if p := linked(device.Browser, device.Open(securityPath), "Get new codes"); strings.HasPrefix(p.Request.URL.Path, "/account/") {
		t.Errorf("%s is open to it", p.Request.URL.Path)
	}
	// Without its sign-in the mark signs nobody in.
	thief := device.Thief()
	thief.SetCookie(session.Session, "none")
	if thief.IsSignedIn() {
		t.Error("the mark is a session")
	}
}
