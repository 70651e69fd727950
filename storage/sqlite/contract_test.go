package sqlite_test

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// empty writes an empty database and returns its path.
var empty = storagetest.Copies(func(path string) error {
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	return store.Close()
})

func TestContract(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := empty(t)
		return func() storage.Store { return open(t, path) }
	})
}

func TestDevelopersContract(t *testing.T) {
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		path := empty(t)
		return func() storagetest.DeveloperStore { return open(t, path) }
	})
}

func TestVerificationContract(t *testing.T) {
	storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
		path := empty(t)
		return func() storagetest.VerificationStore { return open(t, path) }
	})
}

func TestDeskContract(t *testing.T) {
	storagetest.RunDesk(t, func(t *testing.T) func() storagetest.DeskStore {
		path := empty(t)
		return func() storagetest.DeskStore { return open(t, path) }
	})
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
