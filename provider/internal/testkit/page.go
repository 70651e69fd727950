package testkit

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// OwnConnections is a transport of this test's own: every httptest.Server that is closed
// closes the connections of http.DefaultTransport, also under a request of a test beside it.
func OwnConnections(t testing.TB) *http.Transport {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// NewClient returns one with cookies and connections of its own, which follows no redirect.
func NewClient(t testing.TB) *http.Client {
	t.Helper()
	return &http.Client{
		Jar: Must(cookiejar.New(nil))(t), Transport: OwnConnections(t),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Do sends a request and reads the answer.
func Do(t testing.TB, c *http.Client, r *http.Request) (response *http.Response, body string) {
	t.Helper()
	response, err := c.Do(r) //nolint:gosec // a test says where to
	OK(t, err)
	defer func() { _ = response.Body.Close() }()
	return response, string(Must(io.ReadAll(response.Body))(t))
}

// Form is a form of a page that is posted.
type Form struct {
	*html.Node
	Action string
	Fields url.Values // its inputs, ticked or not; of those with one name the last
}

// Forms returns those of a page in their order.
func Forms(t testing.TB, page string) (forms []Form) {
	t.Helper()
	for n := range Must(html.Parse(strings.NewReader(page)))(t).Descendants() {
		if n.Data != "form" || !strings.EqualFold(Attribute(n, "method"), http.MethodPost) {
			continue
		}
		f := Form{n, Attribute(n, "action"), url.Values{}}
		for input := range n.Descendants() {
			if name := Attribute(input, "name"); input.Data == "input" && name != "" {
				f.Fields.Set(name, Attribute(input, "value"))
			}
		}
		forms = append(forms, f)
	}
	return forms
}

// Attribute returns the value of one, "" when the element has none.
func Attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Text returns the words of an element.
func Text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
