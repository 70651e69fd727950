package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// PageError is an error that the user sees on a page of its own.
type PageError struct {
	Status int
	Code   ui.ErrorCode

	// Request is the authorization request in which the error occurred, if its client and
	// redirect URI can be trusted.
	Request *engine.AuthorizeRequest

	// BackURL is where the way back to the application of Request leads.
	// Defaults to the first page of its host.
	BackURL string

	// Wait is the value of Retry-After; zero for none.
	Wait time.Duration

	// HomeURL links to the host's screens if the error occurred there; empty for the
	// provider's.
	HomeURL string

	// Cause is logged.
	Cause error
}

func (e *PageError) Error() string {
	if e.Cause != nil {
		return string(e.Code) + ": " + e.Cause.Error()
	}
	return string(e.Code)
}

func (e *PageError) Unwrap() error { return e.Cause }

// asPageError returns the page for any error. A failure of the database or the host is
// never the user's fault.
func asPageError(err error) *PageError {
	var page *PageError
	var redirect *authorization.RedirectError
	var refused *protocol.Error
	switch {
	case errors.As(err, &page):
		return page
	case errors.As(err, &redirect):
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRedirect, Cause: err}
	case IsUnavailable(err):
		return &PageError{Status: http.StatusServiceUnavailable, Code: ui.ErrorUnavailable, Cause: err}
	case errors.Is(err, host.ErrNoUser):
		return &PageError{Status: http.StatusForbidden, Code: ui.ErrorUser, Cause: err}
	case errors.Is(err, registry.ErrNoClient), errors.As(err, &refused) && refused.Code == protocol.InvalidClient:
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorClient, Cause: err}
	case errors.As(err, &refused) && refused.Diagnosis == diagnosis.AlgorithmOff:
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorUnsigned, Cause: err}
	case errors.As(err, &refused) && refused.Code == protocol.InvalidRequestURI:
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorSpent, Cause: err}
	case errors.As(err, &refused) && refused.Status == http.StatusRequestEntityTooLarge:
		return &PageError{Status: http.StatusRequestEntityTooLarge, Code: ui.ErrorTooLarge, Cause: err}
	case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError:
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	default:
		return &PageError{Status: http.StatusInternalServerError, Code: ui.ErrorInternal, Cause: err}
	}
}

// IsUnavailable reports whether a later attempt may succeed.
func IsUnavailable(err error) bool {
	var refused *protocol.Error
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, password.ErrBusy) ||
		errors.Is(err, host.ErrFailed) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.As(err, &refused) && refused.Code == protocol.TemporarilyUnavailable
}

// Fail responds with an error where no handler is in charge: as JSON for programs, as a
// page for people.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if routeOf(r).Kind == Program {
		setProgramHeaders(w.Header())
		s.FailJSON(w, r, err)
		return
	}
	s.FailPage(w, r, err)
}

// FailPage shows an error to a person.
func (s *Site) FailPage(w http.ResponseWriter, r *http.Request, err error) {
	e := asPageError(err)
	if e.Code == ui.ErrorClient && errors.Is(err, registry.ErrNoClient) && strings.HasPrefix(Parameter(r, "client_id"), registry.SelfRegistered) {
		e.Code = ui.ErrorForgotten
	}
	s.LogFailure(r, e.Status, err)
	if e.Status == http.StatusServiceUnavailable {
		SetUnavailable(w.Header(), err)
	}
	if e.Wait > 0 {
		TooMany(w, e.Wait)
	}
	view := ui.ErrorView{
		Page: s.PageView(r, e.Request), Code: e.Code,
		RequestID: request.ID(r.Context()), Time: s.Clock(),
		HomeURL: e.HomeURL,
	}
	if !s.Alone {
		view.AccountURL = s.Link("/account")
	}
	if e.Request != nil {
		view.BackURL = cmp.Or(e.BackURL, HomeOf(e.Request.RedirectURI))
	}
	var alone *engine.UnredirectedError
	if (e.Code == ui.ErrorSpent || e.Code == ui.ErrorUnsigned) && errors.As(err, &alone) {
		view.Client = s.ClientView(r.Context(), alone.Client, "")
		view.BackURL = homeOfFirst(alone.Client.RedirectURIs)
	}
	var redirect *authorization.RedirectError
	if errors.As(err, &redirect) {
		view.Client = s.ClientView(r.Context(), redirect.Client, "")
		if s.Sandbox {
			view.Details = redirectDetails(redirect)
		}
	}
	view.LogURL = s.LinkError(r, clientOf(r, e, err), view.RequestID)
	// The page must not be cut off from the one that opened it, or it cannot be closed.
	view.Popup = view.Popup || Parameter(r, "display") == DisplayPopup
	s.RenderTo(w, r, view.Popup, nil, e.Status, s.Screens.Error(view))
}

// clientOf returns the ID of the application whose request failed, or "".
func clientOf(r *http.Request, e *PageError, err error) string {
	var redirect *authorization.RedirectError
	var alone *engine.UnredirectedError
	switch {
	case e.Request != nil:
		return e.Request.Client.ID
	case errors.As(err, &redirect):
		return redirect.Client.ID
	case errors.As(err, &alone):
		return alone.Client.ID
	case errors.Is(err, registry.ErrDisabled):
		return Parameter(r, "client_id")
	default:
		return ""
	}
}

// redirectDetails shows developers the registered addresses. The sandbox shows them to
// everyone: nothing in it is real.
func redirectDetails(e *authorization.RedirectError) []ui.Detail {
	nearest := diagnosis.Nearest(e.Sent, e.Client.RedirectURIs)
	details := []ui.Detail{marked("redirect_uri", e.Sent, nearest)}
	for _, uri := range e.Client.RedirectURIs {
		detail := ui.Detail{Name: "registered", Value: uri}
		if uri == nearest {
			detail = marked("registered", uri, e.Sent)
		}
		details = append(details, detail)
	}
	if where := diagnosis.Unregistered("redirect_uri", e.Sent, e.Client.RedirectURIs)["difference"]; where != "" {
		details = append(details, ui.Detail{Name: "difference", Value: where})
	}
	return details
}

// marked is an address with its difference from another marked.
func marked(name, uri, other string) ui.Detail {
	if uri == "" || other == "" {
		return ui.Detail{Name: name, Value: uri}
	}
	before, after := diagnosis.Apart(uri, other)
	return ui.Detail{Name: name, Value: uri[:before], Marked: uri[before : len(uri)-after], Rest: uri[len(uri)-after:]}
}

// LogFailure logs errors that are not the caller's doing; others, such as a disconnect or a
// request after Close, only at debug level.
func (s *Site) LogFailure(r *http.Request, status int, err error) {
	level := slog.LevelDebug
	if status >= http.StatusInternalServerError && !hasLeft(r, err) && !errors.Is(err, ErrClosed) {
		level = slog.LevelError
	}
	s.Logger.Log(r.Context(), level, "request failed",
		slog.String("method", r.Method), slog.String("path", pathForLog(r)), slog.Int("status", status), slog.Any("error", err))
}

// pathForLog is the path of a request, or the pattern for a host's page.
func pathForLog(r *http.Request) string {
	m := matchOf(r)
	if m.beside {
		return m.Path
	}
	return m.path
}

// hasLeft reports whether a request failed because its caller disconnected. After its time
// limit, that was the cause instead.
func hasLeft(r *http.Request, err error) bool {
	deadline, limited := r.Context().Deadline()
	return errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled) &&
		(!limited || time.Now().Before(deadline))
}
