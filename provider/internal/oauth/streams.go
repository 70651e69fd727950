package oauth

import (
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine/issue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/signals"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// streamRoutes are the endpoints of streams of events (Shared Signals Framework 1.0).
func (e *Endpoints) streamRoutes() (all []web.Route) {
	if e.Streams == nil {
		return nil
	}
	for _, of := range e.Streams.Endpoints() {
		all = append(all, web.Route{Method: of.Method, Path: of.Path, Kind: web.Program, Handler: e.Site.Program(e.answerStream(of))})
	}
	return all
}

// answerStream answers an application about its stream.
func (e *Endpoints) answerStream(of signals.Endpoint) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		asked := signals.Request{}
		err := e.receiver(w, r, of.Scope, &asked)
		if err == nil {
			err = readStream(r, &asked)
		}
		if err != nil {
			return err
		}
		answer, err := of.Answer(r.Context(), asked)
		var early signals.TooSoon
		switch {
		case errors.As(err, &early):
			return &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, early.Wait), Description: "A verification was asked for a moment ago."}
		case err != nil:
			return err
		case of.Status == http.StatusNoContent:
			w.WriteHeader(http.StatusNoContent)
		default:
			e.Site.WriteJSON(w, r, of.Status, answer)
		}
		return nil
	}
}

// receiver reads which application asks, with an access token of its own, in the header alone: addresses
// reach logs. A token for other APIs too could have come from one of them.
func (e *Endpoints) receiver(w http.ResponseWriter, r *http.Request, scope string, asked *signals.Request) error {
	token, presented, err := bearer(r)
	if err == nil && !presented {
		err = errNoToken
	}
	if err != nil {
		return err
	}
	a, err := e.Engine.AccessToken(r.Context(), token)
	switch {
	case err != nil:
		return err
	case a.Grant.Subject != issue.Nobody || len(a.Resources) > 0:
		return protocol.Fail(protocol.InvalidToken, "The access token is of a user, or for another API.")
	case !slices.Contains(a.Scopes, scope) && !slices.Contains(a.Scopes, protocol.ScopeSignalsManage): // with which one may read, too
		return protocol.Fail(protocol.InsufficientScope, "The access token lacks the scope "+scope+".")
	}
	asked.ClientID = a.Client.ID
	wait, err := e.Limits.Allow(r.Context(), ratelimit.Streams, ratelimit.Key{Account: a.Client.ID})
	if err == nil && wait > 0 {
		err = &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, wait), Description: "Too many requests. Please wait."}
	}
	return err
}

// maxStreamBody limits the body of a request about streams, in bytes.
const maxStreamBody = 64 << 10

// readStream reads the body of a request or, of one without, which stream its address names.
func readStream(r *http.Request, asked *signals.Request) (err error) {
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		query, err := web.QueryOf(r)
		if asked.Named = query["stream_id"]; err != nil || len(asked.Named) > 1 {
			return protocol.Fail(protocol.InvalidRequest, "The address names no stream, or several.")
		}
		return nil
	}
	asked.Body, err = io.ReadAll(io.LimitReader(r.Body, maxStreamBody+1))
	switch {
	case err != nil:
		return protocol.Fail(protocol.InvalidRequest, "The body cannot be read.")
	case len(asked.Body) > maxStreamBody:
		return &protocol.Error{Code: protocol.InvalidRequest, Status: http.StatusRequestEntityTooLarge, Description: "The body is too large."}
	}
	return nil
}
