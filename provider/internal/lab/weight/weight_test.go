//go:build !race

package weight

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
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

// startsEnv names the database on which this test binary is a program that starts.
const startsEnv = "BONAFIDE_WEIGHT_STARTS_ON"

func TestMain(m *testing.M) {
	if path, ok := os.LookupEnv(startsEnv); ok {
		if err := startOn(context.Background(), path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// startOn prints what the first provider.New of a process allocates.
func startOn(ctx context.Context, path string) error {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = provider.New(ctx, provider.Config{
		BaseURL: "http://localhost:8080/id", Secret: []byte("q0m3K1xWc9vRz7Yt2dLh8sNfJ4uPbE6o"),
		Store: store, Mailer: provider.InsecureMailPrinter(io.Discard),
	})
	runtime.ReadMemStats(&after)
	fmt.Println(after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc)
	return errors.Join(err, store.Close())
}

// TestNewAllocatesLittle holds what a start on a database that there is allocates. The texts of one
// language would be 25,000 allocations: the first page reads them.
func TestNewAllocatesLittle(t *testing.T) {
	const allocations, size = 6_935, 709_000 // and 3 % beyond
	type amount struct{ allocations, size uint64 }
	path, least := filepath.Join(t.TempDir(), "weight.db"), amount{1 << 62, 1 << 62}
	for i := range 4 {
		start := exec.CommandContext(t.Context(), os.Args[0])
		start.Env, start.Stderr = append(os.Environ(), startsEnv+"="+path), t.Output()
		out, err := start.Output()
		if err != nil {
			t.Fatal(err)
		}
		var took amount
		if _, err := fmt.Sscan(string(out), &took.allocations, &took.size); err != nil {
			t.Fatalf("%v: %q", err, out)
		}
		if i > 0 { // the first makes keys
			least = amount{min(least.allocations, took.allocations), min(least.size, took.size)}
		}
	}
	t.Logf("%d allocations, %d bytes", least.allocations, least.size)
	if least.allocations > allocations*103/100 {
		t.Errorf("provider.New makes %d allocations, more than %d", least.allocations, allocations)
	}
	if least.size > size*103/100 {
		t.Errorf("provider.New allocates %d bytes, more than %d", least.size, size)
	}
}
