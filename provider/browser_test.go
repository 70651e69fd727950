package provider_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// browser is a user agent with cookies that does not follow redirects.
type browser struct {
	t    testing.TB
	w    *fixture
	http *http.Client
}

func (w *fixture) newBrowser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w.t, w, &http.Client{
		Jar:           jar,
		Transport:     ownConnections(w.t),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ownConnections is a transport of this test's own: every httptest.Server that is closed
// closes the connections of http.DefaultTransport, also under a request of a test beside it.
func ownConnections(t testing.TB) http.RoundTripper {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	response, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{response, string(body)}
}

func (b *browser) absolute(address string) string {
	if strings.HasPrefix(address, "/") {
		return b.w.server.URL + address
	}
	return address
}

func (b *browser) get(address string) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.absolute(address), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

func (b *browser) post(address string, form url.Values) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.absolute(address), strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r)
}

// follow goes along redirects within the provider.
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

func (b *browser) open(address string) page {
	b.t.Helper()
	return b.follow(b.get(address))
}

// submit fills in the form of a page, posts it and follows.
func (b *browser) submit(p page, values ...string) page {
	b.t.Helper()
	return b.follow(b.submitOnce(p, values...))
}

func (b *browser) submitOnce(p page, values ...string) page {
	b.t.Helper()
	action, fields := p.form(b.t)
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.post(action, fields)
}

// signIn signs the browser in.
func (b *browser) signIn(email, password string) *browser {
	b.t.Helper()
	p := b.submit(b.open("/signin"), "email", email, "password", password)
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, email) {
		b.t.Fatalf("sign-in of %s: %s\n%s", email, p.Status, p.body)
	}
	return b
}

// authorizeURL returns an authorization request; pairs override.
func authorizeURL(pairs ...string) string {
	q := url.Values{
		"client_id": {"v3"}, "redirect_uri": {callbackURI}, "response_type": {"code"}, "scope": {"military"}, "state": {"xyz"},
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

// allow answers an authorization request as a signed-in user who allows it, and
// returns the parameters of the response.
func (b *browser) allow(pairs ...string) url.Values {
	b.t.Helper()
	p := b.open(authorizeURL(pairs...))
	if p.StatusCode == http.StatusOK {
		p = b.submit(p, "action", "allow")
	}
	return response(b.t, p)
}

// token posts to the token endpoint.
func (b *browser) token(pairs ...string) (page, map[string]any) {
	b.t.Helper()
	form := url.Values{"client_id": {"v3"}, "client_secret": {clientSecret}, "redirect_uri": {callbackURI}, "grant_type": {"authorization_code"}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			form.Del(pairs[i])
			continue
		}
		form.Set(pairs[i], pairs[i+1])
	}
	return b.json(b.post("/oauth/token", form))
}

func (b *browser) json(p page) (page, map[string]any) {
	b.t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(p.body), &body); err != nil {
		b.t.Fatalf("%s is not JSON: %v\n%s", p.Request.URL, err, p.body)
	}
	return p, body
}

// code returns a fresh code for alice at a client.
func (w *fixture) code(b *browser, pairs ...string) string {
	w.t.Helper()
	return b.allow(pairs...).Get("code")
}

// cookie returns a cookie of the browser, "" when it has none.
func (b *browser) cookie(kind session.Kind) string {
	for _, c := range b.http.Jar.Cookies(b.serverURL()) {
		if strings.HasSuffix(c.Name, string(kind)) {
			return c.Value
		}
	}
	return ""
}

// setCookie puts a value into a cookie that the browser has.
func (b *browser) setCookie(kind session.Kind, value string) {
	b.t.Helper()
	for _, c := range b.http.Jar.Cookies(b.serverURL()) {
		if strings.HasSuffix(c.Name, string(kind)) {
			b.http.Jar.SetCookies(b.serverURL(), []*http.Cookie{{Name: c.Name, Value: value, Path: "/"}})
			return
		}
	}
	b.t.Fatalf("no cookie %s", kind)
}

func (b *browser) serverURL() *url.URL {
	u, err := url.Parse(b.w.server.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	return u
}

// subject redeems the code of a response and tells whom it is about.
func (b *browser) subject(code, clientID, secret, redirectURI string) string {
	b.t.Helper()
	p, tokens := b.token("client_id", clientID, "client_secret", secret, "redirect_uri", redirectURI, "code", code)
	if p.StatusCode != http.StatusOK {
		b.t.Fatalf("token: %s %s", p.Status, p.body)
	}
	_, claims := jwt(b.t, text(b.t, tokens, "id_token"))
	return text(b.t, claims, "sub")
}
