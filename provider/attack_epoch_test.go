package provider_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// A code that was mailed before a password was changed or an account was locked has no
// say afterwards, whoever has read it.
func TestMailedCodeEndsWithTheEpochOfItsAccount(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *fixture){
		"Reset": func(w *fixture) {
			b := w.newBrowser()
			p := b.submit(b.open("/reset"), "email", "alice@example.com")
			_, code := w.mails.last(w.t)
			if p := b.submitOnce(p, "code", code, "new_password", renewedPassword); p.StatusCode != http.StatusSeeOther {
				w.t.Fatalf("the owner's reset: %s", p.Status)
			}
		},
		"Change": func(w *fixture) {
			b := w.alice()
			b.submit(b.open("/account/password"), "password", alicePass, "new_password", renewedPassword)
		},
		"PasswordOfTheHost": func(w *fixture) {
			w.account(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: renewedPassword})
		},
		"Deletion": func(w *fixture) {
			w.ok(w.DeleteAccount(w.t.Context(), "alice"))
			w.account(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: renewedPassword})
		},
		"Lock": func(w *fixture) {
			w.ok(w.SetAccountDisabled(w.t.Context(), "alice", true))
			w.ok(w.SetAccountDisabled(w.t.Context(), "alice", false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t).withClients().withUsers()
			thief := w.newBrowser()
			old := thief.submit(thief.open("/reset"), "email", "alice@example.com")
			_, code := w.mails.last(t)
			end(w)
			p := thief.submitOnce(old, "code", code, "new_password", "walnut-harbor-lantern-31")
			if p.StatusCode == http.StatusSeeOther {
				t.Errorf("set another password: %s", p.Header.Get("Location"))
			}
			if p := w.newBrowser().attempt("alice@example.com", "walnut-harbor-lantern-31"); p.StatusCode == http.StatusSeeOther {
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
		attempt   func(w *fixture, b *browser) page
	}{
		"Reset": {"SetPassword", func(w *fixture, b *browser) page {
			p := b.submit(b.open("/reset"), "email", "alice@example.com")
			_, code := w.mails.last(w.t)
			return b.submitOnce(p, "code", code, "new_password", chosen)
		}},
		"SignIn": {"CreateSession", func(_ *fixture, b *browser) page { return b.attempt("alice@example.com", alicePass) }},
	} {
		t.Run(name, func(t *testing.T) {
			var store *faultyStore
			w := newFixture(t, faulty(&store)).withClients().withUsers()
			owner := w.alice()
			var once sync.Once
			store.breakBefore(func(_ context.Context, method string) error {
				if method == test.meanwhile {
					once.Do(func() { w.account(provider.Account{ID: "alice", Email: "alice@new.example", EmailVerified: true}) })
				}
				return nil
			})
			if p := test.attempt(w, w.newBrowser()); p.StatusCode == http.StatusSeeOther {
				t.Errorf("done: %s", p.Header.Get("Location"))
			}
			if p := w.newBrowser().attempt("alice@new.example", alicePass); p.StatusCode != http.StatusSeeOther {
				t.Errorf("the owner's password: %s", p.Status)
			}
			if p := owner.get("/account"); p.StatusCode != http.StatusOK {
				t.Errorf("the owner's session has ended with the address: %s", p.Status)
			}
		})
	}
}

// A password that was checked for an account which the host has deleted since is worth
// nothing to the one that it records under the same ID.
func TestAccountThatIsMadeAgainIsAnother(t *testing.T) {
	t.Parallel()
	var store *faultyStore
	w := newFixture(t, faulty(&store)).withClients().withUsers()
	var once sync.Once
	store.breakBefore(func(_ context.Context, method string) error {
		if method == "CreateSession" {
			once.Do(func() {
				w.ok(w.DeleteAccount(t.Context(), "alice"))
				w.account(provider.Account{ID: "alice", Email: "alice@example.com", Password: renewedPassword})
			})
		}
		return nil
	})
	if p := w.newBrowser().attempt("alice@example.com", alicePass); p.StatusCode == http.StatusSeeOther {
		t.Error("signs in with the password of the one before")
	}
	if p := w.newBrowser().attempt("alice@example.com", renewedPassword); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the new password: %s", p.Status)
	}
}

// Whoever signed in with a password that has been changed since has no guesses of his
// own at the new one.
func TestKnownBrowserIsAStrangerAfterTheReset(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients().withUsers()
	thief := w.alice()
	w.account(provider.Account{ID: "alice", Email: "alice@example.com", EmailVerified: true, Password: renewedPassword})
	for range 10 { // all that strangers may try
		w.newBrowser().attempt("alice@example.com", "a-guess-of-a-stranger")
	}
	if p := thief.attempt("alice@example.com", "a-guess-of-the-thief"); p.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the thief guesses on: %s", p.Status)
	}
}

// Registrations are read, changed and written whole. Whatever several processes do at
// once, a secret that was ended stays ended, and nobody's change is lost.
func TestRegistrationsAreNeverLostUpdates(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withClients()
	other := w.twin()
	var mu sync.Mutex
	secrets := []string{clientSecret}
	race(24, func(i int) struct{} {
		p := []*fixture{w, other}[i%2]
		if i%3 == 0 {
			c := provider.Client{ID: "std", Name: "Renamed", Dialect: provider.Standard, RedirectURIs: []string{callbackURI}}
			w.ok(p.SaveClient(t.Context(), c))
			return struct{}{}
		}
		secret, err := p.RotateClientSecret(t.Context(), "std", 0, 0)
		w.ok(err)
		mu.Lock()
		defer mu.Unlock()
		secrets = append(secrets, secret)
		return struct{}{}
	})
	w.advance(2 * time.Second)
	b := w.newBrowser()
	working := 0
	for _, secret := range secrets {
		p := b.post(introspectPath, form("client_id", "std", "client_secret", secret, "token", "x"))
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
	w := newFixture(t).withClients().withUsers()
	ctx := t.Context()
	revision := func() int64 {
		person, err := w.store.Person(ctx, "alice")
		w.ok(err)
		return person.Statuses[0].Revision
	}
	read := revision()
	revoked := provider.Status{Group: "military"}
	w.ok(w.SetStatus(ctx, "alice", revoked)) // unconditional
	approval := provider.Status{Group: "military", Verified: true, Revision: read}
	if err := w.SetStatus(ctx, "alice", approval); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("err = %v, want %v", err, provider.ErrChanged)
	}
	approval.Revision = provider.NoRevision
	if err := w.SetStatus(ctx, "alice", approval); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("err = %v, want %v", err, provider.ErrChanged)
	}
	approval.Revision = revision()
	w.ok(w.SetStatus(ctx, "alice", approval))
}
