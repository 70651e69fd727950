package ui

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui/theme"
)

var declaration = regexp.MustCompile(`--([a-z-]+): ([^;]+);`)

// properties returns the custom properties that a stylesheet declares.
func properties(css []byte) map[string]string {
	all := map[string]string{}
	for _, m := range declaration.FindAllSubmatch(css, -1) {
		if name := string(m[1]); all[name] == "" {
			all[name] = string(m[2])
		}
	}
	return all
}

// pair returns the values of a colour by day and by night.
func pair(t *testing.T, s string) (both [2]theme.Color) {
	t.Helper()
	values := [2]string{s, s}
	if inner, ok := strings.CutPrefix(s, "light-dark("); ok {
		values[0], values[1], _ = strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
	}
	for i, value := range values {
		var err error
		if both[i], err = theme.ParseColor(value); err != nil {
			t.Fatal(err)
		}
	}
	return both
}

func TestStylesheetHasContrastByDayAndByNight(t *testing.T) {
	p := properties(own.assets()["base.css"].Bytes)
	for _, c := range []struct {
		least float64
		front string
		back  []string
	}{
		{4.5, "ink", []string{"page", "surface", "sunken", "bad-back", "warn-back", "tint"}},
		{4.5, "soft", []string{"page", "surface", "sunken", "warn-back", "tint"}},
		{4.5, "link", []string{"surface", "sunken", "new-back"}},
		{4.5, "good", []string{"surface", "good-back"}},
		{4.5, "bad", []string{"surface", "bad-back"}},
		{4.5, "warn", []string{"warn-back"}},
		{4.5, "brand-label", []string{"brand", "brand-hover", "brand-active"}},
		{4.5, "danger-label", []string{"danger", "danger-hover"}},
		{3, "edge", []string{"surface"}},
		{3, "focus", []string{"page", "surface", "sunken"}},
		{3, "danger", []string{"surface"}},
	} {
		for _, back := range c.back {
			f, b := pair(t, p[c.front]), pair(t, p[back])
			for i, mode := range []string{"day", "night"} {
				if got := f[i].Contrast(b[i]); got < c.least {
					t.Errorf("%s on %s has %.2f:1 by %s, needs %v", c.front, back, got, mode, c.least)
				}
			}
		}
	}
}

// A theme replaces what the stylesheet has, and begins with it.
func TestStylesheetHasTheColorsOfTheDefaultTheme(t *testing.T) {
	t.Parallel()
	own := properties(own.assets()["base.css"].Bytes)
	made, err := theme.New(theme.Config{Theme: theme.Tokens{Light: theme.Palette{Link: "#1f4fd0", Focus: "#1f4fd0"}, Dark: theme.Palette{Link: "#93b4ff", Focus: "#93b4ff"}}})
	ok(t, err)
	css, _ := made.Asset(made.Stylesheets("")[0])
	for name, want := range properties(css.Bytes) {
		if got := own[name]; got != want && !strings.HasPrefix(name, "mark") {
			t.Errorf("--%s: got %s, want %s", name, got, want)
		}
	}
	if len(properties(css.Bytes)) < 25 {
		t.Errorf("the theme has %d properties", len(properties(css.Bytes)))
	}
}

func TestStylesheetUsesPropertiesThatItDeclares(t *testing.T) {
	dashboard, err := os.ReadFile("developer/assets/developer.css")
	ok(t, err)
	css := bytes.Join([][]byte{own.assets()["base.css"].Bytes, own.assets()["wide.css"].Bytes, dashboard}, nil)
	p := properties(css)
	for _, m := range regexp.MustCompile(`var\(--([a-z-]+)\)`).FindAllSubmatch(css, -1) {
		if p[string(m[1])] == "" {
			t.Errorf("--%s is not declared", m[1])
		}
	}
	made, err := theme.New(theme.Config{ButtonColor: "#3457d5", Theme: theme.Tokens{Radius: "4px"}, Font: theme.Font{Name: "Georgia"}})
	ok(t, err)
	for _, name := range made.Stylesheets("#ffd400") {
		a, _ := made.Asset(name)
		for name := range properties(a.Bytes) {
			if p[name] == "" || !bytes.Contains(css, []byte("var(--"+name)) {
				t.Errorf("--%s of a theme is not used", name)
			}
		}
	}
}

// A browser closes what is left open at the end of the file, and reads what follows as a part
// of it.
func TestStylesheetsCloseWhatTheyOpen(t *testing.T) {
	files, err := filepath.Glob("*/assets/*.css")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stylesheets of audiences: %v", len(files), err)
	}
	for _, file := range append(files, "assets/base.css", "assets/wide.css") {
		css, err := os.ReadFile(file)
		ok(t, err)
		if opened, closed := bytes.Count(css, []byte("{")), bytes.Count(css, []byte("}")); opened != closed {
			t.Errorf("%s opens %d blocks and closes %d", file, opened, closed)
		}
	}
}

func TestStylesheetIsSmall(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(own.assets()["base.css"].Bytes); err != nil {
		t.Fatal(err)
	}
	ok(t, w.Close())
	if b.Len() > 10_000 {
		t.Errorf("stylesheet has %d bytes compressed", b.Len())
	}
}

func TestAssetsAreNamedAfterTheirContent(t *testing.T) {
	types := map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
	named := regexp.MustCompile(`^[a-z-]+\.[0-9a-f]{12}\.(css|js|svg)$`)
	for _, a := range Assets() {
		m := named.FindStringSubmatch(a.Name)
		if len(m) == 0 || a.MediaType != types[m[1]] || len(a.Bytes) == 0 {
			t.Errorf("asset %q has media type %q and %d bytes", a.Name, a.MediaType, len(a.Bytes))
		}
	}
	if len(Assets()) < 4 || AssetName("base.css") == "" || AssetName("../doc.go") != "" {
		t.Errorf("%d assets, names %q and %q", len(Assets()), AssetName("base.css"), AssetName("../doc.go"))
	}
}
