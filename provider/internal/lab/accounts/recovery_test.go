package accounts

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// The waits of the tests are the defaults.
const (
	wholeWait = 72 * time.Hour
	shortWait = 24 * time.Hour
)

// prove has a browser enter the mailed code for alice, and returns the page that it leads to.
func prove(b *lab.Browser) lab.Page {
	b.T.Helper()
	p := b.Submit(b.Open("/recover"), "email", "alice@example.com")
	return b.Submit(p, "code", mailedDigits(b.Fixture))
}

// at fails unless a page is that of a path.
func at(t *testing.T, p lab.Page, path string) lab.Page {
	t.Helper()
	if p.StatusCode != http.StatusOK || p.Request.URL.Path != path {
		t.Fatalf("%s %s, want %s:\n%s", p.Status, p.Request.URL, path, p.Text)
	}
	return p
}

// to opens the page of another way.
func to(b *lab.Browser, p lab.Page, path string) lab.Page {
	b.T.Helper()
	return b.Open(lab.LinkOf(b.T.(*testing.T), p, path))
}

// chooses submits a right code beside that of the mailbox, and then the new password.
func chooses(b *lab.Browser, p lab.Page, code, password string) lab.Page {
	b.T.Helper()
	return b.Submit(at(b.T.(*testing.T), b.Submit(p, "code", code), "/recover/finish"), "new_password", password)
}

// kinds are the kinds of the mails since there were n.
func kinds(w *lab.Fixture, n int) (kinds []ui.MailKind) {
	for _, m := range w.Mails.Since(n) {
		kinds = append(kinds, m.Kind)
	}
	return kinds
}

// signsIn reports whether the password of alice alone signs in.
func signsIn(w *lab.Fixture, password string) bool {
	b := w.NewBrowser()
	b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", password)
	return b.IsSignedIn()
}

// has returns what alice has beside her password.
func has(w *lab.Fixture) provider.RecordedAuthenticators {
	w.T.Helper()
	set := testkit.Must(w.Accounts().Authenticators(w.T.Context(), "alice"))(w.T)
	return set
}

// withApp starts a provider on which alice has an app.
func withApp(t *testing.T, change ...func(*provider.Config)) (w *lab.Fixture, app *lab.App, codes []string) {
	t.Helper()
	w = lab.New(t, change...).WithClients().WithUsers()
	w.Advance(wholeWait)
	app, codes = w.AddApp("alice")
	return w, app, codes
}

func TestRecoveryWithAFactorKeepsIt(t *testing.T) {
	t.Parallel()
	t.Run("App", func(t *testing.T) {
		w, app, _ := withApp(t)
		elsewhere := w.NewBrowser()
		b, mails := w.NewBrowser(), w.Mails.Count()
		p := to(b, prove(b), "/recover/app")
		lab.Shown(t, b.Submit(p, "code", "000000"), http.StatusUnauthorized)
		lab.Shown(t, b.Submit(p, "code", ""), http.StatusUnprocessableEntity)
		code := app.Code()
		lab.Shown(t, chooses(b, p, code, "short"), http.StatusUnprocessableEntity)
		p = at(t, chooses(b, p, code, lab.NewPassword), "/signin")
		if !strings.Contains(p.Text, `value="alice@example.com"`) {
			t.Error("the address is not filled in")
		}
		if got := kinds(w, mails); len(got) != 2 || got[1] != ui.MailPasswordChanged {
			t.Errorf("mails %q", got)
		}
		if set := has(w); set.AppSince.IsZero() || set.RecoveryCodes != 10 {
			t.Errorf("what is left is %+v", set)
		}
		p = elsewhere.Submit(elsewhere.Open("/signin"), "email", "alice@example.com", "password", lab.NewPassword)
		at(t, p, "/signin/factor")
	})
	t.Run("Passkey", func(t *testing.T) {
		w := atLocalhost(t, withUpgrade)
		keys, b := withPasskey(t, w), w.NewBrowser()
		p := to(b, prove(b), "/recover/passkey")
		p = at(t, b.Follow(answer(b, p, "get", keys)), "/recover/finish")
		p = b.SubmitOnce(p, "new_password", lab.NewPassword)
		if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/signin?") {
			t.Fatalf("the passkey is answered with %s:\n%s", p.Status, p.Text)
		}
		if !signsIn(w, lab.NewPassword) || len(has(w).Passkeys) != 1 {
			t.Errorf("what is left is %+v", has(w))
		}
	})
	t.Run("NotOneOfSomebodyElse", func(t *testing.T) {
		w, _, _ := withApp(t)
		bobs, codes := w.AddApp("bob")
		b := w.NewBrowser()
		p := to(b, prove(b), "/recover/app")
		lab.Shown(t, b.Submit(p, "code", bobs.Code()), http.StatusUnauthorized)
		p = to(b, p, "/recover/codes")
		lab.Shown(t, b.Submit(p, "code", codes[0]), http.StatusUnauthorized)
		if len(events(w, event.PasswordChanged)) > 0 || len(events(w, event.Recovered)) > 0 {
			t.Error("the password is changed")
		}
	})
}

