package lab

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// Page is an answer that a browser has read.
type Page struct {
	*http.Response
	Text string
}

// Size is how long the page is without the times that it names: one day has a longer name
// than the next.
func (p Page) Size() int { return len(named.ReplaceAllString(p.Text, "")) }

var named = regexp.MustCompile(`<time [^>]*>[^<]*</time>`)

// Next is where the page goes on by itself, or empty.
func (p Page) Next() string {
	_, element, _ := strings.Cut(p.Text, `<meta http-equiv="refresh" content="0; url=`)
	next, _, _ := strings.Cut(element, `"`)
	return html.UnescapeString(next)
}

// Form returns action and fields of the first POST form of a page.
func (p Page) Form(t testing.TB) (action string, fields url.Values) {
	t.Helper()
	forms := testkit.Forms(t, p.Text)
	if len(forms) == 0 {
		t.Fatalf("no form on the page (%s):\n%s", p.Status, p.Text)
	}
	return forms[0].Action, forms[0].Fields
}

// Response returns the parameters of an authorization response.
func Response(t testing.TB, p Page) url.Values {
	t.Helper()
	u, err := url.Parse(p.Header.Get("Location") + p.Next())
	if err != nil || u.Host == "" {
		t.Fatalf("no response for the application: %s %q\n%s", p.Status, p.Header.Get("Location"), p.Text)
	}
	values := testkit.Must(url.ParseQuery(u.RawQuery + "&" + u.EscapedFragment()))(t)
	return values
}

// scriptsOfAssets matches the one folder that scripts of a page may come from.
var scriptsOfAssets = regexp.MustCompile(`script-src https?://[0-9A-Za-z.:-]+(/[0-9A-Za-z/-]+)?/assets/;`)

// Safe demands the headers that every page carries, whatever it tells.
func Safe(t testing.TB, p Page) {
	t.Helper()
	policy := scriptsOfAssets.ReplaceAllString(p.Header.Get("Content-Security-Policy"), "script-src assets;")
	for _, directive := range []string{
		"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "script-src assets;", "form-action 'self'",
	} {
		if !strings.Contains(policy, directive) {
			t.Errorf("%s: policy %q without %q", p.Request.URL.Path, policy, directive)
		}
	}
	if p.Request.URL.Scheme == "http" { // whose upstreams may be by http, too
		policy = strings.Replace(policy, "form-action 'self' https: http:", "form-action 'self' https:", 1)
	}
	for _, unsafe := range []string{"unsafe", "*", "data:", "http:"} {
		if strings.Contains(policy, unsafe) {
			t.Errorf("%s: policy %q with %q", p.Request.URL.Path, policy, unsafe)
		}
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := p.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q, want %q", p.Request.URL.Path, name, got, want)
		}
	}
	for _, inline := range []string{"<style", " style=", " onload=", " onclick=", "javascript:", "<base", "<script>"} {
		if strings.Contains(p.Text, inline) {
			t.Errorf("%s: page with %q", p.Request.URL.Path, inline)
		}
	}
}

// Shown demands a page that leads nowhere by itself, and no session.
func Shown(t testing.TB, p Page, status int) {
	t.Helper()
	if p.StatusCode != status || p.Header.Get("Location")+p.Next() != "" {
		t.Errorf("answered %s, Location %q, want a page with %d", p.Status, p.Header.Get("Location"), status)
	}
	for _, c := range p.Cookies() {
		if strings.HasSuffix(c.Name, string(session.Session)) && c.MaxAge >= 0 {
			t.Errorf("set the cookie %s", c.Name)
		}
	}
	Safe(t, p)
}

// Told demands an error in the response for the application, with issuer and
// state, and returns the response.
func Told(t testing.TB, w *Fixture, p Page, code string) url.Values {
	t.Helper()
	if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), CallbackURI) {
		t.Fatalf("answered %s, Location %q, want a redirect with %s\n%s", p.Status, p.Header.Get("Location"), code, p.Text)
	}
	values := Response(t, p)
	if values.Get("error") != code || values.Get("iss") != w.Issuer() {
		t.Errorf("response %v, want error %s of %s", values, code, w.Issuer())
	}
	for _, token := range []string{"code", "access_token", "id_token"} {
		if values.Has(token) {
			t.Errorf("an error with %s: %v", token, values)
		}
	}
	for _, c := range values.Get("error_description") {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			t.Errorf("error_description %q", values.Get("error_description"))
		}
	}
	return values
}
