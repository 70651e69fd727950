package desk_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// onBoth runs a test on a file, whose address is empty, and at length on PostgreSQL too: on which conditions a
// write rests is the same to every store.
func onBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, "")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes long")
		}
		t.Parallel()
		test(t, pgtest.Shared(t).Schema(t))
	})
}

func atPostgres(t testing.TB, url string) storage.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestLooksAtOnceAreOneLine(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		w := newPlaceWith(t, given{url: url})
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
		if n := w.lines(event.SupportLooked, "sessions"); n != 1 {
			t.Errorf("%d lines say that the sessions were looked at, want 1", n)
		}
	})
}