func TestRecoveryCodeRemovesWhatIsLost(t *testing.T) {
	t.Parallel()
	w, app, codes := withApp(t)
	session := w.NewBrowser()
	p := session.Submit(session.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	session.Submit(p, "code", app.Code())
	if !session.IsSignedIn() {
		t.Fatal("the app does not sign in")
	}
	b, mails := w.NewBrowser(), w.Mails.Count()
	p = to(b, prove(b), "/recover/codes")
	lab.Shown(t, b.Submit(p, "code", "0000000000000"), http.StatusUnauthorized)
	spent := chooses(b, p, strings.ToLower(codes[3]), lab.NewPassword)
	at(t, spent, "/signin")
	if !strings.Contains(spent.Text, "Your account is recovered") {
		t.Errorf("the sign-in page does not say so:\n%s", spent.Text)
	}
	if set := has(w); !set.AppSince.IsZero() || set.RecoveryCodes != 0 || set.SecondStep {
		t.Errorf("what is left is %+v", set)
	}
	if session.Open("/account").Request.URL.Path != "/signin" {
		t.Error("a session of before lives on")
	}
	if got := kinds(w, mails); len(got) != 2 || got[1] != ui.MailRecovered {
		t.Errorf("mails %q", got)
	}
	if got := events(w, event.Recovered); len(got) != 1 || got[0] != "by a recovery code" {
		t.Errorf("events %q", got)
	}
	lab.Shown(t, b.Submit(p, "code", codes[4]), http.StatusBadRequest)
	if !signsIn(w, lab.NewPassword) {
		t.Error("the new password does not sign in")
	}
}

func TestResetAsksForMoreThanTheMailbox(t *testing.T) {
	t.Parallel()
	reset := func(w *lab.Fixture) (*lab.Browser, lab.Page) {
		b := w.NewBrowser()
		p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
		return b, b.Submit(p, "code", mailedDigits(w), "new_password", lab.NewPassword)
	}
	t.Run("AndKeepsTheChosenPassword", func(t *testing.T) {
		w, app, _ := withApp(t)
		b, p := reset(w)
		p = to(b, p, "/recover/app")
		if len(events(w, event.PasswordChanged)) > 0 || strings.Contains(p.Text, `name="new_password"`) {
			t.Errorf("the mailbox was enough, or the page asks again:\n%s", p.Text)
		}
		at(t, b.Submit(p, "code", app.Code()), "/signin")
		p = b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.NewPassword)
		at(t, p, "/signin/factor")
	})
	t.Run("AfterTheWaitToo", func(t *testing.T) {
		w, _, _ := withApp(t)
		b, p := reset(w)
		p = to(b, p, "/recover/wait")
		at(t, b.Submit(p), "/recover/wait")
		w.Advance(wholeWait)
		b, p = reset(w)
		at(t, p, "/recover/finish")
		at(t, b.Submit(p), "/signin")
		if !signsIn(w, lab.NewPassword) {
			t.Error("the new password does not sign in")
		}
	})
}

