package main

import (
	"bytes"
	_ "embed"
	"errors"
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

var layout = template.Must(template.New("page").Parse(layoutText))

// styleName is where the stylesheet is in the site.
const styleName = "style.css"

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
	files := map[string][]byte{styleName: style}
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

// view is what the layout shows.
type view struct {
	Title, Style, Home, Source string
	Content                    template.HTML
	Sections                   []viewSection
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
		Title: p.title, Style: relative(here, styleName), Home: relative(here, "index.html"), Source: hosted + "blob/main/" + p.name,
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
