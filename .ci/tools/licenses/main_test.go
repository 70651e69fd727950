package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const bill = `{"components": [
	{"name": "std", "version": "go1.26.8"},
	{"name": "/home/somebody/module", "version": "v0.1.0"},
	{"name": "own.example/module/part", "version": "v0.1.0"},
	{"name": "b.example/two", "version": "v2.0.0", "licenses": [{"license": {"id": "MIT"}}]},
	{"name": "a.example/one", "version": "v1.0.0", "evidence": {"licenses": [{"license": {"id": "MIT"}}, {"license": {"id": "MIT"}}]}}
]}`

func TestRead(t *testing.T) {
	all, err := read(strings.NewReader(bill), "own.example/module")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range all {
		got = append(got, l.name+l.version+" "+strings.Join(l.licenses, "+"))
	}
	if want := "a.example/onev1.0.0 MIT; b.example/twov2.0.0 MIT; std BSD-3-Clause"; strings.Join(got, "; ") != want {
		t.Errorf("read %q, want %q", got, want)
	}
	if _, err := read(strings.NewReader(`{}`), ""); err == nil {
		t.Error("an empty bill is read")
	}
}

func TestTexts(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"LICENSE": " Permission\r\nis granted. \n", "NOTICE.md": "By us.", "license.go": "package x", "main.go": "x", "licensing": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := textsIn(folder)
	if err != nil || strings.Join(texts, "|") != "Permission\nis granted.|By us." {
		t.Errorf("texts %q, %v", texts, err)
	}
}

func TestWrite(t *testing.T) {
	var out strings.Builder
	err := write(&out, []linked{
		{"a.example/one", "v1.0.0", []string{"MIT"}, []string{"Permission is granted."}},
		{"b.example/two", "v2.0.0", []string{"MIT"}, []string{"Permission is granted.", "By us."}},
	})
	got := out.String()
	if err != nil || strings.Count(got, "Permission is granted.") != 1 || !strings.Contains(got, "a.example/one v1.0.0\n    MIT\nb.example/two v2.0.0\n    MIT\n") ||
		!strings.Contains(got, "a.example/one\nb.example/two\n\nPermission") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestLikeGo(t *testing.T) {
	all := []linked{
		{name: "golang.org/x/text", licenses: []string{"BSD-Source-Code"}, texts: []string{"Go's", "patents"}},
		{name: "other.example", licenses: []string{"MIT"}, texts: []string{"other"}},
		{name: standardLibrary, licenses: []string{"BSD-3-Clause"}, texts: []string{"Go's"}},
	}
	likeGo(all)
	if all[0].licenses[0] != "BSD-3-Clause" || all[1].licenses[0] != "MIT" {
		t.Errorf("licences %v, %v", all[0].licenses, all[1].licenses)
	}
}
