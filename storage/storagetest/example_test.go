package storagetest_test

import (
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// t is that of the backend's test: func TestContract(t *testing.T).
var t *testing.T

// The test of a backend, here of package sqlite. The function in the middle is called for
// each subtest and makes an empty database; the one inside opens it, once or for two
// stores at a time, as two processes would.
func ExampleRun() {
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storage.Store {
			store, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store // Run closes it
		}
	})
}
