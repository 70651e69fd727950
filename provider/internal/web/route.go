package web

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/ui"
)

// Kind is the audience of a route, which decides the form of errors.
type Kind int

// The kinds of routes.
const (
	// Person is a page or an asset of one.
	Person Kind = iota
	// Program is an endpoint for programs: errors are JSON.
	Program
)

// Route is one method at one path.
type Route struct {
	Method string

	// Path is relative to the base URL. Its last segment may be {name}. "/" is only the
	// root.
	Path string

	Kind    Kind
	Handler http.HandlerFunc

	// Alias marks another path of a documented page, for clients of other services.
	Alias bool

	// Constant returns the document that a GET gets at this moment, or nil when it has to be
	// served by Handler; nil for none. It asks no store and no function of the host.
	Constant func() *Document

	// Origins lets scripts of registered origins send requests (CORS); the handler allows
	// each with AllowOrigin.
	Origins bool

	// Acts reports that a GET may change something or carry a response. HEAD, as of a link
	// preview, then only learns that the page exists.
	Acts bool

	// OwnQuery marks a page with its own rules for its query.
	OwnQuery bool

	// Several is the one form field that may be repeated, as by checkboxes; empty for none.
	Several string
}

// FormRoutes are the routes of a page with a form, which is shown and posted at one
// address.
func (s *Site) FormRoutes(path string, show, act Handler) []Route {
	return []Route{
		{Method: http.MethodGet, Path: path, Handler: s.Page(show)},
		{Method: http.MethodPost, Path: path, Handler: s.Page(s.Guard(act))},
	}
}

// matched is the route of a request.
type matched struct {
	*Route // never nil
	path   string

	// beside marks a page that is not in the table: Path is the pattern of the host's
	// router, for metrics and logs, and path is escaped.
	beside bool

	// locales are the languages of the flow that the request belongs to.
	locales string

	// query is the parsed query text, and the error if some of it is unreadable. An
	// abandoned call of the host's function may still read it.
	reading   sync.Mutex
	query     url.Values
	queryText string
	queryErr  error
}

type matchedKey struct{}

func matchOf(r *http.Request) *matched {
	if m, ok := request.Attached(r.Context(), matchedKey{}).(*matched); ok {
		return m
	}
	return &matched{Route: &Route{}}
}

// QueryOf returns the query of a request, which is parsed once and must not be changed. An
// error means that unreadable parts are missing.
func QueryOf(r *http.Request) (url.Values, error) {
	m := matchOf(r)
	m.reading.Lock()
	defer m.reading.Unlock()
	if m.query == nil || m.queryText != r.URL.RawQuery {
		m.queryText = r.URL.RawQuery
		m.query, m.queryErr = url.ParseQuery(r.URL.RawQuery)
	}
	return m.query, m.queryErr
}

// asks returns a query parameter of a request.
func asks(r *http.Request, name string) string {
	query, _ := QueryOf(r)
	return query.Get(name)
}

// routeOf returns the route of a request; a zero one if there is none.
func routeOf(r *http.Request) *Route { return matchOf(r).Route }

// PathOf returns the path of a request, relative to the base URL.
func PathOf(r *http.Request) string { return matchOf(r).path }

// fileOf returns the last segment of the path.
func fileOf(r *http.Request) string { return path.Base(PathOf(r)) }

// router finds the route of a request.
type router struct {
	mux    *http.ServeMux
	routes map[string]*Route // by pattern

	// exact are the routes of the paths without a wildcard, which are nearly all: a look-up
	// takes a tenth of the time of the mux, whose answer is the same.
	exact map[string]*exactRoutes

	notFound *Route
}

// exactRoutes are the routes of one path.
type exactRoutes struct {
	methods []methodRoute
	rest    *Route // of the other methods
}

type methodRoute struct {
	method string
	*Route
}

// by returns the route of a method, as a ServeMux chooses it.
func (e *exactRoutes) by(method string) *Route {
	for _, m := range e.methods {
		if m.method == method {
			return m.Route
		}
	}
	if method == http.MethodHead {
		return e.by(http.MethodGet)
	}
	return e.rest
}

