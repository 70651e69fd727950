//go:build cgo

package sqlitego_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
	"github.com/bonafide-id/bonafide/storage/sqlitego"
)

// TestSameFile tests that a host may change from one driver to the other and back.
func TestSameFile(t *testing.T) {
	for name, backends := range map[string][2]opener{
		"MadeByC":  {withC, withGo},
		"MadeByGo": {withGo, withC},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			ids := []string{"first", "second", "third"}
			for i, id := range ids {
				store, err := backends[i%2](t, path)
				if err != nil {
					t.Fatal(err)
				}
				if err := store.SaveClient(t.Context(), client(id)); err != nil {
					t.Fatal(err)
				}
				got, err := store.Clients(t.Context(), storage.ClientFilter{}, "", 10)
				if err != nil {
					t.Fatal(err)
				}
				var want []storage.Client
				for _, id := range ids[:i+1] {
					want = append(want, client(id))
				}
				for i := range got {
					got[i].Version = 0
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	t.Run("BackupOfEither", func(t *testing.T) {
		for _, backends := range [][2]opener{{withC, withGo}, {withGo, withC}} {
			folder := t.TempDir()
			store, err := backends[0](t, filepath.Join(folder, "test.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if err := store.SaveClient(t.Context(), client("client")); err != nil {
				t.Fatal(err)
			}
			backup := filepath.Join(folder, "backup.db")
			if err := store.Backup(t.Context(), backup); err != nil {
				t.Fatal(err)
			}
			restored, err := backends[1](t, backup)
			if err != nil {
				t.Fatal(err)
			}
			defer restored.Close()
			if _, err := restored.Client(t.Context(), "client"); err != nil {
				t.Error(err)
			}
		}
	})
}

type opener func(t *testing.T, path string) (*sqlitego.Store, error)

func withC(t *testing.T, path string) (*sqlitego.Store, error) { return sqlite.Open(t.Context(), path) }
func withGo(t *testing.T, path string) (*sqlitego.Store, error) {
	return sqlitego.Open(t.Context(), path)
}

func client(id string) storage.Client {
	return storage.Client{
		ID: id, Name: "Küche", Logo: storage.Digest{1}, CreatedAt: time.Unix(1, 0).UTC(),
		Secrets: []storage.ClientSecret{{Sealed: []byte{0, 255}, CreatedAt: time.Unix(2, 0).UTC()}},
	}
}
