package lab

import (
	"net/http"
	"strings"
	"testing"
)

// Unavailable demands the page that says to come back later, and nothing that
// blames the user.
func Unavailable(t testing.TB, p Page) {
	t.Helper()
	if p.StatusCode != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" {
		t.Errorf("%s %s answered %s %v", p.Request.Method, p.Request.URL.Path, p.Status, p.Header)
	}
	if p.Header.Get("Location") != "" || strings.Contains(p.Text, "<form method=\"post\"") || strings.Contains(p.Text, "type=\"password\"") {
		t.Errorf("%s %s leads elsewhere: %q\n%s", p.Request.Method, p.Request.URL.Path, p.Header.Get("Location"), p.Text)
	}
	for _, c := range p.Cookies() {
		if strings.HasSuffix(c.Name, "_session") {
			t.Errorf("%s %s touches the session: %v", p.Request.Method, p.Request.URL.Path, c)
		}
	}
}
