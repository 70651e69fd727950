package accounts

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// atLocalhost starts a provider at localhost, where there can be passkeys.
func atLocalhost(t *testing.T, change ...func(*provider.Config)) *lab.Fixture {
	t.Helper()
	return atName(lab.New(t, append([]func(*provider.Config){named}, change...)...)).WithUsers()
}

func localhost(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }

func named(c *provider.Config) { c.BaseURL = localhost(c.BaseURL) }

// atName has browsers know a provider that is named by its name, too.
func atName(w *lab.Fixture) *lab.Fixture {
	w.Server.URL = localhost(w.Server.URL)
	return w.WithClients()
}

// passkeyForm returns the form of a page that asks for a passkey: to "get" one, or to "create"
// one. ok is false if there is none.
func passkeyForm(t *testing.T, p lab.Page, kind string) (action string, fields url.Values, options []byte, ok bool) {
	t.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.Text)))(t)
	for n := range root.Descendants() {
		if n.Data != "form" || testkit.Attribute(n, "data-passkey") != kind {
			continue
		}
		fields = url.Values{}
		for c := range n.Descendants() {
			switch {
			case c.Data == "input" && testkit.Attribute(c, "type") != "checkbox":
				fields.Set(testkit.Attribute(c, "name"), testkit.Attribute(c, "value"))
			case c.Data == "script":
				options = []byte(c.FirstChild.Data)
			}
		}
		return testkit.Attribute(n, "action"), fields, options, true
	}
	return "", nil, nil, false
}

// answer sends the answer of an authenticator to a page that asks for a passkey.
func answer(b *lab.Browser, p lab.Page, kind string, keys *authenticator.Authenticator, pairs ...string) lab.Page {
	b.T.Helper()
	return answering(b, p, kind, keys, pairs...)()
}

// answering is answer as often as it is called, with the same form.
func answering(b *lab.Browser, p lab.Page, kind string, keys *authenticator.Authenticator, pairs ...string) func() lab.Page {
	b.T.Helper()
	action, fields, options, ok := passkeyForm(b.T.(*testing.T), p, kind)
	if !ok {
		b.T.Fatalf("no form to %s a passkey (%s):\n%s", kind, p.Status, p.Text)
	}
	respond := keys.Get
	if kind == "create" {
		respond = keys.Create
	}
	response := testkit.Must(respond(options, b.Fixture.Server.URL))(b.T)
	fields.Set("passkey", response)
	for i := 0; i < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	return func() lab.Page { return b.Post(action, fields) }
}

// mailedDigits returns the code of the last mail.
func mailedDigits(w *lab.Fixture) string {
	w.T.Helper()
	_, code := w.Mails.Last(w.T)
	return code
}

// withUpgrade lets browsers add a passkey after a sign-in.
func withUpgrade(c *provider.Config) { c.SignIn.Passkeys.Upgrade = true }

// withPasskey has a browser add a passkey to the account of alice.
func withPasskey(t *testing.T, w *lab.Fixture) *authenticator.Authenticator {
	t.Helper()
	keys, b := authenticator.New(), w.NewBrowser()
	p := b.Follow(b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass, "upgrade", "1"))
	if done := answer(b, p, "create", keys); done.StatusCode != http.StatusSeeOther {
		t.Fatalf("the passkey is answered with %s:\n%s", done.Status, done.Text)
	}
	return keys
}

// events returns the details of the events of a name.
func events(w *lab.Fixture, name string) (details []string) {
	w.T.Helper()
	found := testkit.Must(w.Events().List(w.T.Context(), provider.EventFilter{}))(w.T)
	for _, e := range found {
		if e.Name == name {
			details = append(details, e.Detail)
		}
	}
	return details
}

