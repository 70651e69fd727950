package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Screen is one request for a page of the host's own that stands beside the pages of the
// provider.
type Screen struct {
	Writer  http.ResponseWriter
	Request *http.Request

	// User is who is signed in; zero for nobody.
	User SignedIn

	provider *rooms
	user     *authflow.User // User as the rooms see it; nil for nobody
}

// Screen serves a page that stands beside the provider's own: same frame, language,
// headers, time limits, error pages and request identifier. The host mounts it below the
// path of Config.BaseURL, at a path that the provider has no page at; it is served to
// nobody when the provider is closed.
//
// h is called for GET, HEAD and POST. A POST has been checked before: it comes from a form
// of this origin (Screen.Form) that this browser was given. Its fields are in
// Request.PostForm; a form in multipart/form-data is at most 2176 KiB and may have four
// files, one a field (Screen.File), any other form is at most 128 KiB. What the user may do
// is for h to decide. An error that h returns becomes an error page: a ScreenError that of its code,
// ErrScreenNotFound 404, a storage.ErrUnavailable 503, any other 500, which is logged. h
// returns nil when it has answered.
//
// In the log and in telemetry the page has the pattern of the http.ServeMux that has found
// it, so that what its wildcards stand for may be a secret; no parameter of the query may
// be given twice.
func (p Pages) Screen(h func(s *Screen) error) http.Handler {
	return p.server.Beside(func(w http.ResponseWriter, r *http.Request) error {
		user, err := p.flows.SignedIn(r)
		if err != nil {
			return err
		}
		s := &Screen{Writer: w, Request: r, provider: p.rooms, user: user}
		if user != nil {
			s.User = SignedIn(user.User)
		}
		return asScreenError(h(s))
	})
}

// Page returns what every screen shows around its content.
func (s *Screen) Page() ui.Page { return s.site().PageView(s.Request, nil) }

// Form returns a form that is posted to the path of this page, with the hidden field
// without which no POST is accepted.
func (s *Screen) Form(problems ...ui.Problem) ui.Form {
	return s.site().Form(s.Writer, s.Request, problems)
}

// File returns the content of the file in a field of a posted form; nil when none was chosen.
func (s *Screen) File(field string) ([]byte, error) {
	file, _, err := s.Request.FormFile(field)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read file of form: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read file of form: %w", err)
	}
	return content, nil
}

// Render answers with a screen. Beside what every page may load, it may fetch from this
// origin, and show pages of it in frames (RenderPreview).
func (s *Screen) Render(status int, c templ.Component) {
	s.site().RenderBeside(s.Writer, s.Request, status, c)
}

// RenderSecret is Render for a screen that shows a secret, such as a key that was just made.
// It is never compressed, neither here nor, where they follow RFC 9111, by proxies: the
// length of a compressed page tells of what is in it.
func (s *Screen) RenderSecret(status int, c templ.Component) {
	s.site().RenderSecret(s.Writer, s.Request, status, c)
}

// RenderPreview answers with what another screen shows in a frame, such as a ui.Preview:
// pages of this origin may frame it, and no other. Nothing on it can be sent, and no
// script runs on it.
func (s *Screen) RenderPreview(c templ.Component) {
	s.site().RenderPreview(s.Writer, s.Request, c)
}

// RenderMailPreview is RenderPreview for an e-mail, such as a ui.Preview of
// ui.PreviewMail, which has its styles in it.
func (s *Screen) RenderMailPreview(c templ.Component) {
	s.site().RenderMailPreview(s.Writer, s.Request, c)
}

// RenderFrame answers with a page of the host's own in the frame of all screens. Its title
// is also its first heading. Whoever makes the body escapes what is in it.
func (s *Screen) RenderFrame(status int, title string, body templ.Component) {
	s.Render(status, ui.Frame(s.Page(), title, body))
}

// Redirect sends the browser to a path of the host, with 303. Any other address is
// answered with 500: this is nothing to send users elsewhere with.
func (s *Screen) Redirect(address string) {
	if !strings.HasPrefix(address, "/") || !web.IsLink(address) {
		s.site().FailPage(s.Writer, s.Request, errors.New("a screen redirects to what is no path of the host"))
		return
	}
	s.site().Redirect(s.Writer, address)
}

// RedirectWith is Redirect to a screen that shows what has just happened: there Notice
// returns it, in this browser and for five minutes. n has no dot.
func (s *Screen) RedirectWith(address string, n ui.Notice) {
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	s.Redirect(address + separator + web.NoticeParameter + "=" + s.site().Notice(s.Writer, s.Request, n))
}

// Notice returns what has just happened, or "".
func (s *Screen) Notice() ui.Notice { return s.site().Noticed(s.Request) }

// SignIn sends the browser to where users sign in, or sign up, and from there back to this
// address, with GET. One who is signed in, but has authenticated longer than maxAge ago,
// is asked to confirm who they are; zero asks nobody who is signed in. h returns
// afterwards. To call it while Fresh reports true is answered with 500: the browser would
// be sent to and fro.
func (s *Screen) SignIn(maxAge time.Duration) {
	site, flows := s.site(), s.provider.flows
	err := errors.New("a screen asks somebody to sign in who has done so")
	if !s.Fresh(maxAge) {
		err = flows.SignIn(s.Writer, s.Request, s.user, authflow.Return{Address: site.Address(s.Request), MaxAge: maxAge})
	}
	if err != nil {
		site.FailPage(s.Writer, s.Request, err)
	}
}

// Fresh reports whether the user has authenticated within maxAge; with zero, whether
// anybody is signed in.
func (s *Screen) Fresh(maxAge time.Duration) bool {
	return s.user != nil && s.user.Within(s.provider.cfg.Clock(), maxAge)
}

// Account returns how the pages show the user to that user. ErrNoUser when nobody is
// signed in, or the host does not know the user.
func (s *Screen) Account() (ui.Account, error) {
	if s.user == nil {
		return ui.Account{}, ErrNoUser
	}
	return s.provider.flows.AccountView(s.Request.Context(), s.User.UserID)
}

func (s *Screen) site() *web.Site { return s.provider.flows.Site }

// ScreenError is an error that the user of a screen sees on a page of its own.
type ScreenError struct {
	Status int
	Code   ui.ErrorCode

	// Wait is after how long it may be tried again, for Retry-After.
	// Defaults to nothing said.
	Wait time.Duration

	// HomeURL is the path that the page leads back to.
	// Defaults to Brand.HomeURL, or else the account of the user.
	HomeURL string

	// Err goes to the log.
	Err error
}

// Error implements error.
func (e ScreenError) Error() string {
	if e.Err == nil {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e ScreenError) Unwrap() error { return e.Err }

// ErrScreenNotFound says that a screen shows nothing at its address: the user gets the
// page of an address that there is not.
var ErrScreenNotFound error = ScreenError{Status: http.StatusNotFound, Code: ui.ErrorNotFound, Err: errors.New("provider: no such page")}

// asScreenError finds a ScreenError, also by its address. A database that fails is never the
// user's fault, whatever an error around it says.
func asScreenError(err error) error {
	var value ScreenError
	var pointer *ScreenError
	switch {
	case errors.Is(err, storage.ErrUnavailable):
		return err
	case errors.As(err, &value):
	case errors.As(err, &pointer) && pointer != nil:
		value = *pointer
	default:
		return err
	}
	return &web.PageError{Status: value.Status, Code: value.Code, Wait: value.Wait, HomeURL: value.HomeURL, Cause: value.Err}
}
