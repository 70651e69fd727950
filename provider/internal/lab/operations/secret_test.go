package operations

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// authenticates reports whether std is known by a secret.
func authenticates(b *lab.Browser, secret string) bool {
	p, _ := b.JSON(b.Post("/oauth/introspect", map[string][]string{"client_id": {"std"}, "client_secret": {secret}, "token": {"x"}}))
	return p.StatusCode == http.StatusOK
}

func TestClientSecrets(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	b := w.NewBrowser()
	list := func(want int) []provider.SecretInfo {
		t.Helper()
		w.Advance(2 * time.Second) // nothing comes from memory
		secrets, err := w.Clients().ListSecrets(t.Context(), "std")
		if err != nil || len(secrets) != want {
			t.Fatalf("%+v, %v; want %d", secrets, err, want)
		}
		for i, s := range secrets {
			if s.ID == "" || s.CreatedAt.IsZero() || s.ExpiresAt.IsZero() != (i == 0) {
				t.Errorf("secret %d: %+v", i, s)
			}
		}
		return secrets
	}
	first := list(1)[0]
	if first.Hint != lab.ClientSecret[len(lab.ClientSecret)-4:] || !first.LastUsedAt.IsZero() {
		t.Errorf("%+v", first)
	}
	second := testkit.Must(w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0))(w.T)
	third := testkit.Must(w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0))(w.T)
	secrets := list(3)
	if secrets[0].Hint != third[len(third)-4:] || secrets[1].Hint != second[len(second)-4:] || secrets[2].ID != first.ID {
		t.Errorf("not the newest first: %+v", secrets)
	}
	for _, s := range secrets {
		for _, secret := range []string{lab.ClientSecret, second, third} {
			if strings.Contains(secret, s.ID) {
				t.Errorf("the ID %q is of the secret", s.ID)
			}
		}
	}

	w.OK(w.Clients().EndSecret(t.Context(), "std", secrets[1].ID))
	w.OK(w.Clients().EndSecret(t.Context(), "std", secrets[1].ID)) // there is none any more
	list(2)
	if authenticates(b, second) || !authenticates(b, third) || !authenticates(b, lab.ClientSecret) {
		t.Error("another secret has ended than the one that was to")
	}
	if err := w.Clients().EndSecret(t.Context(), "std", secrets[0].ID); !errors.Is(err, provider.ErrLastSecret) || !authenticates(b, third) {
		t.Errorf("the last one that stays valid: %v", err)
	}
	w.Advance(time.Hour)
	list(1)

	for id, want := range map[string]error{"pub": nil, "nobody": provider.ErrNoClient} {
		if secrets, err := w.Clients().ListSecrets(t.Context(), id); len(secrets) > 0 || !errors.Is(err, want) {
			t.Errorf("%s: %+v, %v", id, secrets, err)
		}
	}
	if err := w.Clients().EndSecret(t.Context(), "nobody", first.ID); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("a secret of nobody: %v", err)
	}
}

// An application whose owner makes secrets without end would have each of them opened with
// every request.
func TestAttackSecretsWithoutEnd(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	for range 9 {
		_, err := w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0)
		w.OK(err)
	}
	if _, err := w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0); !errors.Is(err, provider.ErrTooManySecrets) {
		t.Errorf("the eleventh: %v", err)
	}
	secrets := testkit.Must(w.Clients().ListSecrets(t.Context(), "std"))(w.T)
	ids := map[string]bool{}
	for _, s := range secrets {
		ids[s.ID] = true
	}
	if len(ids) != 10 {
		t.Errorf("%d secrets have different names", len(ids))
	}
	if _, err := w.Clients().RotateSecret(t.Context(), "std", 0, 0); err != nil {
		t.Errorf("in the place of all: %v", err)
	}
}