func TestSignUpEndsWithTheOfferOfAPasskey(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t)
	signUp := func(b *lab.Browser, email, able string) lab.Page {
		p := b.Submit(b.Open("/signup"), "email", email, "new_password", lab.NewPassword)
		return b.SubmitOnce(p, "code", mailedDigits(w), "able", able)
	}

	t.Run("WhereTheBrowserCan", func(t *testing.T) {
		b, keys := w.NewBrowser(), authenticator.New()
		p := signUp(b, "carol@example.com", "1")
		if at := p.Header.Get("Location"); !strings.HasPrefix(at, "/signin/passkey?") {
			t.Fatalf("the sign-up leads to %q", at)
		}
		p = answer(b, b.Follow(p), "create", keys)
		if at := p.Header.Get("Location"); at != "/account" {
			t.Fatalf("the passkey leads to %q (%s):\n%s", at, p.Status, p.Text)
		}
		if got := events(w, event.PasskeyAdded); len(got) != 1 || got[0] != "after the sign-up" {
			t.Errorf("events %q", got)
		}
		other := w.NewBrowser()
		if p := answer(other, other.Open("/signin"), "get", keys); p.StatusCode != http.StatusSeeOther || !other.IsSignedIn() {
			t.Errorf("the passkey does not sign in: %s\n%s", p.Status, p.Text)
		}
	})
	t.Run("NotNow", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.SubmitOnce(b.Follow(signUp(b, "dave@example.com", "1")), "passkey", "")
		if at := p.Header.Get("Location"); at != "/account" || !b.IsSignedIn() {
			t.Errorf("it leads to %q", at)
		}
		b.Submit(b.Open("/signout"))
		p = b.SubmitOnce(b.Open("/signin"), "upgrade", "1", "email", "dave@example.com", "password", lab.NewPassword)
		if at := p.Header.Get("Location"); strings.Contains(at, "passkey") {
			t.Errorf("the offer comes again: %q", at)
		}
	})
	t.Run("NotWhereItCannot", func(t *testing.T) {
		if at := signUp(w.NewBrowser(), "erin@example.com", "").Header.Get("Location"); at != "/account" {
			t.Errorf("the sign-up leads to %q", at)
		}
	})
	t.Run("ForAWhile", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.Follow(signUp(b, "frank@example.com", "1"))
		w.Advance(6 * time.Minute)
		if p := answer(b, p, "create", authenticator.New()); p.Header.Get("Location") != "/account" {
			t.Errorf("it is answered with %s", p.Status)
		}
		if got := events(w, event.PasskeyAdded); len(got) != 1 {
			t.Errorf("events %q", got)
		}
	})
}

func TestUpgradeAddsAPasskeyUnasked(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade)
	keys := withPasskey(t, w)
	b := w.NewBrowser()
	answer(b, b.Open("/signin"), "get", keys)
	if !b.IsSignedIn() {
		t.Fatal("the passkey does not sign in")
	}
	if got := events(w, event.SignedIn); got[0] != "passkey" || got[1] != "password" {
		t.Errorf("signed in by %q", got)
	}
	t.Run("NotTwice", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass, "upgrade", "1")
		if at := p.Header.Get("Location"); at != "/account" {
			t.Errorf("an account with a passkey is led to %q", at)
		}
	})
	t.Run("AndTheFlowGoesOn", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.Open(lab.AuthorizeURL("prompt", "login"))
		p = b.SubmitOnce(p, "email", "bob@example.com", "password", lab.BobPass, "upgrade", "1")
		p = b.Follow(answer(b, b.Follow(p), "create", authenticator.New()))
		if p.Request.URL.Path != "/oauth/consent" {
			t.Errorf("it goes on at %s (%s)", p.Request.URL.Path, p.Status)
		}
	})
	t.Run("NotForAnotherBrowser", func(t *testing.T) {
		b, thief := w.NewBrowser(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		p := b.SubmitOnce(b.Open("/signin"), "email", "bob@example.com", "password", lab.BobPass, "upgrade", "1")
		if at := p.Header.Get("Location"); strings.Contains(at, "/signin/passkey") {
			lab.Shown(t, thief.Get(at), http.StatusBadRequest)
		}
	})
}

func TestPasskeyThatNobodyHas(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade)
	keys := withPasskey(t, w)
	set := testkit.Must(w.Store.Authenticators(t.Context(), "alice"))(w.T)
	w.OK(w.Store.RemovePasskey(t.Context(), "alice", set.Passkeys[0].ID, set.Account.Proof()))

	b := w.NewBrowser()
	p := answer(b, b.Open("/signin"), "get", keys)
	lab.Shown(t, p, http.StatusUnauthorized)
	if !strings.Contains(p.Text, "signalUnknownCredential") {
		t.Error("the browser is not told")
	}
	t.Run("OrASandboxOfTheDomain", func(t *testing.T) {
		stranger := authenticator.New()
		stranger.Credentials = append(stranger.Credentials, keys.Credentials[0])
		stranger.Credentials[0].UserHandle = bytes.Repeat([]byte{7}, 64)
		p := answer(b, b.Open("/signin"), "get", stranger)
		lab.Shown(t, p, http.StatusUnauthorized)
		if strings.Contains(p.Text, "signalUnknownCredential") {
			t.Error("a passkey of another provider is to be forgotten")
		}
		if !strings.Contains(p.Text, "another environment") {
			t.Errorf("it does not say so:\n%s", p.Text)
		}
	})
	if b.IsSignedIn() {
		t.Error("somebody is signed in")
	}
}

