package provider_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/session"
)

// safe demands the headers that every page carries, whatever it tells.
func safe(t testing.TB, p page) {
	t.Helper()
	policy := p.Header.Get("Content-Security-Policy")
	for _, directive := range []string{
		"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "script-src 'self'", "form-action 'self'",
	} {
		if !strings.Contains(policy, directive) {
			t.Errorf("%s: policy %q without %q", p.Request.URL.Path, policy, directive)
		}
	}
	for _, unsafe := range []string{"unsafe", "*", "data:", "http:"} {
		if strings.Contains(policy, unsafe) {
			t.Errorf("%s: policy %q with %q", p.Request.URL.Path, policy, unsafe)
		}
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := p.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q, want %q", p.Request.URL.Path, name, got, want)
		}
	}
	for _, inline := range []string{"<style", " style=", " onload=", " onclick=", "javascript:", "<base", "<script>"} {
		if strings.Contains(p.body, inline) {
			t.Errorf("%s: page with %q", p.Request.URL.Path, inline)
		}
	}
}

// shown demands a page that leads nowhere by itself, and no session.
func shown(t testing.TB, p page, status int) {
	t.Helper()
	if p.StatusCode != status || p.Header.Get("Location") != "" || p.Header.Get("Refresh") != "" {
		t.Errorf("answered %s, Location %q, want a page with %d", p.Status, p.Header.Get("Location"), status)
	}
	for _, c := range p.Cookies() {
		if strings.HasSuffix(c.Name, string(session.Session)) && c.MaxAge >= 0 {
			t.Errorf("set the cookie %s", c.Name)
		}
	}
	safe(t, p)
}

// told demands an error in the response for the application, with issuer and
// state, and returns the response.
func told(t testing.TB, w *world, p page, code string) url.Values {
	t.Helper()
	if p.StatusCode != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), callbackURI) {
		t.Fatalf("answered %s, Location %q, want a redirect with %s\n%s", p.Status, p.Header.Get("Location"), code, p.body)
	}
	values := response(t, p)
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

// count returns how many rows a table has.
func (w *world) count(table string) int {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+w.path+"?mode=ro")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int
	if err := db.QueryRowContext(w.t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// raw sends a request byte for byte, as no library would write it.
func (w *world) raw(lines ...string) page {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", w.server.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprint(conn, strings.Join(lines, "\r\n")+"\r\nConnection: close\r\n\r\n"); err != nil {
		w.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		w.t.Fatalf("%q: %v", lines[0], err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return page{response, string(body)}
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
