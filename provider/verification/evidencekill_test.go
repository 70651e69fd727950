package verification

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

// childVariable names the environment variable that makes a test the program that is killed;
// its value is the folder that it works in, and the first number that it has not used.
const childVariable = "BONAFIDE_VERIFICATION_CHILD"

// TestKilledChild is the program that is killed: it sends one file after the other, each of
// which replaces the last, and says which it has sent.
func TestKilledChild(t *testing.T) {
	place, from, ok := strings.Cut(os.Getenv(childVariable), "\n")
	if !ok {
		t.Skip("it is started by TestKilledProcessLosesNoEvidence")
	}
	go func() { // the test keeps the other end open for as long as it lives
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	store := testkit.Must(sqlite.Open(t.Context(), filepath.Join(place, "identity.db")))(t)
	p := testkit.Must(provider.New(t.Context(), provider.Config{BaseURL: "http://127.0.0.1", Secret: lab.Secret(t), Store: store}))(t)
	blobs := testkit.Must(Folder(filepath.Join(place, "evidence")))(t)
	s := archive{Fixture: &lab.Fixture{T: t, Provider: p}, clock: time.Now}.service(store, blobs)
	n := testkit.Must(strconv.Atoi(from))(t)
	for ; ; n++ {
		testkit.OK(t, s.addEvidence(t.Context(), "alice", "c1", "front", photo(uint64(n))))
		_, _ = fmt.Fprintln(os.Stdout, "sent", n)
	}
}

// sendUntilKilled runs the child for a moment after its first file, and returns the number of
// the last one that it has sent.
func sendUntilKilled(t *testing.T, place string, from int) (last int) {
	t.Helper()
	binary := testkit.Must(os.Executable())(t)
	child := exec.Command(binary, "-test.run=^TestKilledChild$", "-test.v")
	child.Env = append(os.Environ(), childVariable+"="+place+"\n"+strconv.Itoa(from))
	testkit.Must(child.StdinPipe())(t)
	var said bytes.Buffer
	child.Stderr = &said
	out := testkit.Must(child.StdoutPipe())(t)
	testkit.OK(t, child.Start())
	last = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscanf(lines.Text(), "sent %d", &n); err != nil {
			_, _ = said.WriteString(lines.Text() + "\n")
			continue
		}
		if last < 0 {
			time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { _ = child.Process.Kill() })
		}
		last = n
	}
	_ = child.Wait()
	if last < 0 {
		t.Fatalf("the child has sent nothing:\n%s", said.String())
	}
	return last
}

// TestKilledProcessLosesNoEvidence kills a process between content and row, and while it
// shreds. A file that it has acknowledged opens, unless another one has replaced it; what is
// replaced opens no more; and nothing is left of the rest.
func TestKilledProcessLosesNoEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	t.Parallel()
	a := newArchive(t)
	c := a.begin("c1", "alice", Upload{})
	place := t.TempDir()
	a.Exec(`VACUUM INTO ?1`, filepath.Join(place, "identity.db"))
	a.folder = filepath.Join(place, "evidence")
	blobs := testkit.Must(Folder(a.folder))(a.T)
	after, orphaned := 0, 0
	for range 20 {
		last := sendUntilKilled(t, place, after)
		after = last + 2 // the next one may have been recorded, too
		s := a.restored(blobs, filepath.Join(place, "identity.db"))
		live := a.checkFiles(s, c, last)
		past := time.Now().Add(-2 * time.Hour)
		for _, name := range a.blobs() {
			a.OK(os.Chtimes(filepath.Join(a.folder, name), past, past))
			if !slices.Contains(live, name) {
				orphaned++
			}
		}
		s.sweepEvidence(t.Context())
		slices.Sort(live)
		if diff := cmp.Diff(live, a.blobs()); diff != "" {
			t.Errorf("files after the sweep:\n%s", diff)
		}
		a.checkFiles(s, c, last)
	}
	t.Logf("%d files sent, %d swept", after, orphaned)
}

// checkFiles checks that all evidence with a key opens, that the last one is what was sent
// last, or the one after it, and that nothing else is left but what that replaces.
func (a archive) checkFiles(s *Service, c storage.Case, last int) (live []string) {
	a.T.Helper()
	files := testkit.Must(s.Evidence(a.T.Context(), c.ID))(a.T)
	var shown [][]byte
	for _, f := range files {
		content, err := read(s, c, f.ID)
		if f.ShreddedAt.IsZero() != (err == nil) {
			a.T.Errorf("%+v: %v", f, err)
		}
		if err == nil {
			live, shown = append(live, f.ID), append(shown, content)
		}
	}
	if len(shown) == 0 || len(shown) > 2 {
		a.T.Fatalf("%d files open", len(shown))
	}
	newest := shown[len(shown)-1]
	for _, n := range []int{last, last + 1} {
		d := testkit.Must(picture.DrawDocument(a.T.Context(), photo(uint64(n))))(a.T)
		if bytes.Equal(d.Content, newest) {
			return live
		}
	}
	a.T.Errorf("the file %d is lost", last)
	return live
}
