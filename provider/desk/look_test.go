package desk_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

func TestLooksAtOnceAreOneLine(t *testing.T) {
	t.Parallel()
	for name, onIt := range map[string]func(*testing.T) func(*provider.Config){
		"SQLite": func(*testing.T) func(*provider.Config) { return nil },
		"PostgreSQL": func(t *testing.T) func(*provider.Config) {
			t.Helper()
			store, err := postgres.Open(t.Context(), pgtest.Shared(t).Schema(t))
			if err != nil {
				t.Fatal(err)
			}
			return func(c *provider.Config) { c.Store = store }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPlaceWith(t, given{provider: onIt(t)})
			w.hires("sam", desk.RoleSupport)
			sam := w.reviewer("sam")
			address := sam.Absolute(at(finds(sam, "bob")) + "/sessions")
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
					if err != nil {
						t.Error(err)
						return
					}
					p, err := sam.HTTP.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					_ = p.Body.Close()
					if p.StatusCode != http.StatusOK {
						t.Error(p.Status)
					}
				})
			}
			all.Wait()
			if n := w.lines(provider.EventSupportLooked, "sessions"); n != 1 {
				t.Errorf("%d lines say that the sessions were looked at, want 1", n)
			}
		})
	}
}
