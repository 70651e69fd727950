package pages

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
)

// securityPath is where an account is secured.
const securityPath = "/account/security"

// person is the owner of an account, with a browser, an authenticator and an app.
type person struct {
	*lab.Browser
	email, password string
	keys            *authenticator.Authenticator
	secret          []byte
	codes           []string

	// last is the time step of the latest code of the app.
	last int64
}

// alice is signed in by her password in a browser of her own.
func alice(w *lab.Fixture) *person { return signedIn(w, "alice@example.com", lab.AlicePass) }

func bob(w *lab.Fixture) *person { return signedIn(w, "bob@example.com", lab.BobPass) }

func signedIn(w *lab.Fixture, email, password string) *person {
	w.T.Helper()
	return &person{Browser: w.NewBrowser().SignIn(email, password), email: email, password: password, keys: authenticator.New()}
}

// elsewhere returns the same person at another browser, signed out.
func (p *person) elsewhere() *person {
	q := *p
	q.Browser = p.Fixture.NewBrowser()
	return &q
}

// origin is that of the provider's pages.
func origin(b *lab.Browser) string { return b.Fixture.Server.URL }

// created completes the form of a page that creates a passkey.
func (p *person) created(page lab.Page) form {
	p.T.Helper()
	f := asking(p.T, page, "create")
	answer, err := p.keys.Create(f.options, origin(p.Browser))
	p.Fixture.OK(err)
	return f.with("passkey", answer)
}

// shown completes the form of a page that asks for a passkey.
func (p *person) shown(page lab.Page) form {
	p.T.Helper()
	f := asking(p.T, page, "get")
	answer, err := p.keys.Get(f.options, origin(p.Browser))
	p.Fixture.OK(err)
	return f.with("passkey", answer)
}

// addPasskey adds a passkey to the account of the browser.
func (p *person) addPasskey() *person {
	p.T.Helper()
	page := linked(p.Browser, p.Open(securityPath), "Add a passkey")
	if page = p.Follow(send(p.Browser, p.created(page))); page.StatusCode != http.StatusOK {
		p.T.Fatalf("add passkey: %s\n%s", page.Status, page.Text)
	}
	return p
}

var (
	typedSecret  = regexp.MustCompile(`<code class="select key"[^>]*>([A-Z2-7 ]+)</code>`)
	recoveryCode = regexp.MustCompile(`<li><code class="select">([^<]+)</code></li>`)
)

// addApp adds an authenticator app to the account of the browser, and keeps the recovery
// codes.
func (p *person) addApp() *person {
	p.T.Helper()
	page := linked(p.Browser, p.Open(securityPath), "Set up")
	found := typedSecret.FindStringSubmatch(page.Text)
	if found == nil {
		p.T.Fatalf("no secret at %s:\n%s", page.Request.URL.Path, page.Text)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(found[1], " ", ""))
	p.Fixture.OK(err)
	p.secret = secret
	page = p.Follow(send(p.Browser, withField(p.T, page, "code").with("code", p.code())))
	p.keepCodes(page)
	return p
}

// keepCodes reads the recovery codes of a page.
func (p *person) keepCodes(page lab.Page) {
	p.T.Helper()
	p.codes = nil
	for _, m := range recoveryCode.FindAllStringSubmatch(page.Text, -1) {
		p.codes = append(p.codes, m[1])
	}
	if len(p.codes) != 10 {
		p.T.Fatalf("%d recovery codes at %s (%s)\n%s", len(p.codes), page.Request.URL.Path, page.Status, page.Text)
	}
}

// code is the next code of the app: when that of now is spent, time goes on.
func (p *person) code() string {
	step := p.Fixture.Now().Unix() / 30
	for step <= p.last {
		p.Fixture.Advance(30 * time.Second)
		step = p.Fixture.Now().Unix() / 30
	}
	p.last = step
	return codeAt(p.secret, step)
}

// codeAt is the code of a secret at a time step (RFC 6238, RFC 4226 section 5.3).
func codeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_, _ = mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	n := binary.BigEndian.Uint32(sum[sum[19]&15:]) & 0x7fffffff
	return fmt.Sprintf("%06d", n%1_000_000)
}

// enterPassword sends address and password, and returns the page that follows.
func (p *person) enterPassword() lab.Page {
	p.T.Helper()
	return p.Follow(p.SubmitOnce(p.Open("/signin"), "email", p.email, "password", p.password))
}

// askedCode enters the password and goes on to the form for a code of the app ("app"), or for a
// recovery code ("codes").
func (p *person) askedCode(way string) form {
	p.T.Helper()
	return formsWithCode(p.T, p, p.enterPassword(), way)
}

// formsWithCode returns the form for a code on a page of the second step, or on the page that
// it leads to for the other way.
func formsWithCode(t testing.TB, p *person, page lab.Page, way string) form {
	t.Helper()
	for _, f := range formsOf(t, page) {
		if f.fields.Has("code") && f.fields.Get("way") == way {
			return f
		}
	}
	return withField(t, linked(p.Browser, page, map[string]string{"app": "authenticator app", "codes": "recovery code"}[way]), "code")
}

// sessions counts the sessions of all.
func sessions(w *lab.Fixture) int { return w.Count("sessions") }

// disabled locks an account.
func disabled(w *lab.Fixture, id string) {
	w.T.Helper()
	w.OK(w.Accounts().SetDisabled(w.T.Context(), id, true))
}

// withNewPassword has the host set a password.
func withNewPassword(w *lab.Fixture, id, email string) {
	w.T.Helper()
	w.AddAccount(provider.Account{ID: id, Email: email, EmailVerified: true, Password: lab.NewPassword})
}
