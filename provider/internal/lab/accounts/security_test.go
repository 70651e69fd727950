package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
)

var keyShown = regexp.MustCompile(`id="key"[^>]*>([A-Z2-7 ]+)<`)

// appCode returns the code that an app shows for the key on a page.
func appCode(w *lab.Fixture, p lab.Page) string {
	w.T.Helper()
	found := keyShown.FindStringSubmatch(p.Text)
	if found == nil {
		w.T.Fatalf("no key on the page (%s %s)", p.Status, p.Request.URL)
	}
	secret := testkit.Must(base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(found[1], " ", "")))(w.T)
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, w.Now().Unix()/30)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1000000)
}

// setsUpApp has alice set up an app, and returns the page with her recovery codes.
func setsUpApp(w *lab.Fixture, b *lab.Browser) lab.Page {
	w.T.Helper()
	p := b.Open("/account/totp")
	done := b.Submit(p, "code", appCode(w, p))
	if done.StatusCode != http.StatusOK || !strings.Contains(done.Text, "Save your recovery codes") {
		w.T.Fatalf("set up: %s %s\n%s", done.Status, done.Request.URL, done.Text)
	}
	return done
}

var codeShown = regexp.MustCompile(`<code class="select">([0-9A-Z-]{15})</code>`)

func codesOn(p lab.Page) (codes []string) {
	for _, found := range codeShown.FindAllStringSubmatch(p.Text, -1) {
		codes = append(codes, found[1])
	}
	return codes
}

func TestApp(t *testing.T) {
	t.Run("NothingIsRecordedUntilACodeWasRight", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.Alice()
		p := b.Open("/account/totp")
		for _, wrong := range []string{"", "000000", "12345", strings.Repeat("1", 500)} {
			again := b.Submit(p, "code", wrong)
			if again.StatusCode != http.StatusUnprocessableEntity || keyShown.FindString(again.Text) != keyShown.FindString(p.Text) {
				t.Errorf("code %q: %s", wrong, again.Status)
			}
		}
		if n := w.Count("totp") + w.Count("recovery_codes"); n != 0 {
			t.Errorf("%d rows of what was never proved", n)
		}
		code := appCode(w, p)
		done := b.Submit(p, "code", code)
		if len(codesOn(done)) != 10 || w.Count("totp") != 1 || w.Count("recovery_codes") != 10 {
			t.Fatalf("set up: %s, %d codes shown, %d recorded", done.Status, len(codesOn(done)), w.Count("recovery_codes"))
		}
		mail, _ := w.Mails.Last(t)
		if !w.Saw(event.TOTPAdded) || !strings.Contains(mail.Subject, "authenticator app") {
			t.Errorf("the owner is told %q", mail.Subject)
		}
		if dump := w.Dump(); strings.Contains(dump, codesOn(done)[0]) {
			t.Error("a recovery code is in the database")
		}
		// W10: the code that was right here does not sign in as well.
		stranger := w.NewBrowser()
		asked := stranger.Submit(stranger.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		if in := stranger.Submit(asked, "code", code); in.Request.URL.Path == "/account" {
			t.Error("a code was accepted twice")
		}
	})
	t.Run("TheCodesAreAFile", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.Alice()
		shown := setsUpApp(w, b)
		file := b.Submit(shown)
		if d := file.Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment;") || file.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("Content-Disposition = %q", d)
		}
		for _, code := range codesOn(shown) {
			if !strings.Contains(file.Text, code) {
				t.Errorf("the file lacks %s", code)
			}
		}
		if w.Advance(16 * time.Minute); len(codesOn(b.Submit(shown)))+strings.Count(b.Submit(shown).Text, codesOn(shown)[0]) != 0 {
			t.Error("the codes can be had a quarter of an hour later")
		}
	})
	t.Run("ASecretIsOfOneSession", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b, other := w.Alice(), w.Alice()
		p, others := b.Open("/account/totp"), other.Open("/account/totp")
		_, form := others.Form(t)
		_, mine := p.Form(t)
		form.Set("secret", mine.Get("secret"))
		form.Set("code", appCode(w, p))
		if done := other.Post("/account/totp", form); done.StatusCode != http.StatusUnprocessableEntity || w.Count("totp") != 0 {
			t.Errorf("the secret of another session: %s", done.Status)
		}
		form = mine
		form.Set("code", appCode(w, p))
		w.Advance(16 * time.Minute)
		if done := b.Post("/account/totp", form); done.StatusCode == http.StatusOK || w.Count("totp") != 0 {
			t.Errorf("the secret of a quarter of an hour ago: %s", done.Status)
		}
	})
	t.Run("WithoutItThePasswordIsEnough", func(t *testing.T) {
		w := lab.New(t).WithUsers()
		b := w.Alice()
		setsUpApp(w, b)
		if p := b.Submit(b.Open("/account/totp/remove")); p.Request.URL.Path != "/account/security" {
			t.Fatalf("removal: %s %s", p.Status, p.Request.URL)
		}
		if n := w.Count("totp") + w.Count("recovery_codes"); n != 0 || !w.Saw(event.TOTPRemoved) {
			t.Errorf("%d rows are left", n)
		}
		w.Alice()
	})
}

