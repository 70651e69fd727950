package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// Server answers everything under the base URL.
type Server struct {
	ServerOptions
	site   *Site
	router *router

	// late warns once about requests after Close, misplaced about requests outside of the
	// path of the base URL, unless some have reached a route, unnamed about a proxy that
	// is not named, and unsaid about a named one that names nobody.
	late, misplaced, unnamed, unsaid sync.Once
	reached                          atomic.Bool
}

// ServerOptions are the dependencies of a Server, in addition to the site.
type ServerOptions struct {
	Routes []Route

	// Calls limit calls of the host's functions.
	Calls host.Calls

	// TrustedProxies are the proxies whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix

	// Telemetry may be nil.
	Telemetry *Telemetry

	// Closed ends when the provider is closed.
	Closed context.Context
}

// NewServer returns the server of a site.
func NewServer(s *Site, o ServerOptions) *Server {
	return &Server{ServerOptions: o, site: s, router: newRouter(s, o.Routes)}
}

// ServeHTTP implements http.Handler. It may be mounted with its full path or behind
// http.StripPrefix.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := s.path(r)
	route := s.router.find(r, at)
	if route.Constant != nil && s.serveConstant(w, r, route) {
		return
	}
	s.serve(w, r, &served{matched: matched{Route: route, path: at}})
}

// serveConstant answers with a document that is in memory, and reports whether it has.
// Nothing waits here, so there is no time limit and no context; whatever differs from the
// usual request takes the way of all others.
func (s *Server) serveConstant(w http.ResponseWriter, r *http.Request, route *Route) bool {
	if s.Telemetry != nil || s.Closed.Err() != nil || r.Body != nil && r.Body != http.NoBody {
		return false
	}
	document := route.Constant()
	if document == nil {
		return false
	}
	s.noteMount()
	document.ServeHTTP(w, r)
	return true
}

// served is the state of a request while it is served.
type served struct {
	request.Context
	matched
	host.Memo

	// patience is the time limit, if it is not request.Timeout.
	patience time.Duration
}

// serve answers a request at its route.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, now *served) {
	now.Begin(w, r, s.TrustedProxies)
	if now.patience > 0 {
		now.Lengthen(w, now.patience)
	}
	defer now.End()
	m := &now.matched
	r = r.WithContext(request.Attach(host.WithRequest(&now.Context, s.Calls, &now.Memo), matchedKey{}, m))
	s.watchMount(r, m)
	if ratelimit.Ignored(r, s.TrustedProxies) {
		s.unnamed.Do(func() {
			s.warnProxy(r, "X-Forwarded-For of a peer that Config.TrustedProxies does not name is ignored; name it, if it is your proxy")
		})
	}
	if ratelimit.Unsaid(r, s.TrustedProxies) {
		s.unsaid.Do(func() {
			s.warnProxy(r, "a peer that Config.TrustedProxies names sends no X-Forwarded-For; have your proxy send it")
		})
	}
	if s.Telemetry != nil {
		var end func()
		w, r, end = s.Telemetry.begin(w, r, m)
		defer end()
	}
	defer s.recover(w, r)
	if s.Closed.Err() != nil {
		s.late.Do(func() {
			s.site.Logger.WarnContext(r.Context(), "request after Close; such requests get 503")
		})
		s.site.Fail(w, r, ErrClosed)
		return
	}
	m.Handler(w, r)
}

// watchMount warns about requests outside of the path of the base URL.
func (s *Server) watchMount(r *http.Request, m *matched) {
	switch {
	case m.beside, m.Path == "/":
	case m.Path != "":
		s.noteMount()
	case !s.reached.Load() && s.isMisplaced(r.URL.Path):
		s.misplaced.Do(func() { s.warnMisplaced(r) })
	}
}

// noteMount notes that a request has reached a route. It writes once: processors that share
// what is written wait for each other.
func (s *Server) noteMount() {
	if !s.reached.Load() {
		s.reached.Store(true)
	}
}

// ErrClosed is the error of requests after Close.
var ErrClosed = fmt.Errorf("%w: the provider is closed", storage.ErrUnavailable)

// BasePath returns the path of the base URL; "" if it has none.
func (s *Server) BasePath() string { return s.site.Base.Path }

// path returns the path of a request relative to the base URL. Behind http.StripPrefix it
// already is, even if it begins like the base URL's: with the base URL
// https://host.example/oauth, /oauth/authorize is the rest of /oauth/oauth/authorize. No
// path of the table is another one with a prefix, so only one reading is possible.
func (s *Server) path(r *http.Request) string {
	base := s.site.Base.Path
	rest, cut := strings.CutPrefix(r.URL.Path, base)
	if cut && base != "" && !s.router.isRoute(rest) && s.router.isRoute(r.URL.Path) {
		return r.URL.Path
	}
	if rest == "" {
		return "/"
	}
	return rest
}

// isMisplaced reports whether a request for an unknown path comes from a mount at another
// path than the base URL's.
func (s *Server) isMisplaced(path string) bool {
	if base := s.site.Base.Path; base != "" && !strings.HasPrefix(path, base+"/") {
		return true
	}
	for rest := path; rest != ""; {
		i := strings.IndexByte(rest[1:], '/')
		if i < 0 {
			break
		}
		if rest = rest[i+1:]; s.router.isRoute(rest) {
			return true
		}
	}
	return false
}

func (s *Server) warnMisplaced(r *http.Request) {
	s.site.Logger.WarnContext(r.Context(), "request outside of the path of Config.BaseURL; mount the provider there, with its full path or behind http.StripPrefix",
		slog.String("mount_at", s.site.Base.Path+"/"), slog.String("path", Truncate(r.URL.Path, 128)))
}

// warnProxy does not repeat what the header says: anybody can have written it.
func (s *Server) warnProxy(r *http.Request, what string) {
	s.site.Logger.WarnContext(r.Context(), "all callers of a proxy share one address, and the limits of one", slog.String("why", what), slog.String("peer", r.RemoteAddr))
}

// recover answers a request whose handler panicked. The stack is logged, never shown to the
// user.
func (s *Server) recover(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.site.Logger.ErrorContext(r.Context(), "request panicked",
		slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	s.site.Fail(w, r, errors.New("panic"))
}
