package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestTheManualKnowsEveryVersion holds the table of the manual to what is pinned.
func TestTheManualKnowsEveryVersion(t *testing.T) {
	t.Parallel()
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (v?[0-9.]+) \\|").FindAllStringSubmatch(read(t, "docs/clients.md"), -1) {
		rows[row[1]] = row[2]
	}
	pinned := map[string]string{}
	for _, file := range []string{"go.mod", "provider/internal/lab/clients/go.mod", ".ci/tools/oauth2proxy/go.mod", ".ci/tools/kubelogin/go.mod"} {
		for _, line := range regexp.MustCompile(`(?m)^\s+(\S+) (v\S+)`).FindAllStringSubmatch(read(t, file), -1) {
			if pinned[line[1]] == "" { // the last two also have what their programs link
				pinned[line[1]] = line[2]
			}
		}
	}
	for _, file := range []string{"provider/testdata/clients/package.json", "provider/internal/lab/e2e/package.json"} {
		var manifest struct{ Dependencies map[string]string }
		testkit.OK(t, json.Unmarshal([]byte(read(t, file)), &manifest))
		for name, version := range manifest.Dependencies {
			pinned[name] = version
			if _, ok := rows[name]; !ok && strings.Contains(file, "testdata/clients") {
				t.Errorf("docs/clients.md does not name %s", name)
			}
		}
	}
	spring := regexp.MustCompile(`<version>([0-9.]+)</version>\s*</parent>`).FindStringSubmatch(read(t, "provider/developer/internal/samples/templates/java/pom.xml.tmpl"))
	if spring == nil {
		t.Fatal("pom.xml names no version of Spring Boot")
	}
	pinned["spring-boot-starter-oauth2-client"] = spring[1]
	for _, name := range []string{"mcp", "sd-jwt"} {
		version := regexp.MustCompile(` ` + name + `==([0-9.]+)`).FindStringSubmatch(read(t, ".ci/run"))
		if version == nil {
			t.Fatalf(".ci/run names no version of %s", name)
		}
		pinned[name] = version[1]
	}
	for name, version := range rows {
		if pinned[name] != version {
			t.Errorf("docs/clients.md has %s %s, which is pinned to %q", name, version, pinned[name])
		}
	}
	if len(rows) < 10 {
		t.Errorf("docs/clients.md has %d clients with a version", len(rows))
	}
}

// TestTheManualKnowsEveryProgram holds the table that make programs writes to its scripts.
func TestTheManualKnowsEveryProgram(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob(filepath.Join(repository, "provider/internal/lab/programs/*.mjs"))
	if err != nil || len(scripts) < 24 {
		t.Fatalf("%d scripts of programs: %v", len(scripts), err)
	}
	_, table, _ := strings.Cut(read(t, "docs/clients.md"), "<!-- make programs, ")
	table, _, _ = strings.Cut(table, "<!-- end of programs -->")
	named := map[string]bool{}
	for _, script := range scripts {
		text := read(t, strings.TrimPrefix(script, repository))
		if lines := strings.Count(text, "\n"); lines > 60 {
			t.Errorf("%s has %d lines, more than 60", script, lines)
		}
		name := regexp.MustCompile(`(?m)^program\("([^"]+)"`).FindStringSubmatch(text)
		if name == nil {
			t.Errorf("%s walks through no program", script)
			continue
		}
		named[name[1]] = true
		row := "|" + name[1] + " "
		if version := regexp.MustCompile(`(?m)^const version = "([^"]+)"`).FindStringSubmatch(text); version != nil {
			row += version[1]
		}
		if !strings.Contains(table, "\n"+row) {
			t.Errorf("docs/clients.md has no row %q: make programs PROGRAMS=%s", row, strings.TrimSuffix(filepath.Base(script), ".mjs"))
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\|([^|]+) \S+\|`).FindAllStringSubmatch(table, -1) {
		if !named[row[1]] {
			t.Errorf("docs/clients.md has a row for %s, which no script walks through", row[1])
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join(repository, file)))(t)
	return string(text)
}
