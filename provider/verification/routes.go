package verification

import (
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider"
)

// route is an address below that of the service.
type route struct {
	// path is a pattern of http.ServeMux, without a method, that begins with a slash.
	path    string
	handler http.Handler
}

// request is a request for a page by a person who is signed in.
type request struct{ *provider.Screen }

// routes are all addresses of the service.
func (s *casePages) routes() []route {
	return slices.Concat(s.pageRoutes(), s.evidenceRoutes(), s.sandboxRoutes(), []route{
		{"/callback/{method}", s.Provider.Rooms().Pages.Patient(callbackTime + callbackWork).Program(http.HandlerFunc(s.engine.serveCallback))},
		{"/return/{method}", s.page(s.returnByState)},
		{"/", s.Provider.Pages().Screen(func(*provider.Screen) error { return provider.ErrScreenNotFound })},
	})
}

func (s *casePages) mount(r route) { s.mux.Handle(s.base+r.path, r.handler) }

// page serves a page to people who are signed in; others sign in first.
func (s *casePages) page(h func(*request) error) http.Handler {
	return s.Provider.Pages().Screen(signedIn(h))
}

func signedIn(h func(*request) error) func(*provider.Screen) error {
	return func(screen *provider.Screen) error {
		if screen.User.UserID == "" {
			screen.SignIn(0)
			return nil
		}
		return h(&request{screen})
	}
}
