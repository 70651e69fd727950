package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// behindProxy believes what the tests say of their addresses.
func behindProxy(c *provider.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// from is a browser at a network address.
func (w *fixture) from(address string) *browser {
	b := w.newBrowser()
	b.http.Transport = forwarded{w.server.Client().Transport, address}
	return b
}

type forwarded struct {
	http.RoundTripper
	address string
}

func (f forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", f.address)
	return f.RoundTripper.RoundTrip(r)
}

func TestLectureHallBehindOneAddressSignsUpAndIn(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for i := range 60 {
		b, email := w.newBrowser(), fmt.Sprintf("student%d@example.com", i)
		p := b.submit(b.open("/signup"), "email", email, "new_password", newPassword)
		_, code := w.mails.last(t)
		if p = b.submit(p, "code", code); p.Request.URL.Path != "/account" {
			t.Fatalf("sign-up %d: %s", i, p.Status)
		}
		if p := w.newBrowser().attempt(email, newPassword); p.StatusCode != http.StatusSeeOther {
			t.Fatalf("sign-in %d: %s", i, p.Status)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	three := func(c *provider.Config) {
		behindProxy(c)
		c.Limits.SignIn = provider.Limit{Burst: 3, Every: time.Hour}
	}
	// guess tries a password for an account that is not there.
	guess := func(b *browser, i int) int {
		return b.attempt(fmt.Sprintf("user%d@example.com", i), "marble-canyon-violin-78").StatusCode
	}

	t.Run("OfTheHostAreInForce", func(t *testing.T) {
		w := newFixture(t, three).withUsers()
		for i := range 3 {
			if got := guess(w.newBrowser(), i); got != http.StatusUnauthorized {
				t.Fatalf("guess %d: %d", i, got)
			}
		}
		if p := w.newBrowser().attempt("alice@example.com", alicePass); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("after three guesses: %s", p.Status)
		}
		if p := w.from("203.0.113.9").attempt("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("from elsewhere: %s", p.Status)
		}
	})

	t.Run("DoNotCountPasswordsThatAreRight", func(t *testing.T) {
		w := newFixture(t, three).withUsers()
		for i := range 10 {
			if p := w.newBrowser().attempt("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
				t.Fatalf("sign-in %d: %s", i, p.Status)
			}
		}
	})

	t.Run("HoldForGuessesAtOnce", func(t *testing.T) {
		w := newFixture(t, three).withUsers()
		browsers := make([]*browser, 40)
		forms := make([]url.Values, len(browsers))
		for i := range browsers {
			browsers[i] = w.newBrowser()
			forms[i] = browsers[i].signInForm(fmt.Sprintf("user%d@example.com", i), "marble-canyon-violin-78")
			if i%4 == 0 { // an account of one's own pays for none of the others
				forms[i] = browsers[i].signInForm("alice@example.com", alicePass)
			}
		}
		tried := 0
		for i, p := range race(len(browsers), func(i int) page { return browsers[i].post("/signin", forms[i]) }) {
			if p.StatusCode == http.StatusUnauthorized {
				tried++
			} else if want := http.StatusTooManyRequests; p.StatusCode != want && i%4 != 0 {
				t.Errorf("guess %d: %s", i, p.Status)
			}
		}
		if tried == 0 || tried > 3 {
			t.Errorf("%d guesses were tried, want 3 at most", tried)
		}
	})

	t.Run("CountNetworksOfIPv6Together", func(t *testing.T) {
		w := newFixture(t, three)
		tried := 0
		for i := range 40 {
			if guess(w.from(fmt.Sprintf("2001:db8:7:%x::1", i)), i) == http.StatusUnauthorized {
				tried++
			}
		}
		if tried != 30 {
			t.Errorf("%d guesses from one network of 48 bits, want 30", tried)
		}
		if got := guess(w.from("2001:db8:8::1"), 99); got != http.StatusUnauthorized {
			t.Errorf("from the next: %d", got)
		}
	})

	t.Run("BelowZeroAreNone", func(t *testing.T) {
		w := newFixture(t, func(c *provider.Config) {
			none := provider.Limit{Burst: -1}
			c.Limits = provider.Limits{SignIn: none, SignInAccount: none, SignUp: none, Mail: none, Code: none}
		})
		for i := range 105 {
			if p := w.newBrowser().attempt("user@example.com", "marble-canyon-violin-78"); p.StatusCode != http.StatusUnauthorized {
				t.Fatalf("guess %d: %s", i, p.Status)
			}
		}
	})
}

var linkInMail = regexp.MustCompile(`http://[^\s]+/(?:reset|signup)\?mailbox=[^\s]+`)

var linkToGerman = regexp.MustCompile(`href="[^"]*ui_locales=de[^"]*"`)

func TestStrangersKeepNobodyFromACode(t *testing.T) {
	t.Parallel()
	// flood asks for codes until there are no more.
	flood := func(t *testing.T, w *fixture, path, email string) {
		t.Helper()
		for i := range 20 {
			b := w.from(fmt.Sprintf("198.51.100.%d", i))
			p := b.submitOnce(b.get(path), "email", email, "new_password", newPassword)
			if p.StatusCode == http.StatusTooManyRequests {
				if i != 4 {
					t.Errorf("%d codes for one address, want 4", i)
				}
				return
			}
		}
		t.Error("strangers have 20 codes sent")
	}
	ask := func(b *browser, page, email string) page {
		return b.submitOnce(b.get(page), "email", email, "new_password", newPassword)
	}

	t.Run("AtAKnownDevice", func(t *testing.T) {
		w := newFixture(t, behindProxy).withUsers()
		owner := w.from("203.0.113.9").signIn("alice@example.com", alicePass)
		owner.post("/signout", signOutForm(t, owner))
		flood(t, w, "/reset", "alice@example.com")
		if p := ask(owner, "/reset", "alice@example.com"); p.StatusCode != http.StatusSeeOther {
			t.Errorf("the owner: %s", p.Status)
		}
	})

	for path, email := range map[string]string{"/reset": "alice@example.com", "/signup": "carol@example.com"} {
		t.Run("WithTheLinkOfAMailAt"+path, func(t *testing.T) {
			w := newFixture(t, behindProxy).withUsers()
			flood(t, w, path, email)
			mail, _ := w.mails.last(t)
			link := linkInMail.FindString(mail.Text)
			if link == "" {
				t.Fatalf("no link in %q", mail.Text)
			}
			owner := w.from("203.0.113.9")
			if p := ask(owner, path, email); p.StatusCode != http.StatusTooManyRequests {
				t.Errorf("without the link: %s", p.Status)
			}
			german := linkToGerman.FindString(owner.get(link).body)
			if !strings.Contains(german, "mailbox=") {
				t.Errorf("the page in another language is %q", german)
			}
			w.advance(23 * time.Hour)
			flood23 := w.from("198.51.100.99")
			for ask(flood23, path, email).StatusCode != http.StatusTooManyRequests {
				continue
			}
			p := ask(owner, link, email)
			if p.StatusCode != http.StatusSeeOther {
				t.Fatalf("with the link: %s", p.Status)
			}
			_, code := w.mails.last(t)
			if p = owner.submit(owner.follow(p), "code", code, "new_password", newPassword); p.StatusCode != http.StatusOK || p.Request.URL.Path == path {
				t.Errorf("with its code: %s at %s", p.Status, p.Request.URL)
			}
		})
	}

	t.Run("ButALinkIsOfOneMailboxAndADay", func(t *testing.T) {
		w := newFixture(t, behindProxy).withUsers()
		flood(t, w, "/reset", "bob@example.com")
		mail, _ := w.mails.last(t)
		link := linkInMail.FindString(mail.Text)
		flood(t, w, "/reset", "alice@example.com")
		thief := w.from("203.0.113.9")
		if p := ask(thief, link, "alice@example.com"); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("for another address: %s", p.Status)
		}
		for _, broken := range []string{link[:len(link)-2], link + "A", "/reset?mailbox="} {
			if p := ask(thief, broken, "bob@example.com"); p.StatusCode != http.StatusTooManyRequests {
				t.Errorf("with %q: %s", broken, p.Status)
			}
		}
		w.advance(24*time.Hour + time.Second)
		again := w.from("198.51.100.99")
		for ask(again, "/reset", "bob@example.com").StatusCode != http.StatusTooManyRequests {
			continue
		}
		if p := ask(thief, link, "bob@example.com"); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("after a day: %s", p.Status)
		}
	})

	t.Run("AndHoldsForRequestsAtOnce", func(t *testing.T) {
		w := newFixture(t, behindProxy).withUsers()
		browsers, forms := make([]*browser, 30), make([]url.Values, 30)
		for i := range browsers {
			browsers[i] = w.from(fmt.Sprintf("198.51.100.%d", i))
			_, forms[i] = browsers[i].get("/reset").form(t)
			forms[i].Set("email", "alice@example.com")
		}
		tickets := 0
		var ticket page
		for i, p := range race(len(browsers), func(i int) page { return browsers[i].post("/reset", forms[i]) }) {
			if p.StatusCode == http.StatusSeeOther {
				tickets, ticket = tickets+1, browsers[i].follow(p)
				browsers[0].http.Jar = browsers[i].http.Jar
			}
		}
		if tickets != 4 || w.mails.count() != 4 {
			t.Fatalf("%d tickets and %d mails, want 4", tickets, w.mails.count())
		}
		_, form := ticket.form(t)
		form.Set("new_password", newPassword)
		guesses := race(40, func(i int) page {
			mine := url.Values{"code": {fmt.Sprintf("%08d", i)}}
			for name, values := range form {
				if name != "code" {
					mine[name] = values
				}
			}
			return browsers[0].post("/reset/finish", mine)
		})
		tried := 0
		for _, p := range guesses {
			if p.StatusCode == http.StatusUnprocessableEntity {
				tried++
			} else if p.StatusCode != http.StatusTooManyRequests {
				t.Errorf("a guess: %s", p.Status)
			}
		}
		if tried != 5 {
			t.Errorf("%d guesses at one code were tried, want 5", tried)
		}
	})

	t.Run("AndALinkHasAShareOfItsOwn", func(t *testing.T) {
		w := newFixture(t, behindProxy).withUsers()
		flood(t, w, "/reset", "bob@example.com")
		mail, _ := w.mails.last(t)
		reader, sent := w.from("203.0.113.9"), 0
		for range 20 {
			if ask(reader, linkInMail.FindString(mail.Text), "bob@example.com").StatusCode == http.StatusSeeOther {
				sent++
			}
		}
		if sent != 4 {
			t.Errorf("%d mails by one link, want 4", sent)
		}
	})
}

