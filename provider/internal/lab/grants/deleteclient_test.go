package grants

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// allowed gives an application so many grants, with two tokens each, and decisions.
func allowed(w *lab.Fixture, client string, n int) {
	w.T.Helper()
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) `
	w.MustExec(numbers+`INSERT INTO grants (id, flow, client_id, subject, redirect_uri, redirect_sent, response_type, nonce, eid,
			code_challenge, created_at, expires_at)
		SELECT randomblob(16), randomblob(32), ?1, 'user ' || i, 'https://rp.test/cb', 1, 'code', '', '', '', 1, 1 << 60 FROM n`, client, n)
	w.MustExec(`INSERT INTO tokens (digest, kind, grant_id, created_at, expires_at)
		SELECT randomblob(32), k.column1, g.id, 1, 1 << 60 FROM grants g, (VALUES (2), (3)) k WHERE g.client_id = ?1`, client)
	w.MustExec(numbers+`INSERT INTO consents (subject, client_id, client_name, decision, created_at)
		SELECT 'user ' || i, ?1, '', randomblob(32), 1 FROM n`, client, n)
}

// found counts the grants and the decisions of an application.
func found(w *lab.Fixture, client string) (grants, consents int) {
	w.T.Helper()
	const all = 1 << 30
	g, _, err := w.Store.FindGrants(w.T.Context(), storage.GrantFilter{ClientID: client}, storage.GrantID{}, all)
	w.OK(err)
	c, _, err := w.Store.FindConsents(w.T.Context(), client, storage.ConsentID{}, all)
	w.OK(err)
	return len(g), len(c)
}

// writers change something else until a function returns, and count how often that was.
func writers(w *lab.Fixture, during func()) int64 {
	var n atomic.Int64
	var all sync.WaitGroup
	done := make(chan struct{})
	for i := range 2 {
		id := fmt.Sprint("writer-", i)
		w.AddAccount(provider.Account{ID: id, Email: id + "@example.com"})
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := w.People().SetAttributes(w.T.Context(), id, map[string]any{"fname": "A"}); err != nil {
					w.T.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	during()
	close(done)
	all.Wait()
	return n.Load()
}

func TestDeletingABusyApplicationHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const n = 5_000
	w := lab.New(t).WithClients()
	allowed(w, "std", n)
	allowed(w, "std2", 10)
	written := writers(w, func() {
		w.OK(w.Clients().Delete(t.Context(), "std", 0))
		w.OK(w.RemoveDeleted(t.Context()))
	})
	if steps := int64(n / 250); written < steps { // one transaction would let a handful through
		t.Errorf("%d other writes went through, want at least %d", written, steps)
	}
	if grants, consents := found(w, "std"); grants+consents > 0 {
		t.Errorf("%d grants and %d decisions are left", grants, consents)
	}
	if grants, consents := found(w, "std2"); grants != 10 || consents != 10 {
		t.Errorf("another application has %d grants and %d decisions", grants, consents)
	}
	if _, err := w.Store.Client(t.Context(), "std"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the registration: %v", err)
	}
	t.Logf("%d other writes", written)
}

func TestRevokingAllHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const n = 5_000
	w := lab.New(t).WithClients()
	allowed(w, "std", n)
	written := writers(w, func() { w.OK(w.People().RevokeIssuedBefore(t.Context(), time.Now())) })
	if steps := int64(n / 500); written < steps {
		t.Errorf("%d other writes went through, want at least %d", written, steps)
	}
	if ended, err := w.Store.RevokeGrants(t.Context(), storage.GrantFilter{Subject: "user 7"}, time.Now()); err != nil || ended > 0 {
		t.Errorf("%d grants were in force, %v", ended, err)
	}
}

// stopped is a store that loses the server after some removals, until told otherwise.
type stopped struct {
	storage.Store
	after  atomic.Int64
	before func()
}

func (s *stopped) RemoveGrants(ctx context.Context, ids []storage.GrantID) (int, error) {
	if s.before != nil {
		s.before()
	}
	if s.after.Add(-1) < 0 {
		return 0, storage.ErrUnavailable
	}
	return s.Store.RemoveGrants(ctx, ids[:1])
}

func stopping(s *stopped) func(*provider.Config) {
	return func(c *provider.Config) { s.Store, c.Store = c.Store, s }
}

var standard = provider.Client{
	ID: "std", Name: "Standard App", Secret: lab.ClientSecret, Dialect: provider.Standard, RedirectURIs: []string{lab.CallbackURI},
	GrantTypes: []string{"authorization_code", "refresh_token"},
}

func TestADeletionThatWasInterrupted(t *testing.T) {
	t.Parallel()
	// interrupted leaves an application with grants in which one was used.
	interrupted := func(t *testing.T) (*lab.Fixture, *lab.Browser, string, *stopped) {
		s := &stopped{}
		w, b := lab.WithAlice(t, stopping(s))
		refresh := lab.Member(t, b.StandardTokens(), "refresh_token")
		allowed(w, "std", 5)
		s.after.Store(2)
		w.OK(w.Clients().Delete(t.Context(), "std", 0))
		if err := w.RemoveDeleted(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
			t.Fatalf("err = %v", err)
		}
		s.after.Store(1 << 30)
		if _, answer := b.Refresh(refresh); answer["error"] != "invalid_client" {
			t.Errorf("meanwhile it is answered with %v", answer)
		}
		if _, err := w.Clients().Secret(t.Context(), "std"); !errors.Is(err, provider.ErrNoClient) {
			t.Errorf("its secret: %v", err)
		}
		if _, err := w.Clients().RotateSecret(t.Context(), "std", 0, 0); !errors.Is(err, provider.ErrNoClient) {
			t.Errorf("a new secret: %v", err)
		}
		if !w.Saw(event.ClientDeleted) || w.Saw(event.ClientChanged) {
			t.Error("the trail does not tell of it")
		}
		return w, b, refresh, s
	}
	t.Run("GoesOn", func(t *testing.T) {
		w, _, _, _ := interrupted(t)
		other := w.Twin() // another process, or the next
		w.OK(other.RemoveDeleted(t.Context()))
		if grants, consents := found(w, "std"); grants+consents > 0 {
			t.Errorf("%d grants and %d decisions are left", grants, consents)
		}
		if _, err := w.Store.Client(t.Context(), "std"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("the registration: %v", err)
		}
		events, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.ClientDeleted})
		if err != nil || len(events) != 1 {
			t.Errorf("the trail tells of it %d times, %v", len(events), err)
		}
	})
	t.Run("LeavesNothingToTheNextRegistration", func(t *testing.T) {
		w, b, refresh, _ := interrupted(t)
		w.OK(w.Clients().Save(t.Context(), standard))
		if grants, consents := found(w, "std"); grants+consents > 0 {
			t.Errorf("%d grants and %d decisions are back", grants, consents)
		}
		if _, answer := b.Refresh(refresh); answer["error"] != "invalid_grant" {
			t.Errorf("a token of the one before is answered with %v", answer)
		}
	})
	t.Run("LeavesTheNextRegistrationAlone", func(t *testing.T) {
		w, _, _, s := interrupted(t)
		var once sync.Once
		s.before = func() {
			once.Do(func() { // another process goes on, and registers it anew
				other := w.Twin()
				w.OK(other.Clients().Save(t.Context(), standard))
				allowed(w, "std", 3)
			})
		}
		w.OK(w.RemoveDeleted(t.Context()))
		if grants, consents := found(w, "std"); grants != 3 || consents != 3 {
			t.Errorf("%d grants and %d decisions are left to it", grants, consents)
		}
		if _, err := w.Clients().Secret(t.Context(), "std"); err != nil {
			t.Errorf("its secret: %v", err)
		}
	})
	t.Run("EndsWithItsContext", func(t *testing.T) {
		s := &stopped{}
		w := lab.New(t, stopping(s)).WithClients()
		allowed(w, "std", 5)
		w.OK(w.Clients().Delete(t.Context(), "std", 0))
		s.after.Store(1 << 30)
		ctx, cancel := context.WithCancel(t.Context())
		s.before = cancel
		if err := w.RemoveDeleted(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
}

// From the moment of the answer nothing of a deleted application works, however much is to be
// removed of it, and Run of another process ends that.
func TestADeletedApplicationWorksNoMore(t *testing.T) {
	t.Parallel()
	w, b := lab.WithAlice(t)
	tokens := b.StandardTokens()
	access, refresh := lab.Member(t, tokens, "access_token"), lab.Member(t, tokens, "refresh_token")
	lab.Works(t, b, access, true)
	allowed(w, "std", 500)
	w.OK(w.Clients().Delete(t.Context(), "std", 0))
	if grants, _ := found(w, "std"); grants != 501 {
		t.Errorf("%d grants are left already", grants)
	}
	lab.Works(t, b, access, false)
	lab.Shown(t, b.Open(lab.AuthorizeURL(lab.Ask()...)), http.StatusBadRequest)
	if _, answer := b.Refresh(refresh); answer["error"] != "invalid_client" {
		t.Errorf("its refresh token is answered with %v", answer)
	}
	if _, err := w.Clients().Get(t.Context(), "std"); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("its registration: %v", err)
	}
	c := standard
	c.Revision = 1
	if err := w.Clients().Save(t.Context(), c); !errors.Is(err, provider.ErrChanged) {
		t.Errorf("it is changed: %v", err)
	}
	w.Twin().Until(func() bool {
		_, err := w.Store.Client(t.Context(), "std")
		return errors.Is(err, storage.ErrNotFound)
	})
	if grants, consents := found(w, "std"); grants+consents > 0 {
		t.Errorf("%d grants and %d decisions are left", grants, consents)
	}
}
