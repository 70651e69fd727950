package engine

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ory/fosite"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// AuthorizeRequest is an authorization request that has been read, and which fosite has
// accepted.
type AuthorizeRequest struct {
	authorization.Request

	// PushedAs is the flow of a request that was pushed, however often a browser comes with
	// it, and until when one can; zero for any other.
	PushedAs Flow

	// read is the request as fosite has read it, from the same form; nil while a scope
	// value is to be picked.
	read fosite.AuthorizeRequester
}

// ParseAuthorize checks an authorization request. When it returns a request and an
// error, the error belongs to the client: send it to the redirect URI with Refuse.
// When it returns no request, client or redirect URI cannot be trusted: show the
// error on a page and never redirect (RFC 6749 section 4.1.2.1).
//
// What fosite leaves open is refused before fosite reads the request; see doc.go.
func (e *Engine) ParseAuthorize(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	form = input.WithValue(form)
	r, err := e.identify(ctx, form)
	if err != nil {
		return nil, err
	}
	if err := e.requests.Read(&r.Request); err != nil {
		return r, err
	}
	all := append(slices.Clone(r.Scopes), r.Choices...)
	read, err := e.readByFosite(ctx, form, all)
	if err != nil {
		return r, e.requests.Diagnose(&r.Request, refusal(err))
	}
	if !slices.Equal(read.GetRequestedScopes(), all) {
		// It drops all that Unicode calls a space, and has checked other values.
		return r, e.requests.Diagnose(&r.Request, protocol.Refused(protocol.InvalidScope))
	}
	if !r.MustPick() {
		r.read = read
	}
	return r, nil
}

// identify finds the client of a request, and where its response goes.
func (e *Engine) identify(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	client, err := e.namedClient(ctx, form)
	if err != nil {
		return nil, err
	}
	r := &AuthorizeRequest{}
	if r.Request, err = e.requests.Identify(client, form); err != nil {
		return nil, err
	}
	return r, nil
}

// namedClient returns the client that an authorization request names.
func (e *Engine) namedClient(ctx context.Context, form url.Values) (*registry.Client, error) {
	if len(form["client_id"]) > 1 {
		return nil, input.Repeated("client_id")
	}
	client, err := e.Client(ctx, form.Get("client_id"))
	if errors.Is(err, registry.ErrNoClient) {
		return nil, noClient(err)
	}
	if err != nil {
		return nil, protocol.AsError(err)
	}
	return client, nil
}

// noClient is the answer to a request of an application that there is not, or that is
// disabled.
func noClient(cause error) *protocol.Error {
	e := &protocol.Error{Code: protocol.InvalidClient, Description: "There is no such application.", Status: http.StatusBadRequest, Cause: cause}
	if errors.Is(cause, registry.ErrDisabled) {
		return e.Because(diagnosis.ApplicationDisabled)
	}
	return e.Because(diagnosis.ClientUnknown)
}

// readByFosite lets fosite read the request as it came, and decide whether the client
// may have this response type, these scopes, as they were read, and this redirect URI.
func (e *Engine) readByFosite(ctx context.Context, form url.Values, scopes []string) (fosite.AuthorizeRequester, error) {
	form = withScopes(form, scopes)
	if form.Has("redirect_uri") { // matched before; a state in it is not compared
		form.Set("redirect_uri", registry.WithoutState(form.Get("redirect_uri")))
	}
	request, err := e.fosite.NewAuthorizeRequest(ctx, &http.Request{Method: http.MethodGet, Form: form})
	if errors.Is(err, fosite.ErrInvalidState) && !form.Has("state") {
		// State is optional, but MinParameterEntropy is at least one character. fosite
		// checks the state last, when it has accepted all the rest.
		return request, nil
	}
	return request, err
}

// Pick grants one of the Choices of a request in place of them. It returns ErrNoChoice
// when the scope value is none of them.
func (e *Engine) Pick(ctx context.Context, r *AuthorizeRequest, scope string) error {
	if !slices.Contains(r.Choices, scope) {
		return ErrNoChoice
	}
	granted := r.Granting(scope)
	read, err := e.readByFosite(ctx, r.Form, granted)
	if err != nil {
		return e.requests.Diagnose(&r.Request, refusal(err))
	}
	r.Picked, r.Scopes, r.read = scope, granted, read
	return nil
}

// ErrNoChoice says that a scope value was picked that was not offered.
var ErrNoChoice = errors.New("engine: the scope value is none of the choices")

// Without returns a request as it is answered when its user leaves out these of its
// Optional scopes. Something of it has to remain.
func (e *Engine) Without(ctx context.Context, r *AuthorizeRequest, leftOut []string) (*AuthorizeRequest, error) {
	if len(leftOut) == 0 {
		return r, nil
	}
	narrower := *r
	narrower.Scopes = slices.DeleteFunc(slices.Clone(r.Scopes), func(s string) bool {
		return slices.Contains(leftOut, s) && slices.Contains(r.Optional, s)
	})
	var err error
	if narrower.read, err = e.readByFosite(ctx, r.Form, narrower.Scopes); err != nil {
		return nil, e.requests.Diagnose(&r.Request, refusal(err))
	}
	return &narrower, nil
}

// withScopes returns a form with other scopes.
func withScopes(form url.Values, scopes []string) url.Values {
	form = maps.Clone(form)
	form.Set("scope", strings.Join(scopes, " "))
	return form
}
