package provider

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/provider/internal/share"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Screen is one request for a page of the host's own beside the provider's pages.
type Screen struct {
	Writer  http.ResponseWriter
	Request *http.Request

	// User is the user who is signed in; zero for nobody.
	User SignedIn

	provider *rooms
	at       *web.Site      // where the page is
	user     *authflow.User // User in internal form; nil for nobody
}

// Screen serves a page of the host's own with the provider's frame, language, headers, time
// limits, error pages and request ID. The host mounts it below the path of Config.BaseURL,
// at a path without a page of the provider. A closed provider does not serve it.
//
// h is called for GET, HEAD and POST. A POST has passed a check: it comes from a form of
// this origin (Screen.Form) that was served to this browser. Its fields are in
// Request.PostForm. A multipart/form-data form is at most 2176 KiB and may have four files,
// one a field (Screen.File); any other form is at most 128 KiB. h decides what the user may
// do. An error of h becomes an error page: a ScreenError has its own code,
// ErrScreenNotFound is 404, a storage.ErrUnavailable 503, and any other 500, which is
// logged. h returns nil if it has answered.
//
// Logs and telemetry name the page by the http.ServeMux pattern that matched, so that
// wildcards may hold secrets. No query parameter may be repeated.
func (p Pages) Screen(h func(s *Screen) error) http.Handler {
	return p.serves().Beside(p.onScreen(h), p.patience)
}

// Patient returns Pages of whose Screen and Program a POST has another time limit, instead of the
// usual ten seconds and of those of the host's http.Server: for work on thousands of records.
func (p pagesRoom) Patient(limit time.Duration) pagesRoom {
	p.patience = limit
	return p
}

// ScreensAt returns Pages whose Screen, Upload and Program are at another address than
// Config.BaseURL, in the same form: such as a host of the staff's own. Nobody is signed in there,
// and SignIn and Confirm answer 500: the host knows in its own way who asks. It mounts Files
// beside the screens, and prepares them with AddAudience.
func (p pagesRoom) ScreensAt(baseURL string) (Pages, error) {
	if err := p.cfg.validateBaseURL(baseURL); err != nil {
		return Pages{}, err
	}
	if at, err := url.Parse(baseURL); err != nil || at.Hostname() == p.flows.Site.Base.Hostname() {
		return Pages{}, fmt.Errorf("%q is at the host of Config.BaseURL, where cookies are the same", baseURL)
	}
	server, err := p.server.At(baseURL)
	return Pages{rooms: p.rooms, elsewhere: server, patience: p.patience}, err
}

// Files serves the styles, scripts and pictures of screens, below /assets/ and /images/ of their
// address; everything else there is 404. The Provider serves those at Config.BaseURL itself.
func (p pagesRoom) Files() http.Handler { return p.serves() }

// serves is the server of the screens.
func (p Pages) serves() *web.Server {
	if p.elsewhere != nil {
		return p.elsewhere
	}
	return p.server
}

func (p Pages) onScreen(h func(s *Screen) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var user *authflow.User
		if p.elsewhere == nil {
			var err error
			if user, err = p.flows.SignedIn(r); err != nil {
				return err
			}
		}
		s := &Screen{Writer: w, Request: r, provider: p.rooms, at: p.serves().Site(), user: user}
		if user != nil {
			s.User = SignedIn(user.User)
		}
		return asScreenError(h(s))
	}
}

// Page returns the frame that every screen has around its content.
func (s *Screen) Page() ui.Page { return s.site().PageView(s.Request, nil) }

// Speak has the page come in one of these languages, the best first and divided by spaces, unless
// the user has chosen another. Without it, it comes in the one that the browser prefers.
func (s screenRoom) Speak(locales string) { web.Speak(s.Request.Context(), locales) }

// Form returns a form that posts to the path of this page, with the hidden field that every
// POST requires.
func (s *Screen) Form(problems ...ui.Problem) ui.Form {
	return s.site().Form(s.Writer, s.Request, problems)
}

// File returns the content of the file in a field of a posted form; nil if none was chosen.
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

// TooMany has the answer say how long to wait, zero if that is unknown, and returns its status.
func (s screenRoom) TooMany(wait time.Duration) int {
	if wait <= 0 {
		return http.StatusTooManyRequests
	}
	return web.TooMany(s.Writer, wait)
}

// Render answers with a screen. In addition to what every page may load, it may fetch from
// this origin and frame pages of it (RenderPreview).
func (s *Screen) Render(status int, c templ.Component) {
	s.site().RenderBeside(s.Writer, s.Request, status, c)
}

