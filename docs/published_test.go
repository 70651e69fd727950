//go:build published

package docs_test

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	modules "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

var (
	released  = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`)
	hostSetup = regexp.MustCompile(`(?m)^go mod init example\.com/app && (?:go mod edit -replace \S+ && )?go mod tidy$`) // until there is a tag
	oryxLine  = regexp.MustCompile(`(?m)^replace github.com/ory/x => (\S+) (\S+)$`)
)

const own = "github.com/bonafide-id/bonafide"

// TestPublished builds what hosts build, from the modules as a module proxy gives them once HEAD is
// tagged: without a line that replaces anything, as README.md says, and with that of docs/embed.md. It needs the
// network where the module cache lacks something. `make published` runs it.
func TestPublished(t *testing.T) {
	found := released.FindStringSubmatch(read(t, "CHANGELOG.md"))
	if found == nil {
		t.Fatal("the changelog has no release")
	}
	version := "v" + found[1]
	h := hosts{t: t, version: version, environment: proxied(t, publish(t, version))}
	example := goBlock.FindStringSubmatch(read(t, "README.md"))[1]
	line := oryxLine.FindStringSubmatch(read(t, "docs/embed.md"))
	if !hostSetup.MatchString(read(t, "README.md")) || line == nil || line[2] != version {
		t.Fatalf("the manuals do not say what is tried here: %q", line)
	}
	t.Run("AsTheReadmeSays", func(t *testing.T) {
		h.builds(t, example, nil, own, "github.com/ory/x")
	})
	t.Run("WithTheReplacement", func(t *testing.T) {
		for _, m := range h.builds(t, example, []string{"mod", "edit", "-replace=github.com/ory/x=" + line[1] + "@" + line[2]}, own) {
			if strings.Contains(m.Path, "seatgeek") {
				t.Errorf("%s is linked", m.Path)
			}
		}
	})
	t.Run("WithoutCgo", func(t *testing.T) {
		h.builds(t, strings.NewReplacer("storage/sqlite", "storage/sqlitego", "sqlite.Open", "sqlitego.Open").Replace(example), nil, own, own+"/storage/sqlitego")
	})
	t.Run("WithOpenSSL", func(t *testing.T) {
		h.builds(t, "package main\n\nimport _ \""+own+"/provider/opensslsigner\"\n\nfunc main() {}\n", nil, own+"/provider/opensslsigner")
	})
}

// publish writes a module proxy, which is a folder, with the modules of HEAD.
func publish(t *testing.T, version string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	repository := t.TempDir() // a clone, since this may be a worktree, which the writer of archives does not know
	out, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", "--shared", "--no-checkout", root, repository).CombinedOutput()
	if err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	for _, sub := range []string{"", "storage/sqlitego", "provider/opensslsigner", "provider/oryx"} {
		m := modules.Version{Path: strings.TrimSuffix(own+"/"+sub, "/"), Version: version}
		at := filepath.Join(folder, m.Path, "@v")
		ok(t, os.MkdirAll(at, 0o755))
		archive, err := os.Create(filepath.Join(at, version+".zip"))
		ok(t, err)
		ok(t, zip.CreateFromVCS(archive, m, repository, "HEAD", sub))
		size, err := archive.Seek(0, 2)
		ok(t, err)
		ok(t, archive.Close())
		t.Logf("%s: %.1f MB", m, float64(size)/1e6)
		info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Now().UTC()})
		ok(t, err)
		write(t, at, version+".info", string(info))
		write(t, at, version+".mod", read(t, filepath.Join(sub, "go.mod")))
		write(t, at, "list", version+"\n")
	}
	return folder
}

// proxied is the environment of a Go command that takes modules from a proxy first, and keeps none of it.
func proxied(t *testing.T, proxy string) []string {
	t.Helper()
	known, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOPROXY").Output()
	ok(t, err)
	cache, others, _ := strings.Cut(strings.TrimSpace(string(known)), "\n")
	return append(os.Environ(), "GOWORK=off", "GONOSUMDB="+own, "GOMODCACHE="+t.TempDir(), "GOFLAGS=-trimpath -modcacherw",
		fmt.Sprintf("GOPROXY=file://%s,file://%s/cache/download,%s", proxy, cache, others))
}

// hosts are modules of hosts.
type hosts struct {
	t           *testing.T
	version     string
	environment []string
}

// builds builds a program in a new module, after one more go command if there is one, and returns what it
// links. These modules are among it, ours at the version.
func (h hosts) builds(t *testing.T, program string, command []string, linked ...string) []*debug.Module {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "main.go", program)
	commands := [][]string{{"mod", "init", "example.com/app"}, command, {"mod", "tidy"}, {"build", "-o", "app", "."}}
	for _, args := range slices.DeleteFunc(commands, func(args []string) bool { return args == nil }) {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Dir, c.Env = dir, h.environment
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	built, err := buildinfo.ReadFile(filepath.Join(dir, "app"))
	ok(t, err)
	for _, path := range linked {
		at := slices.IndexFunc(built.Deps, func(m *debug.Module) bool { return m.Path == path })
		if at < 0 || strings.HasPrefix(path, own) && (built.Deps[at].Version != h.version || built.Deps[at].Replace != nil) {
			t.Errorf("%s is not linked as published:\n%s", path, built)
		}
	}
	return built.Deps
}
