package sqlitego_test

import (
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlitego"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

func TestContract(t *testing.T) {
	skipShort(t)
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storage.Store { return open(t, path) }
	})
}

func TestDevelopersContract(t *testing.T) {
	skipShort(t)
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storagetest.DeveloperStore { return open(t, path) }
	})
}

func TestVerificationContract(t *testing.T) {
	skipShort(t)
	storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storagetest.VerificationStore { return open(t, path) }
	})
}

// skipShort leaves a contract out of the short tests, which the race detector makes ten
// times slower here: the driver is a compiler's output, and our part runs with another
// driver in package sqlite.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the queries of package sqlite once more")
	}
}

func open(t *testing.T, path string) *sqlitego.Store {
	t.Helper()
	store, err := sqlitego.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
