package sqlstore_test

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// empty writes an empty database and returns its path.
var empty = storagetest.Copies(func(path string) error {
	store, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	return store.Close()
})

// TestExample proves the backend of the example by the shortest of the contracts: its engine knows nothing
// of what it runs, and the others are statements like these to it.
func TestExample(t *testing.T) {
	storagetest.RunDesk(t, func(t *testing.T) func() storagetest.DeskStore {
		path := empty(t)
		return func() storagetest.DeskStore {
			store, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store.(storagetest.DeskStore)
		}
	})
}
