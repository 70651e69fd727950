// Package resource is the endpoints for data about the user of an access token: userinfo
// and attributes, in both dialects, also as scripts (JSONP).
package resource

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/claims"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Endpoints are those of one provider.
type Endpoints struct {
	Options
	responses *cache.Cache[responseSources, response]
	userinfos *cache.Cache[[sha256.Size]byte, string] // signed, by their claims
}

// Options are what the endpoints work with.
type Options struct {
	Site   *web.Site
	Engine *engine.Engine
	Claims *claims.Source

	Activity *activity.Log

	// Keys sign userinfo.
	Keys interface {
		Refresh(ctx context.Context)
		KeyID(alg string) string
		Sign(alg string, claims []byte) (string, error)
	}

	// IDTokenLife is the life of a userinfo response in the form of an ID token.
	IDTokenLife time.Duration
	Clock       func() time.Time
}

// New returns the endpoints.
func New(o Options) *Endpoints {
	return &Endpoints{
		Options:   o,
		responses: cache.New[responseSources, response](cache.Age, maxResponses, o.Clock),
		userinfos: cache.New[[sha256.Size]byte, string](o.IDTokenLife/2, maxSignedUserinfo, o.Clock),
	}
}

// Routes returns the routes of the endpoints.
func (e *Endpoints) Routes() []web.Route {
	userinfo := e.serve(&resource{event: activity.Userinfo, covers: coversUserinfo, respond: e.userinfo})
	attributes := e.serve(&resource{event: activity.Attributes, covers: coversAttributes, respond: e.attributes})
	route := func(method, path string, h web.Handler) web.Route {
		return web.Route{Method: method, Path: path, Kind: web.Program, Origins: true, Handler: e.Site.Program(h)}
	}
	return e.Site.WithAliases([]web.Route{
		route(http.MethodGet, "/api/public/v3/userinfo", userinfo),
		route(http.MethodPost, "/api/public/v3/userinfo", userinfo),
		route(http.MethodGet, "/api/public/v3/attributes.json", attributes),
	},
		web.Alias{Path: "/api/public/v3/userinfo.json", Of: "/api/public/v3/userinfo"},
		web.Alias{Path: "/api/public/v3/attributes", Of: "/api/public/v3/attributes.json"})
}

// resource is one kind of data.
type resource struct {
	event string // of the activity

	// covers reports whether the scope of a token covers the resource.
	covers func(engine.Access) bool

	respond func(context.Context, engine.Access) (response, error)
}

func coversUserinfo(a engine.Access) bool {
	return a.Client.Dialect.UserinfoWithoutOpenID && len(a.Scopes) > 0 || slices.Contains(a.Scopes, claims.OpenID)
}

func coversAttributes(a engine.Access) bool {
	return slices.ContainsFunc(a.Scopes, func(scope string) bool { return !claims.IsProtocolScope(scope) })
}

// response is the body of an answer. Many requests may share it: nobody changes it.
type response struct {
	body      []byte
	mediaType string

	// jwt is what body has as a JSON string, for who asks for it bare; nil for none.
	jwt []byte
}

// responseSources are all that a response is made from. They are compared by identity:
// what is read anew is another.
type responseSources struct {
	resource *resource
	issued   *engine.Issued
	client   *registry.Client
	person   *storage.Person
}

// maxResponses bounds how many responses are kept, of some kilobyte each.
const maxResponses = 1024

// serve is the endpoint of a resource. With a callback its response is a script.
func (e *Endpoints) serve(of *resource) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		found, q, err := e.read(r, of)
		e.note(r, of.event, q, err, e.Site.AllowOrigin(w, r, q.client))
		if q.nonce != "" {
			w.Header().Set("DPoP-Nonce", q.nonce)
		}
		if q.callback != "" {
			return e.writeScript(w, r, q.callback, found.body, err)
		}
		if err != nil {
			if told := web.AsJSONError(err); told.Status == http.StatusBadRequest { // RFC 6750 section 3
				w.Header().Set("WWW-Authenticate", web.SchemeOf(told)+` error="`+told.Code+`"`)
			}
			return err
		}
		if found.jwt != nil {
			w.Header().Add("Vary", "Accept")
		}
		if found.jwt != nil && prefersJWT(r) {
			found.body, found.mediaType = found.jwt, mediaJWT
		}
		web.WriteBody(w, http.StatusOK, found.mediaType, found.body)
		return nil
	}
}

// note tells those who build the application what happened to a request. foreign says why
// a script cannot read the answer, or is nil.
func (e *Endpoints) note(r *http.Request, event string, q query, err error, foreign *protocol.Error) {
	switch {
	case err != nil:
		e.Activity.Refused(r.Context(), event, q.party, web.AsJSONError(err))
	case foreign != nil:
		e.Activity.Refused(r.Context(), event, q.party, foreign)
	case q.looksStandard:
		e.Activity.Remarked(r.Context(), event, q.party, diagnosis.StandardRequestAtV3, nil)
	default:
		e.Activity.Succeeded(r.Context(), event, q.party)
	}
}

