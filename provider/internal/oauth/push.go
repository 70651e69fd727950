package oauth

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// push is the endpoint of pushed authorization requests (RFC 9126).
func (e *Endpoints) push(w http.ResponseWriter, r *http.Request) error {
	answer, err := e.Engine.Push(r.Context(), r, func(c *registry.Client) error { return e.mayPush(w, r, c) })
	foreign := e.allowOrigin(w, r)
	err = e.clientFailed(w, r, err)
	e.note(r, activity.Push, activity.Party{ClientID: answer.ClientID}, err, foreign)
	if err != nil {
		return err
	}
	setNonce(w, answer.DPoPNonce)
	e.Site.WriteJSON(w, r, http.StatusCreated, answer)
	return nil
}

// mayPush limits what strangers can have stored: they need only the ID of a public client.
func (e *Endpoints) mayPush(w http.ResponseWriter, r *http.Request, client *registry.Client) error {
	if !client.Public {
		return nil
	}
	wait, err := e.Limits.Allow(r.Context(), ratelimit.Push, ratelimit.Key{Account: client.ID})
	if err != nil || wait == 0 {
		return err
	}
	return &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, wait),
		Description: "Too many requests of this application from one address. Please wait.", Diagnosis: diagnosis.ClientThrottled}
}
