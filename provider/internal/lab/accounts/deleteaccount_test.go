package accounts

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// recorded records one of so long ago.
func recorded(w *lab.Fixture, detail string, ago time.Duration) {
	w.T.Helper()
	w.OK(w.Store.AppendEvent(w.T.Context(), storage.Event{At: w.Now().Add(-ago), Name: "sign_in", Detail: detail}))
}

func TestDeleteAccountLeavesNothingThatNamesThePerson(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *lab.Fixture, id string){
		"WithAnAccount": func(w *lab.Fixture, id string) {
			w.AddAccount(provider.Account{ID: id, Email: "canary@example.com", Password: lab.AlicePass})
			w.Guess("canary@example.com", 1)
			b := w.NewBrowser().SignIn("canary@example.com", lab.AlicePass)
			b.Allow(lab.Ask()...)
			b.Submit(b.Open("/account"), "action", "verify") // a code waits
		},
		"OfTheHost": func(w *lab.Fixture, id string) {
			w.OK(w.People().Revoke(w.T.Context(), id)) // an event
		},
	} {
		t.Run(name, func(t *testing.T) {
			const id = "canary-person-8271"
			w := lab.New(t, func(c *provider.Config) {
				if name == "OfTheHost" {
					c.Users.SignInURL = "https://host.test/login"
					c.Users.SignedIn = func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil }
				}
			}).WithClients().WithUsers()
			prepare(w, id)
			w.OK(w.People().SetAttributes(t.Context(), id, map[string]any{"fname": "Canary"}))
			w.OK(w.People().SetStatus(t.Context(), id, provider.Status{Group: "military", Verified: true}))
			before := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{UserID: id}))(w.T)
			others := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{UserID: "alice"}))(w.T)
			if !strings.Contains(w.Dump(), id) || len(before) == 0 {
				t.Fatalf("the test looks in the wrong place: %v", before)
			}

			w.OK(w.Accounts().Delete(t.Context(), id))
			if strings.Contains(w.Dump(), id) {
				t.Error("the ID is in the database")
			}
			told := w.Told()
			last := told[len(told)-1]
			if last.Name != event.AccountDeleted || !strings.HasPrefix(last.UserID, "deleted-") || len(last.UserID) < 36 || strings.Contains(last.UserID, id) {
				t.Fatalf("the event says %+v", last)
			}
			// What has happened is kept.
			after := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{UserID: last.UserID}))(w.T)
			if len(after) != len(before)+1 {
				t.Errorf("%d events, before %d", len(after), len(before))
			}
			for _, e := range after {
				if e.Address != "" {
					t.Errorf("%s has the address %s", e.Name, e.Address)
				}
			}
			still := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{UserID: "alice"}))(w.T)
			if diff := cmp.Diff(others, still); diff != "" {
				t.Errorf("events of another (-before +after):\n%s", diff)
			}

			n := len(w.Told())
			w.OK(w.Accounts().Delete(t.Context(), id))
			if len(w.Told()) != n {
				t.Error("who is gone is deleted again")
			}
		})
	}
}

func TestRevokeUser(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	alice, bob := w.Alice(), w.NewBrowser().SignIn("bob@example.com", lab.BobPass)
	tokens := alice.StandardTokens()
	access, refresh := lab.Member(t, tokens, "access_token"), lab.Member(t, tokens, "refresh_token")
	w.OK(w.People().Revoke(t.Context(), "alice"))
	if p := alice.Bearer(lab.UserinfoPath, access); p.StatusCode != http.StatusUnauthorized {
		t.Errorf("an access token: %s", p.Status)
	}
	if _, answer := alice.Refresh(refresh); answer["error"] != "invalid_grant" {
		t.Errorf("a refresh token: %v", answer)
	}
	if p := alice.Get("/account"); p.StatusCode != http.StatusSeeOther {
		t.Errorf("a session: %s", p.Status)
	}
	if p := bob.Get("/account"); p.StatusCode != http.StatusOK {
		t.Errorf("the session of another: %s", p.Status)
	}
	// Nobody is asked again for what is allowed.
	if got := lab.Response(t, w.Alice().Get(lab.AuthorizeURL(lab.Ask()...))); got.Get("code") == "" {
		t.Errorf("signed in again: %v", got)
	}
}

func TestTrailHoldsNetworks(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	w.Alice()
	if content := w.Dump(); strings.Contains(content, "127.0.0.1") && !strings.Contains(content, w.Server.URL) {
		t.Error("a whole address is in the database")
	}
	events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.SignedIn})
	if err != nil || len(events) != 1 || events[0].Address != "127.0.0.0/24" {
		t.Errorf("%+v %v", events, err)
	}
}

func TestStrangersDoNotGrowTheTrail(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	failed := func() int {
		events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.SignInFailed, Limit: 1000}))(w.T)
		return len(events)
	}
	for i := range 8 {
		w.Guess(fmt.Sprintf("nobody%d@example.com", i), 1)
	}
	if n := failed(); n != 1 {
		t.Errorf("8 names that nobody has make %d events", n)
	}
	w.Guess("alice@example.com", 2)
	if n := failed(); n != 3 {
		t.Errorf("%d events after two guesses at an account, want 3", n)
	}
	w.Advance(time.Minute + time.Second)
	w.Guess("nobody@example.com", 1)
	if n := failed(); n != 4 {
		t.Errorf("%d events a minute later, want 4", n)
	}
}

func TestTrailIsKept(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	// kept returns what is left of an old and a recent event.
	kept := func(w *lab.Fixture) string {
		events := testkit.Must(w.Events().List(t.Context(), provider.EventFilter{Name: event.SignedIn}))(w.T)
		var left []string
		for _, e := range events {
			left = append(left, e.Detail)
		}
		return strings.Join(left, ", ")
	}
	t.Run("For400DaysUnlessTheHostSaysOtherwise", func(t *testing.T) {
		w := lab.New(t)
		recorded(w, "old", 401*day)
		w.UntilSealed(1)
		recorded(w, "recent", 399*day)
		w.AgreeOnTime()
		w.Until(func() bool { return kept(w) == "recent" })
	})
	t.Run("ForEver", func(t *testing.T) {
		counted := new(lab.Sweeps)
		w := lab.New(t, func(c *provider.Config) { c.KeepEvents = -1; counted.Store, c.Store = c.Store, counted })
		w.AgreeOnTime()
		recorded(w, "old", 4000*day)
		recorded(w, "recent", 399*day)
		for n := counted.N.Load(); n < 3; n++ {
			w.Until(func() bool { return counted.N.Load() > n })
		}
		if got := kept(w); got != "recent, old" {
			t.Errorf("left are %s", got)
		}
	})
}
