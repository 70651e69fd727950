package web

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// Program answers a program: errors become JSON bodies, and no cache keeps the response.
func (s *Site) Program(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		setProgramHeaders(w.Header())
		if err := h(w, r); err != nil {
			s.FailJSON(w, r, err)
		}
	}
}

// setProgramHeaders sets the headers of every response to a program.
func setProgramHeaders(h http.Header) {
	h["Cache-Control"] = noStore
	h["Pragma"] = noCache
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
}

// All responses share these values, which saves allocations.
var (
	noStore    = []string{"no-store"}
	noCache    = []string{"no-cache"}
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	mediaJSON  = []string{"application/json"}
)

// retryAfter is the Retry-After of 503 responses, in seconds.
const retryAfter = "2"

// FailJSON answers a program with an error (RFC 6749 section 5.2, RFC 6750 section 3).
func (s *Site) FailJSON(w http.ResponseWriter, r *http.Request, err error) {
	e := AsJSONError(err)
	s.LogFailure(r, e.Status, err)
	setErrorHeaders(w.Header(), e)
	s.WriteJSON(w, r, e.Status, ErrorBody(e))
}

// setErrorHeaders adds the headers that the status of an error requires.
func setErrorHeaders(h http.Header, e *protocol.Error) {
	if e.DPoPNonce != "" {
		h.Set("DPoP-Nonce", e.DPoPNonce)
	}
	switch e.Status {
	case http.StatusUnauthorized:
		h["Www-Authenticate"] = challenges(e)
	case http.StatusForbidden:
		h.Set("WWW-Authenticate", SchemeOf(e)+` error="`+e.Code+`"`)
	case http.StatusServiceUnavailable:
		SetUnavailable(h, e)
	}
}

// SetUnavailable adds the headers of a 503.
func SetUnavailable(h http.Header, cause error) {
	h.Set("Retry-After", retryAfter)
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, context.Canceled) {
		// The deadline for reading the body has passed as well. net/http takes that for a
		// disconnect, and would cancel every later request on the connection as soon as it
		// arrives.
		h.Set("Connection", "close")
	}
}

// ErrorBody is the JSON of an error.
func ErrorBody(e *protocol.Error) map[string]string {
	code := e.Code
	if code == "" {
		code = protocol.InvalidRequest
	}
	return map[string]string{"error": code, "error_description": e.Description}
}

// challenges are the WWW-Authenticate fields of a 401. Who has presented a bearer token learns
// that a bound one is taken as well (RFC 9449 section 7.1). Who has presented none gets the one
// word that programs of the dialect V3 expect: who has a bound token says so.
func challenges(e *protocol.Error) []string {
	switch {
	case e.Code == protocol.InvalidClient:
		return []string{`Basic realm="token"`}
	case e.WithProof:
		return []string{challenge(e) + ", " + proofAlgorithms}
	case e.BearerOnly:
		return []string{challenge(e)}
	case e.Code == "": // without credentials, RFC 6750 section 3.1 wants no error
		return []string{"Bearer"}
	default:
		return []string{challenge(e), "DPoP " + proofAlgorithms}
	}
}

// proofAlgorithms is the parameter of the challenge DPoP.
var proofAlgorithms = `algs="` + strings.Join(dpop.Algorithms, " ") + `"`

// SchemeOf returns the scheme of the access token that an error is about.
func SchemeOf(e *protocol.Error) string {
	if e.WithProof {
		return "DPoP"
	}
	return "Bearer"
}

// challenge says what is wrong with the access token of a request.
func challenge(e *protocol.Error) string {
	c := SchemeOf(e) + ` error="` + e.Code + `", error_description="` + e.Description + `"`
	if e.ACRValues != "" {
		c += `, acr_values="` + e.ACRValues + `"`
	}
	if e.MaxAge > 0 {
		c += `, max_age="` + strconv.FormatInt(e.MaxAge, 10) + `"`
	}
	return c
}

// AsJSONError returns the protocol's error for any error.
func AsJSONError(err error) *protocol.Error {
	var page *PageError
	switch {
	case errors.As(err, &page):
		return &protocol.Error{Code: protocol.InvalidRequest, Description: http.StatusText(page.Status), Status: page.Status}
	case IsUnavailable(err):
		return protocol.Unavailable(err)
	default:
		return protocol.AsError(err)
	}
}

// WriteJSON answers a program.
func (s *Site) WriteJSON(w http.ResponseWriter, r *http.Request, status int, body any) {
	var raw []byte
	var err error
	if known, ok := body.(interface{ AppendJSON(to []byte) []byte }); ok {
		raw = known.AppendJSON(nil)
	} else {
		raw, err = json.Marshal(body)
	}
	if err != nil {
		s.LogFailure(r, http.StatusInternalServerError, err)
		status, raw = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	WriteBody(w, status, "application/json", raw)
}

// WriteBody answers with a body.
func WriteBody(w http.ResponseWriter, status int, mediaType string, body []byte) {
	if mediaType == mediaJSON[0] {
		w.Header()["Content-Type"] = mediaJSON
	} else {
		w.Header().Set("Content-Type", mediaType)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// TooMany sets the wait and returns the status of such a response (RFC 6585 section 4).
func TooMany(w http.ResponseWriter, wait time.Duration) int {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return http.StatusTooManyRequests
}