// withSecondStep has the account of alice ask for more than the password.
func withSecondStep(t *testing.T, w *lab.Fixture) *authenticator.Authenticator {
	t.Helper()
	keys := withPasskey(t, w)
	account := testkit.Must(w.Store.Account(t.Context(), "alice"))(w.T)
	w.OK(w.Store.SetSecondStep(t.Context(), "alice", true, account.Proof()))
	w.Advance(time.Minute)
	return keys
}

func TestSecondStep(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade, func(c *provider.Config) { c.SignIn.TrustDevices = 30 * 24 * time.Hour })
	keys := withSecondStep(t, w)
	known := lab.AlicePass
	password := func(b *lab.Browser) lab.Page {
		return b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", known)
	}
	another := func() {
		known += "!"
		w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: known})
	}

	t.Run("ThePasswordAloneIsNoSession", func(t *testing.T) {
		b, before := w.NewBrowser(), w.Count("sessions")
		p := password(b)
		if !strings.HasPrefix(p.Header.Get("Location"), "/signin/factor?") || b.IsSignedIn() || w.Count("sessions") != before {
			t.Errorf("it is answered with %s to %q", p.Status, p.Header.Get("Location"))
		}
		lab.Shown(t, w.NewBrowser().Get(p.Header.Get("Location")), http.StatusBadRequest)
	})
	t.Run("ThePasskeyEndsIt", func(t *testing.T) {
		b := w.NewBrowser()
		p := answer(b, b.Follow(password(b)), "get", keys, "way", "passkey")
		if p.Header.Get("Location") != "/account" || !b.IsSignedIn() {
			t.Fatalf("it is answered with %s:\n%s", p.Status, p.Text)
		}
		if got := events(w, event.SignedIn)[0]; got != "password, passkey" {
			t.Errorf("signed in by %q", got)
		}
	})
	t.Run("ASecurityKeyWithoutPINDoes", func(t *testing.T) {
		b, bare := w.NewBrowser(), *keys
		bare.Flags &^= authenticator.UserVerified
		answer(b, b.Follow(password(b)), "get", &bare)
		if !b.IsSignedIn() || events(w, event.SignedIn)[0] != "password, security key" {
			t.Errorf("signed in by %q", events(w, event.SignedIn)[0])
		}
		lab.Shown(t, answer(b, w.NewBrowser().Open("/signin"), "get", &bare), http.StatusForbidden)
	})
	t.Run("NotLate", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.Follow(password(b))
		w.Advance(11 * time.Minute)
		lab.Shown(t, answer(b, p, "get", keys), http.StatusBadRequest)
	})
	t.Run("NotAfterAnotherPassword", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.Follow(password(b))
		another()
		lab.Shown(t, answer(b, p, "get", keys), http.StatusBadRequest)
	})
	t.Run("IsLeftOutOnATrustedDevice", func(t *testing.T) {
		b := w.NewBrowser()
		answer(b, b.Follow(password(b)), "get", keys, "trust", "on")
		b.Submit(b.Open("/signout"))
		if p := password(b); p.Header.Get("Location") != "/account" {
			t.Fatalf("it is asked again: %s", p.Header.Get("Location"))
		}
		b.Submit(b.Open("/signout"))
		another()
		if p := password(b); !strings.HasPrefix(p.Header.Get("Location"), "/signin/factor?") {
			t.Error("it is not asked after another password")
		}
	})
	t.Run("IsAskedOfATrustedDeviceInTime", func(t *testing.T) {
		b := w.NewBrowser()
		answer(b, b.Follow(password(b)), "get", keys, "trust", "on")
		b.Submit(b.Open("/signout"))
		w.Advance(31 * 24 * time.Hour)
		if p := password(b); !strings.HasPrefix(p.Header.Get("Location"), "/signin/factor?") {
			t.Error("it is not asked after 31 days")
		}
	})
}