// W14: who reads the mailbox has nothing else.
func TestRecoveryWithTheMailboxAloneWaits(t *testing.T) {
	t.Parallel()
	w, _, _ := withApp(t)
	thief, mails := w.NewBrowser(), w.Mails.Count()
	p := to(thief, prove(thief), "/recover/wait")
	p = at(t, thief.Submit(p), "/recover/wait")
	if got := kinds(w, mails); len(got) != 2 || got[1] != ui.MailRecoveryStarted {
		t.Fatalf("mails %q", got)
	}
	finish := "/recover/finish?ticket=" + url.QueryEscape(p.Request.URL.Query().Get("ticket"))
	at(t, thief.Open(finish), "/recover/wait")
	_, form := p.Form(t)
	form.Set("new_password", lab.NewPassword)
	form.Del("action")
	if p := thief.Post("/recover/finish", form); !strings.HasPrefix(p.Header.Get("Location"), "/recover/wait") {
		t.Fatalf("finished at once: %s\n%s", p.Status, p.Text)
	}

	t.Run("NotAgain", func(t *testing.T) {
		before := w.Mails.Count()
		again := w.NewBrowser()
		at(t, prove(again), "/recover/wait")
		if got := kinds(w, before); len(got) != 1 || has(w).Recovery == nil {
			t.Errorf("mails %q, recovery %v", got, has(w).Recovery)
		}
	})
	t.Run("NotForAnotherBrowser", func(t *testing.T) {
		lab.Shown(t, w.NewBrowser().Get(finish), http.StatusBadRequest)
	})
	t.Run("TheProofOfTheMailboxLapses", func(t *testing.T) {
		w.Advance(lab.CodeLife)
		lab.Shown(t, thief.Get(finish), http.StatusBadRequest)
	})
	t.Run("NotAMomentBeforeItsTime", func(t *testing.T) {
		w.Advance(wholeWait - lab.CodeLife - time.Minute)
		b := w.NewBrowser()
		p := at(t, prove(b), "/recover/wait")
		if !strings.Contains(p.Text, "alice@example.com") || strings.Contains(p.Text, "/recover/password") {
			t.Errorf("the page:\n%s", p.Text)
		}
	})
	t.Run("UntilItIsDone", func(t *testing.T) {
		w.Advance(2 * time.Minute)
		b, before := w.NewBrowser(), w.Mails.Count()
		p := at(t, prove(b), "/recover/finish")
		lab.Shown(t, b.Submit(p, "new_password", "short"), http.StatusUnprocessableEntity)
		done := b.Submit(p, "new_password", lab.NewPassword)
		at(t, done, "/signin")
		if got := kinds(w, before); len(got) != 2 || got[1] != ui.MailRecovered {
			t.Errorf("mails %q", got)
		}
		if set := has(w); !set.AppSince.IsZero() || set.RecoveryCodes > 0 || set.Recovery != nil {
			t.Errorf("what is left is %+v", set)
		}
		if !signsIn(w, lab.NewPassword) || signsIn(w, lab.AlicePass) {
			t.Error("the password is not the new one")
		}
		lab.Shown(t, b.Submit(p, "new_password", lab.AlicePass), http.StatusBadRequest)
		if got := events(w, event.Recovered); len(got) != 1 || got[0] != "after the wait" {
			t.Errorf("events %q", got)
		}
	})
}

// A process whose clock is ahead takes part in the wait of another one.
func TestRecoveryWaitsByTheAgreedTime(t *testing.T) {
	t.Parallel()
	w, _, _ := withApp(t)
	w.AgreeOnTime()
	b := w.NewBrowser()
	at(t, b.Submit(to(b, prove(b), "/recover/wait")), "/recover/wait")
	w.Advance(80 * time.Hour)
	at(t, prove(w.NewBrowser()), "/recover/wait")
	w.AgreeOnTime()
	at(t, prove(w.NewBrowser()), "/recover/finish")
}

func TestRecoveryWithThePasswordWaitsLess(t *testing.T) {
	t.Parallel()
	w, _, _ := withApp(t)
	b := w.NewBrowser()
	p := to(b, prove(b), "/recover/password")
	lab.Shown(t, b.Submit(p, "password", "not-the-password"), http.StatusUnauthorized)
	if has(w).Recovery != nil {
		t.Fatal("a wrong password begins it")
	}
	at(t, b.Submit(p, "password", lab.AlicePass), "/recover/wait")
	if got := events(w, event.RecoveryStarted); len(got) != 1 || got[0] != "with the password" {
		t.Errorf("events %q", got)
	}
	w.Advance(shortWait)
	b = w.NewBrowser()
	p = at(t, prove(b), "/recover/finish")
	at(t, b.Submit(p, "new_password", lab.NewPassword), "/signin")
	if !signsIn(w, lab.NewPassword) {
		t.Error("the new password does not sign in")
	}

	t.Run("AlsoWhileTheLongWaitRuns", func(t *testing.T) {
		w, _, _ := withApp(t)
		b := w.NewBrowser()
		p := b.Submit(to(b, prove(b), "/recover/wait"))
		p = to(b, p, "/recover/password")
		at(t, b.Submit(p, "password", lab.AlicePass), "/recover/wait")
		run := has(w).Recovery
		if run == nil || run.ReadyAt.Sub(run.StartedAt) != shortWait {
			t.Fatalf("it is %+v", run)
		}
		w.Advance(2 * time.Hour)
		b = w.NewBrowser()
		if p := at(t, prove(b), "/recover/wait"); strings.Contains(p.Text, "/recover/password") {
			t.Error("the password would lengthen the wait")
		}
	})
	t.Run("NotWithOneSetWithinTheWait", func(t *testing.T) {
		w, app, _ := withApp(t)
		b := w.NewBrowser()
		at(t, chooses(b, to(b, prove(b), "/recover/app"), app.Code(), lab.NewPassword), "/signin")
		b = w.NewBrowser()
		p := prove(b)
		if strings.Contains(p.Text, "/recover/password") {
			t.Error("a new password is as good as an old one")
		}
		ticket := url.QueryEscape(p.Request.URL.Query().Get("ticket"))
		at(t, b.Open("/recover/password?ticket="+ticket), "/recover/ways")
	})
	t.Run("OrNotAtAllIfTheHostSaysSo", func(t *testing.T) {
		w, _, _ := withApp(t, func(c *provider.Config) { c.SignIn.Recovery.WithPassword = -1 })
		b := w.NewBrowser()
		p := b.Submit(to(b, prove(b), "/recover/password"), "password", lab.AlicePass)
		at(t, b.Submit(at(t, p, "/recover/finish"), "new_password", lab.NewPassword), "/signin")
		if !signsIn(w, lab.NewPassword) || !has(w).AppSince.IsZero() {
			t.Error("it is not recovered")
		}
	})
}

