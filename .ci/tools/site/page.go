package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// markdown reads pages as GitHub does. Their HTML is ours, so it passes.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// page is a Markdown file.
type page struct {
	name     string // its path in the repository
	source   []byte
	root     ast.Node
	title    string
	headings []heading       // of the second level
	all      []heading       // of all levels below the title
	anchors  map[string]bool // of all headings
	inHTML   []string        // links in its own HTML, and what each is in the site
}

// heading is what a reader of the navigation sees of a part of a page.
type heading struct{ Text, Anchor string }

// parse reads a page.
func parse(name string, source []byte) *page {
	p := &page{name: name, source: source, title: name, anchors: map[string]bool{}}
	ids := &anchors{taken: p.anchors}
	p.root = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids))))
	for node := p.root.FirstChild(); node != nil; node = node.NextSibling() {
		h, ok := node.(*ast.Heading)
		if !ok {
			continue
		}
		plain := p.textOf(h)
		id, _ := h.AttributeString("id")
		anchor, _ := id.([]byte)
		if h.Level == 1 && p.title == name {
			p.title = plain
			continue
		}
		p.all = append(p.all, heading{plain, string(anchor)})
		if h.Level == 2 {
			p.headings = append(p.headings, p.all[len(p.all)-1])
		}
	}
	return p
}

// textOf returns the text of a node and of all below it.
func (p *page) textOf(node ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(p.source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// render returns the page as HTML. Wide tables and programs can be scrolled by the keyboard.
func (p *page) render() (string, error) {
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, p.source, p.root); err != nil {
		return "", err
	}
	tables := 0
	return marked.ReplaceAllStringFunc(b.String(), func(tag string) string {
		switch tag {
		case "<table>":
			tables++ // regions have names of their own
			return fmt.Sprintf(`<div class="wide" role="region" aria-label="Table %d" tabindex="0"><table>`, tables)
		case "</table>":
			return "</table></div>"
		case "<th></th>":
			return "<td></td>" // it is the head of nothing
		default: // a program, which scrolls
			return strings.Replace(tag, ">", ` tabindex="0">`, 1)
		}
	}), nil
}

// marked is what render writes in another way.
var marked = regexp.MustCompile(`</?table>|<th></th>|<pre>`)

// anchors makes what headings are reached by, as GitHub does: words in lower case joined by hyphens,
// and a number behind what is taken.
type anchors struct{ taken map[string]bool }

// Generate returns the anchor of a heading.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	plain := linkText.ReplaceAllString(string(value), "$1")
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, plain)
	unique := id
	for i := 1; a.taken[unique]; i++ {
		unique = id + "-" + strconv.Itoa(i)
	}
	a.taken[unique] = true
	return []byte(unique)
}

// Put is for anchors that a page writes itself.
func (a *anchors) Put(value []byte) { a.taken[string(value)] = true }

// readPages reads every Markdown file of a repository.
func readPages(repository fs.FS) (map[string]*page, error) {
	pages := map[string]*page{}
	return pages, fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); entry.IsDir() && (base == "node_modules" || base == ".git" || base == ".cache") {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() || path.Ext(name) != ".md" {
			return nil
		}
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		pages[name] = parse(name, source)
		return nil
	})
}
