package oauth

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// Registrations are the applications that programs register with an initial access token, and
// manage with a registration access token. Errors that a program may read are a protocol.Error.
type Registrations interface {
	// Accepts reports whether an initial access token is good for one more registration.
	Accepts(ctx context.Context, token string) (bool, error)

	// Register registers an application (RFC 7591 section 3).
	Register(ctx context.Context, token string, m registration.Metadata) (registration.Answer, error)

	// Find returns the registration of a registration access token, one that is good for
	// nothing at present with the error, too.
	Find(ctx context.Context, id, token string) (storage.Client, error)

	// Answer, Replace and Remove are for a registration that was found (RFC 7592 section 2).
	Answer(ctx context.Context, found storage.Client, token string) (registration.Answer, error)
	Replace(ctx context.Context, found storage.Client, m registration.Metadata) error
	Remove(ctx context.Context, found storage.Client) error
}

// bearer returns the token that a request presents, which is in the header alone. An
// Authorization of another kind, as a proxy or a browser adds it, is none.
func bearer(r *http.Request) (token string, presented bool, err error) {
	fields := r.Header.Values("Authorization")
	if len(fields) == 0 {
		return "", false, nil
	}
	scheme, token, _ := strings.Cut(fields[0], " ")
	token = strings.Trim(token, " ")
	if len(fields) == 1 && !strings.EqualFold(scheme, "Bearer") {
		return "", false, nil
	}
	if len(fields) > 1 || token == "" || strings.ContainsAny(token, " ,") {
		return "", true, protocol.Fail(protocol.InvalidRequest, "The Authorization header must be one bearer token.")
	}
	return token, true, nil
}

// errNoToken asks for a token (RFC 6750 section 3.1).
var errNoToken = &protocol.Error{Status: http.StatusUnauthorized, Description: "A bearer token is missing."}

// found returns the registration that a request of its program is about, and its token.
func (e *Endpoints) found(w http.ResponseWriter, r *http.Request) (c storage.Client, token string, err error) {
	token, presented, err := bearer(r)
	if err != nil {
		return c, token, err
	}
	err = errNoToken
	if presented {
		c, err = e.Registrations.Find(r.Context(), path.Base(web.PathOf(r)), token)
	}
	var refused *protocol.Error
	if err == nil || errors.As(err, &refused) {
		if wait := e.allowRegistration(w, r, ratelimit.Registration, c.ID); wait != nil {
			return c, token, wait
		}
	}
	return c, token, err
}

// readRegistration answers with a registration (RFC 7592 section 2.1).
func (e *Endpoints) readRegistration(w http.ResponseWriter, r *http.Request) error {
	c, token, err := e.found(w, r)
	if err != nil {
		return err
	}
	return e.tellRegistration(w, r, c, token)
}

func (e *Endpoints) tellRegistration(w http.ResponseWriter, r *http.Request, c storage.Client, token string) error {
	answer, err := e.Registrations.Answer(r.Context(), c, token)
	if err == nil {
		e.Site.WriteJSON(w, r, http.StatusOK, answer)
	}
	return err
}

// replaceRegistration replaces a registration (RFC 7592 section 2.2).
func (e *Endpoints) replaceRegistration(w http.ResponseWriter, r *http.Request) error {
	c, token, err := e.found(w, r)
	if err != nil {
		return err
	}
	if err := e.allowRegistration(w, r, ratelimit.RegistrationChange, c.ID); err != nil {
		return err
	}
	text, err := metadataOf(r)
	if err != nil {
		return err
	}
	m, err := registration.Read(text)
	if err == nil {
		err = e.Registrations.Replace(r.Context(), c, m)
	}
	if err == nil {
		c, err = e.Registrations.Find(r.Context(), c.ID, token)
	}
	if err != nil {
		return err
	}
	return e.tellRegistration(w, r, c, token)
}

// removeRegistration deletes a registration (RFC 7592 section 2.3).
func (e *Endpoints) removeRegistration(w http.ResponseWriter, r *http.Request) error {
	c, _, err := e.found(w, r)
	if err == nil {
		err = e.Registrations.Remove(r.Context(), c)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
