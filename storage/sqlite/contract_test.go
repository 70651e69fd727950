package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func TestSmoke(t *testing.T) {
	p := filepath.Join(t.TempDir(), "x", "a.db")
	s, err := sqlite.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = sqlite.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
