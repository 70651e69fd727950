package person_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
)

// ofHost has the provider use the host's users.
func ofHost(c *provider.Config) {
	c.Users = provider.Users{
		SignInURL: "/login",
		SignedIn:  func(*http.Request) (provider.SignedIn, error) { return provider.SignedIn{}, nil },
		Person: func(_ context.Context, id string, _, _ []string) (provider.Person, error) {
			return provider.Person{Attributes: map[string]any{"fname": "Nora", "customer_number": "A-17"}}, nil
		},
	}
	c.Mailer = nil
}

func offered(f *fixture) (names []string) {
	for _, a := range f.book.On(action.Person) {
		names = append(names, a.Name)
	}
	return names
}

func TestHost(t *testing.T) {
	t.Parallel()
	t.Run("WithoutFunctionsOffersWhatIsHere", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, person.Host{}, ofHost)
		want := []string{action.RevokeApplication, action.ShowValue, action.ShowSensitive, action.EndStatus, action.SetStatus}
		if got := offered(f); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("DoesWhatItsFunctionsDo", func(t *testing.T) {
		t.Parallel()
		var done []string
		does := func(what string) func(context.Context, string) error {
			return func(_ context.Context, id string) error { done = append(done, what+" "+id); return nil }
		}
		locked := false
		f := newFixture(t, person.Host{
			Show: func(context.Context, string) (person.Shown, error) { return person.Shown{Locked: locked}, nil },
			Lock: does("lock"), Unlock: does("unlock"), SendReset: does("reset"), EndSessions: does("end"), Delete: does("delete"),
		}, ofHost)
		f.open(olga)
		for _, name := range []string{action.SendReset, action.EndSessions, action.Lock} {
			f.do(name, order(olga))
			if e := f.line(olga); e.Actor != "staff:"+staff || e.Matter != matterOf(olga) {
				t.Errorf("%s: the line is %+v", name, e)
			}
		}
		locked = true
		f.do(action.Unlock, order(olga))
		if r := f.do(action.ShowValue, order(olga, action.FieldHandle, "customer_number")); r.Shown != "A-17" {
			t.Errorf("shown: %q", r.Shown)
		}
		f.do(action.StartDeletion, order(olga))
		if want := []string{"reset olga", "end olga", "lock olga", "unlock olga", "delete olga"}; !slices.Equal(done, want) {
			t.Errorf("got %v", done)
		}
	})
	t.Run("DoesAgainWhatHasFailedHalfWay", func(t *testing.T) {
		t.Parallel()
		down, locked, done := true, false, 0
		does := func(set bool) func(context.Context, string) error {
			return func(context.Context, string) error {
				locked = set // and the answer is lost
				if down {
					return errors.New("connection refused")
				}
				done++
				return nil
			}
		}
		f := newFixture(t, person.Host{
			Show: func(context.Context, string) (person.Shown, error) { return person.Shown{Locked: locked}, nil },
			Lock: does(true), SendReset: does(false), EndSessions: does(false),
			Delete: func(context.Context, string) error {
				if down {
					return errors.New("connection refused")
				}
				done++
				return provider.ErrNoUser // it was the first time
			},
		}, ofHost)
		f.open(olga)
		for i, name := range []string{action.SendReset, action.EndSessions, action.Lock, action.StartDeletion} {
			a := f.action(name)
			if !a.InParts {
				t.Errorf("%s is no act in parts", name)
			}
			down = true
			e, err := a.Check(t.Context(), order(olga))
			f.ok(err)
			if _, err := a.Do(f.by(olga), order(olga), e.Revision); !errors.Is(err, person.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
			down = false
			_, err = a.Do(f.by(olga), order(olga), e.Revision)
			if f.ok(err); done != i+1 {
				t.Errorf("%s: %d are done", name, done)
			}
		}
	})
	t.Run("ThatPanicsFailsOrEndsIsUnavailable", func(t *testing.T) {
		t.Parallel()
		for name, fails := range map[string]func(context.Context, string) error{
			"Panics": func(context.Context, string) error { panic("host") },
			"Fails":  func(context.Context, string) error { return errors.New("no database") },
			"Ends":   func(context.Context, string) error { runtime.Goexit(); return nil },
		} {
			f := newFixture(t, person.Host{Lock: fails}, ofHost)
			f.open(olga)
			a := f.action(action.Lock)
			e, err := a.Check(t.Context(), order(olga))
			f.ok(err)
			if _, err := a.Do(f.by(olga), order(olga), e.Revision); !errors.Is(err, person.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
			f.do(action.ShowValue, order(olga, action.FieldHandle, "customer_number")) // the rest goes on
		}
	})
	t.Run("ThatHangsIsUnavailableAfterFiveSeconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			h := person.Host{Show: func(context.Context, string) (person.Shown, error) { <-release; return person.Shown{}, nil }}
			begun := time.Now()
			if _, err := h.ShowUser(t.Context(), olga); !errors.Is(err, person.ErrUnavailable) || time.Since(begun) != 5*time.Second {
				t.Errorf("after %v: %v", time.Since(begun), err)
			}
			close(release)
		})
	})
	t.Run("ThatLiesIsNotBelieved", func(t *testing.T) {
		t.Parallel()
		h := person.Host{
			Find: func(context.Context, person.Finder) ([]string, error) {
				return append([]string{"", strings.Repeat("x", 300), olga, olga}, strings.Split("a b c d e f g h i j k l", " ")...), nil
			},
			Show: func(context.Context, string) (person.Shown, error) {
				return person.Shown{Name: "Olga\u202egnp\r\n" + strings.Repeat("x", 1000)}, nil
			},
		}
		found, err := h.FindUsers(t.Context(), person.Finder{Email: "olga@example.com"})
		if err != nil || !slices.Equal(found, strings.Split("olga a b c d e f g h i", " ")) {
			t.Errorf("%v, %v", found, err)
		}
		shown, err := h.ShowUser(t.Context(), olga)
		if err != nil || strings.ContainsAny(shown.Name, "\u202e\r\n") || len(shown.Name) > 300 {
			t.Errorf("%q, %v", shown.Name, err)
		}
	})
	t.Run("HasNobodyOfThisName", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, person.Host{
			Lock: func(context.Context, string) error { return nil },
			Show: func(context.Context, string) (person.Shown, error) { return person.Shown{}, provider.ErrNoUser },
		}, ofHost)
		if _, err := f.action(action.Lock).Check(t.Context(), order(olga)); !errors.Is(err, action.ErrNoTarget) {
			t.Errorf("got %v", err)
		}
	})
}
