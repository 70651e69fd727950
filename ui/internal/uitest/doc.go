// Package uitest has the tests that the screens and the texts of every audience pass. It knows
// pages and files, and not package ui, whose own tests use it as well.
package uitest

import (
	"bytes"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// Page is a screen in one state and in one language. Every page is a golden file and one of
// the gallery.
type Page struct {
	Name string
	// Lang and Dir are those of the language.
	Lang, Dir string
	Component templ.Component
}

// Render returns a component as HTML.
func Render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Parse returns a component as the document that a browser makes of it.
func Parse(t *testing.T, c templ.Component) *html.Node {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(Render(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
