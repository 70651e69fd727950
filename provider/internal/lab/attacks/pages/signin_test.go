package pages

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
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

func TestSignInFromAnotherSite(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	form := "application/x-www-form-urlencoded"
	victim := w.NewBrowser()
	own := victim.SignInForm("bob@example.com", lab.BobPass)
	without, foreign := url.Values{}, w.NewBrowser().SignInForm("bob@example.com", lab.BobPass)
	without["email"], without["password"] = own["email"], own["password"]
	mine := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	_, ofSession := mine.Get("/signout").Form(t)
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
			lab.Shown(t, victim.Send(http.MethodPost, address, c.body.Encode(), c.header...), http.StatusForbidden)
			if victim.IsSignedIn() {
				t.Error("the browser is signed in")
			}
		})
	}
	if p := victim.Post("/signin", own); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the page's own form answers %s", p.Status)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()

	t.Run("IsNewAfterEverySignIn", func(t *testing.T) {
		b := w.NewBrowser()
		b.Open(lab.AuthorizeURL())
		seen := map[string]bool{b.Cookie(session.Session): true}
		old := b
		for range 3 {
			old = b.Thief()
			p := b.Open(lab.AuthorizeURL("prompt", "login"))
			b.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
			if now := b.Cookie(session.Session); now == "" || seen[now] {
				t.Fatalf("session %q again", now)
			}
			seen[b.Cookie(session.Session)] = true
			if old.IsSignedIn() {
				t.Error("what was planted before the sign-in is signed in")
			}
		}
	})

	t.Run("ThatWasMadeUpIsNone", func(t *testing.T) {
		b := w.Alice()
		value := b.Cookie(session.Session)
		for _, forged := range []string{
			value[:len(value)-1], value + "A", strings.ToUpper(value), value[:10] + "AAAA" + value[14:], "", "alice", b.Cookie(session.Browser), b.Cookie(session.Device),
		} {
			thief := b.Thief()
			thief.SetCookie(session.Session, forged)
			if forged != value && thief.IsSignedIn() {
				t.Errorf("%q is a session", forged)
			}
		}
	})

	ends := map[string]func(t *testing.T, b *lab.Browser) error{
		"SignOut": func(t *testing.T, b *lab.Browser) error {
			b.Post("/signout", lab.SignOutForm(t, b))
			return nil
		},
		"NewPassword": func(*testing.T, *lab.Browser) error {
			_, err := w.Accounts().Save(t.Context(), provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: "tundra-saxophone-61-ivory"})
			return err
		},
		"Lock": func(t *testing.T, _ *lab.Browser) error {
			err := w.Accounts().SetDisabled(t.Context(), "alice", true)
			t.Cleanup(func() { _ = w.Accounts().SetDisabled(w.T.Context(), "alice", false) })
			return err
		},
		"EndOthers": func(t *testing.T, b *lab.Browser) error {
			other := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
			_, fields := other.Get("/account/sessions").Form(t)
			fields.Del("session")
			fields.Set("action", "others")
			other.Post("/account/sessions", fields)
			return nil
		},
		"RevokedByTheHost": func(t *testing.T, _ *lab.Browser) error {
			return w.People().RevokeIssuedBefore(t.Context(), w.Now().Add(time.Second))
		},
		"Deleted": func(t *testing.T, _ *lab.Browser) error { return w.Accounts().Delete(t.Context(), "alice") },
	}
	for _, name := range []string{"SignOut", "Lock", "EndOthers", "RevokedByTheHost", "NewPassword", "Deleted"} {
		t.Run("EndsInEveryProcessBy"+name, func(t *testing.T) {
			w.Advance(time.Hour)
			b := w.Alice()
			if name == "Deleted" || name == "NewPassword" {
				t.Cleanup(func() { w.WithUsers() })
			}
			copied := b.Thief()
			elsewhere := w.Twin()
			if !copied.IsSignedIn() {
				t.Fatal("a copied cookie does not work before")
			}
			if err := ends[name](t, b); err != nil {
				t.Fatal(err)
			}
			if copied.IsSignedIn() {
				t.Error("a copied cookie is still signed in")
			}
			if p := copied.Open(lab.AuthorizeURL()); p.Request.URL.Path != "/signin" {
				t.Errorf("the authorization endpoint leads to %s", p.Request.URL.Path)
			}
			there := elsewhere.NewBrowser()
			there.HTTP.Jar.SetCookies(there.ServerURL(), b.HTTP.Jar.Cookies(b.ServerURL()))
			if there.IsSignedIn() {
				t.Error("another process does not know")
			}
		})
	}

	t.Run("EndsWhenIdleOrOldWhateverTheBrowserKeeps", func(t *testing.T) {
		idle := w.Alice()
		w.Advance(12*time.Hour + time.Second)
		if idle.Thief().IsSignedIn() {
			t.Error("an idle session goes on")
		}
		busy := w.Alice().Thief()
		for range 14*24/11 + 1 {
			w.Advance(11 * time.Hour)
			busy.IsSignedIn()
		}
		if busy.IsSignedIn() {
			t.Error("a session goes on for ever while it is used")
		}
	})

	t.Run("FromAClockThatWasAheadIsNoneAndHoldsNobodyUp", func(t *testing.T) {
		w.Advance(24 * time.Hour)
		ahead := w.Alice()
		w.Advance(-24 * time.Hour)
		if ahead.IsSignedIn() {
			t.Error("it lasts for a day longer than any other")
		}
		if p := ahead.Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("a new sign-in: %s", p.Status)
		}
		// What was counted ahead counts as used up now, and not until tomorrow.
		w.NewBrowser().Attempt("bob@example.com", lab.BobPass)
		w.Advance(time.Minute)
		if p := w.NewBrowser().Attempt("bob@example.com", lab.BobPass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("somebody else from there: %s", p.Status)
		}
	})

	t.Run("ThatWasUsedByAClockThatWasAheadIsIdleAllTheSame", func(t *testing.T) {
		b := w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
		w.Advance(11 * time.Hour)
		b.IsSignedIn()
		w.Advance(-11 * time.Hour)
		b.IsSignedIn()
		w.Advance(12*time.Hour + time.Second)
		if b.IsSignedIn() {
			t.Error("it lasts for as long as the clock was wrong")
		}
	})
}

