// Package visitor is a web browser for tests of the examples: it keeps cookies,
// follows redirects and fills in forms, all through real HTTP.
package visitor

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Visitor is a person at a browser. URL, Status and Body are of the page that is
// open.
type Visitor struct {
	URL    *url.URL
	Status int
	Body   string

	t      testing.TB
	client *http.Client
}

// New returns a visitor without cookies. What goes wrong on the way ends the test.
func New(t testing.TB) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &Visitor{t: t, client: client}
}

// Open opens an address, absolute or relative to the open page.
func (v *Visitor) Open(address string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.resolve(address), nil)
	if err != nil {
		v.t.Fatal(err)
	}
	v.do(r)
}

// Submit submits the first form of the open page that is posted. Pairs of name and
// value fill in fields, or stand for the button that is pressed.
func (v *Visitor) Submit(pairs ...string) {
	v.t.Helper()
	action, fields := v.form()
	for i := 0; i < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.resolve(action), strings.NewReader(fields.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	v.do(r)
}

// Shows fails the test unless the open page contains a text.
func (v *Visitor) Shows(text string) {
	v.t.Helper()
	if !strings.Contains(html.UnescapeString(v.Body), text) {
		v.t.Fatalf("%s (%d) does not show %q:\n%s", v.URL, v.Status, text, v.Body)
	}
}

// Hides fails the test if the open page contains a text.
func (v *Visitor) Hides(text string) {
	v.t.Helper()
	if strings.Contains(html.UnescapeString(v.Body), text) {
		v.t.Fatalf("%s (%d) shows %q:\n%s", v.URL, v.Status, text, v.Body)
	}
}

func (v *Visitor) resolve(address string) string {
	v.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		v.t.Fatal(err)
	}
	if v.URL == nil {
		return u.String()
	}
	return v.URL.ResolveReference(u).String()
}

func (v *Visitor) do(r *http.Request) {
	v.t.Helper()
	response, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	v.URL, v.Status, v.Body = response.Request.URL, response.StatusCode, string(body)
}

// form returns the action and the fields of the first form that is posted.
func (v *Visitor) form() (action string, fields url.Values) {
	v.t.Helper()
	root, err := html.Parse(strings.NewReader(v.Body))
	if err != nil {
		v.t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "form" || !strings.EqualFold(attribute(n, "method"), http.MethodPost) {
			continue
		}
		fields = url.Values{}
		for input := range n.Descendants() {
			if input.Data == "input" && attribute(input, "name") != "" {
				fields.Set(attribute(input, "name"), attribute(input, "value"))
			}
		}
		return attribute(n, "action"), fields
	}
	v.t.Fatalf("%s (%d) has no form:\n%s", v.URL, v.Status, v.Body)
	return "", nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
