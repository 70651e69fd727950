package oauth

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// Streams are the streams of events of applications (Shared Signals Framework 1.0). Errors that a
// program may read are a protocol.Error.
type Streams interface {
	Create(ctx context.Context, clientID string, body []byte) (any, error)
	List(ctx context.Context, clientID string) (any, error)
	Read(ctx context.Context, clientID, id string) (any, error)
	Change(ctx context.Context, clientID string, body []byte, replace bool) (any, error)
	Delete(ctx context.Context, clientID, id string) error
	Status(ctx context.Context, clientID, id string) (any, error)
	SetStatus(ctx context.Context, clientID string, body []byte) (any, error)

	// Verify returns how long to wait, or zero.
	Verify(ctx context.Context, clientID string, body []byte) (time.Duration, error)

	Poll(ctx context.Context, clientID string, body []byte) (any, error)
}

// The paths of the endpoints of streams.
const (
	StreamPath = "/ssf/stream"
	StatusPath = "/ssf/status"
	VerifyPath = "/ssf/verify"
	PollPath   = "/ssf/poll"
)

// maxStreamBody limits the body of a request about streams, in bytes.
const maxStreamBody = 64 << 10

// streamID is the parameter of a request that has no body.
const streamID = "stream_id"

// streamHandler answers a request of an application about its stream.
type streamHandler func(w http.ResponseWriter, r *http.Request, clientID string) error

// streamRoutes are the endpoints of streams (SSF 1.0 section 8.1).
func (e *Endpoints) streamRoutes() []web.Route {
	if e.Streams == nil {
		return nil
	}
	const read, manage = protocol.ScopeSignalsRead, protocol.ScopeSignalsManage
	route := func(method, path, scope string, h streamHandler) web.Route {
		return web.Route{Method: method, Path: path, Kind: web.Program, Handler: e.Site.Program(e.ofReceiver(scope, h))}
	}
	return []web.Route{
		route(http.MethodPost, StreamPath, manage, e.answerStream(http.StatusCreated, e.Streams.Create)),
		route(http.MethodGet, StreamPath, read, e.answerNamed(e.Streams.Read, e.Streams.List)),
		route(http.MethodPatch, StreamPath, manage, e.answerStream(http.StatusOK, func(ctx context.Context, clientID string, body []byte) (any, error) {
			return e.Streams.Change(ctx, clientID, body, false)
		})),
		route(http.MethodPut, StreamPath, manage, e.answerStream(http.StatusOK, func(ctx context.Context, clientID string, body []byte) (any, error) {
			return e.Streams.Change(ctx, clientID, body, true)
		})),
		route(http.MethodDelete, StreamPath, manage, e.answerNamed(func(ctx context.Context, clientID, id string) (any, error) {
			return nil, e.Streams.Delete(ctx, clientID, id)
		}, nil)),
		route(http.MethodGet, StatusPath, read, e.answerNamed(e.Streams.Status, nil)),
		route(http.MethodPost, StatusPath, manage, e.answerStream(http.StatusOK, e.Streams.SetStatus)),
		route(http.MethodPost, VerifyPath, manage, e.verifyStream),
		route(http.MethodPost, PollPath, read, e.answerStream(http.StatusOK, e.Streams.Poll)),
	}
}

// ofReceiver is for an application with an access token of its own, in the header alone: addresses
// reach logs. A token for other APIs too could have come from one of them.
func (e *Endpoints) ofReceiver(scope string, h streamHandler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		token, presented, err := bearer(r)
		if err == nil && !presented {
			err = errNoToken
		}
		if err != nil {
			return err
		}
		a, err := e.Engine.AccessToken(r.Context(), token)
		if err != nil {
			return err
		}
		if a.Grant.Subject != issue.Nobody || len(a.Resources) > 0 {
			return protocol.Fail(protocol.InvalidToken, "The access token is of a user, or for another API.")
		}
		if !allows(a, scope) {
			return protocol.Fail(protocol.InsufficientScope, "The access token lacks the scope "+scope+".")
		}
		wait, err := e.Limits.Allow(r.Context(), ratelimit.Streams, ratelimit.Key{Account: a.Client.ID})
		if err != nil {
			return err
		}
		if wait > 0 {
			return &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, wait), Description: "Too many requests. Please wait."}
		}
		return h(w, r, a.Client.ID)
	}
}

// allows reports whether a token has a scope; who may manage a stream may read it.
func allows(a engine.Access, scope string) bool {
	return slices.Contains(a.Scopes, scope) || slices.Contains(a.Scopes, protocol.ScopeSignalsManage)
}

// answerStream answers what do returns for the body of a request.
func (e *Endpoints) answerStream(status int, do func(ctx context.Context, clientID string, body []byte) (any, error)) streamHandler {
	return func(w http.ResponseWriter, r *http.Request, clientID string) error {
		body, err := streamBody(r)
		if err != nil {
			return err
		}
		answer, err := do(r.Context(), clientID, body)
		if err == nil {
			e.Site.WriteJSON(w, r, status, answer)
		}
		return err
	}
}

func streamBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxStreamBody+1))
	switch {
	case err != nil:
		return nil, protocol.Fail(protocol.InvalidRequest, "The body cannot be read.")
	case len(body) > maxStreamBody:
		return nil, &protocol.Error{Code: protocol.InvalidRequest, Status: http.StatusRequestEntityTooLarge, Description: "The body is too large."}
	}
	return body, nil
}

// answerNamed answers what do returns for the stream that the address names, or other if that names none;
// 204 for nil.
func (e *Endpoints) answerNamed(do func(ctx context.Context, clientID, id string) (any, error), other func(ctx context.Context, clientID string) (any, error)) streamHandler {
	return func(w http.ResponseWriter, r *http.Request, clientID string) error {
		query, err := web.QueryOf(r)
		ids := query[streamID]
		if err != nil || len(ids) > 1 {
			return protocol.Fail(protocol.InvalidRequest, "The address names no stream, or several.")
		}
		var answer any
		switch {
		case len(ids) == 1:
			answer, err = do(r.Context(), clientID, ids[0])
		case other != nil:
			answer, err = other(r.Context(), clientID)
		default:
			err = protocol.Fail(protocol.InvalidRequest, "The parameter stream_id is missing.")
		}
		switch {
		case err != nil:
			return err
		case answer == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			e.Site.WriteJSON(w, r, http.StatusOK, answer)
		}
		return nil
	}
}

func (e *Endpoints) verifyStream(w http.ResponseWriter, r *http.Request, clientID string) error {
	body, err := streamBody(r)
	if err != nil {
		return err
	}
	wait, err := e.Streams.Verify(r.Context(), clientID, body)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, wait), Description: "A verification was asked for a moment ago."}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
