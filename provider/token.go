package provider

import (
	"errors"
	"maps"
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
)

// api turns an endpoint for programs into a handler.
func (p *Provider) api(s screen) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		setAPIHeaders(w.Header())
		if err := s(w, r); err != nil {
			p.failJSON(w, r, err)
		}
	}
}

// setAPIHeaders sets the headers of every answer to a program: no cache keeps it.
func setAPIHeaders(h http.Header) {
	maps.Copy(h, apiHeaders)
}

// apiHeaders are shared by all answers, which saves each of them the values.
var apiHeaders = http.Header{
	"Cache-Control":          {"no-store"},
	"Pragma":                 {"no-cache"},
	"X-Content-Type-Options": {"nosniff"},
	"Referrer-Policy":        {"no-referrer"},
}

// token is the token endpoint (RFC 6749 section 3.2).
func (p *Provider) token(w http.ResponseWriter, r *http.Request) error {
	response, err := p.engine.Token(r.Context(), r)
	if err != nil {
		return p.clientFailed(w, r, err)
	}
	writeBody(w, http.StatusOK, "application/json", response.JSON())
	return nil
}

// clientFailed counts an application's failure to authenticate. Only failures are
// counted, so an application that knows its secret is never held up.
func (p *Provider) clientFailed(w http.ResponseWriter, r *http.Request, cause error) error {
	var protocol *engine.Error
	if !errors.As(cause, &protocol) || protocol.Code != engine.InvalidClient {
		return cause
	}
	id := claimedClient(r)
	wait, err := p.attempt(r.Context(), throttle.ClientAuth, throttle.Caller{Account: id, Address: p.clientAddr(r)})
	if err != nil {
		return err
	}
	if wait > 0 {
		return &engine.Error{Code: engine.InvalidClient, Status: tooMany(w, wait),
			Description: "Too many attempts with wrong credentials. Please wait."}
	}
	// Names that nobody has are not recorded: a stranger can make up any number.
	if _, err := p.engine.Client(r.Context(), id); err == nil {
		p.record(r.Context(), Event{Name: EventClientRefused, ClientID: id})
	}
	return cause
}

// claimedClient returns the client_id that a request names, in its header (RFC 6749
// section 2.3.1) or in its body.
func claimedClient(r *http.Request) string {
	id, _, ok := r.BasicAuth()
	if !ok {
		return truncate(r.PostForm.Get("client_id"), 64)
	}
	if decoded, err := url.QueryUnescape(id); err == nil {
		id = decoded
	}
	return truncate(id, 64)
}

// revoke is the revocation endpoint (RFC 7009).
func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) error {
	if err := p.engine.Revoke(r.Context(), r); err != nil {
		return p.clientFailed(w, r, err)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// introspect is the introspection endpoint (RFC 7662).
func (p *Provider) introspect(w http.ResponseWriter, r *http.Request) error {
	answer, err := p.engine.Introspect(r.Context(), r)
	if err != nil {
		return p.clientFailed(w, r, err)
	}
	p.writeJSON(w, r, http.StatusOK, answer)
	return nil
}
