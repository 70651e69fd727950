package main

import (
	"archive/zip"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
)

// library is a module of two packages.
func library(t *testing.T, text string) *apidiff.Module {
	t.Helper()
	m := &apidiff.Module{Path: "example.org/library"}
	for _, name := range []string{"library", "parts"} {
		if name == "parts" && strings.Contains(text, "without parts") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "/here/file.go", "package "+name+"\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		at := m.Path
		if name == "parts" {
			at += "/deep/parts"
		}
		p, err := new(types.Config).Check(at, files, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.Packages = append(m.Packages, p)
	}
	return m
}

const before = `
type T struct{ F int }
func (*T) Save() error { return nil }
type I interface{ Read() }
func Open(name string) {}
const Size = 1
`

func TestBreaks(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"Nothing":           {"x", "x", ""},
		"Addition":          {"const", "func More() {}\nconst", ""},
		"Field":             {"F int", "G int", "T.F"},
		"Method":            {"Save()", "Keep()", "T.Save"},
		"Signature":         {"Open(name string)", "Open(name string, n int)", "Open"},
		"MethodOfInterface": {"Read()", "Read(); Write()", "I.Write"},
		"Value":             {"Size = 1", "Size = 2", "Size"},
	} {
		t.Run(name, func(t *testing.T) {
			found := breaks(apidiff.ModuleChanges(library(t, before), library(t, strings.Replace(before, c.old, c.new, 1))), "example.org/library")
			var names []string
			for _, b := range found {
				names = append(names, b.name)
			}
			want := ""
			if c.want != "" {
				want = "library." + c.want + " parts." + c.want
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("breaks %q, want %q", got, want)
			}
		})
	}
	t.Run("Package", func(t *testing.T) {
		found := breaks(apidiff.ModuleChanges(library(t, before), library(t, before+"// without parts")), "example.org/library")
		if len(found) != 1 || found[0].name != "parts" {
			t.Errorf("breaks %v", found)
		}
	})
}

func TestChangelog(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\n- `provider.Open` has another parameter.\n\n## [0.1.0]\n\n- `provider.Old` is gone.\n"
	for name, said := range map[string]bool{"provider.Open": true, "provider.Old": false, "provider.Ope": false} {
		if b := (broken{name: name}); b.isIn(unreleased(changelog)) != said {
			t.Errorf("%s: said is not %v", name, said)
		}
	}
	if text := unreleased("## [0.1.0]\n\n- `provider.Old`"); text != "" {
		t.Errorf("unreleased is %q", text)
	}
}

// TestKept keeps an API, and finds it unchanged.
func TestKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "api", "library.zip")
	if err := keep(file, "v0.1.0", library(t, before)); err != nil {
		t.Fatal(err)
	}
	release, m, err := kept(file)
	if err != nil || release != "v0.1.0" || m.Path != "example.org/library" || len(m.Packages) != 2 {
		t.Fatalf("kept %s, %+v, %v", release, m, err)
	}
	if found := breaks(apidiff.ModuleChanges(m, library(t, before)), m.Path); len(found) != 0 {
		t.Errorf("breaks %v", found)
	}
	if found := breaks(apidiff.ModuleChanges(m, library(t, strings.Replace(before, "Size", "Length", 1))), m.Path); len(found) != 2 {
		t.Errorf("breaks %v, want the constant of both packages", found)
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, e := range z.File {
		if content, err := fs.ReadFile(z, e.Name); err != nil || bytes.Contains(content, []byte("/here/")) {
			t.Errorf("%s says where the source was: %v", e.Name, err)
		}
	}
}

func TestPromised(t *testing.T) {
	for path, want := range map[string]bool{
		"b/provider": true, "b/provider/event": true, "b/provider/providertest": true,
		"b/provider/internal/web": false, "b/provider/internal": false, "b/storage/storagetest": false, "b/storage/postgres/pgtest": false,
	} {
		if promised("name", path) != want {
			t.Errorf("%s: promised is not %v", path, want)
		}
	}
	if promised("main", "b/provider/tool") {
		t.Error("a program is promised")
	}
}
