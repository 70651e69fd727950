package samples

import (
	"net/http"
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
	b := &browser{t: t, http: testkit.NewClient(t)}
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
	response, body := testkit.Do(b.t, b.http, r)
	return page{response, body}
}

func (b *browser) get(address string) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	testkit.OK(b.t, err)
	return b.do(r)
}

// signIn opens an address and answers what the provider asks, as alice, until there is a
// page without a form.
func (b *browser) signIn(address string) page {
	b.t.Helper()
	p := b.get(address)
	for range 3 {
		forms := testkit.Forms(b.t, p.body)
		if len(forms) == 0 {
			break
		}
		fields := forms[0].Fields
		switch {
		case fields.Has("password"):
			fields.Set("email", "alice@example.com")
			fields.Set("password", password)
		default:
			fields.Set("action", "allow")
		}
		target, err := p.Request.URL.Parse(forms[0].Action)
		testkit.OK(b.t, err)
		r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, target.String(), strings.NewReader(fields.Encode()))
		testkit.OK(b.t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		p = b.do(r)
	}
	return p
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
