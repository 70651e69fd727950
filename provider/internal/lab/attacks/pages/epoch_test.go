package pages

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// A code that was mailed before a password was changed or an account was locked has no
// say afterwards, whoever has read it.
func TestMailedCodeEndsWithTheEpochOfItsAccount(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *lab.Fixture){
		"Reset": func(w *lab.Fixture) {
			b := w.NewBrowser()
			p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
			_, code := w.Mails.Last(w.T)
			if p := b.SubmitOnce(p, "code", code, "new_password", renewedPassword); p.StatusCode != http.StatusSeeOther {
				w.T.Fatalf("the owner's reset: %s", p.Status)
			}
		},
		"Change": func(w *lab.Fixture) {
			b := w.Alice()
			b.Submit(b.Open("/account/password"), "password", lab.AlicePass, "new_password", renewedPassword)
		},
		"PasswordOfTheHost": func(w *lab.Fixture) {
			w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: renewedPassword})
		},
		"Deletion": func(w *lab.Fixture) {
			w.OK(w.Accounts().Delete(w.T.Context(), "alice"))
			w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: renewedPassword})
		},
		"Lock": func(w *lab.Fixture) {
			w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", true))
			w.OK(w.Accounts().SetDisabled(w.T.Context(), "alice", false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := lab.New(t).WithClients().WithUsers()
			thief := w.NewBrowser()
			old := thief.Submit(thief.Open("/reset"), "email", "alice@example.com")
			_, code := w.Mails.Last(t)
			end(w)
			p := thief.SubmitOnce(old, "code", code, "new_password", "walnut-harbor-lantern-31")
			if p.StatusCode == http.StatusSeeOther {
				t.Errorf("set another password: %s", p.Header.Get("Location"))
			}
			if p := w.NewBrowser().Attempt("alice@example.com", "walnut-harbor-lantern-31"); p.StatusCode == http.StatusSeeOther {
				t.Error("signs in with it")
			}
		})
	}
}

// Whoever reads the mailbox of an address has no say in an account that the host gives
// another, at whatever moment it does so.
func TestNewAddressEndsWhatIsUnderWayByTheOldOne(t *testing.T) {
	t.Parallel()
	const chosen = "walnut-harbor-lantern-31"
	for name, test := range map[string]struct {
		meanwhile string // before which write the address changes
		attempt   func(w *lab.Fixture, b *lab.Browser) lab.Page
	}{
		"Reset": {"SetPassword", func(w *lab.Fixture, b *lab.Browser) lab.Page {
			p := b.Submit(b.Open("/reset"), "email", "alice@example.com")
			_, code := w.Mails.Last(w.T)
			return b.SubmitOnce(p, "code", code, "new_password", chosen)
		}},
		"SignIn": {"CreateSession", func(_ *lab.Fixture, b *lab.Browser) lab.Page { return b.Attempt("alice@example.com", lab.AlicePass) }},
	} {
		t.Run(name, func(t *testing.T) {
			var store *lab.FaultyStore
			w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
			owner := w.Alice()
			var once sync.Once
			store.BreakBefore(func(_ context.Context, method string) error {
				if method == test.meanwhile {
					once.Do(func() { w.AddAccount(provider.Account{ID: "alice", Email: "alice@new.example", EmailVerified: true}) })
				}
				return nil
			})
			if p := test.attempt(w, w.NewBrowser()); p.StatusCode == http.StatusSeeOther {
				t.Errorf("done: %s", p.Header.Get("Location"))
			}
			if p := w.NewBrowser().Attempt("alice@new.example", lab.AlicePass); p.StatusCode != http.StatusSeeOther {
				t.Errorf("the owner's password: %s", p.Status)
			}
			if p := owner.Get("/account"); p.StatusCode != http.StatusOK {
				t.Errorf("the owner's session has ended with the address: %s", p.Status)
			}
		})
	}
}

// A password that was checked for an account which the host has deleted since is worth
// nothing to the one that it records under the same ID.
func TestAccountThatIsMadeAgainIsAnother(t *testing.T) {
	t.Parallel()
	var store *lab.FaultyStore
	w := lab.New(t, lab.Faulty(&store)).WithClients().WithUsers()
	var once sync.Once
	store.BreakBefore(func(_ context.Context, method string) error {
		if method == "CreateSession" {
			once.Do(func() {
				w.OK(w.Accounts().Delete(t.Context(), "alice"))
				w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", Password: renewedPassword})
			})
		}
		return nil
	})
	if p := w.NewBrowser().Attempt("alice@example.com", lab.AlicePass); p.StatusCode == http.StatusSeeOther {
		t.Error("signs in with the password of the one before")
	}
	if p := w.NewBrowser().Attempt("alice@example.com", renewedPassword); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the new password: %s", p.Status)
	}
}

// Whoever signed in with a password that has been changed since has no guesses of his
// own at the new one.
func TestKnownBrowserIsAStrangerAfterTheReset(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	thief := w.Alice()
	w.AddAccount(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: renewedPassword})
	for range 10 { // all that strangers may try
		w.NewBrowser().Attempt("alice@example.com", "a-guess-of-a-stranger")
	}
	if p := thief.Attempt("alice@example.com", "a-guess-of-the-thief"); p.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the thief guesses on: %s", p.Status)
	}
}

// Registrations are read, changed and written whole. Whatever several processes do at
// once, a secret that was ended stays ended, and nobody's change is lost.
func TestRegistrationsAreNeverLostUpdates(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	other := w.Twin()
	var mu sync.Mutex
	secrets := []string{lab.ClientSecret}
	lab.Race(24, func(i int) struct{} {
		p := []*lab.Fixture{w, other}[i%2]
		if i%3 == 0 {
			c := provider.Client{ID: "std", Name: "Renamed", Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI}}
			w.OK(p.Clients().Save(t.Context(), c))
			return struct{}{}
		}
		secret := testkit.Must(p.Clients().RotateSecret(t.Context(), "std", 0, 0))(w.T)
		mu.Lock()
		defer mu.Unlock()
		secrets = append(secrets, secret)
		return struct{}{}
	})
	w.Advance(2 * time.Second)
	b := w.NewBrowser()
	working := 0
	for _, secret := range secrets {
		p := b.Post(lab.IntrospectPath, lab.Form("client_id", "std", "client_secret", secret, "token", "x"))
		if p.StatusCode == http.StatusOK {
			working++
		}
	}
	if working != 1 {
		t.Errorf("%d of %d secrets work, want the last", working, len(secrets))
	}
}

func TestStatusIsSetOverTheOneThatWasRead(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients().WithUsers()
	ctx := t.Context()
	revision := func() int64 {
		person := testkit.Must(w.Store.Person(ctx, "alice"))(w.T)
		return person.Statuses[0].Revision
	}
	read := revision()
	revoked := provider.Status{Group: "military"}
	w.OK(w.People().SetStatus(ctx, "alice", revoked)) // unconditional
	approval := provider.Status{Group: "military", Verified: true, Revision: read}
	if err := w.People().SetStatus(ctx, "alice", approval); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("err = %v, want %v", err, provider.ErrChanged)
	}
	approval.Revision = provider.NoRevision
	if err := w.People().SetStatus(ctx, "alice", approval); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("err = %v, want %v", err, provider.ErrChanged)
	}
	approval.Revision = revision()
	w.OK(w.People().SetStatus(ctx, "alice", approval))
}
