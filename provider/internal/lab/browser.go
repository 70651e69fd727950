package lab

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Browser is a user agent with cookies that does not follow redirects.
type Browser struct {
	T       testing.TB
	Fixture *Fixture
	HTTP    *http.Client
}

// NewBrowser returns a browser without cookies.
func (w *Fixture) NewBrowser() *Browser {
	return &Browser{w.T, w, testkit.NewClient(w.T)}
}

// MaxAddress is the longest address to which the provider sends a browser, in bytes. nginx answers
// a longer one, with the headers beside it, by 502.
const MaxAddress = 2 << 10

// Do sends a request and reads the answer.
func (b *Browser) Do(r *http.Request) Page {
	b.T.Helper()
	response, body := testkit.Do(b.T, b.HTTP, r)
	if next := response.Header.Get("Location"); strings.HasPrefix(next, "/") && len(next) > MaxAddress {
		b.T.Errorf("%s leads to an address of %d bytes: %.60s…", r.URL.Path, len(next), next)
	}
	return Page{response, body}
}

// Absolute completes the address of a page of the provider.
func (b *Browser) Absolute(address string) string {
	if strings.HasPrefix(address, "/") {
		return b.Fixture.Server.URL + address
	}
	return address
}

// Get opens an address and follows no redirect.
func (b *Browser) Get(address string) Page {
	b.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.Absolute(address), nil))(b.T)
	return b.Do(r)
}

// Post sends a form and follows no redirect.
func (b *Browser) Post(address string, form url.Values) Page {
	b.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.Absolute(address), strings.NewReader(form.Encode())))(b.T)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.Do(r)
}

// Follow goes along redirects within the provider.
func (b *Browser) Follow(p Page) Page {
	b.T.Helper()
	for range 10 {
		location := p.Header.Get("Location")
		if !strings.HasPrefix(location, "/") {
			return p
		}
		p = b.Get(location)
	}
	b.T.Fatal("redirects do not end")
	return p
}

// Open opens an address and follows redirects within the provider.
func (b *Browser) Open(address string) Page {
	b.T.Helper()
	return b.Follow(b.Get(address))
}

// Submit fills in the form of a page, posts it and follows.
func (b *Browser) Submit(p Page, values ...string) Page {
	b.T.Helper()
	return b.Follow(b.SubmitOnce(p, values...))
}

// SubmitOnce sends the form of a page and follows no redirect. It says where the form comes
// from as a browser does that has no Sec-Fetch-Site, or is at a host that is not trustworthy.
func (b *Browser) SubmitOnce(p Page, values ...string) Page {
	b.T.Helper()
	action, fields := p.Form(b.T)
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.Send(http.MethodPost, action, fields.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", b.originOf(p))
}

// originOf is what the Origin of a page's form is under the page's Referrer-Policy (Fetch,
// "append a request Origin header").
func (b *Browser) originOf(p Page) string {
	base := testkit.Must(url.Parse(b.Fixture.Issuer()))(b.T)
	if policy := p.Header.Get("Referrer-Policy"); policy == "no-referrer" {
		return "null"
	}
	return base.Scheme + "://" + base.Host
}

// SignIn signs the browser in.
func (b *Browser) SignIn(email, password string) *Browser {
	b.T.Helper()
	p := b.Submit(b.Open("/signin"), "email", email, "password", password)
	if p.StatusCode != http.StatusOK || !strings.Contains(p.Text, email) {
		b.T.Fatalf("sign-in of %s: %s\n%s", email, p.Status, p.Text)
	}
	return b
}

// AuthorizeURL returns an authorization request; pairs override.
func AuthorizeURL(pairs ...string) string {
	q := url.Values{
		"client_id": {"v3"}, "redirect_uri": {CallbackURI}, "response_type": {"code"}, "scope": {"military"}, "state": {"xyz"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
			continue
		}
		q.Set(pairs[i], pairs[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// Allow answers an authorization request as a signed-in user who allows it, and
// returns the parameters of the response.
func (b *Browser) Allow(pairs ...string) url.Values {
	b.T.Helper()
	p := b.Open(AuthorizeURL(pairs...))
	if p.StatusCode == http.StatusOK {
		p = b.Submit(p, "action", "allow")
	}
	return Response(b.T, p)
}

// Token posts to the token endpoint.
func (b *Browser) Token(pairs ...string) (Page, map[string]any) {
	b.T.Helper()
	form := url.Values{"client_id": {"v3"}, "client_secret": {ClientSecret}, "redirect_uri": {CallbackURI}, "grant_type": {"authorization_code"}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			form.Del(pairs[i])
			continue
		}
		form.Set(pairs[i], pairs[i+1])
	}
	return b.JSON(b.Post("/oauth/token", form))
}

// JSON decodes the body of an answer.
func (b *Browser) JSON(p Page) (Page, map[string]any) {
	b.T.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(p.Text), &body); err != nil {
		b.T.Fatalf("%s is not JSON: %v\n%s", p.Request.URL, err, p.Text)
	}
	return p, body
}

// Code returns a fresh code for alice at a client.
func (w *Fixture) Code(b *Browser, pairs ...string) string {
	w.T.Helper()
	return b.Allow(pairs...).Get("code")
}

// Cookie returns a cookie of the browser, "" when it has none.
func (b *Browser) Cookie(kind session.Kind) string {
	for _, c := range b.HTTP.Jar.Cookies(b.ServerURL()) {
		if strings.HasSuffix(c.Name, string(kind)) {
			return c.Value
		}
	}
	return ""
}

// SetCookie puts a value into a cookie that the browser has.
func (b *Browser) SetCookie(kind session.Kind, value string) {
	b.T.Helper()
	for _, c := range b.HTTP.Jar.Cookies(b.ServerURL()) {
		if strings.HasSuffix(c.Name, string(kind)) {
			b.HTTP.Jar.SetCookies(b.ServerURL(), []*http.Cookie{{Name: c.Name, Value: value, Path: "/"}})
			return
		}
	}
	b.T.Fatalf("no cookie %s", kind)
}

// ServerURL returns the address of the provider's server.
func (b *Browser) ServerURL() *url.URL {
	u := testkit.Must(url.Parse(b.Fixture.Server.URL))(b.T)
	return u
}

// Subject redeems the code of a response and tells whom it is about.
func (b *Browser) Subject(code, clientID, secret, redirectURI string) string {
	b.T.Helper()
	p, tokens := b.Token("client_id", clientID, "client_secret", secret, "redirect_uri", redirectURI, "code", code)
	if p.StatusCode != http.StatusOK {
		b.T.Fatalf("token: %s %s", p.Status, p.Text)
	}
	_, claims := JWT(b.T, Member(b.T, tokens, "id_token"))
	return Member(b.T, claims, "sub")
}
