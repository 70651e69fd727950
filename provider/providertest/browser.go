package providertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/sandbox"
)

// Browser walks through the provider's screens as somebody does who has it without
// scripts. It keeps its cookies: whoever has signed in stays so for its next request. It is
// for one goroutine.
type Browser struct {
	server  *Server
	http    *http.Client
	persona string
}

// NewBrowser returns a browser in which nobody is signed in.
func (s *Server) NewBrowser() *Browser {
	b := &Browser{server: s}
	b.forget()
	return b
}

// forget begins with no cookies.
func (b *Browser) forget() {
	jar, _ := cookiejar.New(nil) // returns no error
	b.http = &http.Client{
		Transport:     b.server.http.Client().Transport,
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// SignIn opens an authorization request of a client in a new browser, signs in as a
// persona, answers the consent screen as the persona does, and returns where the browser is
// sent in the end: the redirect URI with the response.
func (s *Server) SignIn(t testing.TB, authorizeURL, persona string) (callback *url.URL) {
	t.Helper()
	callback = testkit.Must(s.NewBrowser().SignIn(t.Context(), authorizeURL, persona))(t)
	return callback
}

// maxPages is how many pages and redirects a request can lead through.
const maxPages = 20

// SignIn is Server.SignIn in this browser: a persona that is signed in already is not asked
// again unless the request demands it; another one is signed out before. A response by
// form_post is returned as if it had come in the query. It is an error when the browser
// gets to no answer, as when the persona is locked or the redirect URI is not registered.
func (b *Browser) SignIn(ctx context.Context, authorizeURL, persona string) (callback *url.URL, err error) {
	if b.persona != persona {
		b.forget()
	}
	b.persona = persona
	next, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizeURL, nil)
	w := walk{browser: b, denies: b.server.denies(persona)}
	for range maxPages {
		if err != nil {
			return nil, fmt.Errorf("providertest: sign in: %w", err)
		}
		if !b.isInside(next.URL) {
			return next.URL, nil
		}
		next, err = w.visit(ctx, next)
	}
	return nil, errors.New("providertest: sign in: the pages do not end")
}

// isInside reports whether an address is one of the provider.
func (b *Browser) isInside(u *url.URL) bool { return u.Scheme+"://"+u.Host == b.server.URL }

// denies reports whether a persona allows nothing.
func (s *Server) denies(persona string) bool {
	return slices.ContainsFunc(s.personas, func(p sandbox.Persona) bool {
		return p.Name == persona && p.Consent == sandbox.Deny
	})
}

// walk is the way of one authorization request.
type walk struct {
	browser *Browser
	denies  bool
	chosen  bool // the persona has been
}

// visit makes a request, and returns the one that its answer leads to: one to another place
// is the end.
func (w *walk) visit(ctx context.Context, r *http.Request) (*http.Request, error) {
	response, err := w.browser.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if location, err := response.Location(); err == nil {
		return http.NewRequestWithContext(ctx, http.MethodGet, location.String(), nil)
	}
	p, err := readPage(response)
	if err != nil {
		return nil, err
	}
	if p.next != "" { // to an app, or to a long address
		return http.NewRequestWithContext(ctx, http.MethodGet, p.next, nil)
	}
	for _, f := range p.forms {
		action, err := r.URL.Parse(f.action)
		if err != nil {
			return nil, err
		}
		if !w.browser.isInside(action) { // form_post
			query := action.Query()
			for name, values := range f.fields {
				query[name] = values
			}
			action.RawQuery = query.Encode()
			return http.NewRequestWithContext(ctx, http.MethodGet, action.String(), nil)
		}
		if w.press(&f) {
			return post(ctx, action, f.fields)
		}
	}
	return nil, fmt.Errorf("there is nothing for %s to press on the page %q (%s)", w.browser.persona, p.heading, response.Status)
}

// press presses the button of a form that the persona presses, if it has one.
func (w *walk) press(f *form) bool {
	if !w.chosen && f.has("persona", w.browser.persona) {
		w.chosen = true
		f.fields.Set("persona", w.browser.persona)
		return true
	}
	decision := "allow"
	if w.denies {
		decision = "deny"
	}
	for _, action := range []string{decision, "continue"} {
		if f.has("action", action) {
			f.fields.Set("action", action)
			return true
		}
	}
	return false
}

func post(ctx context.Context, to *url.URL, fields url.Values) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), strings.NewReader(fields.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, err
}
