//go:build !race

package weight

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

const mebibyte = 1 << 20

// TestMinimalProgramIsSmall builds examples/minimal as a host does that replaces github.com/ory/x.
func TestMinimalProgramIsSmall(t *testing.T) {
	const limit, most = 22.5, 40 // MiB on linux/amd64, modules
	if testing.Short() {
		t.Log("no program is linked under -short")
		return
	}
	program := build(t, "-ldflags=-s")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	linked, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	size := float64(info.Size()) / mebibyte
	t.Logf("%.2f MiB, %d modules", size, len(linked.Deps))
	if runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64" && size > limit {
		t.Errorf("the program has %.2f MiB, more than %.1f: go tool nm -size -sort size says of what", size, limit)
	}
	if len(linked.Deps) > most {
		t.Errorf("the program has %d modules, more than %d", len(linked.Deps), most)
	}
}

// What fosite lacks of provider/oryx does not compile. That it has become another there shows by
// the version which fosite requires.
func TestReplacementIsOfTheVersionThatFositeRequires(t *testing.T) {
	required, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", "github.com/ory/x").Output()
	if err != nil {
		t.Fatal(err)
	}
	replacement, err := os.ReadFile("../../../oryx/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if version := strings.TrimSpace(string(required)); !strings.Contains(string(replacement), "in "+version+",") {
		t.Errorf("fosite requires %s: compare its errorsx and otelx with provider/oryx, whose go.mod names another", version)
	}
}

var dashboard = regexp.MustCompile(`bonafide/(provider|ui)/(developer|verification|desk)`)

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
