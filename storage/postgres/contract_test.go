package postgres_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/internal/pgtest"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
	"github.com/bonafide-id/bonafide/storage/storagetest"
)

func TestContract(t *testing.T) {
	server := pgtest.Start(t)
	storagetest.Run(t, func(t *testing.T) func() storage.Store {
		url := server.Schema(t)
		return func() storage.Store { return open(t, url) }
	})
}

func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
