package desk

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// Attacks 1 and 5: somebody opens a page that is not theirs, by its address.
func TestPageOfOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		browsers := map[string]*lab.Browser{"bob": w.Bob()}
		for _, name := range []string{"sam", "olga", "rita", "anna"} {
			browsers[name] = w.as(name)
		}
		for name, b := range browsers {
			t.Run(name, func(t *testing.T) {
				m := w.matterOf(name, "alice")
				all := pages(m)
				for _, address := range sorted(all) {
					want := http.StatusNotFound
					if slices.Contains(all[address], name) {
						want = http.StatusOK
					}
					p := b.Get(address)
					if p.StatusCode != want {
						t.Errorf("%s: %s, want %d", address, p.Status, want)
					}
					if p.Header.Get("Content-Disposition") == "" {
						safe(t, p)
					}
				}
			})
		}
		for _, name := range []string{"rita", "anna"} {
			if looks := w.lines(provider.EventFilter{Name: event.SupportLooked, Actor: "staff:" + name, Limit: 1}); len(looks) > 0 {
				t.Errorf("%s has looked: %v", name, looks)
			}
		}
	})
}

// A desk has no page for who has not signed in, and does not say that there is one.
func TestStranger(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		bob, nobody := w.Bob(), w.NewBrowser()
		for address := range pages(w.matterOf("sam", "alice")) {
			p := nobody.Get(address)
			if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/signin?") {
				t.Errorf("%s: %s %s", address, p.Status, p.Header.Get("Location"))
			}
			p = bob.Get(address)
			nothing := bob.Get("/desk/nothing")
			told := strings.ReplaceAll(neutral(p.Text), `action="`+address+`"`, `action="/desk/nothing"`)
			if p.StatusCode != http.StatusNotFound || told != neutral(nothing.Text) {
				t.Errorf("%s is told from nothing: %s%s", address, p.Status, difference(told, neutral(nothing.Text)))
			}
		}
		if lines := w.lines(provider.EventFilter{Name: event.DeskRefused, Limit: 1}); len(lines) > 0 {
			t.Errorf("a line for who has no role: %v", lines)
		}
	})
}

// Attack 1: support gives itself what it may not do, by the form of another action.
func TestActionOfOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam := w.as("sam")
		m := w.matterOf("sam", "alice")
		w.prove(m, 2)
		for action, roles := range personActions() {
			if slices.Contains(roles, "sam") {
				continue
			}
			for _, button := range []string{"check", "do"} {
				p := send(sam, "/desk/matters/"+m+"/do/"+action, button, "handle", "fname", "value", "x", "group", "military", "until", "2040-01-01", "email", "sam@evil.example", "revision", "1")
				is(t, p, http.StatusNotFound)
			}
		}
		if lines := w.lines(provider.EventFilter{Name: event.DeskRefused, Actor: "staff:sam", UserID: "alice", Limit: 50}); len(lines) < 9 {
			t.Errorf("%d lines say that it was tried", len(lines))
		}
		if w.told(desk.AlarmRefused) == 0 {
			t.Error("the host was not told")
		}
		for _, other := range []string{"/desk/matters/" + m + "/do/stop_application", "/desk/matters/" + m + "/do/rotate_keys", "/desk/service/do/lock", "/desk/service/do/rotate_keys", "/desk/applications/std/do/stop_application"} {
			is(t, send(sam, other, "do", "revision", "1"), http.StatusNotFound)
		}
	})
}

