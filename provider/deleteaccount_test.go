package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// event records one of so long ago.
func (w *fixture) event(detail string, ago time.Duration) {
	w.t.Helper()
	w.ok(w.store.AppendEvent(w.t.Context(), storage.Event{At: w.now().Add(-ago), Name: "sign_in", Detail: detail}))
}

// dump returns every value of every table but the pages that nothing uses any more.
func (w *fixture) dump() string {
	w.t.Helper()
	path := w.t.TempDir() + "/dump.db"
	w.run(`VACUUM INTO ?1`, path)
	content, err := os.ReadFile(path)
	w.ok(err)
	return string(content)
}

func TestDeleteAccountLeavesNothingThatNamesThePerson(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *fixture, id string){
		"WithAnAccount": func(w *fixture, id string) {
			w.account(provider.Account{ID: id, Email: "canary@example.com", Password: alicePass})
			w.guess("canary@example.com", 1)
			b := w.newBrowser().signIn("canary@example.com", alicePass)
			b.allow(ask()...)
			b.submit(b.open("/account"), "action", "verify") // a code waits
		},
		"OfTheHost": func(w *fixture, id string) {
			w.ok(w.RevokeUser(w.t.Context(), id)) // an event
		},
	} {
		t.Run(name, func(t *testing.T) {
			const id = "canary-person-8271"
			w := newFixture(t, func(c *provider.Config) {
				if name == "OfTheHost" {
					c.Users.SignInURL = "https://host.test/login"
					c.Users.SignedIn = func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil }
				}
			}).withClients().withUsers()
			prepare(w, id)
			w.ok(w.SetAttributes(t.Context(), id, map[string]any{"fname": "Canary"}))
			w.ok(w.SetStatus(t.Context(), id, provider.Status{Group: "military", Verified: true}))
			before, err := w.Events(t.Context(), provider.EventFilter{UserID: id})
			w.ok(err)
			others, err := w.Events(t.Context(), provider.EventFilter{UserID: "alice"})
			w.ok(err)
			if !strings.Contains(w.dump(), id) || len(before) == 0 {
				t.Fatalf("the test looks in the wrong place: %v", before)
			}

			w.ok(w.DeleteAccount(t.Context(), id))
			if strings.Contains(w.dump(), id) {
				t.Error("the ID is in the database")
			}
			told := w.told()
			last := told[len(told)-1]
			if last.Name != provider.EventAccountDeleted || !strings.HasPrefix(last.UserID, "deleted-") || len(last.UserID) < 36 || strings.Contains(last.UserID, id) {
				t.Fatalf("the event says %+v", last)
			}
			// What has happened is kept.
			after, err := w.Events(t.Context(), provider.EventFilter{UserID: last.UserID})
			w.ok(err)
			if len(after) != len(before)+1 {
				t.Errorf("%d events, before %d", len(after), len(before))
			}
			for _, e := range after {
				if e.Address != "" {
					t.Errorf("%s has the address %s", e.Name, e.Address)
				}
			}
			still, err := w.Events(t.Context(), provider.EventFilter{UserID: "alice"})
			w.ok(err)
			if diff := cmp.Diff(others, still); diff != "" {
				t.Errorf("events of another (-before +after):\n%s", diff)
			}

			n := len(w.told())
			w.ok(w.DeleteAccount(t.Context(), id))
			if len(w.told()) != n {
				t.Error("who is gone is deleted again")
			}
		})
	}
}

func TestRevokeUser(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	alice, bob := w.alice(), w.newBrowser().signIn("bob@example.com", bobPass)
	tokens := alice.standardTokens()
	access, refresh := text(t, tokens, "access_token"), text(t, tokens, "refresh_token")
	w.ok(w.RevokeUser(t.Context(), "alice"))
	if p := alice.bearer(userinfoPath, access); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("an access token: %s", p.Status)
	}
	if _, answer := alice.refresh(refresh); answer["error"] != "invalid_grant" {
		t.Errorf("a refresh token: %v", answer)
	}
	if p := alice.get("/account"); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a session: %s", p.Status)
	}
	if p := bob.get("/account"); p.StatusCode != http.StatusOK {
		t.Errorf("the session of another: %s", p.Status)
	}
	// Nobody is asked again for what is allowed.
	if got := response(t, w.alice().get(authorizeURL(ask()...))); got.Get("code") == "" {
		t.Errorf("signed in again: %v", got)
	}
}

func TestTrailHoldsNetworks(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	w.alice()
	if content := w.dump(); strings.Contains(content, "127.0.0.1") && !strings.Contains(content, w.server.URL) {
		t.Error("a whole address is in the database")
	}
	events, err := w.Events(t.Context(), provider.EventFilter{Name: provider.EventSignedIn})
	if err != nil || len(events) != 1 || events[0].Address != "127.0.0.0/24" {
		t.Errorf("%+v %v", events, err)
	}
}

func TestStrangersDoNotGrowTheTrail(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withUsers()
	failed := func() int {
		events, err := w.Events(t.Context(), provider.EventFilter{Name: provider.EventSignInFailed, Limit: 1000})
		w.ok(err)
		return len(events)
	}
	for i := range 8 {
		w.guess(fmt.Sprintf("nobody%d@example.com", i), 1)
	}
	if n := failed(); n != 1 {
		t.Errorf("8 names that nobody has make %d events", n)
	}
	w.guess("alice@example.com", 2)
	if n := failed(); n != 3 {
		t.Errorf("%d events after two guesses at an account, want 3", n)
	}
	w.advance(time.Minute + time.Second)
	w.guess("nobody@example.com", 1)
	if n := failed(); n != 4 {
		t.Errorf("%d events a minute later, want 4", n)
	}
}

func TestTrailIsKept(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	// kept returns what is left of an old and a recent event.
	kept := func(w *fixture) string {
		events, err := w.Events(t.Context(), provider.EventFilter{})
		w.ok(err)
		var left []string
		for _, e := range events {
			left = append(left, e.Detail)
		}
		return strings.Join(left, ", ")
	}
	t.Run("For400DaysUnlessTheHostSaysOtherwise", func(t *testing.T) {
		w := newFixture(t)
		w.agreeOnTime()
		w.event("old", 401*day)
		w.event("recent", 399*day)
		w.until(func() bool { return kept(w) == "recent" })
	})
	t.Run("ForEver", func(t *testing.T) {
		counted := new(sweeps)
		w := newFixture(t, func(c *provider.Config) { c.KeepEvents = -1; counted.Store, c.Store = c.Store, counted })
		w.agreeOnTime()
		w.event("old", 4000*day)
		w.event("recent", 399*day)
		for n := counted.n.Load(); n < 3; n++ {
			w.until(func() bool { return counted.n.Load() > n })
		}
		if got := kept(w); got != "recent, old" {
			t.Errorf("left are %s", got)
		}
	})
}
