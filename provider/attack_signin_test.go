package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// signInForm returns the fields of a sign-in page with an attempt in them.
func (b *browser) signInForm(email, password string) url.Values {
	b.t.Helper()
	_, fields := b.get("/signin").form(b.t)
	fields.Set("email", email)
	fields.Set("password", password)
	return fields
}

// attempt tries to sign in from the sign-in page.
func (b *browser) attempt(email, password string) page {
	b.t.Helper()
	return b.post("/signin", b.signInForm(email, password))
}

// isSignedIn reports whether the browser sees its account.
func (b *browser) isSignedIn() bool {
	b.t.Helper()
	return b.get("/account").StatusCode == http.StatusOK
}

// thief returns a browser with a copy of all cookies.
func (b *browser) thief() *browser {
	b.t.Helper()
	c := b.w.newBrowser()
	c.http.Jar.SetCookies(b.serverURL(), b.http.Jar.Cookies(b.serverURL()))
	return c
}

func TestSignInFromAnotherSite(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	form := "application/x-www-form-urlencoded"
	victim := w.newBrowser()
	own := victim.signInForm("bob@example.com", bobPass)
	without, foreign := url.Values{}, w.newBrowser().signInForm("bob@example.com", bobPass)
	without["email"], without["password"] = own["email"], own["password"]
	mine := w.newBrowser().signIn("bob@example.com", bobPass)
	_, ofSession := mine.get("/signout").form(t)
	ofSession["email"], ofSession["password"] = own["email"], own["password"]

	for name, c := range map[string]struct {
		body   url.Values
		header []string
	}{
		"WithoutToken":                       {without, []string{"Content-Type", form}},
		"WithTokenOfAnotherBrowser":          {foreign, []string{"Content-Type", form}},
		"WithTokenOfTheAttackersSession":     {ofSession, []string{"Content-Type", form}},
		"WithTokenButFromAnotherSite":        {own, []string{"Content-Type", form, "Sec-Fetch-Site", "cross-site"}},
		"WithTokenButFromASiblingSite":       {own, []string{"Content-Type", form, "Sec-Fetch-Site", "same-site"}},
		"WithTokenButForeignOrigin":          {own, []string{"Content-Type", form, "Origin", "https://evil.test"}},
		"WithTokenButWithoutOrigin":          {own, []string{"Content-Type", form, "Origin", "null"}},
		"WithTokenButOriginOfTheApplication": {own, []string{"Content-Type", form, "Origin", "https://rp.test"}},
		"AsPlainText":                        {own, []string{"Content-Type", "text/plain"}},
		"AsMultipart":                        {own, []string{"Content-Type", "multipart/form-data; boundary=x"}},
		"AsJSON":                             {own, []string{"Content-Type", "application/json"}},
		"WithoutType":                        {own, nil},
		"InTheAddress":                       {url.Values{}, []string{"Content-Type", form}},
	} {
		t.Run(name, func(t *testing.T) {
			address := "/signin"
			if name == "InTheAddress" {
				address += "?" + own.Encode()
			}
			shown(t, victim.send(http.MethodPost, address, c.body.Encode(), c.header...), http.StatusForbidden)
			if victim.isSignedIn() {
				t.Error("the browser is signed in")
			}
		})
	}
	if p := victim.post("/signin", own); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the page's own form answers %s", p.Status)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()

	t.Run("IsNewAfterEverySignIn", func(t *testing.T) {
		b := w.newBrowser()
		b.open(authorizeURL())
		seen := map[string]bool{b.cookie(session.Session): true}
		old := b
		for range 3 {
			old = b.thief()
			p := b.open(authorizeURL("prompt", "login"))
			b.submit(p, "email", "alice@example.com", "password", alicePass)
			if now := b.cookie(session.Session); now == "" || seen[now] {
				t.Fatalf("session %q again", now)
			}
			seen[b.cookie(session.Session)] = true
			if old.isSignedIn() {
				t.Error("what was planted before the sign-in is signed in")
			}
		}
	})

	t.Run("ThatWasMadeUpIsNone", func(t *testing.T) {
		b := w.alice()
		value := b.cookie(session.Session)
		for _, forged := range []string{
			value[:len(value)-1], value + "A", strings.ToUpper(value), value[:10] + "AAAA" + value[14:], "", "alice", b.cookie(session.Browser), b.cookie(session.Device),
		} {
			thief := b.thief()
			thief.setCookie(session.Session, forged)
			if forged != value && thief.isSignedIn() {
				t.Errorf("%q is a session", forged)
			}
		}
	})

	ends := map[string]func(t *testing.T, b *browser) error{
		"SignOut": func(t *testing.T, b *browser) error {
			b.post("/signout", signOutForm(t, b))
			return nil
		},
		"NewPassword": func(*testing.T, *browser) error {
			_, err := w.SaveAccount(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: "tundra-saxophone-61-ivory"})
			return err
		},
		"Lock": func(t *testing.T, _ *browser) error {
			err := w.SetAccountDisabled(t.Context(), "alice", true)
			t.Cleanup(func() { _ = w.SetAccountDisabled(w.t.Context(), "alice", false) })
			return err
		},
		"EndOthers": func(t *testing.T, b *browser) error {
			other := w.newBrowser().signIn("alice@example.com", alicePass)
			_, fields := other.get("/account/sessions").form(t)
			fields.Del("session")
			fields.Set("action", "others")
			other.post("/account/sessions", fields)
			return nil
		},
		"RevokedByTheHost": func(t *testing.T, _ *browser) error {
			return w.RevokeIssuedBefore(t.Context(), w.now().Add(time.Second))
		},
		"Deleted": func(t *testing.T, _ *browser) error { return w.DeleteAccount(t.Context(), "alice") },
	}
	for _, name := range []string{"SignOut", "Lock", "EndOthers", "RevokedByTheHost", "NewPassword", "Deleted"} {
		t.Run("EndsInEveryProcessBy"+name, func(t *testing.T) {
			w.advance(time.Hour)
			b := w.alice()
			if name == "Deleted" || name == "NewPassword" {
				t.Cleanup(func() { w.withUsers() })
			}
			copied := b.thief()
			elsewhere := w.twin()
			if !copied.isSignedIn() {
				t.Fatal("a copied cookie does not work before")
			}
			if err := ends[name](t, b); err != nil {
				t.Fatal(err)
			}
			if copied.isSignedIn() {
				t.Error("a copied cookie is still signed in")
			}
			if p := copied.open(authorizeURL()); p.Request.URL.Path != "/signin" {
				t.Errorf("the authorization endpoint leads to %s", p.Request.URL.Path)
			}
			there := elsewhere.newBrowser()
			there.http.Jar.SetCookies(there.serverURL(), b.http.Jar.Cookies(b.serverURL()))
			if there.isSignedIn() {
				t.Error("another process does not know")
			}
		})
	}

	t.Run("EndsWhenIdleOrOldWhateverTheBrowserKeeps", func(t *testing.T) {
		idle := w.alice()
		w.advance(12*time.Hour + time.Second)
		if idle.thief().isSignedIn() {
			t.Error("an idle session goes on")
		}
		busy := w.alice().thief()
		for range 14*24/11 + 1 {
			w.advance(11 * time.Hour)
			busy.isSignedIn()
		}
		if busy.isSignedIn() {
			t.Error("a session goes on for ever while it is used")
		}
	})

	t.Run("FromAClockThatWasAheadIsNoneAndHoldsNobodyUp", func(t *testing.T) {
		w.advance(24 * time.Hour)
		ahead := w.alice()
		w.advance(-24 * time.Hour)
		if ahead.isSignedIn() {
			t.Error("it lasts for a day longer than any other")
		}
		if p := ahead.attempt("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("a new sign-in: %s", p.Status)
		}
		// What was counted ahead counts as used up now, and not until tomorrow.
		w.newBrowser().attempt("bob@example.com", bobPass)
		w.advance(time.Minute)
		if p := w.newBrowser().attempt("bob@example.com", bobPass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("somebody else from there: %s", p.Status)
		}
	})

	t.Run("ThatWasUsedByAClockThatWasAheadIsIdleAllTheSame", func(t *testing.T) {
		b := w.newBrowser().signIn("bob@example.com", bobPass)
		w.advance(11 * time.Hour)
		b.isSignedIn()
		w.advance(-11 * time.Hour)
		b.isSignedIn()
		w.advance(12*time.Hour + time.Second)
		if b.isSignedIn() {
			t.Error("it lasts for as long as the clock was wrong")
		}
	})
}