// Nobody learns whether an address has an account, or what it has.
func TestRecoveryLooksTheSameForEverybody(t *testing.T) {
	t.Parallel()
	w, _, _ := withApp(t)
	w.OK(w.Accounts().SetDisabled(t.Context(), "bob", true))
	var pages []string
	mails := map[string]ui.MailKind{
		"alice@example.com": ui.MailRecoveryCode, "bob@example.com": ui.MailAccountLocked, "nobody@example.com": ui.MailNoAccount,
	}
	for _, email := range []string{"alice@example.com", "bob@example.com", "nobody@example.com"} {
		b := w.NewBrowser()
		p := at(t, b.Submit(b.Open("/recover"), "email", email), "/recover/code")
		if mail, code := w.Mails.Last(t); mail.Kind != mails[email] || (code != "") != (email == "alice@example.com") {
			t.Errorf("the mail to %s is %s", email, mail.Kind)
		}
		text := p.Text
		wrong := b.Submit(p, "code", "00000000")
		lab.Shown(t, wrong, http.StatusUnprocessableEntity)
		pages = append(pages, blank(t, text+wrong.Text, email))
	}
	for _, p := range pages[1:] {
		if p != pages[0] {
			t.Errorf("the pages differ:\n%s\n%s", p, pages[0])
		}
	}
}

// blank removes from a page what differs each time.
func blank(t *testing.T, text, email string) string {
	t.Helper()
	text = strings.ReplaceAll(text, email, "EMAIL")
	for _, secret := range []string{`name="ticket" value="`, `name="csrf" value="`, `ticket=`} {
		rest, out := text, ""
		for {
			before, after, found := strings.Cut(rest, secret)
			out += before
			if !found {
				break
			}
			out += secret
			end := strings.IndexAny(after, `"&`)
			rest = after[end:]
		}
		text = out
	}
	return text
}

// W12: guesses are counted for the account, whatever a thief of the mailbox asks for anew.
func TestRecoveryCodesAreGuessedSlowly(t *testing.T) {
	t.Parallel()
	w, _, codes := withApp(t)
	tried := 0
	for range 3 {
		b := w.NewBrowser()
		p := to(b, prove(b), "/recover/codes")
		for range 3 {
			if b.Submit(p, "code", "0000000000000").StatusCode == http.StatusUnauthorized {
				tried++
			}
		}
		b.Submit(p, "code", codes[0]) // is right, and kept for another day
	}
	if tried != 5 {
		t.Errorf("%d guesses", tried)
	}
	if !signedInAfterPassword(w) {
		t.Error("the password is locked")
	}
}

// signedInAfterPassword reports whether the password of alice leads to the second step.
func signedInAfterPassword(w *lab.Fixture) bool {
	b := w.NewBrowser()
	p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	return p.Request.URL.Path == "/signin/factor"
}

