package faults

import (
	"bytes"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestDamagedFile spoils the database of a process that runs. No browser is told that
// a client, a grant or a session is not there; what needs no database is served.
func TestDamagedFile(t *testing.T) {
	skipShort(t)
	t.Parallel()
	const page = 4096
	for _, damage := range []struct {
		name string
		do   func(path string, size int64) error
	}{
		{"Overwritten", func(path string, size int64) error {
			return overwrite(path, page, bytes.Repeat([]byte{0xff}, int(size)-page))
		}},
		{"Zeroed", func(path string, size int64) error { return overwrite(path, page, make([]byte, int(size)-page)) }},
		{"Header", func(path string, _ int64) error { return overwrite(path, 0, make([]byte, page)) }},
		{"Truncated", func(path string, _ int64) error { return os.Truncate(path, 2*page) }},
	} {
		t.Run(damage.name, func(t *testing.T) {
			s := setup{Database: filepath.Join(t.TempDir(), "identity.db"), Grace: time.Hour}
			const count = 4
			populate(t, s, count)
			p := s.run(t)
			users := newUsers(s, count, func() string { return p.url })
			all(t, users, (*user).begin)
			emptyWAL(t, s.Database)
			info := testkit.Must(os.Stat(s.Database))(t)
			testkit.OK(t, damage.do(s.Database, info.Size()))
			_, refused := workFor(t, users, damagedFor, 0, 1)
			t.Logf("%d times 503", refused)
			for _, path := range []string{"/oidc/.well-known/jwks", "/health/live"} {
				if page, err := users[0].get(path); err != nil || page.StatusCode != http.StatusOK {
					t.Errorf("%s: %v %v", path, page, err)
				}
			}
		})
	}
}

func overwrite(path string, offset int64, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, offset)
	return errors.Join(err, f.Close())
}

// emptyWAL moves what is in the -wal file, which would hide the damage, into the
// database.
func emptyWAL(t *testing.T, path string) {
	t.Helper()
	db := testkit.Must(sql.Open("sqlite3", "file:"+path+"?mode=rw&_busy_timeout=5000"))(t)
	defer db.Close()
	var busy, pages, moved int
	if err := db.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved); err != nil || busy != 0 {
		t.Fatalf("busy: %d, %v", busy, err)
	}
}
