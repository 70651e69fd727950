package developer_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// browser is a user agent with cookies that does not follow redirects.
type browser struct {
	t    testing.TB
	home string // the origin of addresses without one
	http *http.Client
}

// newBrowser returns a browser in which nobody is signed in.
func (w *fixture) newBrowser() *browser {
	return &browser{w.t, w.server.URL, testkit.NewClient(w.t)}
}

// as returns a browser in which a user has just signed in.
func (w *fixture) as(user string) *browser {
	w.t.Helper()
	b := w.newBrowser()
	b.signIn(b.open("/signin"), user)
	return b
}

// signIn fills in the page that asks a user to sign in, or to confirm it, and follows.
func (b *browser) signIn(p page, user string) page {
	b.t.Helper()
	fields := []string{"password", everyPassword}
	if strings.Contains(p.body, `name="email"`) {
		fields = append(fields, "email", user+"@example.com")
	}
	p = b.submit(p, fields...)
	if p.StatusCode != http.StatusOK || strings.Contains(p.body, `name="password"`) {
		b.t.Fatalf("sign-in of %s: %s at %s\n%s", user, p.Status, p.Request.URL, p.body)
	}
	return p
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	response, body := testkit.Do(b.t, b.http, r)
	return page{response, body}
}

func (b *browser) request(method, address string, body io.Reader) *http.Request {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.home + address
	}
	r := testkit.Must(http.NewRequestWithContext(b.t.Context(), method, address, body))(b.t)
	return r
}

func (b *browser) get(address string) page {
	b.t.Helper()
	return b.do(b.request(http.MethodGet, address, nil))
}

func (b *browser) post(address string, form url.Values) page {
	b.t.Helper()
	r := b.request(http.MethodPost, address, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r)
}

// follow goes along redirects within the host.
func (b *browser) follow(p page) page {
	b.t.Helper()
	for range 10 {
		location := p.Header.Get("Location")
		if !strings.HasPrefix(location, "/") {
			return p
		}
		p = b.get(location)
	}
	b.t.Fatal("redirects do not end")
	return p
}

// open gets a page and follows.
func (b *browser) open(address string) page {
	b.t.Helper()
	return b.follow(b.get(address))
}

// submit fills in the first form of a page that has all of these fields, by its button for
// the action when one is among them, and follows. A field without a value (-) is left out.
func (b *browser) submit(p page, values ...string) page {
	b.t.Helper()
	return b.follow(b.submitOnce(p, values...))
}

func (b *browser) submitOnce(p page, values ...string) page {
	b.t.Helper()
	action, fields := p.form(b.t, values...)
	return b.post(action, fields)
}

// page is an answer with its body.
type page struct {
	*http.Response
	body string
}

// form returns action and fields of the first POST form of a page that can send these
// values, filled in with them.
func (p page) form(t testing.TB, values ...string) (action string, fields url.Values) {
	t.Helper()
	for _, f := range testkit.Forms(t, p.body) {
		fields, known := fieldsOf(f.Node)
		fits := true
		for i := 0; i < len(values); i += 2 {
			name, value := values[i], values[i+1]
			fits = fits && (known[name] || known[name+"="+value])
			if fields.Set(name, value); value == "-" {
				fields.Del(name)
			}
		}
		if fits {
			return f.Action, fields
		}
	}
	t.Fatalf("no form for %q at %s (%s):\n%s", values, p.Request.URL, p.Status, p.body)
	return "", nil
}

// fieldsOf returns what a form sends as it stands, and what it can send: the names of its
// fields, and NAME=VALUE for its buttons.
func fieldsOf(form *html.Node) (fields url.Values, known map[string]bool) {
	fields, known = url.Values{}, map[string]bool{}
	for n := range form.Descendants() {
		name, value := testkit.Attribute(n, "name"), testkit.Attribute(n, "value")
		kind := testkit.Attribute(n, "type")
		switch {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "button":
			known[name+"="+value] = true
		case n.Data == "textarea":
			known[name] = true
			if n.FirstChild != nil {
				fields.Set(name, n.FirstChild.Data)
			} else {
				fields.Set(name, "")
			}
		case n.Data == "select":
			known[name] = true
			for o := range n.Descendants() {
				if o.Data == "option" && has(o, "selected") {
					fields.Set(name, testkit.Attribute(o, "value"))
				}
			}
		case n.Data == "input":
			known[name] = true
			if kind != "radio" && kind != "checkbox" || has(n, "checked") {
				fields.Set(name, value)
			}
		}
	}
	return fields, known
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
