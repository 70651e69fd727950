//go:build cgo && !race

package counts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// browser asks a handler, and keeps its cookies.
type browser struct {
	t       testing.TB
	handler http.Handler
	cookies map[string]string
}

// request returns a request as net/http's server hands it over.
func (b *browser) request(method, path, form string, header ...string) *http.Request {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(form))
	if form == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if len(b.cookies) > 0 {
		var pairs []string
		for name, value := range b.cookies {
			pairs = append(pairs, name+"="+value)
		}
		r.Header.Set("Cookie", strings.Join(pairs, "; "))
	}
	return r
}

// answer is a response that is kept.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// room is more than any answer takes: its growth is not the handler's.
const room = 64 << 10

func newAnswer() *answer {
	a := &answer{status: http.StatusOK, header: make(http.Header, 32)}
	a.body.Grow(room)
	return a
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// SetReadDeadline is what an http.ResponseController looks for.
func (*answer) SetReadDeadline(time.Time) error { return nil }

// do asks and keeps the cookies.
func (b *browser) do(r *http.Request) *answer {
	b.t.Helper()
	a := newAnswer()
	b.handler.ServeHTTP(a, r)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		b.cookies[c.Name] = c.Value
	}
	return a
}

// signIn opens an address, fills in every form on the way, and returns where the last
// answer sends the browser.
func (b *browser) signIn(path string, fields map[string]string) string {
	b.t.Helper()
	a := b.do(b.request(http.MethodGet, path, ""))
	for range 8 {
		location := a.header.Get("Location")
		switch {
		case strings.HasPrefix(location, redirectURI):
			return location
		case location != "":
			a = b.do(b.request(http.MethodGet, location, ""))
		default:
			action, form := formOf(b.t, a)
			for name, value := range fields {
				form.Set(name, value)
			}
			a = b.do(b.request(http.MethodPost, action, form.Encode()))
		}
	}
	b.t.Fatalf("the sign-in does not end: %d\n%s", a.status, a.body.String())
	return ""
}

// formOf returns the first form of a page that is posted.
func formOf(t testing.TB, a *answer) (action string, fields url.Values) {
	t.Helper()
	forms := testkit.Forms(t, a.body.String())
	if len(forms) == 0 {
		t.Fatalf("no form: %d\n%s", a.status, a.body.String())
	}
	return forms[0].Action, forms[0].Fields
}

// tokens is the answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
}

func (a *answer) tokens() (found tokens, err error) {
	err = json.Unmarshal(a.body.Bytes(), &found)
	if err == nil && (a.status != http.StatusOK || found.Access == "" || found.ID == "") {
		err = fmt.Errorf("no tokens: %d %s", a.status, a.body.String())
	}
	return found, err
}
