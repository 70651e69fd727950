package frame

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// Store stores what the staff works with.
type Store interface {
	storage.Desk
	storage.Matters
}

// Options are what a desk is made with. Its Config says what they mean.
type Options struct {
	Provider *provider.Provider
	Store    Store

	// URL is the address of a host of the desk's own; empty for that of the provider.
	URL string

	// Staff and Admit say who works here: one of them is nil, or Admit goes first.
	Staff                 func(ctx context.Context, userID string) (action.Staff, error)
	Admit                 func(*http.Request) (action.Staff, error)
	Protected             func(ctx context.Context, userID string) (bool, error)
	Vouch                 func(ctx context.Context, staffID, userID string) (bool, error)
	Alarm                 func(context.Context, Alarm) error
	SignInURL, AccountURL string
	Reasons               []Reason

	Logger *slog.Logger
	Clock  func() time.Time
}

// Reason is a reason for which a matter is opened.
type Reason struct {
	// Name is recorded: 1 to 64 of a-z, 0-9 and _.
	Name string
	// Title is what the staff and the person read, in English; Translations are by language.
	Title        string
	Translations map[string]string
	// Withheld keeps the matter from the person until an operator releases it, 90 days at
	// most.
	Withheld bool
}

// Frame is what is around the rooms of one desk.
type Frame struct {
	Options

	// BaseURL is the address below which the desk is, and Pages serve its pages there.
	BaseURL string
	Pages   provider.Pages

	base    string // the path at which the desk is mounted, without a trailing slash
	cookies session.Cookies
	mux     *http.ServeMux
	served  []string
	links   []link
	dress   []func(*Request, *screens.Page) error
	tasks   []func(*Request) ([]screens.Task, error)
}

// New returns a frame without a room.
func New(o Options) (*Frame, error) {
	address, pages := o.Provider.Rooms().Installation().BaseURL, o.Provider.Pages()
	if o.URL != "" {
		var err error
		if pages, err = pages.Room().ScreensAt(o.URL); err != nil {
			return nil, fmt.Errorf("Config.URL: %w", err)
		}
		address = o.URL
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	f := &Frame{Options: o, BaseURL: address, Pages: pages, base: base.Path + "/desk", cookies: session.NewCookies(base, o.Provider.Issuer()), mux: http.NewServeMux()}
	f.mux.Handle("/", pages.Screen(func(s *provider.Screen) error { return f.leadsHome(s, NotFound) }))
	if o.URL != "" {
		f.serveHost(base.Path)
	}
	return f, nil
}

// ServeHTTP answers everything below the path of the desk.
func (f *Frame) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.mux.ServeHTTP(w, r) }

// Handle serves what is no page, such as the Admin API, at a pattern of [http.ServeMux] below
// the path of the desk. Its handler decides itself who is let in.
func (f *Frame) Handle(path string, h http.Handler) { f.serve("", path, h) }

// serve serves a pattern below the path of the desk.
func (f *Frame) serve(method, path string, h http.Handler) {
	f.served = append(f.served, method+path)
	f.mux.Handle(method+f.base+path, h)
}

// Served returns all patterns below the path of the desk, with their methods if they have one.
func (f *Frame) Served() []string { return f.served }

// HandleAt is Handle at a path of the host, which has it lead here.
func (f *Frame) HandleAt(path string, h http.Handler) { f.mux.Handle(path, h) }

// serveHost serves the rest of a host of the desk's own: what pages load, and at the root the way
// to the desk.
func (f *Frame) serveHost(root string) {
	for _, folder := range []string{"/assets/", "/images/"} {
		f.mux.Handle(root+folder, f.Pages.Room().Files())
	}
	f.mux.Handle("GET "+root+"/{$}", http.RedirectHandler(f.base+"/", http.StatusSeeOther))
}

// Dress adds what a room says on every page, such as a banner.
func (f *Frame) Dress(say func(*Request, *screens.Page) error) { f.dress = append(f.dress, say) }

// Offer adds what a room has to do, or knows to be wrong, for the first page.
func (f *Frame) Offer(tasks func(*Request) ([]screens.Task, error)) { f.tasks = append(f.tasks, tasks) }

// Tasks returns what all rooms offer to somebody.
func (f *Frame) Tasks(r *Request) (all []screens.Task, err error) {
	for _, offers := range f.tasks {
		some, err := offers(r)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Now is the time of the desk.
func (f *Frame) Now() time.Time { return f.Clock() }