// Two people end the two secrets of an application: one stays.
func TestEndClientSecretAtOnceLeavesOne(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	_, err := w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0)
	w.OK(err)
	secrets := testkit.Must(w.Clients().ListSecrets(t.Context(), "std"))(w.T)
	var all sync.WaitGroup
	for _, s := range secrets {
		all.Go(func() {
			if err := w.Clients().EndSecret(t.Context(), "std", s.ID); err != nil && !errors.Is(err, provider.ErrLastSecret) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if left, err := w.Clients().ListSecrets(t.Context(), "std"); err != nil || len(left) != 1 || left[0].ID != secrets[0].ID {
		t.Errorf("left: %+v, %v", left, err)
	}
}

// usesStore counts what is recorded of secrets, or lets nothing of it return.
type usesStore struct {
	storage.Store
	hangs    bool
	recorded atomic.Int64
	waiting  atomic.Int64
}

func (s *usesStore) RecordSecretUse(ctx context.Context, clientID string, created, at time.Time) error {
	if s.hangs {
		s.waiting.Add(1)
		<-ctx.Done()
		return ctx.Err()
	}
	defer s.recorded.Add(1)
	return s.Store.RecordSecretUse(ctx, clientID, created, at)
}

func TestUseOfASecretIsRecorded(t *testing.T) {
	t.Parallel()
	store := &usesStore{}
	w := lab.New(t, func(c *provider.Config) { store.Store, c.Store = c.Store, store }).WithClients()
	b := w.NewBrowser()
	old := lab.ClientSecret
	newer := testkit.Must(w.Clients().RotateSecret(t.Context(), "std", time.Hour, 0))(w.T)
	lastUsed := func() (newer, old time.Time) {
		t.Helper()
		secrets, err := w.Clients().ListSecrets(t.Context(), "std")
		if err != nil || len(secrets) != 2 {
			t.Fatalf("%+v, %v", secrets, err)
		}
		return secrets[0].LastUsedAt, secrets[1].LastUsedAt
	}
	if authenticates(b, "wrong-"+old) || store.recorded.Load() != 0 {
		t.Fatal("a wrong secret is recorded as used")
	}
	began := w.Now()
	for range 20 { // once a minute
		if !authenticates(b, old) {
			t.Fatal("the old secret does not do")
		}
	}
	lab.Eventually(t, func() bool { return store.recorded.Load() > 0 })
	if used, first := lastUsed(); !used.IsZero() || first.Before(began.Truncate(time.Microsecond)) || store.recorded.Load() != 1 {
		t.Errorf("used at %v and %v, recorded %d times", used, first, store.recorded.Load())
	}
	authenticates(b, newer) // each secret by itself
	lab.Eventually(t, func() bool { return store.recorded.Load() > 1 })
	if used, _ := lastUsed(); used.IsZero() {
		t.Error("the use of the newer secret is not recorded")
	}
	w.Advance(time.Minute)
	_, before := lastUsed()
	authenticates(b, old)
	lab.Eventually(t, func() bool { return store.recorded.Load() > 2 })
	if _, used := lastUsed(); !used.After(before) {
		t.Errorf("a minute later: used at %v, not after %v", used, before)
	}
}

// A database that hangs holds up no application, however often it asks, nor Close for ever.
func TestUseOfASecretHoldsNothingUp(t *testing.T) {
	t.Parallel()
	store := &usesStore{hangs: true}
	w := lab.New(t, func(c *provider.Config) { store.Store, c.Store = c.Store, store }).WithClients()
	b := w.NewBrowser()
	for range 10 {
		if !authenticates(b, lab.ClientSecret) {
			t.Fatal("not answered")
		}
		w.Advance(time.Minute)
	}
	lab.Eventually(t, func() bool { return store.waiting.Load() > 0 })
	w.OK(w.Close())
	asked := store.waiting.Load()
	if authenticates(b, lab.ClientSecret); store.waiting.Load() != asked {
		t.Error("something is recorded after Close")
	}
}

// Two people rotate a secret at once: one of the two new ones would be dead when it is read.
func TestRotateClientSecretOfOneRevisionMakesOne(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithClients()
	for round := range 5 {
		now := testkit.Must(w.Clients().Get(t.Context(), "std"))(w.T)
		var made atomic.Int32
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				_, err := w.Clients().RotateSecret(t.Context(), "std", 0, now.Revision)
				if err == nil {
					made.Add(1)
				} else if !errors.Is(err, provider.ErrChanged) {
					t.Errorf("err = %v", err)
				}
			})
		}
		all.Wait()
		if n := made.Load(); n != 1 {
			t.Fatalf("round %d: %d secrets", round, n)
		}
	}
}