func TestSignInTellsNothing(t *testing.T) {
	kinds := []string{"alice@example.com", "nobod@example.com", "locky@example.com", "empty@example.com"}
	withKinds := func(t *testing.T) *lab.Fixture {
		t.Helper()
		w := lab.New(t).WithClients().WithUsers()
		w.AddAccount(provider.Account{ID: "lock", Email: "locky@example.com", Password: lab.AlicePass})
		w.AddAccount(provider.Account{ID: "nopw", Email: "empty@example.com"})
		w.OK(w.Accounts().SetDisabled(t.Context(), "lock", true))
		return w
	}

	t.Run("ByWhatItSays", func(t *testing.T) {
		w := withKinds(t)
		answers := map[string]bool{}
		for _, email := range kinds {
			b := w.NewBrowser()
			for range 11 { // up to the limit, which tells nothing either
				p := b.Attempt(email, "marble-canyon-violin-78")
				answers[fmt.Sprint(p.StatusCode, p.Size(), slices.Sorted(maps.Keys(p.Header)), len(p.Cookies()))] = true
				if p.StatusCode == http.StatusTooManyRequests {
					break
				}
			}
		}
		if len(answers) != 2 { // wrong, and too many
			t.Errorf("answers differ: %v", answers)
		}
		w.Advance(time.Hour)
		if p := w.NewBrowser().Attempt("locky@example.com", lab.AlicePass); p.StatusCode != http.StatusForbidden {
			t.Errorf("a locked account's right password, which its owner alone has: %s", p.Status)
		}
	})

	// A password that is hashed takes its 19 MiB and the time for that. The memory can be
	// counted on any machine.
	t.Run("ByItsWork", func(t *testing.T) {
		lab.DearPasswords(t)
		w := withKinds(t)
		took := map[string][]uint64{}
		b := w.NewBrowser()
		form := b.SignInForm("", "marble-canyon-violin-78")
		for range 3 {
			w.Advance(time.Hour)
			for _, email := range kinds {
				form.Set("email", email)
				before := allocated()
				if p := b.Post("/signin", form); p.StatusCode != http.StatusUnauthorized {
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
		w := lab.New(t).WithClients().WithUsers()
		owner := w.Alice()
		owner.Post("/signout", lab.SignOutForm(t, owner))
		attacker := w.NewBrowser()
		for range 12 {
			attacker.Attempt("alice@example.com", "marble-canyon-violin-78")
		}
		p := attacker.Attempt("alice@example.com", lab.AlicePass)
		lab.Shown(t, p, http.StatusTooManyRequests)
		if p.Header.Get("Retry-After") == "" || !w.Saw(event.Throttled) {
			t.Error("no Retry-After, or no event")
		}
		if p := owner.Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("the owner at a known device: %s", p.Status)
		}
		thief := w.NewBrowser()
		thief.Get("/signin")
		for _, c := range owner.HTTP.Jar.Cookies(owner.ServerURL()) { // the mark of the device without that of the browser
			if strings.HasSuffix(c.Name, string(session.Device)) {
				thief.HTTP.Jar.SetCookies(thief.ServerURL(), []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/"}})
			}
		}
		if p := thief.Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the mark of a device counts in another browser: %s", p.Status)
		}
		w.Advance(time.Hour)
		if p := w.NewBrowser().Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("an hour later: %s", p.Status)
		}
	})

	t.Run("IsCountedAtEveryAddressOfThePage", func(t *testing.T) {
		w := lab.New(t).WithClients().WithUsers()
		b := w.NewBrowser()
		form := b.SignInForm("alice@example.com", "marble-canyon-violin-78").Encode()
		cookie := b.HTTP.Jar.Cookies(b.ServerURL())[0].String()
		tried := 0
		for range 4 {
			for _, line := range []string{
				"POST /signin HTTP/1.1", "POST /%73ignin HTTP/1.1", "POST //signin HTTP/1.1", "POST /signin/ HTTP/1.1", "POST /./signin HTTP/1.1",
				"POST /SIGNIN HTTP/1.1", "POST /signin;x HTTP/1.1", "POST /signin?x=1 HTTP/1.1", "POST /signin HTTP/1.0", "POST http://evil.test/signin HTTP/1.1",
				"POST /x/../signin HTTP/1.1", "POST /signin%00 HTTP/1.1", "POST /signin%2f HTTP/1.1",
			} {
				p := w.Raw(line, "Host: evil.test", "Cookie: "+cookie, "Content-Type: application/x-www-form-urlencoded",
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
		w := lab.New(t, func(c *provider.Config) {
			c.Limits.Mail = provider.Limit{Burst: 20, Every: time.Minute}
		}).WithClients()
		b := w.NewBrowser()
		_, form := b.Get("/reset").Form(t)
		for i := range 21 {
			form.Set("email", fmt.Sprintf("user%d@example.com", i))
			p := b.Send(http.MethodPost, "/reset", form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
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