func TestSignInTellsNothing(t *testing.T) {
	dearPasswords(t)
	w := newFixture(t).withClients().withUsers()
	for _, a := range []provider.Account{{ID: "lock", Email: "locky@example.com", Password: alicePass}, {ID: "nopw", Email: "empty@example.com"}} {
		if _, err := w.SaveAccount(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetAccountDisabled(t.Context(), "lock", true); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"alice@example.com", "nobod@example.com", "locky@example.com", "empty@example.com"}

	t.Run("ByWhatItSays", func(t *testing.T) {
		answers := map[string]bool{}
		for _, email := range kinds {
			b := w.newBrowser()
			for range 11 { // up to the limit, which tells nothing either
				p := b.attempt(email, "marble-canyon-violin-78")
				answers[fmt.Sprint(p.StatusCode, len(p.body), slices.Sorted(maps.Keys(p.Header)), len(p.Cookies()))] = true
				if p.StatusCode == http.StatusTooManyRequests {
					break
				}
			}
		}
		if len(answers) != 2 { // wrong, and too many
			t.Errorf("answers differ: %v", answers)
		}
		w.advance(time.Hour)
		if p := w.newBrowser().attempt("locky@example.com", alicePass); p.StatusCode != http.StatusUnauthorized {
			t.Errorf("a locked account's right password: %s", p.Status)
		}
	})

	// A password that is hashed takes its 19 MiB and the time for that. The memory can be
	// counted on any machine.
	t.Run("ByItsWork", func(t *testing.T) {
		took := map[string][]uint64{}
		b := w.newBrowser()
		form := b.signInForm("", "marble-canyon-violin-78")
		for range 3 {
			w.advance(time.Hour)
			for _, email := range kinds {
				form.Set("email", email)
				before := allocated()
				if p := b.post("/signin", form); p.StatusCode != http.StatusUnauthorized {
					t.Fatal(p.Status)
				}
				took[email] = append(took[email], allocated()-before)
			}
		}
		known := slices.Min(took[kinds[0]])
		if known < 19<<20 {
			t.Errorf("%s takes %d bytes: its password is not hashed", kinds[0], known)
		}
		for _, email := range kinds[1:] {
			if least := slices.Min(took[email]); least < known/2 || least > known*2 {
				t.Errorf("%s takes %d bytes, %s %d", kinds[0], known, email, least)
			}
		}
	})
}

// allocated returns how many bytes this process has ever allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

func TestGuessing(t *testing.T) {
	t.Parallel()
	t.Run("CannotLockTheOwnerOut", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		owner := w.alice()
		owner.post("/signout", signOutForm(t, owner))
		attacker := w.newBrowser()
		for range 12 {
			attacker.attempt("alice@example.com", "marble-canyon-violin-78")
		}
		p := attacker.attempt("alice@example.com", alicePass)
		shown(t, p, http.StatusTooManyRequests)
		if p.Header.Get("Retry-After") == "" || !w.saw(provider.EventThrottled) {
			t.Error("no Retry-After, or no event")
		}
		if p := owner.attempt("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("the owner at a known device: %s", p.Status)
		}
		thief := w.newBrowser()
		thief.get("/signin")
		for _, c := range owner.http.Jar.Cookies(owner.serverURL()) { // the mark of the device without that of the browser
			if strings.HasSuffix(c.Name, string(session.Device)) {
				thief.http.Jar.SetCookies(thief.serverURL(), []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/"}})
			}
		}
		if p := thief.attempt("alice@example.com", alicePass); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the mark of a device counts in another browser: %s", p.Status)
		}
		w.advance(time.Hour)
		if p := w.newBrowser().attempt("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("an hour later: %s", p.Status)
		}
	})

	t.Run("IsCountedAtEveryAddressOfThePage", func(t *testing.T) {
		w := newFixture(t).withClients().withUsers()
		b := w.newBrowser()
		form := b.signInForm("alice@example.com", "marble-canyon-violin-78").Encode()
		cookie := b.http.Jar.Cookies(b.serverURL())[0].String()
		tried := 0
		for range 4 {
			for _, line := range []string{
				"POST /signin HTTP/1.1", "POST /%73ignin HTTP/1.1", "POST //signin HTTP/1.1", "POST /signin/ HTTP/1.1", "POST /./signin HTTP/1.1",
				"POST /SIGNIN HTTP/1.1", "POST /signin;x HTTP/1.1", "POST /signin?x=1 HTTP/1.1", "POST /signin HTTP/1.0", "POST http://evil.test/signin HTTP/1.1",
				"POST /x/../signin HTTP/1.1", "POST /signin%00 HTTP/1.1", "POST /signin%2f HTTP/1.1",
			} {
				p := w.raw(line, "Host: evil.test", "Cookie: "+cookie, "Content-Type: application/x-www-form-urlencoded",
					fmt.Sprintf("Content-Length: %d", len(form)), "Connection: close", "", form)
				switch p.StatusCode {
				case http.StatusUnauthorized:
					tried++
				case http.StatusNotFound, http.StatusTooManyRequests:
				default:
					t.Errorf("%s answers %s", line, p.Status)
				}
			}
		}
		if tried != 10 {
			t.Errorf("%d attempts were let through, want 10", tried)
		}
	})

	t.Run("IsCountedByTheAddressThatIsNotMadeUp", func(t *testing.T) {
		w := newFixture(t, func(c *provider.Config) {
			c.Limits.Mail = provider.Limit{Burst: 20, Every: time.Minute}
		}).withClients()
		b := w.newBrowser()
		_, form := b.get("/reset").form(t)
		for i := range 21 {
			form.Set("email", fmt.Sprintf("user%d@example.com", i))
			p := b.send(http.MethodPost, "/reset", form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
				"X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i), "X-Real-IP", fmt.Sprintf("203.0.113.%d", i), "Forwarded", fmt.Sprintf("for=203.0.113.%d", i))
			want := http.StatusSeeOther
			if i == 20 {
				want = http.StatusTooManyRequests
			}
			if p.StatusCode != want {
				t.Fatalf("attempt %d: %s", i+1, p.Status)
			}
		}
	})
}