func TestRequiredPasskeyIsAskedAfterThePassword(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade, func(c *provider.Config) { c.SignIn.Require = provider.PhishingResistant })
	keys, b := withPasskey(t, w), w.NewBrowser()
	p := b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
	if !strings.HasPrefix(p.Header.Get("Location"), "/signin/factor?") || b.IsSignedIn() {
		t.Fatalf("the password is answered with %s", p.Header.Get("Location"))
	}
	p = b.Follow(p)
	bare := *keys
	bare.Flags &^= authenticator.UserVerified
	lab.Shown(t, answer(b, p, "get", &bare), http.StatusUnauthorized)
	if answer(b, p, "get", keys); !b.IsSignedIn() {
		t.Error("the passkey does not sign in")
	}
}

var script = regexp.MustCompile(`src="(/assets/[^"]+\.js)"`)

// The page is the first that people on a slow line see of a service.
func TestSignInPageIsSmall(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t)
	p := w.NewBrowser().Open(lab.AuthorizeURL())
	total := zipped(t, p.Text)
	for _, m := range script.FindAllStringSubmatch(p.Text, -1) {
		total += zipped(t, w.NewBrowser().Get(m[1]).Text)
	}
	if total > 14<<10 {
		t.Errorf("page and scripts have %d bytes", total)
	}
	t.Logf("%d bytes", total)
}

func zipped(t *testing.T, text string) int {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	testkit.Must(z.Write([]byte(text)))(t)
	testkit.OK(t, z.Close())
	return out.Len()
}

func TestSignUpWithAPasskey(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t)
	begin := func(b *lab.Browser, email string) lab.Page {
		p := b.Submit(b.Open("/signup"), "email", email, "action", "passkey")
		return b.SubmitOnce(p, "code", mailedDigits(w))
	}

	t.Run("ShowsTheRecoveryCodesAtOnce", func(t *testing.T) {
		b, keys := w.NewBrowser(), authenticator.New()
		p := answer(b, b.Follow(begin(b, "carol@example.com")), "create", keys)
		lab.Safe(t, p)
		if p.StatusCode != http.StatusOK || strings.Count(p.Text, `<code class="select">`) != 10 || !b.IsSignedIn() {
			t.Fatalf("it is answered with %s:\n%s", p.Status, p.Text)
		}
		account := testkit.Must(w.Accounts().GetByEmail(t.Context(), "carol@example.com"))(w.T)
		if set, err := w.Store.Authenticators(t.Context(), account.ID); err != nil || len(set.Passkeys) != 1 || len(set.Recovery.Digests) != 10 || set.Account.PasswordHash != "" {
			t.Errorf("the account has %+v, %v", set, err)
		}
		other := w.NewBrowser()
		if answer(other, other.Open("/signin"), "get", keys); !other.IsSignedIn() {
			t.Error("the passkey does not sign in")
		}
	})
	t.Run("OrWithAPasswordAfterAll", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.Follow(begin(b, "dave@example.com"))
		action, fields, _, ok := passkeyForm(t, p, "create")
		if !ok {
			t.Fatal("no passkey is asked for")
		}
		fields.Set("new_password", lab.NewPassword)
		if p := b.Post(action, fields); p.Header.Get("Location") != "/account" || !b.IsSignedIn() {
			t.Errorf("it is answered with %s:\n%s", p.Status, p.Text)
		}
	})
	t.Run("OnceForAnAddress", func(t *testing.T) {
		b, keys := w.NewBrowser(), authenticator.New()
		p := b.Follow(begin(b, "erin@example.com"))
		answer(b, p, "create", keys)
		b.Submit(b.Open("/signout"))
		if again := answer(b, p, "create", authenticator.New()); again.Header.Get("Location") != "/signin" || b.IsSignedIn() {
			t.Errorf("the second is answered with %s to %q", again.Status, again.Header.Get("Location"))
		}
	})
	t.Run("NotForAnotherBrowser", func(t *testing.T) {
		p := begin(w.NewBrowser(), "frank@example.com")
		lab.Shown(t, w.NewBrowser().Get(p.Header.Get("Location")), http.StatusBadRequest)
	})
	t.Run("NotForAnAddressWithAnAccount", func(t *testing.T) {
		b := w.NewBrowser()
		p := b.SubmitOnce(b.Submit(b.Open("/signup"), "email", "alice@example.com", "action", "passkey"), "code", "12345678")
		lab.Shown(t, p, http.StatusUnprocessableEntity)
	})
}

