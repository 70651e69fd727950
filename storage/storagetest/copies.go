package storagetest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Copies returns a function that writes a copy of a database that is a file into a folder of the
// test and returns its path: it takes less time to copy one than to run its migrations. The first
// call has create write the original, into a folder that is removed, and keeps its content in
// memory. The function may be called by any number of goroutines.
func Copies(create func(path string) error) func(t testing.TB) (path string) {
	original := sync.OnceValues(func() (content []byte, err error) {
		folder, err := os.MkdirTemp("", "storagetest")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		path := filepath.Join(folder, "empty.db")
		if err := create(path); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})
	return func(t testing.TB) string {
		t.Helper()
		content, err := original()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "test.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
}
