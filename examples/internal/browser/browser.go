// Package browser is a web browser for tests of the examples: it keeps cookies,
// follows redirects and fills in forms, all through real HTTP.
package browser

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Browser is one that a test controls. URL, Status and Body are of the page that is
// open.
type Browser struct {
	URL    *url.URL
	Status int
	Body   string

	t      testing.TB
	client *http.Client
}

// New returns a browser without cookies. What goes wrong on the way ends the test.
func New(t testing.TB) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	dial := http.DefaultTransport.(*http.Transport).DialContext //nolint:forcetypeassert // it is documented
	client := &http.Client{Jar: jar, Transport: &http.Transport{DialContext: dial}}
	t.Cleanup(client.CloseIdleConnections)
	return &Browser{t: t, client: client}
}

// Open opens an address, absolute or relative to the open page.
func (b *Browser) Open(address string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.resolve(address), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(r)
}

// Submit submits the first form of the open page that is posted. Pairs of name and
// value fill in fields, or stand for the button that is pressed.
func (b *Browser) Submit(pairs ...string) {
	b.t.Helper()
	action, fields := b.form(func(*html.Node) bool { return true })
	b.post(action, fields, pairs)
}

// SubmitTo submits the form of the open page that is posted to a path.
func (b *Browser) SubmitTo(path string, pairs ...string) {
	b.t.Helper()
	action, fields := b.form(func(form *html.Node) bool {
		to, err := url.Parse(attribute(form, "action"))
		return err == nil && to.Path == path
	})
	b.post(action, fields, pairs)
}

// Press presses the button with this text, in whatever form it is. Pairs fill in fields.
func (b *Browser) Press(text string, pairs ...string) {
	b.t.Helper()
	var button *html.Node
	action, fields := b.form(func(form *html.Node) bool {
		for n := range form.Descendants() {
			if n.Data == "button" && n.FirstChild != nil && strings.TrimSpace(n.FirstChild.Data) == text {
				button = n
				return true
			}
		}
		return false
	})
	if name := attribute(button, "name"); name != "" {
		fields.Set(name, attribute(button, "value"))
	}
	b.post(action, fields, pairs)
}

func (b *Browser) post(action string, fields url.Values, pairs []string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.resolve(action), strings.NewReader(fields.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b.do(r)
}

// Shows fails the test unless the open page contains a text.
func (b *Browser) Shows(text string) {
	b.t.Helper()
	if !strings.Contains(html.UnescapeString(b.Body), text) {
		b.t.Fatalf("%s (%d) does not show %q:\n%s", b.URL, b.Status, text, b.Body)
	}
}

// Hides fails the test if the open page contains a text.
func (b *Browser) Hides(text string) {
	b.t.Helper()
	if strings.Contains(html.UnescapeString(b.Body), text) {
		b.t.Fatalf("%s (%d) shows %q:\n%s", b.URL, b.Status, text, b.Body)
	}
}

func (b *Browser) resolve(address string) string {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.URL == nil {
		return u.String()
	}
	return b.URL.ResolveReference(u).String()
}

func (b *Browser) do(r *http.Request) {
	b.t.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.URL, b.Status, b.Body = response.Request.URL, response.StatusCode, string(body)
}

// form returns the action and the fields of the first form that is posted and meant.
func (b *Browser) form(meant func(form *html.Node) bool) (action string, fields url.Values) {
	b.t.Helper()
	root, err := html.Parse(strings.NewReader(b.Body))
	if err != nil {
		b.t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "form" || !strings.EqualFold(attribute(n, "method"), http.MethodPost) || !meant(n) {
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
	b.t.Fatalf("%s (%d) has no such form:\n%s", b.URL, b.Status, b.Body)
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