// attemptAgain signs in with the cookies of this browser. A machine on which a password
// takes longer than a request may, as beside other work under the race detector, is asked
// again; to be refused at once, because others wait, is another 503.
func (b *browser) attemptAgain(email, password string) (p page) {
	b.t.Helper()
	eventually(b.t, func() bool {
		again := b.thief()
		again.http.Transport = b.http.Transport
		p = again.attempt(email, password)
		tooSlow := p.StatusCode == http.StatusServiceUnavailable && p.Close // the connection ends with the time
		if tooSlow {
			b.w.advance(time.Minute) // the attempt stays counted
		}
		return !tooSlow
	})
	return p
}

// Guesses from ever new addresses fill the queue of passwords to be hashed.
func TestFloodOfGuessesDoesNotKeepOutOwnersAtKnownDevices(t *testing.T) {
	dearPasswords(t)
	w := newFixture(t, behindProxy).withUsers()
	owner := w.from("203.0.113.9").signIn("alice@example.com", alicePass)
	owner.post("/signout", signOutForm(t, owner))
	var refused, guessed atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer stop()
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	for i := range 25*slots + 20 {
		b := w.from(fmt.Sprintf("2001:db8:%x::1", i))
		form := b.signInForm("", "marble-canyon-violin-78")
		flood.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				form.Set("email", fmt.Sprintf("user%d.%d@example.com", i, n))
				b.http.Transport = forwarded{w.server.Client().Transport, fmt.Sprintf("2001:db8:%x:%x::1", i, n)}
				switch b.post("/signin", form).StatusCode {
				case http.StatusServiceUnavailable:
					refused.Add(1)
				case http.StatusUnauthorized:
					guessed.Add(1)
				}
			}
		})
	}
	eventually(t, func() bool { return refused.Load() >= 10 })
	before := refused.Load()
	for i := range 10 {
		if p := owner.attemptAgain("alice@example.com", alicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("sign-in %d: %s", i, p.Status)
		}
	}
	if n := refused.Load() - before; n < 10 {
		t.Errorf("only %d guesses were refused meanwhile: this was no flood", n)
	}
	t.Logf("%d guesses, %d refused", guessed.Load(), refused.Load())
}

