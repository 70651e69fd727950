// Package oauth has the endpoints for programs except those for data: token, revocation,
// introspection, pushed requests, discovery and key set.
package oauth

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/clientauth"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/faults"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Endpoints are those of one provider.
type Endpoints struct {
	Options
	discovery atomic.Pointer[web.Document]
	published atomic.Pointer[published]
}

// Options are the dependencies of the endpoints.
type Options struct {
	Site      *web.Site
	Engine    *engine.Engine
	Catalogue *claims.Catalogue
	Audit     *audit.Log
	Activity  *activity.Log
	Limits    audit.Limits

	// Documents reports that the address of a metadata document may be a client_id.
	Documents bool

	// Register makes a client of the metadata of RFC 7591; nil if nobody registers a client
	// without a token. Registrations are those with one; nil if there are none.
	Registrations Registrations
	Register      func(ctx context.Context, metadata []byte) (unknown.Registered, error)

	// Streams are those of applications; nil if they have none.
	Streams *signals.Streams

	// Devices reports that there is device authorization.
	Devices bool

	// RequestURI reports that request objects are fetched from registered addresses.
	RequestURI bool

	// Exchanges reports that tokens for some resource are exchanged.
	Exchanges bool

	// Classes are the authentication context classes that a sign-in can reach.
	Classes []string

	// HasAccounts reports whether the provider keeps the users' sessions itself.
	HasAccounts bool

	// Faults are those that applications of a sandbox have requested, or nil.
	Faults *faults.Faults

	// Verified is the claim verified_claims, or nil.
	Verified claims.Verified

	// Credentials are those of wallets, or nil.
	Credentials claims.Credentials

	// SigningAlgorithms are those that sign ID tokens and userinfo.
	SigningAlgorithms []string

	// Keys are the signing keys.
	Keys interface {
		Refresh(ctx context.Context)
		IsFresh() bool
		JWKS() []byte
	}
}

// New returns the endpoints.
func New(o Options) (*Endpoints, error) {
	e := &Endpoints{Options: o}
	err := e.describe(false)
	return e, err
}

// PreAuthorize has the discovery document say that any wallet can redeem a code of an offer.
func (e *Endpoints) PreAuthorize() error { return e.describe(true) }

// Routes returns the routes of the endpoints.
func (e *Endpoints) Routes() []web.Route {
	post := func(path string, h web.Handler, origins bool) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, Kind: web.Program, Origins: origins, Handler: e.Site.Program(h)}
	}
	get := func(path string, h http.HandlerFunc, constant func() *web.Document) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, Kind: web.Program, Origins: true, Handler: h, Constant: constant}
	}
	discovery := e.discovery.Load
	routes := []web.Route{
		post("/oauth/token", e.token, true),
		post("/oauth/revoke", e.revoke, true),
		post("/oauth/introspect", e.introspect, false),
		post("/oauth/par", e.push, true),
		get("/oidc/.well-known/openid-configuration", e.serveDiscovery, discovery),
		get("/oidc/.well-known/oauth-authorization-server", e.serveDiscovery, discovery),
		get("/oidc/.well-known/jwks", e.serveKeys, e.freshKeys),
	}
	if e.Registrations != nil {
		routes = append(routes, post(RegistrationPath, e.register, e.Register != nil))
		for method, h := range map[string]web.Handler{http.MethodGet: e.readRegistration, http.MethodPut: e.replaceRegistration, http.MethodDelete: e.removeRegistration} {
			routes = append(routes, web.Route{Method: method, Path: RegistrationPath + "/{client}", Kind: web.Program, Handler: e.Site.Program(h)})
		}
	}
	if e.Devices {
		routes = append(routes, post("/oauth/device_authorization", e.device, true))
	}
	routes = append(routes, e.streamRoutes()...)
	for _, path := range InsertedPaths(e.Site.Base.Path) {
		routes = append(routes, get(path, e.serveDiscovery, discovery))
	}
	return e.Site.WithAliases(routes, web.Alias{Path: "/oidc/.well-known/jwks.json", Of: "/oidc/.well-known/jwks"})
}

// AssertionPaths are the paths of the endpoints at which an application may authenticate
// with an assertion.
var AssertionPaths = []string{"/oauth/token", "/oauth/revoke", "/oauth/introspect", "/oauth/par", "/oauth/device_authorization"}

// token is the token endpoint (RFC 6749 section 3.2).
func (e *Endpoints) token(w http.ResponseWriter, r *http.Request) error {
	e.Keys.Refresh(r.Context())
	var response engine.TokenResponse
	err := e.fault(r)
	if err == nil {
		response, err = e.Engine.Token(r.Context(), r)
	}
	foreign := e.allowOrigin(w, r)
	err = e.clientFailed(w, r, err)
	event := activity.Token
	if r.PostForm.Get("grant_type") == protocol.GrantRefreshToken {
		event = activity.Refresh
	}
	of := activity.Party{ClientID: response.ClientID, UserID: response.Subject}
	if isPending(err) { // which a device hears every few seconds
		return err
	}
	if err == nil && foreign == nil && response.LooksStandard {
		e.Activity.Remarked(r.Context(), event, of, diagnosis.StandardRequestAtV3, nil)
	} else {
		e.note(r, event, of, err, foreign)
	}
	if err != nil {
		return err
	}
	setNonce(w, response.DPoPNonce)
	e.Site.WriteJSON(w, r, http.StatusOK, response)
	return nil
}

