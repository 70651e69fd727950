//go:build cgo && !race

package counts

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
)

// sameWithin is how much the counts of two operations may differ, in per cent, of which nobody is
// to learn which is which by the time that they take.
const sameWithin = 5

// TestAddressTellsNoAccountByWhatItCosts signs in, and opens the page with a hint, with an address
// that has an account and with one that has none. What a password costs is the memory of its hash,
// beside which nothing else counts.
func TestAddressTellsNoAccountByWhatItCosts(t *testing.T) {
	alone(t)
	s := newSite(t, func(c *provider.Config) {
		c.Limits.SignIn = provider.Limit{Burst: -1}
		c.Limits.SignInAccount = c.Limits.SignIn
	})
	b := &browser{t, s.program.handler, map[string]string{}}
	action, form := formOf(t, b.do(b.request(http.MethodGet, "/signin", "")))
	form.Set("password", "not-the-password-of-anybody")
	attempt := func(email string) func(*counter) {
		form.Set("email", email)
		body := form.Encode()
		return func(c *counter) {
			if a := c.do(b.request(http.MethodPost, action, body)); a.status != http.StatusUnauthorized {
				t.Fatalf("%d %s", a.status, a.body.String())
			}
		}
	}
	hinted := func(email string) func(*counter) {
		path := authorizePath + "&" + url.Values{"login_hint": {email}}.Encode()
		page := b.do(b.request(http.MethodGet, path, "")).header.Get("Location")
		return s.openedBy(b, page)
	}
	const known, unknown = "alice@example.com", "nobod@example.com"
	for name, of := range map[string]func(string) func(*counter){"password": attempt, "hint": hinted} {
		with, without := medianOf(9, b.handler, of(known)), medianOf(9, b.handler, of(unknown))
		t.Logf("%s: %d, %d, %d with an account, %d, %d, %d without", name, with.allocs, with.bytes, with.calls, without.allocs, without.bytes, without.calls)
		for what, pair := range map[string][2]uint64{
			"bytes": {with.bytes, without.bytes}, "allocations": {with.allocs, without.allocs}, "calls into C": {with.calls, without.calls},
		} {
			if name == "password" && what != "bytes" {
				continue
			}
			if more, less := max(pair[0], pair[1]), min(pair[0], pair[1]); (more-less)*100 > more*sameWithin {
				t.Errorf("%s: %d %s with an account, %d without", name, pair[0], what, pair[1])
			}
		}
	}
}

// openedBy opens a page in a browser.
func (s *site) openedBy(b *browser, path string) func(*counter) {
	return func(c *counter) { s.ok(c.do(b.request(http.MethodGet, path, ""))) }
}
