package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed page.html.tmpl
var layoutText string

//go:embed style.css
var style []byte

//go:embed search.js
var search []byte

var layout = template.Must(template.New("page").Parse(layoutText))

// styleName and searchName are where the stylesheet and the script are in the site.
const styleName, searchName = "style.css", "search.js"

// site is the pages of a repository.
type site struct {
	repository fs.FS
	pages      map[string]*page // by path
	pictures   map[string]bool  // that pages show, by path
}

func readSite(repository fs.FS) (*site, error) {
	pages, err := readPages(repository)
	if err != nil {
		return nil, err
	}
	return &site{repository, pages, map[string]bool{}}, checkSections(pages)
}

// build returns the files of the site by their path in it, or all the links that lead nowhere.
func (s *site) build() (map[string][]byte, error) {
	index, err := s.index()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{styleName: style, searchName: append(index, search...)}
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		p := s.pages[name]
		failures = append(failures, s.resolveAll(p)...)
		content, err := s.layOut(p)
		if err != nil {
			return nil, err
		}
		files[address(name)] = content
	}
	for name := range s.pictures {
		picture, err := fs.ReadFile(s.repository, name)
		if err != nil {
			return nil, err
		}
		files[name] = picture
	}
	return files, errors.Join(failures...)
}

// index is what search.js looks in, JSON within a script: a page that is read from a folder fetches nothing.
func (s *site) index() ([]byte, error) {
	var found [][3]string
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		p := s.pages[name]
		found = append(found, [3]string{p.title, p.title, address(name)})
		for _, h := range p.all {
			found = append(found, [3]string{p.title, h.Text, address(name) + "#" + h.Anchor})
		}
	}
	text, err := json.Marshal(found)
	return fmt.Appendf(nil, "const found = %s;\n", text), err
}

// view is what the layout shows.
type view struct {
	Title, Style, Home, Source, Search string
	Content                            template.HTML
	Sections                           []viewSection
}

type viewSection struct {
	Name  string
	Pages []viewPage
}

type viewPage struct {
	Title, Href string
	Here        bool
	Headings    []heading
}

// layOut returns a page with its navigation.
func (s *site) layOut(p *page) ([]byte, error) {
	content, err := p.render()
	if err != nil {
		return nil, err
	}
	here := address(p.name)
	v := view{
		Title: p.title, Style: relative(here, styleName), Home: relative(here, "index.html"), Search: relative(here, searchName), Source: hosted + "blob/main/" + p.name,
		Content: template.HTML(strings.NewReplacer(p.inHTML...).Replace(content)), //nolint:gosec // Of the repository.
	}
	for _, section := range sections {
		vs := viewSection{Name: section.name}
		for _, name := range section.pages {
			item := viewPage{Title: s.pages[name].title, Href: relative(here, address(name)), Here: name == p.name}
			if item.Here {
				item.Headings = p.headings
			}
			vs.Pages = append(vs.Pages, item)
		}
		v.Sections = append(v.Sections, vs)
	}
	var b bytes.Buffer
	err = layout.Execute(&b, v)
	return b.Bytes(), err
}

// write writes files below a folder, in place of those that an earlier build left.
func write(folder string, files map[string][]byte) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
