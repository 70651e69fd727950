//go:build cgo

package sqlite

import (
	"context"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
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

// contract records what the contract runs, for TestPlans; whole counts its parts that have.
var (
	contract = newRecorder()
	whole    int
)

func TestContract(t *testing.T) {
	storagetest.Run(t, databases[storage.Store])
	whole++
}

func TestDevelopersContract(t *testing.T) {
	storagetest.RunDevelopers(t, databases[storagetest.DeveloperStore])
	whole++
}

func TestVerificationContract(t *testing.T) {
	storagetest.RunVerification(t, databases[storagetest.VerificationStore])
	whole++
}

func TestDeskContract(t *testing.T) {
	storagetest.RunDesk(t, databases[storagetest.DeskStore])
	whole++
}

func TestSignalsContract(t *testing.T) {
	storagetest.RunSignals(t, databases[storagetest.SignalStore])
	whole++
}

func TestCredentialsContract(t *testing.T) {
	storagetest.RunCredentials(t, databases[storagetest.CredentialStore])
	whole++
}

// databases makes a database, and returns what opens it.
func databases[S storage.Store](t *testing.T) func() S {
	t.Helper()
	path := empty(t)
	return func() S { return any(contract.open(t, path)).(S) }
}
