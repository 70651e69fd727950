package main

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// router hands requests to the provider that they are for. Unlike http.ServeMux it
// changes no address: a redirect to the tidy form of one would repeat what is in its
// query, an access token perhaps.
type router struct {
	places []place
	log    *slog.Logger

	misplaced sync.Once
}

// place is where one provider answers.
type place struct {
	host    string // of the Host header, without the port; "" is any
	path    string // without a slash at its end
	handler http.Handler
	start   string // where its root leads
}

// add puts a handler where its base URL says; its root leads to the path start below
// that. One whose host is not that of the first is told apart by the Host header; every
// other host is that of the first, for a proxy may have put its own name there. The
// handler answers at the paths beside its base URL as well.
func (r *router) add(base, first string, handler http.Handler, start string, beside ...string) {
	b, _ := url.Parse(base)  // the provider has validated it
	f, _ := url.Parse(first) // likewise
	host := ""
	if hostname(b.Host) != hostname(f.Host) {
		host = hostname(b.Host)
	}
	r.places = append(r.places, place{host: host, path: b.Path, handler: handler, start: base + start})
	for _, path := range beside {
		r.places = append(r.places, place{host: host, path: path, handler: handler, start: path})
	}
}

func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	p := r.find(hostname(req.Host), req.URL.Path) // tells two base URLs apart, and makes no address
	switch {
	case p == nil:
		r.misplaced.Do(func() {
			var served []string
			for _, p := range r.places {
				served = append(served, p.path)
			}
			r.log.WarnContext(req.Context(), "a request is at none of the paths that are served; a proxy must keep the path of base_url", slog.Any("served", served))
		})
		http.NotFound(w, req)
	case strings.TrimSuffix(req.URL.Path, "/") == p.path && !strings.HasSuffix(p.start, req.URL.Path) && (req.Method == http.MethodGet || req.Method == http.MethodHead):
		http.Redirect(w, req, p.start, http.StatusSeeOther)
	default:
		p.handler.ServeHTTP(w, req)
	}
}

// find returns the place whose path goes furthest towards the one that is asked for,
// among those of the host if it has any.
func (r *router) find(host, path string) *place {
	own := ""
	for i := range r.places {
		if r.places[i].host == host {
			own = host
		}
	}
	var best *place
	for i := range r.places {
		p := &r.places[i]
		if p.host == own && strings.HasPrefix(path+"/", p.path+"/") && (best == nil || len(p.path) > len(best.path)) {
			best = p
		}
	}
	return best
}
