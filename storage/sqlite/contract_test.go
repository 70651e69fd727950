package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

func TestContract(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storage.Store { return open(t, path) }
	})
}

func TestDevelopersContract(t *testing.T) {
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storagetest.DeveloperStore { return open(t, path) }
	})
}

func TestVerificationContract(t *testing.T) {
	storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storagetest.VerificationStore { return open(t, path) }
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
