package frame

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Request is a page request of a member of the staff.
type Request struct {
	*provider.Screen
	Frame *Frame

	// Staff is who asks; its ID is never empty.
	Staff action.Staff

	// Matter is that of the path, nil for a page without one.
	Matter *storage.Matter
}

// Context returns the context of the request.
func (r *Request) Context() context.Context { return r.Request.Context() }

// Locale returns the language of the page.
func (r *Request) Locale() *ui.Locale { return r.Screen.Page().Locale }

// Value returns a part of the path.
func (r *Request) Value(name string) string { return r.Request.PathValue(name) }

// Query returns a parameter of the address.
func (r *Request) Query(name string) string { return r.Request.URL.Query().Get(name) }

// Posted returns a field of the posted form, without space around it.
func (r *Request) Posted(name string) string { return strings.TrimSpace(r.Request.PostForm.Get(name)) }

// Action returns the button with which the form was posted.
func (r *Request) Action() string { return r.Posted(ui.FieldAction) }

// Only returns an error, which is 400, if the posted form has any field beside these, its
// button and what the page itself has put there.
func (r *Request) Only(fields ...string) error {
	for field := range r.Request.PostForm {
		if field != fieldCSRF && field != ui.FieldAction && !slices.Contains(fields, field) {
			return Malformed("unknown field")
		}
	}
	return nil
}

// fieldCSRF is the hidden field of every form of the provider.
const fieldCSRF = "csrf"

// Malformed is a request that no page of the desk makes: 400.
func Malformed(why string) error {
	return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: errors.New(why)}
}

// NotFound is a page that there is not, or not for who asks.
var NotFound = provider.ErrScreenNotFound

// Unavailable is a page that cannot be answered now: 503.
func Unavailable(err error) error {
	return provider.ScreenError{Status: http.StatusServiceUnavailable, Code: ui.ErrorUnavailable, Err: err}
}

// Path returns the address of a page of the desk: its parts, escaped.
func (f *Frame) Path(parts ...string) string {
	var path strings.Builder
	path.WriteString(f.base + "/")
	for i, part := range parts {
		if i > 0 {
			path.WriteString("/")
		}
		path.WriteString(url.PathEscape(part))
	}
	return path.String()
}

// Path returns the address of a page of the desk: its parts, escaped.
func (r *Request) Path(parts ...string) string { return r.Frame.Path(parts...) }

// MatterPath returns the address of a page about the person of the matter.
func (r *Request) MatterPath(parts ...string) string {
	return r.Path(append([]string{"matters", r.Matter.ID}, parts...)...)
}

// Done redirects to a page with a notice.
func (r *Request) Done(address string, n screens.Notice) error {
	r.Room().RedirectWith(address, ui.Notice(n))
	return nil
}

// Allow limits what one member of the staff does: 429 beyond it. What is from a fixed set.
func (r *Request) Allow(what string, limit provider.Limit) error {
	wait, err := r.Frame.Provider.Rooms().Pages.Allow(r.Context(), what, r.Staff.ID, limit)
	if err != nil {
		return err
	}
	if wait > 0 {
		return provider.ScreenError{
			Status: http.StatusTooManyRequests, Code: ui.ErrorTooMany, Wait: wait, Err: errors.New("the staff has asked too often"),
		}
	}
	return nil
}
