package docs_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	italic     = regexp.MustCompile(`\*([A-Z][^*\n]+)\*`)
	persona    = regexp.MustCompile(`\*(?:Continue as )?([^*\n]+ – [^*\n]+)\*`)
	redirectTo = regexp.MustCompile("(?m)^\\| .+ \\| `(http://localhost:[^`]+)` \\|$")
)

// TestTutorialsSayWhatScreensSay finds what a tutorial has its reader press, choose or sign in with and
// is no longer in the dashboard, the sandbox or the quickstart.
func TestTutorialsSayWhatScreensSay(t *testing.T) {
	t.Parallel()
	screens := read(t, "examples/quickstart/dashboard.go") + read(t, "examples/quickstart/quickstart.json")
	err := filepath.WalkDir(filepath.Join(root, "ui"), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "en.json" {
			relative, _ := filepath.Rel(root, file)
			screens += read(t, relative)
		}
		return err
	})
	ok(t, err)
	start := strings.ReplaceAll(read(t, "docs/tutorials/README.md"), "**", "")
	said := []string{"maria@example.com", "quiet-otter-paints-dawn"}
	for _, found := range italic.FindAllStringSubmatch(start, -1) {
		said = append(said, found[1])
	}
	for _, page := range tutorials(t) {
		found := persona.FindAllStringSubmatch(page, -1)
		if len(found) < 2 {
			t.Error("a tutorial signs in as fewer than two personas")
		}
		for _, one := range found {
			said = append(said, strings.TrimPrefix(one[1], "Continue as "))
		}
	}
	for _, words := range said {
		if !strings.Contains(screens, `"`+words+`"`) {
			t.Errorf("the tutorials say %q, which no screen does", words)
		}
	}
}

// TestTutorialsRegisterWhatTheySend compares the redirect URIs to be registered with the pages.
func TestTutorialsRegisterWhatTheySend(t *testing.T) {
	t.Parallel()
	pages := tutorials(t)
	registered := redirectTo.FindAllStringSubmatch(read(t, "docs/tutorials/README.md"), -1)
	if len(registered) != len(pages) {
		t.Fatalf("%d redirect URIs for %d tutorials", len(registered), len(pages))
	}
	for _, one := range registered {
		names := func(page string) bool { return strings.Contains(page, "with the redirect URI `"+one[1]+"`") }
		if !slices.ContainsFunc(slices.Collect(maps.Values(pages)), names) {
			t.Errorf("no tutorial begins with the redirect URI %s", one[1])
		}
	}
}

// tutorials returns the pages of the tutorials without their index.
func tutorials(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, text := range pages(t) {
		if strings.HasPrefix(name, "docs/tutorials/") && name != "docs/tutorials/README.md" {
			all[name] = text
		}
	}
	return all
}
