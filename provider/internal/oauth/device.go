package oauth

import (
	"errors"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// device is the device authorization endpoint (RFC 8628 section 3.1).
func (e *Endpoints) device(w http.ResponseWriter, r *http.Request) error {
	answer, err := e.Engine.Device(r.Context(), r, func(c *registry.Client) error { return e.mayPush(w, r, c) })
	foreign := e.allowOrigin(w, r)
	err = e.clientFailed(w, r, err)
	e.note(r, activity.Device, activity.Party{ClientID: answer.ClientID}, err, foreign)
	if err != nil {
		return err
	}
	setNonce(w, answer.DPoPNonce)
	w.Header().Set("Cache-Control", "no-store")
	e.Site.WriteJSON(w, r, http.StatusOK, answer)
	return nil
}

// isPending reports whether a device is told that its user has not decided.
func isPending(err error) bool {
	var refused *protocol.Error
	return errors.As(err, &refused) && refused.Code == protocol.AuthorizationPending
}
