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

// Kind is whom a route answers: it says what an error looks like.
type Kind int

// The kinds of routes.
const (
	// Person is a page, or what a page loads.
	Person Kind = iota
	// Program is an endpoint for programs: errors are JSON.
	Program
)

// Route is one method at one path.
type Route struct {
	Method string

	// Path is relative to the base URL. Its last segment may be {name}. "/" is the root
	// alone.
	Path string

	Kind    Kind
	Handler http.HandlerFunc

	// Origins lets scripts of registered origins ask (CORS); the handler allows each
	// by AllowOrigin.
	Origins bool

	// Acts says that a GET of it may change something or carry an answer. HEAD only looks,
	// as what shows a preview of a link does, and is told that the page is there.
	Acts bool

	// OwnQuery marks a page that has rules of its own for its query.
	OwnQuery bool

	// Several is the one field of the form that may be given more than once, as by boxes to
	// tick; empty for none.
	Several string
}

// FormRoutes are the routes of a page with something to submit: it is shown at its
// address and posted to it.
func (s *Site) FormRoutes(path string, show, act Handler) []Route {
	return []Route{
		{Method: http.MethodGet, Path: path, Handler: s.Page(show)},
		{Method: http.MethodPost, Path: path, Handler: s.Page(s.Guard(act))},
	}
}

// matched is the route of a request.
type matched struct {
	Route
	path string

	// beside marks a page that is not in the table: Path is the pattern of the host's
	// router, for who counts and logs, and path is escaped.
	beside bool

	// query is what the text of one has been read as, and why not all of it. A function
	// of the host's that was left behind may still ask.
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
	return &matched{}
}

// QueryOf returns the query of a request, which is parsed once: nobody changes it. An error
// says that some of it cannot be read, and is left out.
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

// asks returns a parameter of the query of a request.
func asks(r *http.Request, name string) string {
	query, _ := QueryOf(r)
	return query.Get(name)
}

// routeOf returns the route that a request has come to; a zero one when there is none.
func routeOf(r *http.Request) Route { return matchOf(r).Route }

// PathOf returns the path of a request, relative to the base URL.
func PathOf(r *http.Request) string { return matchOf(r).path }

// fileOf returns the last segment of the path.
func fileOf(r *http.Request) string { return path.Base(PathOf(r)) }

// router finds the route of a request.
type router struct {
	mux    *http.ServeMux
	routes map[string]Route // by pattern

	notFound Route
}

// newRouter makes the table into patterns. Beside each path there is what answers a
// method that it does not know.
func newRouter(s *Site, table []Route) *router {
	rt := &router{mux: http.NewServeMux(), routes: map[string]Route{}}
	rt.notFound = Route{Handler: func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, errNotFound) }}
	methods := map[string][]string{}
	for _, route := range table {
		rt.add(route.Method+" "+patternAt(route.Path), route)
		methods[route.Path] = append(methods[route.Path], route.Method)
		if route.Method == http.MethodGet {
			methods[route.Path] = append(methods[route.Path], http.MethodHead)
		}
		if route.Acts {
			looks := route
			looks.Handler = func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "no-store") }
			rt.add(http.MethodHead+" "+patternAt(route.Path), looks)
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
			rt.add(http.MethodOptions+" "+at, Route{Path: route.Path, Kind: route.Kind, Handler: preflight(allowed)})
			methods[route.Path] = append(methods[route.Path], http.MethodOptions)
			slices.Sort(methods[route.Path])
			allowed = strings.Join(methods[route.Path], ", ")
		}
		rt.add(at, Route{Path: route.Path, Kind: route.Kind, Handler: s.refuseMethod(allowed)})
	}
	for _, prefix := range []string{"/api/", "/oidc/"} {
		rt.add(prefix, Route{Kind: Program, Handler: rt.notFound.Handler})
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

// refuseMethod answers a method that a path does not know.
func (s *Site) refuseMethod(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		s.Fail(w, r, &PageError{Status: http.StatusMethodNotAllowed, Code: ui.ErrorMethod})
	}
}

func (rt *router) add(pattern string, route Route) {
	rt.routes[pattern] = route
	rt.mux.HandleFunc(pattern, route.Handler)
}

// find returns the route at a path that is relative to the base URL.
func (rt *router) find(r *http.Request, at string) Route {
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

// isRoute reports whether there is anything at a path relative to the base URL. Every path
// could be meant as the root of something.
func (rt *router) isRoute(at string) bool {
	return at != "/" && rt.find(&http.Request{Method: http.MethodGet, URL: &url.URL{}}, at).Path != ""
}