func TestRecoveryCodes(t *testing.T) {
	w := lab.New(t).WithUsers()
	b := w.Alice()
	if p := b.Open("/account/codes"); p.Request.URL.Path != "/account/security" {
		t.Errorf("codes of an account with a password only: %s %s", p.Status, p.Request.URL)
	}
	first := codesOn(setsUpApp(w, b))
	ask := func() (*lab.Browser, lab.Page) {
		b := w.NewBrowser()
		p := b.Submit(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		return b, at(t, b.Open(p.Request.URL.String()+"&way=codes"), "/signin/factor")
	}
	waiting, opened := ask()
	made := b.Submit(b.Open("/account/codes"))
	second := codesOn(made)
	if len(second) != 10 || first[0] == second[0] || w.Count("recovery_codes") != 10 || !w.Saw(event.RecoveryCodesMade) {
		t.Fatalf("new codes: %s, %d shown, %d recorded", made.Status, len(second), w.Count("recovery_codes"))
	}

	// W12: codes of before are none.
	t.Run("OldOnesSignNobodyIn", func(t *testing.T) {
		if waiting.Submit(opened, "code", first[0]); waiting.IsSignedIn() {
			t.Error("by a page of before")
		}
		b, p := ask()
		if strings.Contains(p.Text, first[0]) || strings.Contains(p.Text, second[0]) {
			t.Error("a page shows a code")
		}
		for _, code := range first[:2] {
			lab.Shown(t, b.Submit(p, "code", code), http.StatusUnauthorized)
		}
		if b.IsSignedIn() || w.Count("recovery_codes") != 10 {
			t.Errorf("signed in %v, %d codes are left", b.IsSignedIn(), w.Count("recovery_codes"))
		}
	})
	t.Run("OldOnesRecoverNothing", func(t *testing.T) {
		b := w.NewBrowser()
		p := to(b, prove(b), "/recover/codes")
		lab.Shown(t, b.Submit(p, "code", first[2]), http.StatusUnauthorized)
		if len(events(w, event.Recovered)) > 0 || w.Count("totp") != 1 {
			t.Error("an app is removed by a code of before")
		}
	})
	t.Run("NewOnesDo", func(t *testing.T) {
		b, p := ask()
		if b.Submit(p, "code", second[0]); !b.IsSignedIn() || w.Count("recovery_codes") != 9 {
			t.Errorf("signed in %v, %d codes are left", b.IsSignedIn(), w.Count("recovery_codes"))
		}
	})
}

// Whoever finds an unlocked browser, or knows no more than the password of an account with
// more, changes nothing.
func TestChangesTakeTheHighestLevel(t *testing.T) {
	pages := []string{
		"/account/passkeys", "/account/totp", "/account/totp/remove", "/account/codes", "/account/second-step",
		"/account/password", "/account/password/remove", "/account/export", "/account/delete", "/account/email",
	}
	t.Run("AMomentAgo", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		setsUpApp(w, b)
		forms := map[string]lab.Page{}
		for _, path := range pages {
			forms[path] = b.Open(path)
			if at := forms[path].Request.URL.Path; strings.HasPrefix(at, "/signin") {
				t.Errorf("%s sends the owner to %s", path, at)
			}
		}
		w.Advance(6 * time.Minute)
		for _, path := range pages {
			if p := b.Open(path); p.Request.URL.Path != "/signin" && p.Request.URL.Path != "/signin/factor" {
				t.Errorf("%s of an old sign-in: %s %s", path, p.Status, p.Request.URL)
			}
			if path != "/account/passkeys" && path != "/account/totp" && forms[path].Request.URL.Path == path { // which have a time of their own
				if p := b.Submit(forms[path], "new_password", lab.NewPassword, "email", "new@example.com"); !strings.HasPrefix(p.Request.URL.Path, "/signin") {
					t.Errorf("the form of %s of an old sign-in: %s %s", path, p.Status, p.Request.URL)
				}
			}
		}
		if n := w.Count("totp"); n != 1 {
			t.Errorf("%d apps", n)
		}
	})
	t.Run("W8ThePasswordIsNotEnough", func(t *testing.T) {
		w := atLocalhost(t, withUpgrade)
		withPasskey(t, w)
		b := w.Alice() // a passkey makes no second step by itself
		for _, path := range pages {
			if p := b.Open(path); !strings.HasPrefix(p.Request.URL.Path, "/signin") && p.Request.URL.Path != "/account/security" {
				t.Errorf("%s with the password of an account with a passkey: %s %s", path, p.Status, p.Request.URL)
			}
		}
		if w.Count("passkeys") != 1 || w.Count("totp") != 0 {
			t.Error("something was added")
		}
	})
}

