package provider

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// pageError is an error that a visitor sees on a page of its own.
type pageError struct {
	status int
	code   ui.ErrorCode

	// request is the authorization request that it happened in, when client and
	// redirect URI of it can be trusted.
	request *engine.AuthorizeRequest

	// cause goes to the log.
	cause error
}

func (e *pageError) Error() string {
	if e.cause != nil {
		return string(e.code) + ": " + e.cause.Error()
	}
	return string(e.code)
}

func (e *pageError) Unwrap() error { return e.cause }

// asPageError finds the page for any error. What the database or the host could
// not do is never the visitor's fault.
func asPageError(err error) *pageError {
	var page *pageError
	var redirect *engine.RedirectError
	var protocol *engine.Error
	switch {
	case errors.As(err, &page):
		return page
	case errors.As(err, &redirect):
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorRedirect, cause: err}
	case isUnavailable(err):
		return &pageError{status: http.StatusServiceUnavailable, code: ui.ErrorUnavailable, cause: err}
	case errors.As(err, &protocol) && protocol.Code == engine.InvalidClient:
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorClient, cause: err}
	case errors.As(err, &protocol) && protocol.Status == http.StatusRequestEntityTooLarge:
		return &pageError{status: http.StatusRequestEntityTooLarge, code: ui.ErrorTooLarge, cause: err}
	case errors.As(err, &protocol) && protocol.Status < http.StatusInternalServerError:
		return &pageError{status: http.StatusBadRequest, code: ui.ErrorRequest, cause: err}
	default:
		return &pageError{status: http.StatusInternalServerError, code: ui.ErrorInternal, cause: err}
	}
}

// isUnavailable reports whether trying again later may help.
func isUnavailable(err error) bool {
	var protocol *engine.Error
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, password.ErrBusy) ||
		errors.Is(err, errHost) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.As(err, &protocol) && protocol.Code == engine.TemporarilyUnavailable
}

// fail answers with an error where no handler is in charge: as JSON where programs
// ask, as a page where people do.
func (p *Provider) fail(w http.ResponseWriter, r *http.Request, err error) {
	if p.isAPI(r) {
		setAPIHeaders(w.Header())
		p.failJSON(w, r, err)
		return
	}
	p.failPage(w, r, err)
}

// isAPI reports whether the path is one that programs ask.
func (p *Provider) isAPI(r *http.Request) bool {
	path := p.path(r)
	switch path {
	case "/oauth/token", "/oauth/revoke", "/oauth/introspect":
		return true
	}
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/oidc/")
}

// failPage shows an error to a person.
func (p *Provider) failPage(w http.ResponseWriter, r *http.Request, err error) {
	e := asPageError(err)
	p.logFailure(r, e.status, err)
	if e.status == http.StatusServiceUnavailable {
		setUnavailable(w.Header(), err)
	}
	view := ui.ErrorView{
		Page: p.pageView(r, e.request), Code: e.code,
		RequestID: requestID(r.Context()), Time: p.cfg.Clock(),
	}
	if e.request != nil {
		view.BackURL = homeOf(e.request.RedirectURI)
	}
	var redirect *engine.RedirectError
	if p.cfg.Sandbox && errors.As(err, &redirect) {
		view.Details = redirectDetails(redirect)
	}
	p.render(w, r, e.status, ui.Error(view))
}

// redirectDetails shows the people who build an application what is registered. The
// sandbox shows it to everyone: nothing in it is real.
func redirectDetails(e *engine.RedirectError) []ui.Field {
	details := []ui.Field{{Name: "redirect_uri", Value: e.Sent}}
	for _, uri := range e.Client.RedirectURIs {
		details = append(details, ui.Field{Name: "registered", Value: uri})
	}
	return details
}

// retryAfter is what 503 answers suggest, in seconds.
const retryAfter = "2"

// failJSON answers a program with an error (RFC 6749 section 5.2, RFC 6750 section
// 3).
func (p *Provider) failJSON(w http.ResponseWriter, r *http.Request, err error) {
	e := asJSONError(err)
	p.logFailure(r, e.Status, err)
	setErrorHeaders(w.Header(), e)
	p.writeJSON(w, r, e.Status, errorBody(e))
}

// setErrorHeaders adds what the status of an error asks for.
func setErrorHeaders(h http.Header, e *engine.Error) {
	switch e.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", challenge(e))
	case http.StatusForbidden:
		h.Set("WWW-Authenticate", `Bearer error="`+e.Code+`"`)
	case http.StatusServiceUnavailable:
		setUnavailable(h, e)
	}
}

// setUnavailable adds what goes with 503.
func setUnavailable(h http.Header, cause error) {
	h.Set("Retry-After", retryAfter)
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, context.Canceled) {
		// The deadline for reading the body has passed as well. net/http takes
		// that for a visitor who left, and would cancel every later request on
		// the connection as soon as it comes.
		h.Set("Connection", "close")
	}
}

// errorBody is an error as programs read it.
func errorBody(e *engine.Error) map[string]string {
	code := e.Code
	if code == "" {
		code = engine.InvalidRequest
	}
	return map[string]string{"error": code, "error_description": e.Description}
}

// challenge is the WWW-Authenticate header of a 401.
func challenge(e *engine.Error) string {
	switch e.Code {
	case engine.InvalidClient:
		return `Basic realm="token"`
	case "": // nothing was presented: RFC 6750 section 3.1 wants no error then
		return "Bearer"
	default:
		return `Bearer error="` + e.Code + `", error_description="` + e.Description + `"`
	}
}

// asJSONError finds the protocol's answer to any error.
func asJSONError(err error) *engine.Error {
	var page *pageError
	switch {
	case errors.As(err, &page):
		return &engine.Error{Code: engine.InvalidRequest, Description: http.StatusText(page.status), Status: page.status}
	case isUnavailable(err):
		return engine.Unavailable(err)
	default:
		return engine.AsError(err)
	}
}

// logFailure writes down what is not the caller's doing; the rest, such as a caller
// who left, only when debugging.
func (p *Provider) logFailure(r *http.Request, status int, err error) {
	level := slog.LevelDebug
	if status >= http.StatusInternalServerError && !hasLeft(r, err) {
		level = slog.LevelError
	}
	p.cfg.Logger.Log(r.Context(), level, "request failed",
		slog.String("method", r.Method), slog.String("path", p.path(r)), slog.Int("status", status), slog.Any("error", err))
}

// hasLeft reports whether a request failed because its caller did not wait for the
// end of it. Once its time is over, it failed because of that.
func hasLeft(r *http.Request, err error) bool {
	deadline, limited := r.Context().Deadline()
	return errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled) &&
		(!limited || time.Now().Before(deadline))
}

// writeJSON answers a program.
func (p *Provider) writeJSON(w http.ResponseWriter, r *http.Request, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		p.logFailure(r, http.StatusInternalServerError, err)
		status, raw = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	writeBody(w, status, "application/json", raw)
}

func writeBody(w http.ResponseWriter, status int, mediaType string, body []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
