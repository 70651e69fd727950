package uitest

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Attr returns an attribute of an element.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Has reports whether an element has an attribute.
func Has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// Elements returns the elements below n of the given names, of all when there
// are none.
func Elements(n *html.Node, names ...string) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && (len(names) == 0 || slices.Contains(names, d.Data)) {
			found = append(found, d)
		}
	}
	return found
}

// TextOf returns the text in an element.
func TextOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
