package uitest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var digest = regexp.MustCompile(`\.[0-9a-f]{12}\.`)

// Golden compares pages with testdata/golden/NAME.html, and writes these files under -update.
func Golden(t *testing.T, pages []Page) {
	for _, p := range pages {
		t.Run(p.Name, func(t *testing.T) { GoldenFile(t, p.Name, Render(t, p.Component)) })
	}
}

// GoldenFile compares one page with its file.
func GoldenFile(t *testing.T, name string, got []byte) {
	t.Helper()
	// One element on a line, so that a difference can be read, and
	// nothing that changes with the stylesheet.
	got = append(bytes.ReplaceAll(got, []byte("><"), []byte(">\n<")), '\n')
	got = digest.ReplaceAll(got, []byte("."))
	file := filepath.Join("testdata", "golden", name+".html")
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("page differs from %s (-want +got):\n%s", file, diff)
	}
}
