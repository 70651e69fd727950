package clients

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// browser is that of Alice, with cookies and connections of its own. It follows redirects,
// but not to an address that begins with until.
type browser struct {
	t     *testing.T
	http  *http.Client
	base  string // of the provider
	until string
}

func (i *installation) newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t, http: testkit.NewClient(t), base: i.base}
	b.http.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) > 20 || b.until != "" && strings.HasPrefix(r.URL.String(), b.until) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return b
}

// page is an answer that has been read.
type page struct {
	*http.Response
	url  *url.URL
	body string
}

// shows reports whether a page is one without an error that has these texts.
func (p page) shows(texts ...string) bool {
	body := html.UnescapeString(p.body)
	for _, text := range texts {
		if !strings.Contains(body, text) {
			return false
		}
	}
	return p.StatusCode == http.StatusOK
}

// isSignIn reports whether the provider asks who is there.
func (p page) isSignIn() bool { return strings.Contains(p.body, `name="password"`) }

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	r.Header.Set("Accept", "text/html,*/*;q=0.8") // Apache answers programs otherwise
	response, body := testkit.Do(b.t, b.http, r)
	return page{response, response.Request.URL, body}
}

func (b *browser) open(address string) page {
	b.t.Helper()
	r := testkit.Must(http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil))(b.t)
	return b.do(r)
}

// submit sends the first form of a page that is posted, with these fields filled in.
func (b *browser) submit(p page, filled map[string]string) page {
	b.t.Helper()
	action, fields := form(b.t, p)
	for name, value := range filled {
		fields.Set(name, value)
	}
	r := testkit.Must(http.NewRequestWithContext(b.t.Context(), http.MethodPost, action, strings.NewReader(fields.Encode())))(b.t)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r)
}

// signIn opens an address and answers what the provider asks, as Alice who allows it,
// until the browser is elsewhere.
func (b *browser) signIn(address string) page {
	b.t.Helper()
	p := b.open(address)
	for range 3 {
		switch {
		case !strings.HasPrefix(p.url.String(), b.base) || p.StatusCode != http.StatusOK && !p.isSignIn():
			return p
		case p.isSignIn():
			p = b.submit(p, map[string]string{"email": email, "password": password})
		default:
			p = b.submit(p, map[string]string{"action": "allow"})
		}
	}
	return p
}

// response signs in until the provider sends the browser to the redirect URI, and returns
// that address.
func (b *browser) response(address, redirectURI string) *url.URL {
	b.t.Helper()
	b.until = redirectURI
	defer func() { b.until = "" }()
	p := b.signIn(address)
	location, err := p.Location()
	if err != nil {
		b.t.Fatalf("no response: %s at %s\n%s", p.Status, p.url, p.body)
	}
	return location
}

// form returns where the first form of a page that is posted goes, and what it holds.
func form(t *testing.T, p page) (action string, fields url.Values) {
	t.Helper()
	forms := testkit.Forms(t, p.body)
	if len(forms) == 0 {
		t.Fatalf("no form at %s: %s\n%s", p.url, p.Status, p.body)
	}
	return testkit.Must(p.url.Parse(forms[0].Action))(t).String(), forms[0].Fields
}