// addPasskey has a browser add a passkey on the page of the account.
func addPasskey(b *lab.Browser, keys *authenticator.Authenticator) lab.Page {
	b.T.Helper()
	p := answer(b, b.Open("/account/passkeys"), "create", keys)
	if p.StatusCode != http.StatusSeeOther {
		b.T.Fatalf("passkey: %s\n%s", p.Status, p.Text)
	}
	return b.Follow(p)
}

// linkTo returns the first link of a page to a path with a query.
func linkTo(p lab.Page, path string) string {
	found := regexp.MustCompile(regexp.QuoteMeta(path) + `\?[^"]+`).FindString(p.Text)
	return strings.ReplaceAll(found, "&amp;", "&")
}

func TestPasskeysOfAnAccount(t *testing.T) {
	t.Run("AreAddedNamedAndRemoved", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		p := addPasskey(b, authenticator.New())
		mail, _ := w.Mails.Last(t)
		if !strings.Contains(p.Text, "Passkey added.") || !strings.Contains(mail.Subject, "passkey was added") || !strings.Contains(p.Text, "no recovery codes") {
			t.Errorf("told %q:\n%s", mail.Subject, p.Text)
		}
		if !strings.Contains(p.Text, "signalAllAcceptedCredentials") {
			t.Error("browsers are not told of the passkeys")
		}
		hostile := `"><script>alert(1)</script>`
		for name, status := range map[string]int{"": 422, strings.Repeat("x", 200): 422, "a\u202eb": 422, hostile: 200, "Laptop": 200} {
			got := b.Submit(b.Open(linkTo(b.Open("/account/security"), "/account/passkeys/name")), "name", name)
			if got.StatusCode != status || strings.Contains(got.Text, "<script>alert") {
				t.Errorf("name %.20q: %s", name, got.Status)
			}
		}
		if p = b.Submit(b.Open(linkTo(b.Open("/account/security"), "/account/passkeys/remove"))); p.Request.URL.Path != "/account/security" || w.Count("passkeys") != 0 {
			t.Errorf("removal: %s %s", p.Status, p.Request.URL)
		}
	})
	t.Run("OneThatIsThereIsNoMistake", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		addPasskey(b, authenticator.New())
		action, fields, _, ok := passkeyForm(t, b.Open("/account/passkeys"), "create")
		if !ok {
			t.Fatal("no form")
		}
		fields.Set("passkey", "exists")
		if p := b.Follow(b.Post(action, fields)); !strings.Contains(p.Text, "already has a passkey") || w.Count("passkeys") != 1 {
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
	})
	t.Run("W1AChallengeIsGoodOnceAndOnItsPage", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		p := b.Open("/account/passkeys")
		if got := answer(b, p, "create", authenticator.New()); got.StatusCode != http.StatusSeeOther {
			t.Fatalf("first: %s", got.Status)
		}
		if got := answer(b, p, "create", authenticator.New()); got.StatusCode == http.StatusSeeOther && got.Header.Get("Location") == "/account/security" || w.Count("passkeys") != 1 {
			t.Errorf("a challenge was answered twice: %s, %d passkeys", got.Status, w.Count("passkeys"))
		}
		other := w.Bob()
		_, fields, _, _ := passkeyForm(t, other.Open("/account/passkeys"), "create")
		_, mine, options, _ := passkeyForm(t, b.Open("/account/passkeys"), "create")
		response := testkit.Must(authenticator.New().Create(options, w.Server.URL))(t)
		fields.Set("challenge", mine.Get("challenge"))
		fields.Set("passkey", response)
		if got := other.Post("/account/passkeys", fields); got.StatusCode != http.StatusUnprocessableEntity || w.Count("passkeys") != 1 {
			t.Errorf("a challenge of another account: %s", got.Status)
		}
	})
	t.Run("W7OneOfAnotherAccountIsRefusedWithoutAHint", func(t *testing.T) {
		w := atLocalhost(t)
		b, other := w.Alice(), w.Bob()
		addPasskey(b, authenticator.New())
		set := testkit.Must(w.Store.Authenticators(t.Context(), "alice"))(t)
		keys := authenticator.New()
		keys.Change = func(a *authenticator.Answer) { a.ID = set.Passkeys[0].ID }
		p := answer(other, other.Open("/account/passkeys"), "create", keys)
		if p.StatusCode != http.StatusUnprocessableEntity || strings.Contains(p.Text, "alice") || w.Count("passkeys") != 1 {
			t.Errorf("%s\n%s", p.Status, p.Text)
		}
	})
	t.Run("W28TheLastWayInStays", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		addPasskey(b, authenticator.New())
		if p := b.Submit(b.Open("/account/password/remove")); p.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(p.Text, "recovery codes first") {
			t.Errorf("without codes: %s", p.Status)
		}
		b.Submit(b.Open("/account/codes"))
		addPasskey(b, authenticator.New())
		if p := b.Submit(b.Open("/account/password/remove")); p.Request.URL.Path != "/account/security" {
			t.Fatalf("removal of the password: %s %s", p.Status, p.Request.URL)
		}
		w.AddLink("alice", "former", "Alice there") // by which nobody can sign in any more
		home := b.Open("/account/security")
		first := b.Open(linkTo(home, "/account/passkeys/remove"))
		rest := strings.Replace(home.Text, linkTo(home, "/account/passkeys/remove"), "", 1)
		home.Text = strings.ReplaceAll(rest, linkTo(home, "/account/passkeys/remove"), "")
		second := b.Open(linkTo(home, "/account/passkeys/remove"))
		b.Submit(first)
		if p := b.Submit(second); p.StatusCode != http.StatusUnprocessableEntity || w.Count("passkeys") != 1 {
			t.Errorf("the last way in: %s, %d passkeys", p.Status, w.Count("passkeys"))
		}
		// Its owner manages the account without a password.
		if p := b.Submit(b.Open("/account/export")); !strings.Contains(p.Text, `"passkeys": [`) || strings.Contains(p.Text, "public_key") {
			t.Errorf("export: %s\n%s", p.Status, p.Text)
		}
		if p := b.Submit(b.Open("/account/password"), "new_password", lab.NewPassword); !strings.Contains(p.Text, "Password set.") {
			t.Errorf("a first password: %s %s", p.Status, p.Request.URL)
		}
	})
	t.Run("TheSecondStepIsTheOwnersChoice", func(t *testing.T) {
		w := atLocalhost(t)
		b := w.Alice()
		addPasskey(b, authenticator.New())
		p := b.Open("/account/second-step")
		b.Submit(p)
		b.Submit(p) // asks to turn it on, which it is
		if set, err := w.Store.Authenticators(t.Context(), "alice"); err != nil || !set.Account.SecondStep || !w.Saw(event.SecondStepOn) {
			t.Errorf("second step %v, %v", set.Account.SecondStep, err)
		}
		b.Submit(b.Open("/account/second-step"))
		if set, err := w.Store.Authenticators(t.Context(), "alice"); err != nil || set.Account.SecondStep || !w.Saw(event.SecondStepOff) {
			t.Errorf("second step %v, %v", set.Account.SecondStep, err)
		}
	})
}

