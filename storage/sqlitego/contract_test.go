package sqlitego_test

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlitego"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// empty writes an empty database and returns its path.
var empty = storagetest.Copies(func(path string) error {
	store, err := sqlitego.Open(context.Background(), path)
	if err != nil {
		return err
	}
	return store.Close()
})

func TestContract(t *testing.T) {
	skipShort(t)
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := empty(t)
		return func() storage.Store { return open(t, path) }
	})
}

func TestDevelopersContract(t *testing.T) {
	skipShort(t)
	storagetest.RunDevelopers(t, func(t *testing.T) func() storagetest.DeveloperStore {
		path := empty(t)
		return func() storagetest.DeveloperStore { return open(t, path) }
	})
}

func TestVerificationContract(t *testing.T) {
	skipShort(t)
	storagetest.RunVerification(t, func(t *testing.T) func() storagetest.VerificationStore {
		path := empty(t)
		return func() storagetest.VerificationStore { return open(t, path) }
	})
}

func TestDeskContract(t *testing.T) {
	skipShort(t)
	storagetest.RunDesk(t, func(t *testing.T) func() storagetest.DeskStore {
		path := empty(t)
		return func() storagetest.DeskStore { return open(t, path) }
	})
}

func TestSignalsContract(t *testing.T) {
	skipShort(t)
	storagetest.RunSignals(t, func(t *testing.T) func() storagetest.SignalStore {
		path := empty(t)
		return func() storagetest.SignalStore { return open(t, path) }
	})
}

func TestCredentialsContract(t *testing.T) {
	skipShort(t)
	storagetest.RunCredentials(t, func(t *testing.T) func() storagetest.CredentialStore {
		path := empty(t)
		return func() storagetest.CredentialStore { return open(t, path) }
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
	store := must(sqlitego.Open(t.Context(), path))(t)
	return store
}
