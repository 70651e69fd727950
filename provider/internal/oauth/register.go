package oauth

import (
	"io"
	"mime"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// RegistrationPath is the path of the endpoint for registrations; one of them is below it.
const RegistrationPath = "/oauth/register"

// register is the endpoint at which clients register themselves, or are registered with an
// initial access token (RFC 7591 section 3). Scripts of any origin may do so without a token: the
// request carries nothing of the browser's user.
func (e *Endpoints) register(w http.ResponseWriter, r *http.Request) error {
	token, presented, err := bearer(r)
	if !presented && e.Register != nil {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	if err != nil {
		return err
	}
	known := ""
	if presented {
		good, err := e.Registrations.Accepts(r.Context(), token)
		if err != nil {
			return err
		}
		if good {
			known = token
		}
	}
	if err := e.allowRegistration(w, r, ratelimit.Register, known); err != nil {
		return err
	}
	text, err := metadataOf(r)
	if err != nil {
		return err
	}
	var answer any
	switch {
	case presented:
		var m registration.Metadata
		if m, err = registration.Read(text); err == nil {
			answer, err = e.Registrations.Register(r.Context(), token, m)
		}
	case e.Register != nil:
		answer, err = e.Register(r.Context(), text)
	default:
		err = errNoToken
	}
	if err != nil {
		return err
	}
	e.Site.WriteJSON(w, r, http.StatusCreated, answer)
	return nil
}

// allowRegistration counts a request of who is known by a token that is good, or, if known is
// empty, of an address: a stranger at the same address has nobody else wait.
func (e *Endpoints) allowRegistration(w http.ResponseWriter, r *http.Request, action ratelimit.Action, known string) error {
	if known != "" {
		action = action.PerAddress(ratelimit.Limit{})
	}
	wait, err := e.Limits.Allow(r.Context(), action, ratelimit.Key{Account: known})
	if err != nil {
		return err
	}
	if wait > 0 {
		return &protocol.Error{Code: protocol.InvalidRequest, Status: web.TooMany(w, wait), Description: "Too many registrations. Please wait."}
	}
	return nil
}

// metadataOf returns the body of a request with metadata, and of a longer one a byte more than is
// allowed.
func metadataOf(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, protocol.Fail(protocol.InvalidClientMetadata, "The Content-Type must be application/json.")
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, registration.MaxBytes+1))
	if err != nil {
		return nil, protocol.Fail(protocol.InvalidRequest, "The body cannot be read.")
	}
	return text, nil
}