// Somebody with an account signs in at many devices at once, always with success.
func TestFloodOfOneAccountDoesNotKeepOutOthersAtKnownDevices(t *testing.T) {
	dearPasswords(t)
	w := newFixture(t, behindProxy).withUsers()
	owner := w.from("203.0.113.9").signIn("bob@example.com", bobPass)
	owner.post("/signout", signOutForm(t, owner))
	var refused atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer stop()
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	devices := make([]*browser, 6*slots)
	for i := range devices {
		device := w.from("198.51.100.7").signIn("alice@example.com", alicePass)
		device.post("/signout", signOutForm(t, device))
		devices[i] = device
	}
	for _, device := range devices {
		for range 9 {
			form := device.signInForm("alice@example.com", alicePass)
			cookies := device.http.Jar.Cookies(device.serverURL())
			flood.Go(func() {
				for ctx.Err() == nil {
					again := w.from("198.51.100.7")
					again.http.Jar.SetCookies(again.serverURL(), cookies)
					if again.post("/signin", form).StatusCode == http.StatusServiceUnavailable {
						refused.Add(1)
					}
				}
			})
		}
	}
	eventually(t, func() bool { return refused.Load() >= 10 })
	for i := range 6 {
		if p := owner.attemptAgain("bob@example.com", bobPass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("sign-in %d: %s", i, p.Status)
		}
	}
}