// RenderSecret is Render for a screen with a secret, such as a new key. It is never
// compressed, neither here nor by proxies that follow RFC 9111: the length of a compressed
// page reveals its content.
func (s screenRoom) RenderSecret(status int, c templ.Component) {
	s.site().RenderSecret(s.Writer, s.Request, status, c)
}

// RenderWithButton is Render for a screen on which the sign-in button stands, whose script no
// other screen may load.
func (s screenRoom) RenderWithButton(status int, c templ.Component) {
	s.site().RenderWithButton(s.Writer, s.Request, status, c)
}

// Client returns how screens show an application; nothing for one that is gone or disabled.
func (s screenRoom) Client(id string) (ui.Client, error) {
	c, err := s.provider.engine.Client(s.Request.Context(), id)
	if errors.Is(err, registry.ErrNoClient) {
		return ui.Client{}, nil
	}
	if err != nil {
		return ui.Client{}, fmt.Errorf("read application: %w", err)
	}
	view := s.site().ClientView(s.Request.Context(), c, "")
	view.Host = web.HostOfFirst(c.RedirectURIs)
	return view, nil
}

// RenderPreview answers with the content of a frame of another screen, such as a
// ui.Preview: only pages of this origin may frame it. Its forms cannot be sent, and its
// scripts do not run.
func (s screenRoom) RenderPreview(c templ.Component) {
	s.site().RenderPreview(s.Writer, s.Request, c)
}

// RenderMailPreview is RenderPreview for an e-mail, such as a ui.Preview of ui.PreviewMail,
// which contains its styles.
func (s screenRoom) RenderMailPreview(c templ.Component) {
	s.site().RenderMailPreview(s.Writer, s.Request, c)
}

// RenderFrame answers with a page of the host's own in the frame of all screens. Its title
// is also its first heading. The caller escapes the body.
func (s *Screen) RenderFrame(status int, title string, body templ.Component) {
	s.Render(status, ui.Frame(s.Page(), title, body))
}

// Redirect sends the browser to a path of the host, with 303. Any other address gets 500,
// so that the page cannot send users elsewhere.
func (s *Screen) Redirect(address string) {
	if !strings.HasPrefix(address, "/") || !web.IsLink(address) {
		s.site().FailPage(s.Writer, s.Request, errors.New("a screen redirects to what is no path of the host"))
		return
	}
	s.site().Redirect(s.Writer, address)
}

// RedirectWith is Redirect with a notice about what has just happened: Notice returns it on
// the next screen, in this browser and for five minutes. n has no dot.
func (s screenRoom) RedirectWith(address string, n ui.Notice) {
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	s.Redirect(address + separator + web.NoticeParameter + "=" + s.site().Notice(s.Writer, s.Request, n))
}

// Notice returns the notice of RedirectWith, or "".
func (s screenRoom) Notice() ui.Notice { return s.site().Noticed(s.Request) }

// SignIn sends the browser to sign-in or sign-up, and then back to this address, with GET.
// A user who has authenticated longer than maxAge ago must authenticate again; zero accepts
// any who is signed in. h returns afterwards. A call while Fresh reports true gets 500,
// because it would loop.
func (s *Screen) SignIn(maxAge time.Duration) {
	err := errors.New("a screen asks somebody to sign in who has done so")
	if !s.Fresh(maxAge) {
		err = s.signIn(s.returnHere(maxAge))
	}
	if err != nil {
		s.site().FailPage(s.Writer, s.Request, err)
	}
}

func (s *Screen) signIn(to authflow.Return) error {
	if s.at != s.provider.flows.Site {
		return errors.New("a screen at another address asks somebody to sign in")
	}
	return s.provider.flows.SignIn(s.Writer, s.Request, s.user, to)
}

// returnHere is the way back to this page for a user who has authenticated within maxAge.
func (s *Screen) returnHere(maxAge time.Duration) authflow.Return {
	return authflow.Return{Address: s.site().Address(s.Request), Requires: assurance.Requirement{MaxAge: maxAge}}
}

// Confirm is SignIn for what an unlocked browser, or a stolen password, must not be enough
// for: the user authenticates at the highest level that the account has, with a passkey if
// it has one. Users of the host authenticate as the host asks them to. A call while
// Confirmed reports true gets 500.
func (s *Screen) Confirm(maxAge time.Duration) {
	to := s.returnHere(maxAge)
	to.Highest = true
	confirmed, err := s.provider.flows.Suffices(s.Request.Context(), s.user, to)
	if err == nil && confirmed {
		err = errors.New("a screen asks somebody to confirm who has done so")
	}
	if err == nil {
		err = s.signIn(to)
	}
	if err != nil {
		s.site().FailPage(s.Writer, s.Request, err)
	}
}

