package oauth

import (
	"io"
	"mime"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// register is the endpoint at which clients register themselves (RFC 7591 section 3). Scripts of
// any origin may: the request carries nothing of the browser's user.
func (e *Endpoints) register(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return protocol.Fail(protocol.InvalidClientMetadata, "The Content-Type must be application/json.")
	}
	wait, err := e.Limits.Allow(r.Context(), ratelimit.Register, ratelimit.Key{Address: request.Addr(r.Context())})
	if err != nil {
		return err
	}
	if wait > 0 {
		return &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, wait), Description: "Too many registrations from one address. Please wait."}
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, unknown.MaxRegistration+1))
	if err != nil {
		return protocol.Fail(protocol.InvalidRequest, "The body cannot be read.")
	}
	answer, err := e.Register(r.Context(), text)
	if err != nil {
		return err
	}
	e.Site.WriteJSON(w, r, http.StatusCreated, answer)
	return nil
}
