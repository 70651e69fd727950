package sqlstore_test

import (
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// TestExample proves the backend of the example.
func TestExample(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		path := filepath.Join(t.TempDir(), "contract.db")
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
		path := filepath.Join(t.TempDir(), "contract.db")
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
		path := filepath.Join(t.TempDir(), "contract.db")
		return func() storagetest.VerificationStore {
			store, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store.(storagetest.VerificationStore)
		}
	})
}
