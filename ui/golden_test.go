package ui

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var digest = regexp.MustCompile(`\.[0-9a-f]{12}\.`)

func TestScreensMatchGoldenFiles(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			golden(t, f.name, render(t, f.render(samplePage(nil))))
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	// One element on a line, so that a difference can be read, and
	// nothing that changes with the stylesheet.
	got = append(bytes.ReplaceAll(got, []byte("><"), []byte(">\n<")), '\n')
	got = digest.ReplaceAll(got, []byte("."))
	file := filepath.Join("testdata", "golden", name+".html")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
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

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
