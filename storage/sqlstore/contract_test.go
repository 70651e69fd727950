package sqlstore_test

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/internal/emptydb"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// empty writes an empty database and returns its path.
var empty = emptydb.Copies(func(path string) error {
	store, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	return store.Close()
})

// TestExample proves the backend of the example, whose engine knows nothing of what it runs: the
// roles of the dashboard, of verification and of the desk are statements like others to it.
func TestExample(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := empty(t)
		return func() storage.Store {
			store, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
	})
}
