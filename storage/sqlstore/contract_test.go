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

// TestExample proves the backend of the example.
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

// TestExampleOfDevelopers proves that it keeps what the dashboard needs as well.
func TestExampleOfDevelopers(t *testing.T) {
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		path := empty(t)
		return func() storagetest.DeveloperStore {
			store, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store.(storagetest.DeveloperStore)
		}
	})
}

// TestExampleOfVerification proves that it keeps what the verification of people needs, too.
func TestExampleOfVerification(t *testing.T) {
	storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
		path := empty(t)
		return func() storagetest.VerificationStore {
			store, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store.(storagetest.VerificationStore)
		}
	})
}

// TestExampleOfDesk proves that it keeps what those need who run the service.
func TestExampleOfDesk(t *testing.T) {
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
