package pages

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/authenticator"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// W1: an assertion is replayed, and a challenge used on another page.
func TestAssertionIsReplayed(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().elsewhere()
	f := owner.shown(owner.Open("/signin"))
	before := sessions(w)
	statuses := lab.Race(20, func(int) int { return send(owner.Browser, f).StatusCode })
	signedIn := 0
	for _, status := range statuses {
		switch status {
		case http.StatusSeeOther:
			signedIn++
		case http.StatusUnauthorized, http.StatusUnprocessableEntity:
		default:
			t.Errorf("answered %d", status)
		}
	}
	if signedIn != 1 || sessions(w) != before+1 {
		t.Errorf("one answer signs in %d times, and makes %d sessions", signedIn, sessions(w)-before)
	}
	thief := owner.elsewhere()
	thief.Open("/signin")
	if p := send(thief.Browser, f); p.StatusCode < 400 || thief.IsSignedIn() {
		t.Errorf("in another browser: %s", p.Status)
	}
}

func TestChallengeOfAnotherPageIsAnswered(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().addApp()
	creation := linked(owner.Browser, owner.Open(securityPath), "Add a passkey")
	other := owner.elsewhere()
	signIn := other.Open("/signin")
	ofFactor := other.enterPassword()
	own := other.shown(ofFactor)
	for name, challenge := range map[string]string{
		"of the sign-in page": asking(t, signIn, "get").fields.Get("challenge"),
		"of a creation":       asking(t, creation, "create").fields.Get("challenge"),
		"none":                "",
	} {
		p := send(other.Browser, own.with("challenge", challenge))
		if p.StatusCode < 400 || other.IsSignedIn() {
			t.Errorf("challenge %s at the second step: %s", name, p.Status)
		}
	}
	// The challenge of the second step is none at the sign-in page.
	at := asking(t, other.Open("/signin"), "get").with("challenge", own.fields.Get("challenge"), "passkey", own.fields.Get("passkey"))
	if p := send(other.Browser, at); p.StatusCode < 400 || other.IsSignedIn() {
		t.Errorf("challenge of the second step at the sign-in page: %s", p.Status)
	}
	if p := send(other.Browser, own); p.StatusCode != http.StatusSeeOther {
		t.Errorf("at its own page: %s", p.Status)
	}
}

func TestChallengeIsTooOld(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().elsewhere()
	f := owner.shown(owner.Open("/signin"))
	w.Advance(15*time.Minute + time.Second)
	p := send(owner.Browser, f)
	if p.StatusCode < 400 || owner.IsSignedIn() {
		t.Fatalf("answered %s", p.Status)
	}
	if p = send(owner.Browser, owner.shown(p)); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the page drawn again: %s", p.Status)
	}
}

// W2 and W3, and what else the authenticator or the browser can say that is not so.
func TestAssertionIsForged(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey()
	other := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(w.T)
	host := strings.TrimPrefix(origin(owner.Browser), "http://")
	for name, change := range map[string]func(*authenticator.Answer){
		"OriginWithTLS":          func(a *authenticator.Answer) { a.Origin = "https://" + host },
		"OriginOfASiblingPort":   func(a *authenticator.Answer) { a.Origin = "http://localhost:1" },
		"OriginWithoutPort":      func(a *authenticator.Answer) { a.Origin = "http://localhost" },
		"OriginOfASubdomain":     func(a *authenticator.Answer) { a.Origin = "http://evil." + host },
		"OriginWithASlash":       func(a *authenticator.Answer) { a.Origin += "/" },
		"OriginInUpperCase":      func(a *authenticator.Answer) { a.Origin = strings.ToUpper(a.Origin) },
		"OriginOfTheApplication": func(a *authenticator.Answer) { a.Origin = "https://rp.test" },
		"OriginOfAnApp":          func(a *authenticator.Answer) { a.Origin = "android:apk-key-hash:AAAA" },
		"NoOrigin":               func(a *authenticator.Answer) { a.Origin = "" },
		"WithinAFrame":           func(a *authenticator.Answer) { a.CrossOrigin = true },
		"WithinAFrameOfOurs":     func(a *authenticator.Answer) { a.CrossOrigin, a.TopOrigin = true, a.Origin },
		"TopOriginAlone":         func(a *authenticator.Answer) { a.TopOrigin = "https://evil.test" },
		"NotVerified":            func(a *authenticator.Answer) { a.Flags &^= authenticator.UserVerified },
		"NobodyPresent":          func(a *authenticator.Answer) { a.Flags &^= authenticator.UserPresent },
		"BackedUpButNotEligible": func(a *authenticator.Answer) {
			a.Flags = a.Flags&^authenticator.BackupEligible | authenticator.BackedUp
		},
		"AnotherRelyingParty":       func(a *authenticator.Answer) { a.RPID = "evil.test" },
		"TypeOfACreation":           func(a *authenticator.Answer) { a.Type = "webauthn.create" },
		"TypeOfAPayment":            func(a *authenticator.Answer) { a.Type = "payment.get" },
		"AnotherChallenge":          func(a *authenticator.Answer) { a.Challenge = strings.Repeat("A", len(a.Challenge)) },
		"NoChallenge":               func(a *authenticator.Answer) { a.Challenge = "" },
		"AnotherKey":                func(a *authenticator.Answer) { a.Key = other },
		"SignatureSpoiled":          func(a *authenticator.Answer) { a.Spoil = func(s []byte) []byte { s[len(s)-1] ^= 1; return s } },
		"SignatureCutShort":         func(a *authenticator.Answer) { a.Spoil = func(s []byte) []byte { return s[:len(s)-1] } },
		"NoSignature":               func(a *authenticator.Answer) { a.Spoil = func([]byte) []byte { return nil } },
		"DataBehindAuthData":        func(a *authenticator.Answer) { a.Trailing = []byte{0} },
		"UnknownCredential":         func(a *authenticator.Answer) { a.ID = []byte("somebody else's, of 32 bytes....") },
		"EmptyCredential":           func(a *authenticator.Answer) { a.ID = nil },
		"HandleCutShort":            func(a *authenticator.Answer) { a.UserHandle = a.UserHandle[:63] },
		"HandleOfAnotherProvider":   func(a *authenticator.Answer) { a.UserHandle = []byte(strings.Repeat("x", 64)) },
		"ClientDataThatIsNone":      func(a *authenticator.Answer) { a.ClientData = []byte("{") },
		"ClientDataTwice":           func(a *authenticator.Answer) { a.ClientData = []byte("{}{}") },
		"ClientDataWithoutAnything": func(a *authenticator.Answer) { a.ClientData = []byte("{}") },
	} {
		t.Run(name, func(t *testing.T) {
			b := owner.elsewhere()
			page := b.Open("/signin")
			owner.keys.Change = change
			f := b.shown(page)
			owner.keys.Change = nil
			before := w.Count("sessions")
			wrong(t, b.Browser, send(b.Browser, f))
			if sessions(w) != before {
				t.Error("a session was made")
			}
		})
	}
	b := owner.elsewhere()
	if p := send(b.Browser, b.shown(b.Open("/signin"))); p.StatusCode != http.StatusSeeOther {
		t.Errorf("what is not forged: %s", p.Status)
	}
}

