package pages

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// vouches has the campus say who is a student.
func vouches(u *provider.Upstream) {
	u.Groups = func(who upstream.Identity) []provider.Status {
		if who.Claims["affiliation"] == "student" {
			return []provider.Status{{Group: "student"}}
		}
		return nil
	}
}

// isStudent reports whether alice is a student, to the campus.
func (c *campus) isStudent() bool {
	c.T.Helper()
	c.Advance(1)
	all, err := c.People().Statuses(c.T.Context(), "alice", "student")
	c.OK(err)
	return len(all) == 1 && all[0].Verified && all[0].VerifiedBy == c.up.Issuer()
}

// TestMembershipEndsWithItsConnection has somebody who knows alice's password connect an own
// identity to her account: what the campus says of that identity goes with the connection, by
// whatever way she gets rid of it.
func TestMembershipEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, end func(w *campus, alice *lab.Browser)
		remains     bool
	}{
		"Removed": {end: func(_ *campus, alice *lab.Browser) {
			_, after, _ := strings.Cut(alice.Open("/account/security").Text, "/account/connections/remove?")
			query, _, _ := strings.Cut(after, `"`)
			alice.Submit(alice.Open("/account/connections/remove?" + query))
		}},
		"PasswordResetByMail": {end: func(w *campus, _ *lab.Browser) {
			b := w.NewBrowser()
			p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
			b.Submit(p, "code", w.Mails.LastCode(w.T), "new_password", lab.NewPassword)
		}},
		"ResetByTheHost": {end: func(w *campus, _ *lab.Browser) {
			w.OK(w.Accounts().ResetAuthenticators(w.T.Context(), "alice"))
		}},
		"ReturnOfTheAddress": {
			before: func(w *campus, alice *lab.Browser) {
				p, mailed := alice.AskToMove("alice@evil.example", lab.AlicePass)
				alice.Submit(p, "code", mailed["alice@evil.example"], "old_code", mailed["alice@example.com"])
			},
			end: func(w *campus, _ *lab.Browser) {
				for _, mail := range w.Mails.Since(0) {
					if link := lab.ReturnLink.FindString(mail.Text); link != "" {
						b := w.NewBrowser()
						b.Submit(b.Open(link), "new_password", lab.NewPassword)
					}
				}
			},
		},
		"PasswordChangedByTheOwner": {remains: true, end: func(_ *campus, alice *lab.Browser) {
			alice.Submit(alice.Open("/account/password"), "password", lab.AlicePass, "new_password", lab.NewPassword)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.OnBoth(t, func(t *testing.T, url string) {
				w := newCampusWith(t, databases.At(t, url), vouches)
				w.up.Be(member("s1", "student"))
				alice := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
				if tc.before != nil {
					tc.before(w, alice)
				}
				w.connect(alice)
				if !w.isStudent() {
					t.Fatal("the campus has not vouched for her")
				}
				tc.end(w, alice)
				if connected := len(w.links("alice")) > 0; connected != tc.remains || w.isStudent() != tc.remains {
					t.Errorf("connected %v, a student %v; want %v", connected, w.isStudent(), tc.remains)
				}
			})
		})
	}
}

// TestAccountChangesWhileAnAddressLinks changes the account between the look, which has allowed
// to connect by the address, and the write.
func TestAccountChangesWhileAnAddressLinks(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*campus) error{
		"Locked": func(w *campus) error { return w.Accounts().SetDisabled(w.T.Context(), "alice", true) },
		"AddressNoLongerVerified": func(w *campus) error {
			_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: "alice", Email: "alice@example.com"})
			return err
		},
		"AnotherAddress": func(w *campus) error {
			_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: "alice", Email: "alice@example.org", EmailVerified: true})
			return err
		},
		"SecondFactor": func(w *campus) error { w.AddApp("alice"); return nil },
		"Deleted":      func(w *campus) error { return w.Accounts().Delete(w.T.Context(), "alice") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.OnBoth(t, func(t *testing.T, url string) {
				faulty := &lab.FaultyStore{}
				w := newCampusWith(t, func(c *provider.Config) { databases.At(t, url)(c); faulty.Store = c.Store; c.Store = faulty },
					authoritative, func(u *provider.Upstream) { u.LinkByEmail = true })
				b := w.is("s1", "alice@example.com", true).NewBrowser()
				values := w.values(b, b.Open("/signin"), "campus")
				changed := false
				faulty.BreakBefore(func(_ context.Context, called string) error {
					if called == "AddLink" && !changed {
						changed = true
						faulty.BreakBefore(nil)
						w.OK(change(w))
					}
					return nil
				})
				p := b.Open(callback("campus", values))
				nobody(t, b)
				if !changed || p.StatusCode != http.StatusBadRequest {
					t.Errorf("%s %s", p.Status, p.Request.URL)
				}
				if name != "Deleted" && len(w.links("alice")) != 0 {
					t.Error("connected")
				}
			})
		})
	}
}
