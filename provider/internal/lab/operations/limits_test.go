package operations

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
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// behindProxy believes what the tests say of their addresses.
func behindProxy(c *provider.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// from is a browser at a network address.
func from(w *lab.Fixture, address string) *lab.Browser {
	b := w.NewBrowser()
	b.HTTP.Transport = forwarded{w.Server.Client().Transport, address}
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
	w := lab.New(t)
	for i := range 60 {
		b, email := w.NewBrowser(), fmt.Sprintf("student%d@example.com", i)
		p := b.Submit(b.Open("/signup"), "email", email, "new_password", lab.NewPassword)
		_, code := w.Mails.Last(t)
		if p = b.Submit(p, "code", code); p.Request.URL.Path != "/account" {
			t.Fatalf("sign-up %d: %s", i, p.Status)
		}
		if p := w.NewBrowser().Attempt(email, lab.NewPassword); p.StatusCode != http.StatusSeeOther {
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
	guess := func(b *lab.Browser, i int) int {
		return b.Attempt(fmt.Sprintf("user%d@example.com", i), "marble-canyon-violin-78").StatusCode
	}

	t.Run("OfTheHostAreInForce", func(t *testing.T) {
		w := lab.New(t, three).WithUsers()
		for i := range 3 {
			if got := guess(w.NewBrowser(), i); got != http.StatusUnauthorized {
				t.Fatalf("guess %d: %d", i, got)
			}
		}
		if p := w.NewBrowser().Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("after three guesses: %s", p.Status)
		}
		if p := from(w, "203.0.113.9").Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("from elsewhere: %s", p.Status)
		}
	})

	t.Run("DoNotCountPasswordsThatAreRight", func(t *testing.T) {
		w := lab.New(t, three).WithUsers()
		for i := range 10 {
			if p := w.NewBrowser().Attempt("alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
				t.Fatalf("sign-in %d: %s", i, p.Status)
			}
		}
	})

	t.Run("HoldForGuessesAtOnce", func(t *testing.T) {
		w := lab.New(t, three).WithUsers()
		browsers := make([]*lab.Browser, 40)
		forms := make([]url.Values, len(browsers))
		for i := range browsers {
			browsers[i] = w.NewBrowser()
			forms[i] = browsers[i].SignInForm(fmt.Sprintf("user%d@example.com", i), "marble-canyon-violin-78")
			if i%4 == 0 { // an account of one's own pays for none of the others
				forms[i] = browsers[i].SignInForm("alice@example.com", lab.AlicePass)
			}
		}
		tried := 0
		for i, p := range lab.Race(len(browsers), func(i int) lab.Page { return browsers[i].Post("/signin", forms[i]) }) {
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
		w := lab.New(t, three)
		tried := 0
		for i := range 40 {
			if guess(from(w, fmt.Sprintf("2001:db8:7:%x::1", i)), i) == http.StatusUnauthorized {
				tried++
			}
		}
		if tried != 30 {
			t.Errorf("%d guesses from one network of 48 bits, want 30", tried)
		}
		if got := guess(from(w, "2001:db8:8::1"), 99); got != http.StatusUnauthorized {
			t.Errorf("from the next: %d", got)
		}
	})

	t.Run("BelowZeroAreNone", func(t *testing.T) {
		w := lab.New(t, func(c *provider.Config) {
			none := provider.Limit{Burst: -1}
			c.Limits = provider.Limits{SignIn: none, SignInAccount: none, SignUp: none, Mail: none, Code: none}
		})
		for i := range 105 {
			if p := w.NewBrowser().Attempt("user@example.com", "marble-canyon-violin-78"); p.StatusCode != http.StatusUnauthorized {
				t.Fatalf("guess %d: %s", i, p.Status)
			}
		}
	})
}

var linkInMail = regexp.MustCompile(`http://[^\s]+/(?:reset|signup)\?mailbox=[^\s]+`)

var languageForm = regexp.MustCompile(`<form method="get".*?</form>`)

func TestStrangersKeepNobodyFromACode(t *testing.T) {
	t.Parallel()
	// flood asks for codes until there are no more.
	flood := func(t *testing.T, w *lab.Fixture, path, email string) {
		t.Helper()
		for i := range 20 {
			b := from(w, fmt.Sprintf("198.51.100.%d", i))
			p := b.SubmitOnce(b.Get(path), "email", email, "new_password", lab.NewPassword)
			if p.StatusCode == http.StatusTooManyRequests {
				if i != 4 {
					t.Errorf("%d codes for one address, want 4", i)
				}
				return
			}
		}
		t.Error("strangers have 20 codes sent")
	}
	ask := func(b *lab.Browser, page, email string) lab.Page {
		return b.SubmitOnce(b.Get(page), "email", email, "new_password", lab.NewPassword)
	}

	t.Run("AtAKnownDevice", func(t *testing.T) {
		w := lab.New(t, behindProxy).WithUsers()
		owner := from(w, "203.0.113.9").SignIn("alice@example.com", lab.AlicePass)
		owner.Post("/signout", lab.SignOutForm(t, owner))
		flood(t, w, "/reset", "alice@example.com")
		if p := ask(owner, "/reset", "alice@example.com"); p.StatusCode != http.StatusSeeOther {
			t.Errorf("the owner: %s", p.Status)
		}
	})

	for path, email := range map[string]string{"/reset": "alice@example.com", "/signup": "carol@example.com"} {
		t.Run("WithTheLinkOfAMailAt"+path, func(t *testing.T) {
			w := lab.New(t, behindProxy).WithUsers()
			flood(t, w, path, email)
			mail, _ := w.Mails.Last(t)
			link := linkInMail.FindString(mail.Text)
			if link == "" {
				t.Fatalf("no link in %q", mail.Text)
			}
			owner := from(w, "203.0.113.9")
			if p := ask(owner, path, email); p.StatusCode != http.StatusTooManyRequests {
				t.Errorf("without the link: %s", p.Status)
			}
			if form := languageForm.FindString(owner.Get(link).Text); strings.Count(form, `name="mailbox" value="`) != 1 {
				t.Errorf("the page in another language is %q", form)
			}
			w.Advance(23 * time.Hour)
			flood23 := from(w, "198.51.100.99")
			for ask(flood23, path, email).StatusCode != http.StatusTooManyRequests {
				continue
			}
			p := ask(owner, link, email)
			if p.StatusCode != http.StatusSeeOther {
				t.Fatalf("with the link: %s", p.Status)
			}
			_, code := w.Mails.Last(t)
			if p = owner.Submit(owner.Follow(p), "code", code, "new_password", lab.NewPassword); p.StatusCode != http.StatusOK || p.Request.URL.Path == path {
				t.Errorf("with its code: %s at %s", p.Status, p.Request.URL)
			}
		})
	}

	t.Run("ButALinkIsOfOneMailboxAndADay", func(t *testing.T) {
		w := lab.New(t, behindProxy).WithUsers()
		flood(t, w, "/reset", "bob@example.com")
		mail, _ := w.Mails.Last(t)
		link := linkInMail.FindString(mail.Text)
		flood(t, w, "/reset", "alice@example.com")
		thief := from(w, "203.0.113.9")
		if p := ask(thief, link, "alice@example.com"); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("for another address: %s", p.Status)
		}
		for _, broken := range []string{link[:len(link)-2], link + "A", "/reset?mailbox="} {
			if p := ask(thief, broken, "bob@example.com"); p.StatusCode != http.StatusTooManyRequests {
				t.Errorf("with %q: %s", broken, p.Status)
			}
		}
		w.Advance(24*time.Hour + time.Second)
		again := from(w, "198.51.100.99")
		for ask(again, "/reset", "bob@example.com").StatusCode != http.StatusTooManyRequests {
			continue
		}
		if p := ask(thief, link, "bob@example.com"); p.StatusCode != http.StatusTooManyRequests {
			t.Errorf("after a day: %s", p.Status)
		}
	})

	t.Run("AndHoldsForRequestsAtOnce", func(t *testing.T) {
		w := lab.New(t, behindProxy).WithUsers()
		browsers, forms := make([]*lab.Browser, 30), make([]url.Values, 30)
		for i := range browsers {
			browsers[i] = from(w, fmt.Sprintf("198.51.100.%d", i))
			_, forms[i] = browsers[i].Get("/reset").Form(t)
			forms[i].Set("email", "alice@example.com")
		}
		tickets := 0
		var ticket lab.Page
		for i, p := range lab.Race(len(browsers), func(i int) lab.Page { return browsers[i].Post("/reset", forms[i]) }) {
			if p.StatusCode == http.StatusSeeOther {
				tickets, ticket = tickets+1, browsers[i].Follow(p)
				browsers[0].HTTP.Jar = browsers[i].HTTP.Jar
			}
		}
		if tickets != 4 || w.Mails.Count() != 4 {
			t.Fatalf("%d tickets and %d mails, want 4", tickets, w.Mails.Count())
		}
		_, form := ticket.Form(t)
		form.Set("new_password", lab.NewPassword)
		guesses := lab.Race(40, func(i int) lab.Page {
			mine := url.Values{"code": {fmt.Sprintf("%08d", i)}}
			for name, values := range form {
				if name != "code" {
					mine[name] = values
				}
			}
			return browsers[0].Post("/reset/finish", mine)
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
		w := lab.New(t, behindProxy).WithUsers()
		flood(t, w, "/reset", "bob@example.com")
		mail, _ := w.Mails.Last(t)
		reader, sent := from(w, "203.0.113.9"), 0
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
func attemptAgain(b *lab.Browser, email, password string) (p lab.Page) {
	b.T.Helper()
	lab.Eventually(b.T, func() bool {
		again := b.Thief()
		again.HTTP.Transport = b.HTTP.Transport
		p = again.Attempt(email, password)
		tooSlow := p.StatusCode == http.StatusServiceUnavailable && p.Close // the connection ends with the time
		if tooSlow {
			b.Fixture.Advance(time.Minute) // the attempt stays counted
		}
		return !tooSlow
	})
	return p
}

// breathe has who was refused come back later, which leaves the processors to those that are heard.
func breathe(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Millisecond):
	}
}

// Guesses from ever new addresses fill the queue of passwords to be hashed.
func TestFloodOfGuessesDoesNotKeepOutOwnersAtKnownDevices(t *testing.T) {
	lab.DearPasswords(t)
	w := lab.New(t, behindProxy).WithUsers()
	owner := from(w, "203.0.113.9").SignIn("alice@example.com", lab.AlicePass)
	owner.Post("/signout", lab.SignOutForm(t, owner))
	var refused, guessed atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer stop()
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	for i := range 25*slots + 20 {
		b := from(w, fmt.Sprintf("2001:db8:%x::1", i))
		form := b.SignInForm("", "marble-canyon-violin-78")
		flood.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				form.Set("email", fmt.Sprintf("user%d.%d@example.com", i, n))
				b.HTTP.Transport = forwarded{w.Server.Client().Transport, fmt.Sprintf("2001:db8:%x:%x::1", i, n)}
				switch b.Post("/signin", form).StatusCode {
				case http.StatusServiceUnavailable:
					refused.Add(1)
					breathe(ctx)
				case http.StatusUnauthorized:
					guessed.Add(1)
				}
			}
		})
	}
	lab.Eventually(t, func() bool { return refused.Load() >= 10 })
	before := refused.Load()
	for i := range 4 {
		if p := attemptAgain(owner, "alice@example.com", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
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
	lab.DearPasswords(t)
	w := lab.New(t, behindProxy).WithUsers()
	owner := from(w, "203.0.113.9").SignIn("bob@example.com", lab.BobPass)
	owner.Post("/signout", lab.SignOutForm(t, owner))
	var refused atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer stop()
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	devices := make([]*lab.Browser, 6*slots)
	for i := range devices {
		device := from(w, "198.51.100.7").SignIn("alice@example.com", lab.AlicePass)
		device.Post("/signout", lab.SignOutForm(t, device))
		devices[i] = device
	}
	for _, device := range devices {
		for range 9 {
			form := device.SignInForm("alice@example.com", lab.AlicePass)
			cookies := device.HTTP.Jar.Cookies(device.ServerURL())
			flood.Go(func() {
				for ctx.Err() == nil {
					again := from(w, "198.51.100.7")
					again.HTTP.Jar.SetCookies(again.ServerURL(), cookies)
					if again.Post("/signin", form).StatusCode == http.StatusServiceUnavailable {
						refused.Add(1)
						breathe(ctx)
					}
				}
			})
		}
	}
	lab.Eventually(t, func() bool { return refused.Load() >= 10 })
	for i := range 3 {
		if p := attemptAgain(owner, "bob@example.com", lab.BobPass); p.StatusCode != http.StatusSeeOther {
			t.Errorf("sign-in %d: %s", i, p.Status)
		}
	}
}
