package blobs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func newFolder(t *testing.T) (f *Folder, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "evidence")
	f = testkit.Must(OpenFolder(path))(t)
	return f, path
}

func names(t *testing.T, path string) (list []string) {
	t.Helper()
	entries := testkit.Must(os.ReadDir(path))(t)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestFolder(t *testing.T) {
	t.Parallel()
	b, path := newFolder(t)
	ctx := t.Context()
	testkit.OK(t, b.Put(ctx, "one", strings.NewReader("content")))
	for at, want := range map[string]fs.FileMode{path: 0o700, filepath.Join(path, "one"): 0o600} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", at, info.Mode().Perm(), err)
		}
	}
	r := testkit.Must(b.Open(ctx, "one"))(t)
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || string(content) != "content" {
		t.Errorf("%q, %v", content, err)
	}
	for range 2 {
		if err := b.Delete(ctx, "one"); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Open(ctx, "one"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is deleted: %v", err)
	}
	if left := names(t, path); left != nil {
		t.Errorf("%q are left", left)
	}
}

func TestFolderKeepsNothingInPart(t *testing.T) {
	t.Parallel()
	b, path := newFolder(t)
	broken := errors.New("broken")
	if err := b.Put(t.Context(), "one", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Error(err)
	}
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Put(left, "two", strings.NewReader("whose sender has left")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := names(t, path); left != nil {
		t.Errorf("%q are left", left)
	}
}

func TestFolderStaysInside(t *testing.T) {
	t.Parallel()
	b, path := newFolder(t)
	outside := filepath.Join(filepath.Dir(path), "secret")
	testkit.OK(t, os.WriteFile(outside, []byte("x"), 0o600))
	testkit.OK(t, os.Symlink(outside, filepath.Join(path, "link")))
	for _, name := range []string{"../secret", "/etc/passwd", "..", ".", "", "a/b", "Ä", "link", strings.Repeat("a", 60)} {
		if err := b.Put(t.Context(), name, strings.NewReader("y")); err == nil && name != "link" {
			t.Errorf("%q is written", name)
		}
		if name == "link" { // is replaced, not followed
			continue
		}
		if _, err := b.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q opens: %v", name, err)
		}
		if err := b.Delete(t.Context(), name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if content, err := os.ReadFile(outside); err != nil || !bytes.Equal(content, []byte("x")) {
		t.Errorf("the file outside: %q, %v", content, err)
	}
}

func TestFolderIsNobodyElses(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	testkit.OK(t, os.Mkdir(open, 0o755))
	testkit.OK(t, os.Chmod(open, 0o755)) // whatever the umask is
	if _, err := OpenFolder(open); err == nil {
		t.Error("a folder that others read is taken")
	}
	file := filepath.Join(t.TempDir(), "file")
	testkit.OK(t, os.WriteFile(file, nil, 0o600))
	if _, err := OpenFolder(file); err == nil {
		t.Error("a file is a folder")
	}
}

func TestFolderListsWhatIsOld(t *testing.T) {
	t.Parallel()
	b, path := newFolder(t)
	for _, name := range []string{"c", "a", "b", "new"} {
		testkit.OK(t, b.Put(t.Context(), name, strings.NewReader(name)))
	}
	for _, name := range []string{"killed.part", "README.txt", "Foreign"} {
		testkit.OK(t, os.WriteFile(filepath.Join(path, name), nil, 0o600))
	}
	now := time.Now()
	for _, name := range []string{"a", "b", "c", "killed.part", "README.txt", "Foreign"} {
		testkit.OK(t, os.Chtimes(filepath.Join(path, name), now, now.Add(-2*time.Hour)))
	}
	list := func(after string, limit int) []string {
		t.Helper()
		found := testkit.Must(b.Names(t.Context(), now.Add(-time.Hour), after, limit))(t)
		return found
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "killed.part"}, list("", 10)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b", "c"}, list("a", 2)); diff != "" {
		t.Error(diff)
	}
	if err := b.Delete(t.Context(), "killed.part"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string(nil), list("c", 10)); diff != "" {
		t.Error(diff)
	}
}
