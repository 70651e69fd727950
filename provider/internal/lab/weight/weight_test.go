//go:build !race

package weight

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const mebibyte = 1 << 20

// TestMinimalProgramIsSmall builds examples/minimal as a host does. The limits are what it
// has, and 1 %: a feature that weighs more says so in them.
func TestMinimalProgramIsSmall(t *testing.T) {
	if testing.Short() {
		t.Log("three programs are not linked under -short")
		return
	}
	for _, c := range []struct {
		name  string
		tags  string
		limit float64 // in MiB, on linux/amd64
	}{
		{"as it is", "", 32.8},
		{"with the tag", "grpcnotrace", 26.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			info, err := os.Stat(build(t, "-tags", c.tags, "-ldflags=-s"))
			if err != nil {
				t.Fatal(err)
			}
			size := float64(info.Size()) / mebibyte
			t.Logf("%.2f MiB", size)
			if runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64" && size > c.limit {
				t.Errorf("the program has %.2f MiB, more than %.1f: go tool nm -size -sort size says of what", size, c.limit)
			}
		})
	}
}

var dashboard = regexp.MustCompile(`bonafide/(provider|ui)/(developer|verification|desk)`)

// TestNothingOfTheDashboardIsLinkedWithoutIt looks at the program that keeps most: without the
// tag the linker keeps every exported method of what it links.
func TestNothingOfTheDashboardIsLinkedWithoutIt(t *testing.T) {
	if testing.Short() {
		t.Log("no program is linked under -short")
		return
	}
	program := build(t)
	symbols, err := exec.CommandContext(t.Context(), "go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(symbols, []byte("bonafide/ui.SignIn")) {
		t.Fatal("the sign-in is not linked: the names have changed")
	}
	found := dashboard.FindAllString(string(symbols), -1)
	if len(found) > 0 {
		t.Errorf("%d symbols, such as %q", len(found), slices.Compact(found)[0])
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(content, []byte("bonafide/ui/developer")) {
		t.Error("the program describes types of the dashboard")
	}
}

// build builds examples/minimal.
func build(t *testing.T, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "minimal")
	args := slices.Concat([]string{"build", "-trimpath", "-o", program}, flags, []string{"github.com/bonafide-id/bonafide/examples/minimal"})
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestNewAllocatesLittle holds what a start allocates. The texts of one language are 25,000
// allocations.
func TestNewAllocatesLittle(t *testing.T) {
	const allocations, size = 5_700, 542_000 // and 3 % beyond
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "weight.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	cfg := provider.Config{
		BaseURL: "http://localhost:8080/id", Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"),
		Store: store, Mailer: provider.InsecureMailPrinter(io.Discard),
	}
	least := struct{ allocations, size uint64 }{1 << 62, 1 << 62}
	for range 8 { // the first makes keys, and the collector empties pools at times
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := provider.New(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least.allocations = min(least.allocations, after.Mallocs-before.Mallocs)
		least.size = min(least.size, after.TotalAlloc-before.TotalAlloc)
	}
	t.Logf("%d allocations, %d bytes", least.allocations, least.size)
	if least.allocations > allocations*103/100 {
		t.Errorf("provider.New makes %d allocations, more than %d", least.allocations, allocations)
	}
	if least.size > size*103/100 {
		t.Errorf("provider.New allocates %d bytes, more than %d", least.size, size)
	}
}
