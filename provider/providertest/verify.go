package providertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// Verify has a persona begin to become a member of a group by a method, in a new browser, and
// returns the case as it then stands: the persona has taken no step but that of choosing.
// Config.Policies have the group and the method. Config.Client, by which the persona signs
// in, may ask for the scope openid.
func (s *Server) Verify(t testing.TB, persona, group, method string) verification.RecordedCase {
	t.Helper()
	c := testkit.Must(s.NewBrowser().Verify(t.Context(), persona, group, method))(t)
	return c
}

// Verify is Server.Verify in this browser.
func (b *Browser) Verify(ctx context.Context, persona, group, method string) (verification.RecordedCase, error) {
	var none verification.RecordedCase
	if b.server.Verification == nil {
		return none, errors.New("providertest: verify: there are no Policies")
	}
	// Personas sign in on the way to an application.
	if _, err := b.SignIn(ctx, b.server.URL+"/oauth/authorize?"+url.Values{
		"client_id": {b.server.ClientID}, "redirect_uri": {b.server.RedirectURI}, "response_type": {"code"}, "scope": {"openid"},
	}.Encode(), persona); err != nil {
		return none, err
	}
	next, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.URL+"/verification/"+url.PathEscape(group), http.NoBody)
	w := walk{browser: b}
	chosen := false
	for range maxPages {
		if err != nil {
			return none, fmt.Errorf("providertest: verify: %w", err)
		}
		if folder, id := path.Split(next.URL.Path); chosen && strings.HasSuffix(folder, "/verification/case/") {
			return b.server.Verification.Case(ctx, id)
		}
		next, chosen, err = w.choose(ctx, next, method)
	}
	return none, errors.New("providertest: verify: the pages do not end")
}

// choose makes a request as visit does, and chooses a method where it can be.
func (w *walk) choose(ctx context.Context, r *http.Request, method string) (next *http.Request, chosen bool, err error) {
	response, err := w.browser.http.Do(r)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = response.Body.Close() }()
	if location, err := response.Location(); err == nil {
		next, err = http.NewRequestWithContext(ctx, http.MethodGet, location.String(), http.NoBody)
		return next, r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/verification/"), err
	}
	p, err := readPage(response)
	if err != nil {
		return nil, false, err
	}
	for _, f := range p.forms {
		action, err := r.URL.Parse(f.action)
		if err != nil {
			return nil, false, err
		}
		if f.has("method", method) {
			f.fields.Set("method", method)
			next, err = post(ctx, action, f.fields)
			return next, false, err
		}
	}
	return nil, false, fmt.Errorf("there is nothing for %s to press on the page %q (%s)", w.browser.persona, p.heading, response.Status)
}

// Answer has the persona of this browser fill in the form of a case: by the names of the
// fields of an Ask, or with the field code. It returns the case as it then stands; a page
// that refuses the answer is an error with its status.
func (b *Browser) Answer(ctx context.Context, c verification.RecordedCase, fields map[string]string) (verification.RecordedCase, error) {
	prefix := ""
	if _, asks := c.Step.(verification.Ask); asks {
		prefix = "answer_"
	}
	get, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.URL+"/verification/case/"+url.PathEscape(c.ID), http.NoBody)
	if err != nil {
		return c, err
	}
	response, err := b.http.Do(get)
	if err != nil {
		return c, err
	}
	p, err := readPage(response)
	_ = response.Body.Close()
	if err != nil {
		return c, err
	}
	for _, f := range p.forms {
		fits := true
		for name, value := range fields {
			fits = fits && f.fields.Has(prefix+name)
			f.fields.Set(prefix+name, value)
		}
		if !fits {
			continue
		}
		action, err := get.URL.Parse(f.action)
		if err != nil {
			return c, err
		}
		return b.send(ctx, c.ID, action, f.fields)
	}
	return c, fmt.Errorf("providertest: answer: the page %q (%s) has no such form", p.heading, response.Status)
}

func (b *Browser) send(ctx context.Context, id string, to *url.URL, fields url.Values) (verification.RecordedCase, error) {
	r, err := post(ctx, to, fields)
	if err != nil {
		return verification.RecordedCase{}, err
	}
	response, err := b.http.Do(r)
	if err != nil {
		return verification.RecordedCase{}, err
	}
	_ = response.Body.Close()
	c, err := b.server.Verification.Case(ctx, id)
	if err == nil && response.StatusCode != http.StatusSeeOther {
		err = fmt.Errorf("providertest: answer: %s", response.Status)
	}
	return c, err
}

// ComeBack has the persona of this browser come back from a page elsewhere, by the address to
// which that has sent it, and returns the case as it then stands.
func (b *Browser) ComeBack(ctx context.Context, c verification.RecordedCase, address string) (verification.RecordedCase, error) {
	for range maxPages {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return c, err
		}
		if !b.isInside(r.URL) {
			return c, errors.New("providertest: come back: the address is not one of the provider")
		}
		response, err := b.http.Do(r)
		if err != nil {
			return c, err
		}
		_ = response.Body.Close()
		if location, err := response.Location(); err == nil {
			address = location.String()
			continue
		}
		c, err := b.server.Verification.Case(ctx, c.ID)
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("providertest: come back: %s", response.Status)
		}
		return c, err
	}
	return c, errors.New("providertest: come back: the pages do not end")
}
