package pgtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// StartIn starts a server whose data stay in a folder, with a short and absolute path, when
// the test ends: there the next one finds them. Unlike those of Start, which may lose what they
// have committed, it keeps what it commits as in production, as long as fsync is on. It skips
// and fails as Start does, and never uses the server of BONAFIDE_TEST_POSTGRES.
func StartIn(t *testing.T, dir string, settings ...string) (s *Server, databaseURL string) {
	t.Helper()
	s = &Server{url: urlOf(dir), bin: installed(t), dir: dir, settings: settings}
	switch _, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION")); {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		s.initialize(t)
	case err != nil:
		t.Fatal(err)
	}
	s.serve(t)
	return s, s.url
}