// setNonce tells a client the nonce for its next proof (RFC 9449 section 8.2).
func setNonce(w http.ResponseWriter, nonce string) {
	if nonce != "" {
		w.Header().Set("DPoP-Nonce", nonce)
	}
}

// fault fails as the request's application has requested in a sandbox.
func (e *Endpoints) fault(r *http.Request) error {
	if e.Faults == nil {
		return nil
	}
	if _, err := input.ReadTokenRequest(r); err != nil {
		return err
	}
	return e.Faults.Token(r.Context(), claimedClient(r))
}

// note records the result of a request for the application's developers. foreign is why a
// script cannot read the response, or nil.
func (e *Endpoints) note(r *http.Request, event string, of activity.Party, err error, foreign *protocol.Error) {
	switch {
	case err != nil:
		of.ClientID, _ = e.namedClient(r) // "" as well when nobody can tell now
		e.Activity.Refused(r.Context(), event, of, web.AsJSONError(err))
	case foreign != nil:
		e.Activity.Refused(r.Context(), event, of, foreign)
	default:
		e.Activity.Succeeded(r.Context(), event, of)
	}
}

// namedClient returns the client_id of a request, or "" if it is unknown.
func (e *Endpoints) namedClient(r *http.Request) (string, error) {
	id := claimedClient(r)
	switch _, err := e.Engine.Client(r.Context(), id); {
	case err == nil, errors.Is(err, registry.ErrDisabled):
		return id, nil
	case errors.Is(err, registry.ErrNoClient):
		return "", nil
	default:
		return "", protocol.AsError(err)
	}
}

// allowOrigin lets a script of the request's application read the response. It returns why
// the script cannot, or nil. Some libraries send the browser's cookies along; nothing here
// reads them, and those libraries could not read the response without permission to send
// them.
func (e *Endpoints) allowOrigin(w http.ResponseWriter, r *http.Request) *protocol.Error {
	var client *registry.Client
	if r.Header.Get("Origin") != "" {
		client, _ = e.Engine.Client(r.Context(), claimedClient(r)) // nil when there is none
	}
	refused := e.Site.AllowOrigin(w, r, client)
	if w.Header().Get("Access-Control-Allow-Origin") != "" {
		w.Header().Set("Access-Control-Allow-Credentials", "true")
	}
	return refused
}

// clientFailed counts an application's failure to authenticate, and returns the error for
// it; nil for nil. Only failures are counted, so an application that knows its secret is
// never held up. Unknown names are counted together and not recorded: a stranger can make
// up any number.
func (e *Endpoints) clientFailed(w http.ResponseWriter, r *http.Request, cause error) error {
	if cause == nil {
		return nil
	}
	var refused *protocol.Error
	if !errors.As(cause, &refused) || refused.Code != protocol.InvalidClient {
		return cause
	}
	id, err := e.namedClient(r)
	if err != nil {
		return err
	}
	wait, err := e.Limits.Allow(r.Context(), ratelimit.ClientAuth, ratelimit.Key{Account: id})
	if err != nil {
		return err
	}
	if wait > 0 {
		return &protocol.Error{Code: protocol.InvalidClient, Status: web.TooMany(w, wait),
			Description: "Too many attempts with wrong credentials. Please wait.", Diagnosis: diagnosis.ClientThrottled}
	}
	if id != "" && refused.Diagnosis != diagnosis.ApplicationDisabled {
		e.Audit.RecordOnce(r.Context(), storage.Event{Name: event.ClientRefused, ClientID: id})
	}
	return cause
}

// claimedClient returns the client_id in a request's header (RFC 6749 section 2.3.1), body
// or assertion.
func claimedClient(r *http.Request) string {
	return web.Truncate(clientauth.ClaimedClient(r, r.PostForm), 64)
}

// revoke is the revocation endpoint (RFC 7009). An invalid token gets the response of a
// valid one, and is not recorded: anybody can send any number of them for a public client.
func (e *Endpoints) revoke(w http.ResponseWriter, r *http.Request) error {
	known, err := e.Engine.Revoke(r.Context(), r)
	foreign := e.allowOrigin(w, r)
	err = e.clientFailed(w, r, err)
	if known || err != nil || foreign != nil {
		e.note(r, activity.Revoke, activity.Party{ClientID: claimedClient(r)}, err, foreign)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// introspect is the introspection endpoint (RFC 7662).
func (e *Endpoints) introspect(w http.ResponseWriter, r *http.Request) error {
	answer, err := e.Engine.Introspect(r.Context(), r)
	err = e.clientFailed(w, r, err)
	e.note(r, activity.Introspect, activity.Party{ClientID: answer.AskedBy, UserID: answer.UserID}, err, nil)
	if err != nil {
		return err
	}
	e.Site.WriteJSON(w, r, http.StatusOK, answer)
	return nil
}