// W3: what has found somebody present is a second factor, and never more.
func TestPasskeyThatVerifiesNobodyIsASecondFactorAlone(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().addApp().elsewhere()
	page := owner.enterPassword()
	owner.keys.Flags &^= authenticator.UserVerified
	if p := send(owner.Browser, owner.shown(page)); p.StatusCode != http.StatusSeeOther {
		t.Fatalf("as a second factor: %s\n%s", p.Status, p.Text)
	}
	token := idToken(owner.Browser)
	if token["acr"] != twoFactors {
		t.Errorf("acr %v, want %s", token["acr"], twoFactors)
	}
	// It opens nothing that wants the highest level of the account.
	if p := linked(owner.Browser, owner.Open(securityPath), "Add a passkey"); strings.HasPrefix(p.Request.URL.Path, "/account/") {
		t.Errorf("%s is open to it", p.Request.URL.Path)
	}
}

// W4: a passkey of the sandbox, whose relying party is the same, is presented at production.
func TestPasskeyOfTheSandboxAtProduction(t *testing.T) {
	t.Parallel()
	production, sandbox := newFixture(t), newFixture(t)
	owner := alice(sandbox).addPasskey()
	b := production.NewBrowser()
	page := b.Open("/signin")
	f := asking(t, page, "get")
	answer := testkit.Must(owner.keys.Get(f.options, origin(b)))(production.T)
	p := send(b, f.with("passkey", answer))
	refused(t, b, p, http.StatusUnauthorized)
	if !strings.Contains(p.Text, "another environment") {
		t.Errorf("it is not told apart:\n%s", p.Text)
	}
	if strings.Contains(p.Text, "signalUnknownCredential") {
		t.Error("the browser is told to delete it")
	}
}

// W5: the account changes between the check of a passkey and the write of the session.
func TestAccountChangesUnderASignInByPasskey(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *lab.Fixture, owner *person){
		"PasskeyRemoved": func(_ *lab.Fixture, owner *person) { owner.removePasskey() },
		"Disabled":       func(w *lab.Fixture, _ *person) { disabled(w, "alice") },
		"PasswordSet":    func(w *lab.Fixture, _ *person) { withNewPassword(w, "alice", "alice@example.com") },
		"Deleted":        func(w *lab.Fixture, _ *person) { w.OK(w.Accounts().Delete(w.T.Context(), "alice")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var store *lab.FaultyStore
			w := newFixture(t, lab.Faulty(&store))
			owner := alice(w).addPasskey()
			b := owner.elsewhere()
			f := b.shown(b.Open("/signin"))
			once(store, "CreateSession", func() { change(w, owner) })
			p := send(b.Browser, f)
			wrong(t, b.Browser, p)
			unknown := owner.elsewhere()
			unknown.keys = stranger(t, unknown)
			if same := send(unknown.Browser, unknown.shown(unknown.Open("/signin"))); said(t, same) != said(t, p) {
				t.Errorf("another answer than to an unknown passkey:\n%s\n%s", said(t, p), said(t, same))
			}
		})
	}
}

