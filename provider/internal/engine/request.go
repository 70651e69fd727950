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

// AuthorizeRequest is an authorization request that fosite has accepted.
type AuthorizeRequest struct {
	authorization.Request

	// PushedAs is the flow of a pushed request, the same for each visit of a browser, and
	// the end of its time; zero for any other request.
	PushedAs Flow

	// read is the request of fosite from the same form; nil while the user has to pick a
	// scope value.
	read fosite.AuthorizeRequester
}

// ParseAuthorize checks an authorization request. If it returns a request and an error, the
// error is for the client: send it to the redirect URI with Refuse. If it returns no request,
// client or redirect URI cannot be trusted: show the error on a page and never redirect (RFC
// 6749 section 4.1.2.1).
//
// It refuses what fosite would accept before fosite reads the request; see doc.go.
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
	read, err := e.readByFosite(ctx, r, form, all)
	if err != nil {
		return r, e.requests.Diagnose(&r.Request, refusal(err))
	}
	if !slices.Equal(read.GetRequestedScopes(), all) {
		// fosite drops every space of Unicode, and has checked other values.
		return r, e.requests.Diagnose(&r.Request, protocol.Refused(protocol.InvalidScope))
	}
	if !r.MustPick() {
		r.read = read
	}
	return r, nil
}

// identify finds the client and the redirect URI of a request. A response that would have to be
// signed, and cannot be, goes nowhere: neither a code nor an error reaches the client unsigned.
func (e *Engine) identify(ctx context.Context, form url.Values) (*AuthorizeRequest, error) {
	client, err := e.namedClient(ctx, form)
	if err != nil {
		return nil, err
	}
	r := &AuthorizeRequest{}
	if r.Request, err = e.requests.Identify(client, form); err != nil {
		return nil, err
	}
	if alg := client.ResponseSigning(); r.Signed && !e.Signs(alg) {
		return nil, &UnredirectedError{client, registry.AlgorithmOff(alg)}
	}
	return r, nil
}

// namedClient returns the client of an authorization request.
func (e *Engine) namedClient(ctx context.Context, form url.Values) (*registry.Client, error) {
	if len(form["client_id"]) > 1 {
		return nil, input.Repeated("client_id")
	}
	client, err := e.Unknown.Resolve(ctx, form.Get("client_id"))
	if errors.Is(err, registry.ErrNoClient) {
		return nil, noClient(err)
	}
	if err != nil {
		return nil, protocol.AsError(err)
	}
	return client, nil
}

// KeepClient makes the client of a request a row of the database, as Unknown.Keep does. The error
// for one that may not be is that of a request of its.
func (e *Engine) KeepClient(ctx context.Context, c *registry.Client) error {
	err := e.Unknown.Keep(ctx, c)
	if errors.Is(err, registry.ErrNoClient) {
		return noClient(err)
	}
	return err
}

// noClient returns the error of a request of an unknown or disabled application.
func noClient(cause error) *protocol.Error {
	e := &protocol.Error{Code: protocol.InvalidClient, Description: "There is no such application.", Status: http.StatusBadRequest, Cause: cause}
	if errors.Is(cause, registry.ErrDisabled) {
		return e.Because(diagnosis.ApplicationDisabled)
	}
	return e.Because(diagnosis.ClientUnknown)
}

// readByFosite has fosite read the request as it came, and decide whether the client may have
// its response type, scopes and redirect URI.
func (e *Engine) readByFosite(ctx context.Context, r *AuthorizeRequest, form url.Values, scopes []string) (fosite.AuthorizeRequester, error) {
	form = withScopes(form, scopes)
	if r.Signed { // fosite knows no signed mode
		form.Set("response_mode", string(r.Mode))
	}
	if r.Client.IsUnknown() {
		ctx = withClient(ctx, requestedClient{r.Client, r.RedirectURI})
	}
	if form.Has("redirect_uri") { // matched before, without a state in it
		form.Set("redirect_uri", registry.WithoutState(form.Get("redirect_uri")))
	}
	request, err := e.fosite.NewAuthorizeRequest(ctx, &http.Request{Method: http.MethodGet, Form: form})
	if errors.Is(err, fosite.ErrInvalidState) && !form.Has("state") {
		// state is optional, but MinParameterEntropy is at least one character. fosite
		// checks the state last, after it has accepted everything else.
		return request, nil
	}
	return request, err
}

// Pick replaces the Choices of a request by one of them. ErrNoChoice if the scope value is none
// of them.
func (e *Engine) Pick(ctx context.Context, r *AuthorizeRequest, scope string) error {
	if !slices.Contains(r.Choices, scope) {
		return ErrNoChoice
	}
	granted := r.Granting(scope)
	read, err := e.readByFosite(ctx, r, r.Form, granted)
	if err != nil {
		return e.requests.Diagnose(&r.Request, refusal(err))
	}
	r.Picked, r.Scopes, r.read = scope, granted, read
	return nil
}

// ErrNoChoice means that the picked scope value was not offered.
var ErrNoChoice = errors.New("engine: the scope value is none of the choices")

// Without returns a request without these of its Optional scopes, which its user has declined.
// At least one scope must remain.
func (e *Engine) Without(ctx context.Context, r *AuthorizeRequest, leftOut []string) (*AuthorizeRequest, error) {
	if len(leftOut) == 0 {
		return r, nil
	}
	narrower := *r
	narrower.Scopes = slices.DeleteFunc(slices.Clone(r.Scopes), func(s string) bool {
		return slices.Contains(leftOut, s) && slices.Contains(r.Optional, s)
	})
	var err error
	if narrower.read, err = e.readByFosite(ctx, r, r.Form, narrower.Scopes); err != nil {
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
