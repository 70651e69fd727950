package sqlite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWithoutCgo tests that a program which is built without cgo is built, and says what
// to do when it opens a database.
func TestWithoutCgo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library without cgo")
	}
	program := exec.Command("go", "run", "./testdata/nocgo", filepath.Join(t.TempDir(), "test.db"))
	program.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 || lines[0] != lines[1] || lines[0] != lines[2] {
		t.Errorf("Open, OpenExisting and OpenCurrent say:\n%s", out)
	}
	for _, word := range []string{"cgo", "CGO_ENABLED=1", "github.com/bonafide-id/bonafide/storage/sqlitego"} {
		if !strings.Contains(lines[0], word) {
			t.Errorf("%q does not name %s", lines[0], word)
		}
	}
}