// newRouter turns the table into patterns. Each path also gets a handler for other methods.
func newRouter(s *Site, table []Route) *router {
	rt := &router{mux: http.NewServeMux(), routes: map[string]*Route{}, exact: map[string]*exactRoutes{}}
	rt.notFound = &Route{Handler: func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, errNotFound) }}
	methods := map[string][]string{}
	for _, route := range table {
		rt.add(route.Method, route)
		methods[route.Path] = append(methods[route.Path], route.Method)
		if route.Method == http.MethodGet {
			methods[route.Path] = append(methods[route.Path], http.MethodHead)
		}
		if route.Acts {
			looks := route
			looks.Handler = func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "no-store") }
			rt.add(http.MethodHead, looks)
		}
	}
	for _, route := range table {
		at := patternAt(route.Path)
		if _, done := rt.routes[at]; done {
			continue
		}
		slices.Sort(methods[route.Path])
		allowed := strings.Join(methods[route.Path], ", ")
		if route.Origins {
			rt.add(http.MethodOptions, Route{Path: route.Path, Kind: route.Kind, Handler: preflight(allowed)})
			methods[route.Path] = append(methods[route.Path], http.MethodOptions)
			slices.Sort(methods[route.Path])
			allowed = strings.Join(methods[route.Path], ", ")
		}
		rt.add("", Route{Path: route.Path, Kind: route.Kind, Handler: s.refuseMethod(allowed)})
	}
	for _, prefix := range []string{"/api/", "/oidc/"} {
		route := &Route{Kind: Program, Handler: rt.notFound.Handler}
		rt.routes[prefix] = route
		rt.mux.HandleFunc(prefix, route.Handler)
	}
	return rt
}

// patternAt returns the pattern of a path. In a ServeMux "/" is every path.
func patternAt(path string) string {
	if path == "/" {
		return "/{$}"
	}
	return path
}

// refuseMethod answers a method that a path does not support.
func (s *Site) refuseMethod(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		s.Fail(w, r, &PageError{Status: http.StatusMethodNotAllowed, Code: ui.ErrorMethod})
	}
}

// add puts a route at its path, for one method or, with "", for all that have none of
// their own.
func (rt *router) add(method string, route Route) {
	pattern := patternAt(route.Path)
	if method != "" {
		pattern = method + " " + pattern
	}
	rt.routes[pattern] = &route
	rt.mux.HandleFunc(pattern, route.Handler)
	if strings.Contains(route.Path, "{") {
		return
	}
	known := rt.exact[route.Path]
	if known == nil {
		known = &exactRoutes{}
		rt.exact[route.Path] = known
	}
	if method == "" {
		known.rest = &route
	} else {
		known.methods = append(known.methods, methodRoute{method, &route})
	}
}

// find returns the route at a path that is relative to the base URL.
func (rt *router) find(r *http.Request, at string) *Route {
	if known := rt.exact[at]; known != nil && r.URL.RawPath == "" {
		return known.by(r.Method)
	}
	if !strings.HasPrefix(at, "/") || strings.HasPrefix(at, "//") || len(at) > 1 && path.Clean(at) != strings.TrimSuffix(at, "/") {
		return rt.notFound // ServeMux would redirect to a path that is relative to the host
	}
	if r.URL.Path != at {
		r = &http.Request{Method: r.Method, URL: &url.URL{Path: at}}
	}
	_, pattern := rt.mux.Handler(r)
	if route, ok := rt.routes[pattern]; ok {
		return route
	}
	return rt.notFound
}

// isRoute reports whether there is a route at a path relative to the base URL. The root
// does not count, because any path could be the root of something.
func (rt *router) isRoute(at string) bool {
	return at != "/" && (rt.exact[at] != nil || rt.find(&http.Request{Method: http.MethodGet, URL: &url.URL{}}, at).Path != "")
}
