package main

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/examples/internal/browser"
)

// TestOwnConsentScreen tests that the screen of this program asks, and that its answer is
// one.
func TestOwnConsentScreen(t *testing.T) {
	server := httptest.NewServer(nil)
	defer server.Close()
	app := httptest.NewServer(http.NotFoundHandler())
	defer app.Close()
	idp, err := open(t.Context(), server.URL, app.URL+"/callback", []byte(rand.Text()+rand.Text()), filepath.Join(t.TempDir(), "identity.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = idp.Close() })
	server.Config.Handler = idp
	b := browser.New(t)
	b.Open(request(server.URL, app.URL+"/callback"))
	b.Submit("email", "ada@example.com", "password", password)
	for _, text := range []string{"A letter from Mountain Hut", "Dear Ada Lovelace", "ada@example.com"} {
		b.Shows(text)
	}
	list, rest, _ := strings.Cut(b.Body[strings.Index(b.Body, "<ul"):], "</ul>")
	if strings.Contains(list, "Gender") || !strings.Contains(rest, "Gender") {
		t.Errorf("what nobody knows stands among what is told:\n%s", b.Body)
	}
	b.Submit("action", "allow")
	if b.URL.Query().Get("code") == "" {
		t.Errorf("the application is answered %s", b.URL)
	}
}
