package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// hosted is where files are that the site does not have.
const hosted = "https://github.com/bonafide-id/bonafide/"

var (
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	scheme   = regexp.MustCompile(`^[a-z]+:`)
	htmlLink = regexp.MustCompile(`(?:src|href)="([^"]+)"`)
)

// resolve returns what a link of a page is in the site. This is the rule for every link of every
// page: one with a scheme stays; any other names a file of the repository, relative to the page, and
// an anchor names a heading of it. A page is linked as its HTML, a picture is copied, and any other
// file or folder is linked where the repository is hosted.
func (s *site) resolve(p *page, link string) (string, error) {
	if scheme.MatchString(link) {
		return link, nil
	}
	file, anchor, hasAnchor := strings.Cut(link, "#")
	name := p.name
	if file != "" {
		name = path.Join(path.Dir(p.name), file)
	}
	info, err := fs.Stat(s.repository, name)
	if err != nil {
		return "", fmt.Errorf("%s: the link %q leads nowhere", p.name, link)
	}
	other := s.pages[name]
	if hasAnchor && (other == nil || !other.anchors[anchor]) {
		return "", fmt.Errorf("%s: %s has no heading %q", p.name, name, anchor)
	}
	switch {
	case other == p && hasAnchor:
		return "#" + anchor, nil
	case other != nil:
		return strings.TrimSuffix(relative(address(p.name), address(name))+"#"+anchor, "#"), nil
	case isPicture(name):
		s.pictures[name] = true
		return relative(address(p.name), name), nil
	case info.IsDir():
		return hosted + "tree/main/" + name, nil
	default:
		return hosted + "blob/main/" + name, nil
	}
}

func isPicture(name string) bool { return path.Ext(name) == ".png" }

// resolveAll resolves every link of a page in its tree, and returns what leads nowhere. Those in the
// page's own HTML are resolved by resolveHTML when it has been rendered.
func (s *site) resolveAll(p *page) (failures []error) {
	_ = ast.Walk(p.root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		var resolved string
		switch n := node.(type) {
		case *ast.Link:
			resolved, err = s.resolve(p, string(n.Destination))
			n.Destination = []byte(resolved)
		case *ast.Image:
			resolved, err = s.resolve(p, string(n.Destination))
			n.Destination = []byte(resolved)
		case *ast.HTMLBlock:
			failures = append(failures, s.checkHTML(p, string(n.Lines().Value(p.source)))...)
		case *ast.RawHTML:
			failures = append(failures, s.checkHTML(p, string(n.Segments.Value(p.source)))...)
		}
		if err != nil {
			failures = append(failures, err)
		}
		return ast.WalkContinue, nil
	})
	return failures
}

// checkHTML returns what leads nowhere of the links of HTML that a page has.
func (s *site) checkHTML(p *page, text string) (failures []error) {
	for _, found := range htmlLink.FindAllStringSubmatch(text, -1) {
		resolved, err := s.resolve(p, found[1])
		if err != nil {
			failures = append(failures, err)
		} else if resolved != found[1] {
			p.inHTML = append(p.inHTML, `"`+found[1]+`"`, `"`+resolved+`"`)
		}
	}
	return failures
}