// Attacks 1 and 3: support opens, finds, locks or resets who works here, or themselves.
func TestStaffIsProtected(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam, olga := w.as("sam"), w.as("olga")
		for _, who := range []string{"olga@example.com", "olga", "rita", "simon", "sam", "sam@example.com"} {
			hit, miss := find(sam, who), find(sam, "nobody-"+who)
			if hit.StatusCode != http.StatusUnprocessableEntity || neutral(hit.Text) != neutral(miss.Text) {
				t.Errorf("%s is told from nobody: %s, %s", who, hit.Status, miss.Status)
			}
		}
		for _, who := range []string{"olga", "rita", "sam"} {
			m := w.matterOf("sam", who)
			for _, page := range []string{"", "/account", "/history", "/do/lock", "/do/send_reset"} {
				is(t, sam.Get("/desk/matters/"+m+page), http.StatusNotFound)
			}
			is(t, send(sam, "/desk/matters/"+m+"/do/lock", "do", "revision", "0"), http.StatusNotFound)
			if w.isLocked(who) {
				t.Errorf("sam has locked %s", who)
			}
		}
		m := open(olga, "sam", "report") // an operator looks, and does nothing alone
		for _, action := range []string{"lock", "end_sessions", "send_reset"} {
			p := do(olga, m, action)
			if p.StatusCode < http.StatusForbidden {
				t.Errorf("olga alone: %s %s", action, p.Status)
			}
		}
		if w.isLocked("sam") {
			t.Error("olga has locked sam alone")
		}
		is(t, find(olga, "olga"), http.StatusUnprocessableEntity)
		is(t, olga.Get("/desk/matters/"+w.matterOf("olga", "olga")), http.StatusNotFound)
	})
}

// Attack 3: a role is lost between the form and its button.
func TestRoleThatIsLost(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam := w.as("sam")
		m := open(sam, "bob", "caller")
		address := "/desk/matters/" + m + "/do/lock"
		form := sam.Open(address)
		is(t, form, http.StatusOK)
		w.hire("sam")
		is(t, sam.SubmitOnce(form, "action", "do"), http.StatusNotFound)
		w.hire("sam", desk.RoleAuditor)
		is(t, sam.SubmitOnce(form, "action", "do"), http.StatusNotFound)
		w.mu.Lock()
		w.host = errors.New("the directory is down")
		w.mu.Unlock()
		is(t, sam.SubmitOnce(form, "action", "do"), http.StatusServiceUnavailable)
		if w.isLocked("bob") {
			t.Error("bob is locked")
		}
	})
}

// Attack 4: a matter about alice is used for bob, or by another.
func TestMatterOfAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam, simon := w.as("sam"), w.as("simon")
		ofAlice, ofBob := open(sam, "alice", "caller"), open(simon, "bob", "caller")
		for _, page := range []string{"", "/account", "/sessions", "/history", "/proof", "/do/lock"} {
			is(t, sam.Get("/desk/matters/"+ofBob+page), http.StatusNotFound)
			is(t, simon.Get("/desk/matters/"+ofAlice+page), http.StatusNotFound)
		}
		for _, way := range []string{"/do/lock", "/close", "/proof"} {
			for _, button := range []string{"do", "check", "send", "prove", "close"} {
				is(t, send(sam, "/desk/matters/"+ofBob+way, button, "revision", "0", "code", "12345678"), http.StatusNotFound)
			}
		}
		p := send(sam, "/desk/matters/"+ofAlice+"/do/lock", "do", "revision", "0", "matter", ofBob, "person", "bob", "target", "bob")
		is(t, p, http.StatusBadRequest)
		if w.isLocked("bob") || w.isLocked("alice") {
			t.Error("somebody is locked")
		}
		if looks := w.lines(provider.EventFilter{Name: event.SupportLooked, Matter: ofBob, Limit: 5}); len(looks) > 0 {
			t.Errorf("somebody has looked: %v", looks)
		}
	})
}

// Attack 4: a matter that is over, closed, idle for half an hour, or of a person who is no more.
func TestMatterThatIsOver(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		sam := w.as("sam")
		for name, ends := range map[string]func(m string){
			"Closed": func(m string) { is(t, send(sam, "/desk/matters/"+m+"/close", ""), http.StatusSeeOther) },
			"Idle":   func(string) { w.Advance(31 * time.Minute); sam = w.as("sam") },
		} {
			t.Run(name, func(t *testing.T) {
				m := open(sam, "bob", "caller")
				form := sam.Open("/desk/matters/" + m + "/do/lock")
				is(t, form, http.StatusOK)
				ends(m)
				for _, p := range []lab.Page{
					sam.Get("/desk/matters/" + m), sam.Get("/desk/matters/" + m + "/history"),
					send(sam, "/desk/matters/"+m+"/do/lock", "do", "revision", revision(form)),
				} {
					if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/desk/?notice=matter_ended") {
						t.Errorf("%s: %s %s", p.Request.URL, p.Status, p.Header.Get("Location"))
					}
				}
				if w.isLocked("bob") {
					t.Error("bob is locked")
				}
			})
		}
	})
}