func TestSignInInANewBrowserIsTold(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	if n := w.Mails.Count(); n != 0 {
		t.Errorf("%d mails after the first sign-in", n)
	}
	b.Submit(b.Open("/signout"))
	b.SignIn("alice@example.com", lab.AlicePass)
	if n := w.Mails.Count(); n != 0 {
		t.Errorf("%d mails after one in the same browser", n)
	}
	w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	mails := w.Mails.Since(0)
	if len(mails) != 1 || mails[0].To != "alice@example.com" || !strings.Contains(mails[0].Subject, "another browser") {
		t.Errorf("mails %+v", mails)
	}
}

var shownCode = regexp.MustCompile(`<li><code class="select">([^<]+)</code>`)

func TestRecoveryCodeAtSignIn(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade, func(c *provider.Config) { c.SignIn.TrustDevices = time.Hour })
	keys, owner := withSecondStep(t, w), w.NewBrowser()
	answer(owner, owner.Open("/signin"), "get", keys)
	var codes []string
	for _, m := range shownCode.FindAllStringSubmatch(owner.Submit(owner.Open("/account/codes")).Text, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) != 10 {
		t.Fatalf("the page shows the codes %q", codes)
	}
	ask := func(b *lab.Browser) lab.Page {
		p := b.SubmitOnce(b.Open("/signin"), "email", "alice@example.com", "password", lab.AlicePass)
		if p.Header.Get("Location") == "" {
			t.Fatalf("the password is answered with %s:\n%s", p.Status, w.Log.String())
		}
		return b.Open(p.Header.Get("Location") + "&way=codes")
	}

	t.Run("SignsInOnce", func(t *testing.T) {
		b, sent := w.NewBrowser(), w.Mails.Count()
		p := ask(b)
		if strings.Contains(p.Text, `name="trust"`) {
			t.Error("it offers to trust a browser for a recovery code")
		}
		if done := b.SubmitOnce(p, "code", strings.ToLower(codes[0]), "trust", "on"); done.Header.Get("Location") != "/account" || !b.IsSignedIn() {
			t.Fatalf("it is answered with %s:\n%s", done.Status, done.Text)
		}
		if mails := w.Mails.Since(sent); len(mails) != 1 || !strings.Contains(mails[0].Text, "Codes left: 9.") {
			t.Errorf("mails %+v", mails)
		}
		other := w.NewBrowser()
		lab.Shown(t, other.SubmitOnce(ask(other), "code", codes[0]), http.StatusUnauthorized)
		b.Submit(b.Open("/signout"))
		if p := ask(b); p.Request.URL.Path != "/signin/factor" {
			t.Errorf("the browser is trusted: %s (%s)", p.Request.URL, p.Status)
		}
	})
	t.Run("GuessesAreCountedForTheAccount", func(t *testing.T) {
		var last lab.Page
		for range 6 {
			b := w.NewBrowser()
			last = b.SubmitOnce(ask(b), "code", "AAAA-AAAA-AAAAA")
		}
		lab.Shown(t, last, http.StatusTooManyRequests)
		b := w.NewBrowser()
		lab.Shown(t, b.SubmitOnce(ask(b), "code", codes[1]), http.StatusTooManyRequests)
		w.Advance(11 * time.Minute)
		if b.SubmitOnce(ask(b), "code", codes[1]); !b.IsSignedIn() {
			t.Error("a right code does not sign in after ten minutes")
		}
	})
}

func TestHistoryAndSessionsSayHow(t *testing.T) {
	t.Parallel()
	w := atLocalhost(t, withUpgrade)
	keys, b := withPasskey(t, w), w.NewBrowser()
	answer(b, b.Open("/signin"), "get", keys)
	for _, path := range []string{"/account/history", "/account/sessions"} {
		p := b.Open(path)
		if !strings.Contains(p.Text, "With a passkey") || !strings.Contains(p.Text, "With your password") {
			t.Errorf("%s does not say how:\n%s", path, p.Text)
		}
	}
}
