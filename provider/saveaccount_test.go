package provider_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// overtakenStore is a store in which somebody else is faster, once: what they do is done
// right before the next write, or search for an address.
type overtakenStore struct {
	storage.Store
	faster func()
}

func (s *overtakenStore) overtake() {
	if f := s.faster; f != nil {
		s.faster = nil
		f()
	}
}

func (s *overtakenStore) CreateAccount(ctx context.Context, a storage.Account, first ...storage.FirstFactors) error {
	s.overtake()
	return s.Store.CreateAccount(ctx, a, first...)
}

func (s *overtakenStore) SetEmail(ctx context.Context, id, oldKey, email, key string, verified bool) error {
	s.overtake()
	return s.Store.SetEmail(ctx, id, oldKey, email, key, verified)
}

func (s *overtakenStore) SetPassword(ctx context.Context, id string, on storage.Proof, hash string, at time.Time, begin ...storage.Session) error {
	s.overtake()
	return s.Store.SetPassword(ctx, id, on, hash, at, begin...)
}

// overtakenSearch is faster before an address is looked up.
type overtakenSearch struct{ *overtakenStore }

func (s overtakenSearch) AccountByEmail(ctx context.Context, key string) (storage.Account, error) {
	s.overtake()
	return s.Store.AccountByEmail(ctx, key)
}

// TestSaveAccountThatIsOvertaken has what another process can do between the moment in
// which Accounts.Save reads and the one in which it writes.
func TestSaveAccountThatIsOvertaken(t *testing.T) {
	t.Parallel()
	const first, second = "quiet glacier tulip 43", "tundra saxophone 61 ivory"
	byAddress := provider.Account{Email: "nora@example.com", EmailVerified: true, Password: first}
	byID := byAddress
	byID.ID = "nora"
	for name, test := range map[string]struct {
		before, faster provider.Account // recorded first, and meanwhile; unless empty
		deletes        bool             // nora is deleted meanwhile
		save           provider.Account
		conflict       bool
		passwords      int // how often a password changed afterwards
	}{
		"by itself, found by address":   {faster: byAddress, save: byAddress},
		"by itself, found by ID":        {faster: byID, save: byID},
		"by an account of that address": {faster: provider.Account{ID: "other", Email: byID.Email}, save: byID, conflict: true},
		"by a change of its address":    {before: byID, faster: provider.Account{ID: "nora", Email: "n@example.com", Password: first}, save: provider.Account{ID: "nora", Email: "nora@x.example", Password: first}},
		"by a new password":             {before: byID, faster: provider.Account{ID: "nora", Email: byID.Email, EmailVerified: true, Password: second}, save: provider.Account{ID: "nora", Email: byID.Email, EmailVerified: true, Password: second}, passwords: 1},
		"by its deletion, new address":  {before: byID, deletes: true, save: provider.Account{ID: "nora", Email: "nora@x.example", Password: first}},
		"by its deletion, new password": {before: byID, deletes: true, save: provider.Account{ID: "nora", Email: byID.Email, EmailVerified: true, Password: second}},
	} {
		for place, wrap := range map[string]func(*overtakenStore) storage.Store{
			"": func(s *overtakenStore) storage.Store { return s }, ", at the search": func(s *overtakenStore) storage.Store { return overtakenSearch{s} },
		} {
			t.Run(name+place, func(t *testing.T) {
				store := &overtakenStore{}
				w := lab.New(t, func(c *provider.Config) {
					store.Store = c.Store
					c.Store = wrap(store)
				})
				save := func(a provider.Account) {
					if a.Email == "" {
						return
					}
					if _, err := w.Accounts().Save(t.Context(), a); err != nil {
						t.Errorf("%+v: %v", a, err)
					}
				}
				save(test.before)
				store.faster = func() {
					save(test.faster)
					if test.deletes {
						if err := w.Accounts().Delete(t.Context(), "nora"); err != nil {
							t.Error(err)
						}
					}
				}
				id, err := w.Accounts().Save(t.Context(), test.save)
				if test.conflict {
					if !errors.Is(err, provider.ErrConflict) {
						t.Errorf("error is %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := w.NewBrowser().SignIn(test.save.Email, test.save.Password).Get("/account"); id == "" || !strings.Contains(got.Text, test.save.Email) {
					t.Errorf("the account %q cannot sign in as it was saved: %s", id, got.Status)
				}
				changes, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.PasswordChanged})
				if err != nil || len(changes) != test.passwords {
					t.Errorf("the password was changed %d times, want %d (%v)", len(changes), test.passwords, err)
				}
			})
		}
	}
}

func TestSaveAccountOfManyAtOnceMakesOne(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	for _, a := range []provider.Account{
		{Email: "nora@example.com", EmailVerified: true}, {ID: "omar", Email: "omar@example.com", EmailVerified: true},
	} {
		ids := make([]string, 16)
		var saving sync.WaitGroup
		for i := range ids {
			saving.Go(func() {
				var err error
				if ids[i], err = w.Accounts().Save(t.Context(), a); err != nil {
					t.Error(err)
				}
			})
		}
		saving.Wait()
		for _, id := range ids {
			if id == "" || id != ids[0] {
				t.Errorf("the IDs of %s are %q", a.Email, ids)
				break
			}
		}
	}
	created, err := w.Events().List(t.Context(), provider.EventFilter{Name: event.AccountCreated})
	if err != nil || len(created) != 2 {
		t.Errorf("%d accounts were created (%v)", len(created), err)
	}
}
