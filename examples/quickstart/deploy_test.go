package main

import (
	"crypto/sha256"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestConfigOfTheContainerIsValid(t *testing.T) {
	t.Setenv("BASE_URL", "https://id.example.com")
	t.Setenv("DATABASE_PASSWORD", "0123456789abcdef")
	cfg := must(loadConfig("deploy/service.json"))(t)
	cfg.Data = t.TempDir() // that of the container may be in use here
	out := &output{}
	ok(t, cfg.check(t.Context(), out))
	if !strings.Contains(out.String(), "postgres://db/bonafide\n") {
		t.Errorf("it would do:\n%s", out)
	}
	container := must(os.ReadFile("deploy/Dockerfile"))(t)
	for _, path := range []string{"/etc/bonafide/service.json", "/var/lib/bonafide\n"} {
		if !strings.Contains(string(container), path) {
			t.Errorf("the container has no %s", path)
		}
	}
}

// TestContainerHasWhatItIsBuiltFrom fails when the program imports a folder that the
// container's build does not get.
func TestContainerHasWhatItIsBuiltFrom(t *testing.T) {
	given := contextOf(t)
	out := must(exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output())(t)
	own := 0
	for _, path := range strings.Fields(string(out)) {
		folder, ok := strings.CutPrefix(path, "github.com/bonafide-id/bonafide/")
		if !ok {
			continue
		}
		own++
		if !slices.ContainsFunc(given, func(path string) bool { return folder == path || strings.HasPrefix(folder, path+"/") }) {
			t.Errorf("the build does not get %s", folder)
		}
	}
	if own < 10 {
		t.Errorf("the program has %d packages of ours", own)
	}
}

// contextOf returns what the container's build gets: paths from the root of the module.
func contextOf(t *testing.T) (paths []string) {
	t.Helper()
	ignore := must(os.ReadFile("deploy/Dockerfile.dockerignore"))(t)
	for line := range strings.Lines(string(ignore)) {
		if path, given := strings.CutPrefix(strings.TrimSpace(line), "!"); given {
			paths = append(paths, path)
		}
	}
	return paths
}

var (
	buildStep = regexp.MustCompile(`(?m)^(?:RUN )?CGO_ENABLED=1 go build (?:.*\\\n)*.*$`)
	spaces    = regexp.MustCompile(`[\s\\]+`)
)

// TestBuildStepIsTheDocumentedOne compares the command of the Dockerfile with that of docs/production.md.
func TestBuildStepIsTheDocumentedOne(t *testing.T) {
	container := must(os.ReadFile("deploy/Dockerfile"))(t)
	manual := must(os.ReadFile("../../docs/production.md"))(t)
	plain := func(text []byte) string {
		step := strings.TrimPrefix(spaces.ReplaceAllString(string(buildStep.Find(text)), " "), "RUN ")
		return strings.NewReplacer(" -X github.com/bonafide-id/bonafide/provider.version=$VERSION", "", "-o /", "-o ").Replace(step)
	}
	if got, want := plain(container), plain(manual); got != want || got == "" {
		t.Errorf("the container builds by\n%s\nand the manual by\n%s", got, want)
	}
}

// TestBuildIsReproducible runs the build step of the container in two folders, in which there is what
// it gets: they make one program, which uses no library and says its version.
func TestBuildIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	container := must(os.ReadFile("deploy/Dockerfile"))(t)
	step := strings.Replace(strings.TrimPrefix(string(buildStep.Find(container)), "RUN "), "-o /bonafide", `-o "$OUT"`, 1)
	var sums [][sha256.Size]byte
	for _, name := range []string{"one", "another/folder/with/a/longer/name"} {
		folder := filepath.Join(t.TempDir(), name)
		for _, path := range contextOf(t) {
			copyTree(t, filepath.Join("../..", path), filepath.Join(folder, path))
		}
		built := filepath.Join(t.TempDir(), "bonafide")
		build := exec.CommandContext(t.Context(), "sh", "-euc", step)
		build.Dir, build.Env = folder, append(os.Environ(), "VERSION=v9.8.7", "GOFLAGS=-buildvcs=false", "OUT="+built)
		if out, err := build.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
		content := must(os.ReadFile(built))(t)
		sums = append(sums, sha256.Sum256(content))
		out, err := exec.CommandContext(t.Context(), built, "-version").Output()
		if err != nil || !strings.HasPrefix(string(out), "bonafide v9.8.7, ") {
			t.Errorf("-version: %q, %v", out, err)
		}
		program := must(elf.Open(built))(t)
		if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
			t.Error("the program is linked with libraries")
		}
		ok(t, program.Close())
		t.Logf("%.1f MB", float64(len(content))/1e6)
	}
	if sums[0] != sums[1] {
		t.Error("two builds make two programs")
	}
}

// copyTree copies a file or a folder without tests, as the container's build gets it.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	ok(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && slices.Contains([]string{"node_modules", "data"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_test.go") || !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o644)
	}))
}

// TestUnitIsValid has systemd read the unit, for a program that there is, and say to how much it is exposed.
func TestUnitIsValid(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("systemd-analyze is not installed")
	}
	unit := must(os.ReadFile("deploy/bonafide.service"))(t)
	path := filepath.Join(t.TempDir(), "bonafide.service")
	ok(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(unit), "ExecStart=/usr/local/bin/bonafide ", "ExecStart="+os.Args[0]+" ")), 0o600))
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	// Of 100, of which most services have 96; what is left is that it may use the network and read the system.
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=15", path).CombinedOutput(); err != nil {
		t.Errorf("it is exposed: %v\n%s", err, out)
	}
}
