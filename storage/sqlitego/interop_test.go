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
				store := must(backends[i%2](t, path))(t)
				ok(t, store.SaveClient(t.Context(), client(id)))
				got := must(store.Clients(t.Context(), storage.ClientFilter{}, "", 10))(t)
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
				ok(t, store.Close())
			}
		})
	}
	t.Run("BackupOfEither", func(t *testing.T) {
		for _, backends := range [][2]opener{{withC, withGo}, {withGo, withC}} {
			folder := t.TempDir()
			store := must(backends[0](t, filepath.Join(folder, "test.db")))(t)
			defer store.Close()
			ok(t, store.SaveClient(t.Context(), client("client")))
			backup := filepath.Join(folder, "backup.db")
			ok(t, store.Backup(t.Context(), backup))
			restored := must(backends[1](t, backup))(t)
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
