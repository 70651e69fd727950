// Package databases runs the tests of the lab on SQLite and on PostgreSQL. Apart from package lab,
// it links PostgreSQL's driver into those that need it.
package databases

import (
	"errors"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/postgres/pgtest"
)

// OnBoth runs a test on SQLite, whose URL is empty, and at the URL of a database of PostgreSQL. That
// takes long, so -short leaves it out: what only PostgreSQL does is in the contract of package
// storagetest.
func OnBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, "")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes long")
		}
		t.Parallel()
		test(t, pgtest.Shared(t).Schema(t))
	})
}

// At has a provider use the database at a URL of OnBoth.
func At(t testing.TB, url string) func(*provider.Config) {
	return func(c *provider.Config) {
		if url == "" {
			return
		}
		store, err := postgres.Open(t.Context(), url)
		if err := errors.Join(err, c.Store.Close()); err != nil {
			t.Fatal(err)
		}
		c.Store = store
	}
}