// Confirmed reports whether the user has authenticated within maxAge at the highest level
// that the account has (Confirm).
func (s *Screen) Confirmed(maxAge time.Duration) (bool, error) {
	to := s.returnHere(maxAge)
	to.Highest = true
	return s.provider.flows.Suffices(s.Request.Context(), s.user, to)
}

// Fresh reports whether the user has authenticated within maxAge; with zero, whether any
// user is signed in.
func (s *Screen) Fresh(maxAge time.Duration) bool {
	return s.user != nil && s.user.MeetsAt(assurance.Requirement{MaxAge: maxAge}, s.provider.cfg.Clock())
}

// Account returns the account for display to its user. ErrNoUser if nobody is signed in, or
// the host does not know the user.
func (s screenRoom) Account() (ui.Account, error) {
	if s.user == nil {
		return ui.Account{}, ErrNoUser
	}
	return s.provider.flows.AccountView(s.Request.Context(), s.User.UserID)
}

func (s *Screen) site() *web.Site { return s.at }

// ScreenError is an error that the user sees on a page of its own.
type ScreenError struct {
	Status int
	Code   ui.ErrorCode

	// Wait is the time until a retry, for Retry-After.
	// Defaults to no header.
	Wait time.Duration

	// HomeURL is the path of the link on the page.
	// Defaults to Brand.HomeURL, or else the user's account.
	HomeURL string

	// Err is logged.
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

// ErrScreenNotFound means that a screen has nothing at its address: the user gets the error
// page for an unknown address.
var ErrScreenNotFound error = ScreenError{Status: http.StatusNotFound, Code: ui.ErrorNotFound, Err: errors.New("provider: no such page")}

// asScreenError finds a ScreenError or a pointer to one. A failing database is never the
// user's fault, whatever error wraps it.
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

// Upload describes a page to which people send one file at a time (Pages.Upload).
type Upload struct {
	// Bytes is the maximum size of the file.
	Bytes int64

	// Patience is the time limit for a request with a file, which people send over slow
	// lines. It is in place of the limit of other pages, and of those of the http.Server.
	Patience time.Duration

	// Memory is how many bytes of files one process holds at a time. A file takes them as it
	// arrives, and until its request is over: at most a quarter for one network and a sixteenth
	// for one user, or what one file of Bytes takes. Other files get 503 meanwhile.
	// Defaults to 16 times Bytes.
	Memory int64

	// Admit decides before the file is read whether somebody may send one: its Screen has
	// no form. It returns false if it has answered.
	Admit func(s *Screen) (admitted bool, err error)
}

// UploadedFile is a file that somebody has sent.
type UploadedFile struct {
	// Field is the name of its field. Of several files the first one is taken that is not
	// empty.
	Field string

	// Content is nil if the file is TooLarge.
	Content  []byte
	TooLarge bool
}

// Upload is Screen for a page to whose form people send a file as multipart/form-data. The
// file is kept in memory alone.
func (p Pages) Upload(u Upload, h func(s *Screen) error) http.Handler {
	all := cmp.Or(u.Memory, 16*u.Bytes)
	return p.serves().BesideUpload(web.Upload{
		Bytes: u.Bytes, Patience: u.Patience, Memory: share.NewPool(max(all, u.Bytes+1)),
		Admit: func(w http.ResponseWriter, r *http.Request) (parts []share.Part, admitted bool, err error) {
			err = p.onScreen(func(s *Screen) error {
				if u.Admit == nil {
					return errors.New("provider: Upload.Admit is missing")
				}
				parts = []share.Part{{Key: "network " + request.Network(r.Context()), Max: max(all/4, u.Bytes+1)}}
				if s.User.UserID != "" {
					parts = append(parts, share.Part{Key: "user " + s.User.UserID, Max: max(all/16, u.Bytes+1)})
				}
				admitted, err = u.Admit(s)
				return err
			})(w, r)
			return parts, admitted, err
		},
	}, p.onScreen(h))
}

// Uploaded returns the file of a posted form, and false if none was chosen.
func (s *Screen) Uploaded() (UploadedFile, bool) {
	file, ok := web.UploadedTo(s.Request.Context())
	return UploadedFile(file), ok
}
