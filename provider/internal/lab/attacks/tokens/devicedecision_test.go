package tokens

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, w *lab.Fixture)) {
	t.Helper()
	databases.OnBoth(t, func(t *testing.T, url string) { test(t, withDevices(t, databases.At(t, url))) })
}

// TestAttackApprovedAndEnded locks the account, or ends the permission, between the approval and
// the poll (A21).
func TestAttackApprovedAndEnded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *lab.Fixture, alice *lab.Browser){
		"Locked":  func(w *lab.Fixture, _ *lab.Browser) { w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true)) },
		"Deleted": func(w *lab.Fixture, _ *lab.Browser) { w.OK(w.Accounts().Delete(w.T.Context(), "alice")) },
		"Removed": func(_ *lab.Fixture, alice *lab.Browser) {
			alice.Submit(alice.Open("/account/apps/remove?client_id=tv"))
		},
		"PasswordReset": func(w *lab.Fixture, _ *lab.Browser) {
			b := w.NewBrowser()
			p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
			b.Submit(p, "code", w.Mails.LastCode(w.T), "new_password", lab.NewPassword)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, w *lab.Fixture) {
				d, alice := newDevice(w), w.Alice()
				decide(alice, d.shown, "allow")
				end(w, alice)
				d.refused("access_denied")
			})
		})
	}
}

// TestAttackTwoDecisions decides at once (A22), and exchanges at once.
func TestAttackTwoDecisions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *lab.Fixture) {
		d, alice, bob := newDevice(w), w.Alice(), w.Bob()
		pages := []lab.Page{enter(alice, d.shown), enter(alice, d.shown), enter(bob, d.shown)}
		said := lab.Race(3, func(i int) string {
			return []*lab.Browser{alice, alice, bob}[i].SubmitOnce(pages[i], "action", []string{"allow", "deny", "allow"}[i]).Text
		})
		decided := 0
		for _, text := range said {
			if strings.Contains(text, "The device is connected") || strings.Contains(text, "Nothing was allowed") {
				decided++
			}
		}
		if decided != 1 {
			t.Errorf("%d decisions, want 1", decided)
		}
		d = newDevice(w)
		decide(alice, d.shown, "allow")
		w.Advance(6 * time.Second)
		got := 0
		for _, status := range lab.Race(50, func(int) int { p, _ := d.pollAtOnce(); return p.StatusCode }) {
			if status == http.StatusOK {
				got++
			}
		}
		if got != 1 {
			t.Errorf("%d of 50 exchanges succeeded, want 1", got)
		}
	})
}

// TestAttackShownAndEnded ends what the screen rests on before the decision.
func TestAttackShownAndEnded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		end func(w *lab.Fixture)
		at  string // where the decision leads
	}{
		"Locked":      {func(w *lab.Fixture) { w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true)) }, "/signin"},
		"ToBeDeleted": {func(w *lab.Fixture) { w.OK(w.Rooms().Accounts.ScheduleDeletion(w.T.Context(), "alice")) }, "/signin"},
		"GrantTypeTaken": {func(w *lab.Fixture) {
			w.OK(w.Clients().Save(w.T.Context(), provider.Client{ID: "tv", Name: "Living Room", Dialect: provider.Standard, Public: true, RedirectURIs: []string{lab.CallbackURI}}))
		}, "/device/confirm"},
		"Expired": {func(w *lab.Fixture) { w.Advance(5 * time.Minute) }, "/device/confirm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, w *lab.Fixture) {
				d, alice := newDevice(w), w.Alice()
				confirm := enter(alice, d.shown)
				tc.end(w)
				p := alice.Submit(confirm, "action", "allow")
				if p.Request.URL.Path != tc.at || strings.Contains(p.Text, "connected") {
					t.Errorf("%s %s\n%s", p.Status, p.Request.URL, p.Text)
				}
				if answer, tokens := d.poll(); answer.StatusCode == http.StatusOK {
					t.Errorf("tokens %v", tokens)
				}
			})
		})
	}
}

// TestEnteredCodeIsKept has the session end before the code is sent, and before the decision: it is
// filled in after the sign-in, in this browser and in no other, which the address may be sent to.
func TestEnteredCodeIsKept(t *testing.T) {
	t.Parallel()
	w := withDevices(t)
	for name, at := range map[string]func(alice *lab.Browser, shown string) (lab.Page, []string){
		"Entry": func(alice *lab.Browser, shown string) (lab.Page, []string) {
			return alice.Open("/device"), []string{"user_code", shown}
		},
		"Decision": func(alice *lab.Browser, shown string) (lab.Page, []string) {
			return enter(alice, shown), []string{"action", "allow"}
		},
	} {
		d, alice := newDevice(w), w.Alice()
		page, values := at(alice, d.shown)
		alice.SetCookie(session.Session, "")
		p := alice.Submit(page, values...)
		if p.Request.URL.Path != "/signin" || strings.Contains(p.Request.URL.String(), d.shown) {
			t.Fatalf("%s: %s %s", name, p.Status, p.Request.URL)
		}
		p = alice.Submit(p, "email", "alice@example.com", "password", lab.AlicePass)
		if p.Request.URL.Path != "/device" || !strings.Contains(p.Text, `value="`+d.shown+`"`) {
			t.Errorf("%s: %s %s\n%s", name, p.Status, p.Request.URL, p.Text)
		}
		d.refused("authorization_pending")
		if p := w.Bob().Open(p.Request.URL.RequestURI()); p.StatusCode != http.StatusOK || strings.Contains(p.Text, d.shown) {
			t.Errorf("%s: another browser: %s\n%s", name, p.Status, p.Text)
		}
	}
}
