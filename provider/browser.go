package provider

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/ui"
)

// maxScreenForm bounds the forms of screens. A flow travels in them.
const maxScreenForm = 128 << 10

// csrfField is the form field that proves that a page of ours, in this browser, was
// posted.
const csrfField = "csrf"

// browser returns the value that marks this browser, giving it one when it has
// none. Flows and forms are bound to it, so that nobody can begin one in his own
// browser and have it finished in another's (login CSRF).
func (p *Provider) browser(w http.ResponseWriter, r *http.Request) string {
	if value := p.cookies.Get(r, session.Browser); isBrowser(value) {
		return value
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program stops when there is no randomness
	value := base64.RawURLEncoding.EncodeToString(b[:])
	p.cookies.Set(w, session.Browser, value, deviceLife)
	p.cookies.Assume(r, session.Browser, value)
	return value
}

func isBrowser(value string) bool { return len(value) == base64.RawURLEncoding.EncodedLen(16) }

// hidden returns what every form of this browser carries.
func (p *Provider) hidden(w http.ResponseWriter, r *http.Request, more ...ui.Field) []ui.Field {
	mac := p.secrets.MAC("csrf "+p.issuer, []byte(p.browser(w, r)))
	return append([]ui.Field{{Name: csrfField, Value: base64.RawURLEncoding.EncodeToString(mac[:])}}, more...)
}

// guarded lets a form through to its screen when it was posted by a page of ours in
// this browser: the browser says that it comes from this origin, and the form
// holds a value that only this browser was given.
func (p *Provider) guarded(act screen) screen {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := p.origin.Check(r); err != nil {
			return &pageError{status: http.StatusForbidden, code: ui.ErrorForbidden, cause: err}
		}
		if err := readScreenForm(r); err != nil {
			return err
		}
		value := p.cookies.Get(r, session.Browser)
		mac, err := base64.RawURLEncoding.DecodeString(r.PostForm.Get(csrfField))
		if err != nil || !isBrowser(value) || !p.secrets.VerifyMAC("csrf "+p.issuer, mac, []byte(value)) {
			return &pageError{status: http.StatusForbidden, code: ui.ErrorBrowser, cause: errors.New("form of another browser")}
		}
		return act(w, r)
	}
}

// readScreenForm parses the form of a screen. A body of any other kind was not sent
// by a page of ours.
func readScreenForm(r *http.Request) error {
	err := engine.ParseForm(r, maxScreenForm)
	var protocol *engine.Error
	switch {
	case err == nil && !isText(r.PostForm):
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: errNotText}
	case err == nil:
		return nil
	case errors.As(err, &protocol) && protocol.Status == http.StatusRequestEntityTooLarge:
		return &pageError{status: protocol.Status, code: ui.ErrorTooLarge, cause: err}
	default:
		return &pageError{status: http.StatusForbidden, code: ui.ErrorForbidden, cause: err}
	}
}

// checkQuery refuses a page whose address holds no text. The authorization endpoint
// has rules of its own.
func (p *Provider) checkQuery(r *http.Request) error {
	if p.path(r) == "/oauth/authorize" {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil && !isText(query) {
		err = errNotText
	}
	if err != nil {
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: err}
	}
	return nil
}

var errNotText = errors.New("a parameter is not text")

// isText reports whether all that was sent is UTF-8 without NUL: databases keep and
// compare nothing else.
func isText(form url.Values) bool {
	bad := func(s string) bool { return !utf8.ValidString(s) || strings.Contains(s, "\x00") }
	for name, values := range form {
		if bad(name) || slices.ContainsFunc(values, bad) {
			return false
		}
	}
	return true
}