// W27: a page that cannot read all passkeys tells browsers nothing about them.
func TestNoSignalFromAFailedRead(t *testing.T) {
	var faulty *lab.FaultyStore
	w := atLocalhost(t, lab.Faulty(&faulty))
	b := w.Alice()
	addPasskey(b, authenticator.New())
	faulty.BreakBefore(func(_ context.Context, method string) error {
		if method == "Authenticators" {
			return errors.New("the database is away")
		}
		return nil
	})
	if p := b.Open("/account/security"); p.StatusCode < http.StatusInternalServerError || strings.Contains(p.Text, "signal") {
		t.Errorf("%s\n%s", p.Status, p.Text)
	}
}

func TestARunningRecoveryIsOnEveryPage(t *testing.T) {
	w := lab.New(t).WithUsers()
	b := w.Alice()
	a := testkit.Must(w.Store.Account(t.Context(), "alice"))(t)
	now := w.Now()
	run := storage.Recovery{AccountID: "alice", StartedAt: now, ReadyAt: now.Add(72 * time.Hour), EndsAt: now.Add(240 * time.Hour)}
	w.OK(w.Store.BeginRecovery(t.Context(), run, a.Epoch))
	for _, path := range []string{"/account", "/account/security", "/account/data", "/account/sessions", "/account/history", "/account/email", "/account/totp"} {
		if p := b.Open(path); !strings.Contains(p.Text, "Someone asked to recover this account") {
			t.Errorf("%s says nothing", path)
		}
	}
	if p := w.Bob().Open("/account"); strings.Contains(p.Text, "asked to recover") {
		t.Error("another account is warned")
	}
	_, form := b.Open("/account").Form(t)
	form.Set("action", "stop_recovery")
	if p := b.Follow(b.Post("/account/security", form)); !strings.Contains(p.Text, "The recovery is stopped.") {
		t.Errorf("stop: %s\n%s", p.Status, p.Text)
	}
	if set, err := w.Store.Authenticators(t.Context(), "alice"); err != nil || set.Running.AccountID != "" {
		t.Errorf("the recovery is %+v, %v", set.Running, err)
	}
}

// Who has no account here has no page about it: a user of the host, and a persona, which
// anybody can be.
func TestWithoutAnAccountThereIsNoSecurityPage(t *testing.T) {
	pages := []string{"/account/security", "/account/passkeys", "/account/totp", "/account/codes", "/account/second-step", "/account/password", "/signin/enrol"}
	hosted := lab.NewHosted(t, func() provider.SignedIn { return provider.SignedIn{UserID: "alice"} }).NewBrowser()
	w := lab.New(t, lab.Cast(lab.OneRealm)).WithClients()
	persona := w.NewBrowser()
	persona.Open(lab.Hinted(sandbox.DefaultPersonas()[0].Name))
	for _, path := range pages {
		if p := hosted.Get(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s for a user of the host: %s", path, p.Status)
		}
		if p := persona.Get(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s for a persona: %s %s", path, p.Status, p.Header.Get("Location"))
		}
	}
	if p := persona.Open("/account"); strings.Contains(p.Text, "/account/security") || p.Request.URL.Path != "/account" {
		t.Errorf("the account of a persona: %s %s", p.Status, p.Request.URL)
	}
}
