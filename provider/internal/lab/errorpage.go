package lab

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// MainOf returns the content of a page, without header and footer.
func MainOf(t testing.TB, p Page) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.Text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data == "main" {
			return n
		}
	}
	t.Fatalf("no content on the page (%s):\n%s", p.Status, p.Text)
	return nil
}