// W6: the handle of bob with the passkey of alice.
func TestHandleOfAnotherUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	a, b := alice(w).addPasskey(), bob(w).addPasskey()
	a.keys.Change = func(answer *authenticator.Answer) { answer.UserHandle = b.keys.Credentials[0].UserHandle }
	thief := a.elsewhere()
	p := send(thief.Browser, thief.shown(thief.Open("/signin")))
	wrong(t, thief.Browser, p)
	a.keys.Change = nil
	unknown := a.elsewhere()
	unknown.keys = stranger(t, unknown)
	if same := send(unknown.Browser, unknown.shown(unknown.Open("/signin"))); said(t, same) != said(t, p) {
		t.Errorf("another answer than to an unknown passkey:\n%s\n%s", said(t, p), said(t, same))
	}
}

// W7: the credential ID of another account is registered.
func TestCredentialOfAnotherAccountIsRegistered(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	a, b := alice(w).addPasskey(), bob(w)
	b.keys.Change = func(answer *authenticator.Answer) { answer.ID = a.keys.Credentials[0].ID }
	page := linked(b.Browser, b.Open(securityPath), "Add a passkey")
	p := send(b.Browser, b.created(page))
	if p.StatusCode < 400 || strings.Contains(p.Text, a.email) {
		t.Errorf("answered %s\n%s", p.Status, p.Text)
	}
	if n := w.Count("passkeys"); n != 1 {
		t.Errorf("%d passkeys", n)
	}
	again := a.elsewhere()
	if p := send(again.Browser, again.shown(again.Open("/signin"))); p.StatusCode != http.StatusSeeOther {
		t.Errorf("its owner is answered %s", p.Status)
	}
}

// Whoever takes over a sign-in page that somebody else left open learns nothing: an answer is
// bound to the browser that was asked.
func TestPasskeyAnswersAnotherBrowser(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	owner := alice(w).addPasskey().elsewhere()
	thief := w.NewBrowser()
	lured := asking(t, thief.Open("/signin"), "get") // shown to alice on the thief's page
	answer := testkit.Must(owner.keys.Get(lured.options, origin(thief)))(w.T)
	own := asking(t, owner.Open("/signin"), "get")
	p := send(owner.Browser, own.with("challenge", lured.fields.Get("challenge"), "passkey", answer))
	if p.StatusCode < 400 || owner.IsSignedIn() {
		t.Errorf("challenge of another browser: %s", p.Status)
	}
}

// removePasskey removes the only passkey, in the owner's browser.
func (p *person) removePasskey() {
	p.T.Helper()
	page := linked(p.Browser, p.Open(securityPath), "Remove: ")
	if page = p.Follow(send(p.Browser, formsOf(p.T, page)[0])); page.StatusCode != http.StatusOK || p.Fixture.Count("passkeys") != 0 {
		p.T.Fatalf("remove passkey: %s\n%s", page.Status, page.Text)
	}
}

// stranger returns an authenticator with a passkey that nobody here knows, whose handle
// looks like one of this provider.
func stranger(t testing.TB, p *person) *authenticator.Authenticator {
	t.Helper()
	keys := authenticator.New()
	c := *p.keys.Credentials[0]
	key := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	c.Key, c.ID = key, []byte("nobody here has this credential.")
	keys.Credentials = append(keys.Credentials, &c)
	return keys
}

const (
	oneFactor         = "https://refeds.org/profile/sfa"
	twoFactors        = "https://refeds.org/profile/mfa"
	phishingResistant = "phr"
)

// idToken returns the claims of a new ID token of the user of a browser.
func idToken(b *lab.Browser, pairs ...string) map[string]any {
	b.T.Helper()
	answer := b.Allow(append([]string{"scope", "openid military"}, pairs...)...)
	p, tokens := b.Token("code", answer.Get("code"))
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	_, claims := lab.JWT(b.T, lab.Member(b.T, tokens, "id_token"))
	return claims
}

// TestPasswordStaysBesideUselessPasskeys: a passkey of another relying party signs nobody in, so
// the password stays.
func TestPasswordStaysBesideUselessPasskeys(t *testing.T) {
	t.Parallel()
	for _, rpID := range []string{"localhost", "former.example"} {
		w := newFixture(t)
		owner := alice(w).addPasskey().addApp()
		page := owner.Open("/account/password/remove")
		w.MustExec(`UPDATE passkeys SET rp_id = ?1`, rpID)
		owner.Submit(page)
		removed := w.Exec(`UPDATE accounts SET id = id WHERE email_digest IS NOT NULL AND password_hash = ''`) > 0
		if removed != (rpID == "localhost") {
			t.Errorf("%s: the password is removed: %t", rpID, removed)
		}
	}
}
