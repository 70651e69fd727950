package sqlitego_test

import (
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlitego"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

func TestContract(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storage.Store { return open(t, path) }
	})
}

func TestDevelopersContract(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the queries of TestContract's engine once more")
	}
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storagetest.DeveloperStore { return open(t, path) }
	})
}

func open(t *testing.T, path string) *sqlitego.Store {
	t.Helper()
	store, err := sqlitego.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