// query is what a request for a resource turned out to be, as far as it could be read.
type query struct {
	// callback is called with the answer; "" for none.
	callback string

	// client is the application whose script may read the answer, or nil.
	client *registry.Client

	party activity.Party

	// looksStandard reports whether an OpenID Connect library seems to ask for an
	// application whose dialect is another: it cannot read the answer.
	looksStandard bool

	// nonce is for the next proof of the application, or empty.
	nonce string
}

// read returns what a request for a resource gets, or its error.
func (e *Endpoints) read(r *http.Request, of *resource) (found response, q query, err error) {
	values, err := dataQuery(r)
	if err != nil {
		return response{}, q, err
	}
	if q.callback, err = parseCallback(r, values); err != nil {
		return response{}, q, err
	}
	token, by, err := presentedToken(r, values)
	if err != nil {
		return response{}, q, err
	}
	found, q, err = e.readWith(r, of, token, by, q)
	return found, q, tellWay(err, by)
}

// tellWay has the error about a token that came with a proof say so.
func tellWay(err error, by way) error {
	if err == nil || by != withProof {
		return err
	}
	told := *web.AsJSONError(err)
	told.WithProof = true
	return &told
}

// access returns what the token of a request is good for.
func access(e *engine.Engine, r *http.Request, token string, by way) (engine.Access, error) {
	if by == withProof {
		return e.ProvenToken(r.Context(), r, token)
	}
	return e.AccessToken(r.Context(), token)
}

// readWith returns what a request with this token gets. A proof is spent after all that refuses
// the request.
func (e *Endpoints) readWith(r *http.Request, of *resource, token string, by way, q query) (response, query, error) {
	a, err := access(e.Engine, r, token, by)
	q.nonce = a.DPoPNonce
	if a.Issued != nil {
		q.party = activity.Party{ClientID: a.Grant.ClientID, UserID: issue.UserOf(a.Grant)}
	}
	if err != nil {
		q.client = e.clientOf(r, token)
		return response{}, q, err
	}
	q.client = a.Client
	switch {
	case q.callback != "" && !q.client.Dialect.JSONP:
		q.callback = ""
		return response{}, q, badRequest("This application cannot use callbacks.").Because(diagnosis.CallbackUnavailable)
	case by == inQuery && !q.client.Dialect.TokenInQuery:
		return response{}, q, errTokenInQuery
	case !a.Own: // one of the resources may have got it, and present it here
		return response{}, q, errAudience
	case issue.UserOf(a.Grant) == "":
		return response{}, q, errScope.Because(diagnosis.TokenWithoutUser)
	case !of.covers(a):
		return response{}, q, errScope.Because(diagnosis.ScopeInsufficient, "scope", strings.Join(a.Scopes, " "))
	}
	if err := e.Engine.StrongEnough(a, e.Clock()); err != nil {
		return response{}, q, err
	}
	q.looksStandard = of.event == activity.Userinfo && a.LooksStandard() && by != inQuery && q.callback == "" && !prefersJWT(r)
	if err := e.Engine.SpendProof(r.Context(), a); err != nil {
		return response{}, q, err
	}
	found, err := e.responseFor(r.Context(), of, a)
	return found, q, err
}

// clientOf returns the application of a token that is of no use any more, whose script may
// read the error; nil when that cannot be said.
func (e *Endpoints) clientOf(r *http.Request, token string) *registry.Client {
	if r.Header.Get("Origin") == "" {
		return nil
	}
	client, err := e.Engine.TokenClient(r.Context(), token)
	if err != nil {
		return nil
	}
	return client
}

// responseFor returns the response to a request with this access. While all that it is
// made from is in memory, so is the response; what the host says about people is asked
// each time.
func (e *Endpoints) responseFor(ctx context.Context, of *resource, a engine.Access) (response, error) {
	if e.Claims.Host != nil {
		return of.make(ctx, a)
	}
	person, err := e.Claims.Stored(ctx, a.Grant.Subject)
	if err != nil {
		return response{}, fmt.Errorf("read person: %w", err)
	}
	now, sources := e.Clock(), responseSources{of, a.Issued, a.Client, person}
	if endsSoon(person, now) {
		return of.make(ctx, a)
	}
	if known, ok := e.responses.Recent(sources, now); ok {
		return known, nil
	}
	return e.responses.Get(sources, func() (response, error) {
		return of.make(ctx, a)
	})
}

// endsSoon reports whether a status of a person ends while a response would be kept.
func endsSoon(person *storage.Person, now time.Time) bool {
	return slices.ContainsFunc(person.Statuses, func(s storage.Status) bool {
		return s.ExpiresAt.After(now) && s.ExpiresAt.Before(now.Add(cache.Age))
	})
}

func (of *resource) make(ctx context.Context, a engine.Access) (response, error) {
	found, err := of.respond(ctx, a)
	if errors.Is(err, host.ErrNoUser) || errors.Is(err, issue.ErrNoUser) {
		return response{}, errTokenOwner
	}
	return found, err
}

var errTokenOwner = &protocol.Error{
	Code: protocol.InvalidToken, Status: http.StatusUnauthorized,
	Description: "The user no longer exists.", Diagnosis: diagnosis.UserGone,
}
