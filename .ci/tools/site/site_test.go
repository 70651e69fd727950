package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// repository returns one with all pages of the navigation, and those of a test.
func repository(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{
		"examples/program/main.go": {Data: []byte("package main")},
		"docs/pictures/a.png":      {Data: []byte("a picture")},
		"docs/pictures/b.png":      {Data: []byte("png")},
		"node_modules/x/README.md": {Data: []byte("[nowhere](nowhere.md)")},
	}
	for _, s := range sections {
		for _, name := range s.pages {
			all[name] = &fstest.MapFile{Data: []byte("# Page " + name + "\n\n## What `it` is\n\n## What it is\n")}
		}
	}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func build(files map[string]string) (map[string][]byte, error) {
	s, err := readSite(repository(files))
	if err != nil {
		return nil, err
	}
	return s.build()
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[x](../clients.md)":                                      `href="../clients.html"`,
		"[x](../clients.md#what-it-is)":                           `href="../clients.html#what-it-is"`,
		"[x](../clients.md#what-it-is-1)":                         `href="../clients.html#what-it-is-1"`,
		"[x](../../README.md)":                                    `href="../../index.html"`,
		"[x](README.md)":                                          `href="index.html"`,
		"## A *new*, [linked](django.md) h\n[x](#a-new-linked-h)": `href="#a-new-linked-h"`,
		"[x](../../examples/program/main.go)":                     `href="https://github.com/bonafide-id/bonafide/blob/main/examples/program/main.go"`,
		"[x](../../examples/program)":                             `href="https://github.com/bonafide-id/bonafide/tree/main/examples/program"`,
		"[x](https://elsewhere.example/a.md)":                     `href="https://elsewhere.example/a.md"`,
		"![x](../pictures/a.png)":                                 `src="../pictures/a.png"`,
		"<p>\n<img src=\"../clients.md\" alt=\"\">":               `src="../clients.html"`,
		"Text <a href=\"../clients.md\">x</a>":                    `href="../clients.html"`,
		"`[x](nowhere.md)`":                                       `<code>[x](nowhere.md)</code>`,
	} {
		files, err := build(map[string]string{"docs/tutorials/rails.md": "# T\n\n" + text + "\n"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if content := string(files["docs/tutorials/rails.html"]); !strings.Contains(content, want) {
			t.Errorf("%s: the page has no %s:\n%s", text, want, content)
		}
	}
}

func TestLinksThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"File":          "[x](nowhere.md)",
		"Picture":       "![x](pictures/nowhere.png)",
		"Heading":       "[x](clients.md#nowhere)",
		"OwnHeading":    "[x](#nowhere)",
		"HeadingOfCode": "[x](../examples/program/main.go#L1)",
		"Outside":       "[x](../../elsewhere.md)",
		"Reference":     "[x][1]\n\n[1]: nowhere.md",
		"BlockOfHTML":   "<p>\n<img src=\"nowhere.png\">\n</p>",
		"HTML":          "Text <a href=\"nowhere.md\">x</a>",
	} {
		if _, err := build(map[string]string{"docs/local.md": "# T\n\n" + text + "\n"}); err == nil || !strings.Contains(err.Error(), "docs/local.md") {
			t.Errorf("%s: %v, want an error that names the page", name, err)
		}
	}
}

func TestEveryManualIsInTheNavigation(t *testing.T) {
	t.Parallel()
	if _, err := build(map[string]string{"docs/new.md": "# New"}); err == nil || !strings.Contains(err.Error(), "docs/new.md") {
		t.Errorf("a manual in no section: %v", err)
	}
	missing := repository(nil)
	delete(missing, "docs/embed.md")
	if _, err := readSite(missing); err == nil || !strings.Contains(err.Error(), "docs/embed.md") {
		t.Errorf("a section with a page that is not there: %v", err)
	}
}

func TestSite(t *testing.T) {
	t.Parallel()
	files, err := build(map[string]string{"docs/local.md": "# Own machine\n\n## Part one\n\n![x](pictures/b.png)\n\n| a | |\n|---|---|\n| b | c |\n\n| d |\n|---|\n| e |\n"})
	if err != nil {
		t.Fatal(err)
	}
	content := string(files["docs/local.html"])
	for _, want := range []string{
		`<html lang="en">`, "<title>Own machine – Bonafide</title>", `href="../style.css"`, `<a href="local.html" aria-current="page">Own machine</a>`,
		`<a href="#part-one">Part one</a>`, `<h2 id="part-one">`, `tabindex="0"><table>`, `href="tutorials/index.html"`,
		`aria-label="Table 1"`, `aria-label="Table 2"`, "<th>a</th>\n<td></td>", `<script src="../search.js">`,
	} {
		if !strings.Contains(content, want) {
			t.Errorf("the page has no %s:\n%s", want, content)
		}
	}
	if index := string(files["search.js"]); !strings.Contains(index, `["Own machine","Part one","docs/local.html#part-one"]`) {
		t.Errorf("the script does not know the heading:\n%s", index)
	}
	if files["docs/pictures/b.png"] == nil || files["docs/pictures/a.png"] != nil || files["node_modules/x/index.html"] != nil {
		t.Errorf("no picture, or files that no page has: %q", slices.Sorted(maps.Keys(files)))
	}

	folder := filepath.Join(t.TempDir(), "site")
	if err := write(folder, map[string][]byte{"left.html": nil}); err != nil {
		t.Fatal(err)
	}
	if err := write(folder, files); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "docs", "local.html")); err != nil || string(got) != content {
		t.Errorf("what was written differs: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "left.html")); err == nil {
		t.Error("a page of an earlier build is left")
	}
}
