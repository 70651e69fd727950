package samples

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const password = "glacier-tulip-orbit-42"

// browser is a user agent with cookies and connections of its own. It follows redirects,
// but not to addresses that begin with until.
type browser struct {
	t     *testing.T
	http  *http.Client
	until string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar := testkit.Must(cookiejar.New(nil))(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	b := &browser{t: t, http: &http.Client{Jar: jar, Transport: transport}}
	b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if b.until != "" && strings.HasPrefix(r.URL.String(), b.until) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return b
}

// page is an answer that has been read.
type page struct {
	*http.Response
	body string
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	response, err := b.http.Do(r)
	ok(b.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ok(b.t, err)
	return page{response, string(body)}
}

func (b *browser) get(address string) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	ok(b.t, err)
	return b.do(r)
}

// signIn opens an address and answers what the provider asks, as alice, until there is a
// page without a form.
func (b *browser) signIn(address string) page {
	b.t.Helper()
	p := b.get(address)
	for range 3 {
		action, fields := p.form(b.t)
		if action == "" {
			break
		}
		switch {
		case fields.Has("password"):
			fields.Set("email", "alice@example.com")
			fields.Set("password", password)
		default:
			fields.Set("action", "allow")
		}
		target, err := p.Request.URL.Parse(action)
		ok(b.t, err)
		r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, target.String(), strings.NewReader(fields.Encode()))
		ok(b.t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		p = b.do(r)
	}
	return p
}

// form returns action and fields of the first form of a page, nothing when there is none.
func (p page) form(t *testing.T) (action string, fields url.Values) {
	t.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.body)))(t)
	fields = url.Values{}
	for n := range root.Descendants() {
		attr := func(name string) string {
			for _, a := range n.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		switch {
		case n.Data == "form" && attr("method") == "post" && action == "":
			action = attr("action")
		case n.Data == "input" && attr("name") != "":
			fields.Set(attr("name"), attr("value"))
		}
	}
	return action, fields
}

// link returns where the only link of a page leads, and what it says.
func (p page) link(t *testing.T) (address, text string) {
	t.Helper()
	root := testkit.Must(html.Parse(strings.NewReader(p.body)))(t)
	for n := range root.Descendants() {
		if n.Data == "a" && n.FirstChild != nil {
			for _, a := range n.Attr {
				address, text = a.Val, n.FirstChild.Data
			}
		}
	}
	return address, text
}