// A request that was cut, before or after its write, can be sent again, or begins anew.
func TestRecoveryGoesOnAfterACut(t *testing.T) {
	t.Parallel()
	w, _, codes := withApp(t)
	b := w.NewBrowser()
	p := prove(b)
	wait := to(b, p, "/recover/wait")
	at(t, b.Submit(wait), "/recover/wait")
	at(t, b.Submit(wait), "/recover/wait") // its answer was lost
	if n := len(events(w, event.RecoveryStarted)); n != 1 {
		t.Errorf("begun %d times", n)
	}
	byCode := b.Open("/recover/codes?ticket=" + url.QueryEscape(p.Request.URL.Query().Get("ticket")))
	at(t, b.Submit(byCode, "code", codes[0]), "/recover/finish") // its answer was lost
	at(t, chooses(b, byCode, codes[0], lab.NewPassword), "/signin")
	lab.Shown(t, b.Submit(byCode, "code", codes[0]), http.StatusBadRequest) // it has happened
	b = w.NewBrowser()
	at(t, b.Submit(prove(b), "new_password", lab.AlicePass), "/signin")
}

func TestRecoveryOfAnAccountThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	t.Run("ByAPasskeyOrAnApp", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.NewBrowser()
		p := at(t, prove(b), "/recover/finish") // has only a password
		w.AddApp("alice")
		at(t, b.Submit(p, "new_password", lab.NewPassword), "/recover/ways")
		if signsIn(w, lab.NewPassword) {
			t.Error("the mailbox was enough")
		}
	})
	t.Run("ByADeletionThatGoesOn", func(t *testing.T) {
		w, _, _ := withApp(t)
		account := testkit.Must(w.Store.Account(t.Context(), "alice"))(w.T)
		due := w.Now().Add(30 * 24 * time.Hour)
		w.OK(w.Store.SetDeletion(t.Context(), "alice", account.Proof(), due, w.Now()))
		b := w.NewBrowser()
		b.Submit(to(b, prove(b), "/recover/wait"))
		w.Advance(wholeWait)
		b = w.NewBrowser()
		at(t, b.Submit(at(t, prove(b), "/recover/finish"), "new_password", lab.NewPassword), "/signin")
		account = testkit.Must(w.Store.Account(t.Context(), "alice"))(w.T)
		if account.DeleteAt.IsZero() {
			t.Error("the deletion is withdrawn")
		}
	})
}

// Somebody at the second step has just given the address, and has lost what is asked for there.
func TestRecoveryAsksWhatIsLeft(t *testing.T) {
	t.Parallel()
	w, app, codes := withApp(t)
	b := w.NewBrowser()
	p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	link, mails := lab.LinkOf(t, p, "/recover"), w.Mails.Count()
	p = b.Open(link)
	if _, fields := p.Form(t); fields.Has("email") || !strings.Contains(p.Text, "alice@example.com") || w.Mails.Count() > mails {
		t.Errorf("the page asks again, or has sent a code by itself:\n%s", p.Text)
	}
	if strings.Contains(link, "alice") {
		t.Errorf("the address is in %s", link)
	}
	if other := w.NewBrowser().Open(link); strings.Contains(other.Text, "alice@example.com") {
		t.Error("another browser learns it")
	}
	p = at(t, b.Submit(p), "/recover/code")
	if again := b.Open(lab.LinkOf(t, p, "/recover")); !strings.Contains(again.Text, "alice@example.com") {
		t.Errorf("a new code asks for the address again:\n%s", again.Text)
	}
	p = at(t, b.Submit(p, "code", mailedDigits(w)), "/recover/ways")
	if first, lost := strings.Index(p.Text, "/recover/codes"), strings.Index(p.Text, "/recover/app"); first < 0 || first > lost {
		t.Errorf("the app is offered first:\n%s", p.Text)
	}
	at(t, b.Open("/recover/finish?ticket="+url.QueryEscape(p.Request.URL.Query().Get("ticket"))), "/recover/ways")
	finish := at(t, b.Submit(to(b, p, "/recover/codes"), "code", codes[0]), "/recover/finish")
	if w.Count("recovery_codes") != 10 {
		t.Error("the code is spent before its use")
	}
	owner := w.NewBrowser()
	q := owner.Submit(owner.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	if owner.Submit(owner.Open(q.Request.URL.String()+"&way=codes"), "code", codes[0]); !owner.IsSignedIn() {
		t.Fatal("the owner does not sign in with the code")
	}
	lab.Shown(t, b.Submit(finish, "new_password", lab.NewPassword), http.StatusBadRequest)
	finish = at(t, b.Submit(to(b, p, "/recover/app"), "code", app.Code()), "/recover/finish")
	w.Advance(lab.CodeLife)
	lab.Shown(t, b.Submit(finish, "new_password", lab.NewPassword), http.StatusBadRequest)
}
