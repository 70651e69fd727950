package pages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// form is a form of a page.
type form struct {
	action string
	fields url.Values

	// passkey is "get" or "create" if the form asks the browser for a passkey, by options.
	passkey string
	options []byte
}

// formsOf returns the POST forms of a page.
func formsOf(t testing.TB, p lab.Page) []form {
	t.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.Text)))(t)
	var forms []form
	for n := range root.Descendants() {
		if n.Data == "form" && strings.EqualFold(testkit.Attribute(n, "method"), "post") {
			forms = append(forms, readForm(n))
		}
	}
	return forms
}

func readForm(n *html.Node) form {
	f := form{action: testkit.Attribute(n, "action"), fields: url.Values{}, passkey: testkit.Attribute(n, "data-passkey")}
	for c := range n.Descendants() {
		switch {
		case c.Data == "input" && testkit.Attribute(c, "name") != "" && testkit.Attribute(c, "type") != "checkbox":
			f.fields.Add(testkit.Attribute(c, "name"), testkit.Attribute(c, "value"))
		case c.Data == "script" && c.FirstChild != nil:
			f.options = []byte(c.FirstChild.Data)
		}
	}
	return f
}

// with returns a copy of the form with other values; pairs override.
func (f form) with(pairs ...string) form {
	fields := url.Values{}
	for name, values := range f.fields {
		fields[name] = values
	}
	for i := 0; i < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	f.fields = fields
	return f
}

// withField returns the form of a page that has a field.
func withField(t testing.TB, p lab.Page, name string) form {
	t.Helper()
	for _, f := range formsOf(t, p) {
		if f.fields.Has(name) && f.passkey == "" {
			return f
		}
	}
	t.Fatalf("no form with %s at %s (%s):\n%s", name, p.Request.URL.Path, p.Status, p.Text)
	return form{}
}

// asking returns the form of a page that asks for a passkey.
func asking(t testing.TB, p lab.Page, kind string) form {
	t.Helper()
	for _, f := range formsOf(t, p) {
		if f.passkey == kind {
			return f
		}
	}
	t.Fatalf("no form to %s a passkey at %s (%s):\n%s", kind, p.Request.URL.Path, p.Status, p.Text)
	return form{}
}

// send posts a form and follows no redirect.
func send(b *lab.Browser, f form) lab.Page {
	b.T.Helper()
	return b.Post(f.action, f.fields)
}

// linked opens the link of a page that has such a text or label.
func linked(b *lab.Browser, p lab.Page, text string) lab.Page {
	b.T.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.Text)))(b.T)
	for n := range root.Descendants() {
		if n.Data == "a" && (strings.Contains(textOf(n), text) || strings.Contains(testkit.Attribute(n, "aria-label"), text)) {
			return b.Open(testkit.Attribute(n, "href"))
		}
	}
	b.T.Fatalf("no link %q at %s (%s):\n%s", text, p.Request.URL.Path, p.Status, p.Text)
	return lab.Page{}
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text.WriteString(c.Data)
		}
	}
	return text.String()
}

// refused demands that a page refuses with a status, and that nobody is signed in by it.
func refused(t testing.TB, b *lab.Browser, p lab.Page, status int) {
	t.Helper()
	lab.Shown(t, p, status)
	if b.IsSignedIn() {
		t.Error("somebody is signed in")
	}
}

// wrong demands the answer to a wrong factor.
func wrong(t testing.TB, b *lab.Browser, p lab.Page) {
	t.Helper()
	refused(t, b, p, http.StatusUnauthorized)
}

// said is what a page tells people.
func said(t testing.TB, p lab.Page) string {
	t.Helper()
	var words strings.Builder
	for n := range lab.MainOf(t, p).Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" {
			words.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(words.String()), " ")
}
