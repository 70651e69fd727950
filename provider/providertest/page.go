package providertest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// page is what a browser shows.
type page struct {
	heading string
	next    string // where it goes on by itself
	forms   []form
}

// form is a form that is posted.
type form struct {
	action  string
	fields  url.Values
	buttons []button
}

type button struct{ name, value string }

// has reports whether a form has a button.
func (f form) has(name, value string) bool {
	return slices.Contains(f.buttons, button{name, value})
}

func readPage(response *http.Response) (page, error) {
	root, err := html.Parse(response.Body)
	if err != nil {
		return page{}, fmt.Errorf("read page: %w", err)
	}
	var p page
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "meta" && testkit.Attribute(n, "http-equiv") == "refresh":
			_, p.next, _ = strings.Cut(testkit.Attribute(n, "content"), "url=")
		case n.Data == "h1" && p.heading == "":
			p.heading = testkit.Text(n)
		case n.Data == "form" && strings.EqualFold(testkit.Attribute(n, "method"), "post"):
			p.forms = append(p.forms, readForm(n))
		}
	}
	return p, nil
}

func readForm(n *html.Node) form {
	f := form{action: testkit.Attribute(n, "action"), fields: url.Values{}}
	for e := range n.Descendants() {
		switch name := testkit.Attribute(e, "name"); {
		case e.Type != html.ElementNode || name == "":
		case e.Data == "input":
			f.fields.Add(name, testkit.Attribute(e, "value"))
		case e.Data == "button":
			f.buttons = append(f.buttons, button{name, testkit.Attribute(e, "value")})
		}
	}
	return f
}
