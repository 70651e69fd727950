package web

import (
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/ui"
)

// Beside serves a page of the host's beside those of the table: with the same time limit,
// language, headers, error pages and CSRF protection. It is below the path of the base URL,
// wherever the host's router has found it. patience is the time limit of its form; zero for that
// of all others.
func (s *Server) Beside(h Handler, patience time.Duration) http.Handler {
	return s.beside(h, s.site.Page(s.site.guard(readHostForm, h)), patience)
}

// beside serves a page and its form, which may take longer than a request does.
func (s *Server) beside(h Handler, act http.HandlerFunc, patience time.Duration) http.Handler {
	show := s.site.Page(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, ok := s.site.besidePath(r)
		now := &served{matched: matched{Route: &Route{Path: s.site.patternOf(r), Handler: show}, path: at, beside: true}}
		m := &now.matched
		switch {
		case !ok:
			m.Handler = s.router.notFound.Handler
		case r.Method == http.MethodPost:
			m.Handler, now.patience = act, patience
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			m.Handler = s.site.refuseMethod("GET, HEAD, POST")
		}
		s.serve(w, r, now)
	})
}

// Program serves an endpoint for programs of the host's: with the time limit, request ID
// and telemetry of those of the table. It answers every method itself, errors included. patience
// is the time limit of POST; zero for that of all others.
func (s *Server) Program(h http.Handler, patience time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, ok := s.site.besidePath(r)
		now := &served{matched: matched{
			Route: &Route{Path: s.site.patternOf(r), Kind: Program, Handler: s.router.notFound.Handler}, path: at, beside: true,
		}}
		if r.Method == http.MethodPost {
			now.patience = patience
		}
		if ok {
			now.Handler = func(w http.ResponseWriter, r *http.Request) {
				setProgramHeaders(w.Header())
				h.ServeHTTP(w, r)
			}
		}
		s.serve(w, r, now)
	})
}

// IsPath reports whether a page of the host's can have the path of a request.
func (s *Server) IsPath(r *http.Request) bool {
	_, ok := s.site.besidePath(r)
	return ok
}

// NotFound answers as if the host had no page at this address, whatever the method.
func (s *Server) NotFound(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, &served{matched: matched{Route: &Route{Path: s.site.patternOf(r), Handler: s.router.notFound.Handler}, beside: true}})
}

// besidePath returns the path of a host's page as the browser has requested it, escaped and
// relative to the base URL, whatever routers have stripped. It reports false for a path
// that no page has: //host.example would link to that host.
func (s *Site) besidePath(r *http.Request) (at string, ok bool) {
	asked := r.URL
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		asked = u
	}
	at = asked.EscapedPath()
	if rest, below := strings.CutPrefix(at, s.Base.EscapedPath()); below && strings.HasPrefix(rest, "/") {
		at = rest
	}
	plain, err := url.PathUnescape(at)
	if err != nil || !IsText(url.Values{"": {plain}}) {
		return "", false
	}
	if !isPagePath(at) {
		return "", false
	}
	return at, true
}

// isPagePath reports whether an escaped path has neither empty nor dot segments, as browsers and
// proxies read it. A segment may contain escaped slashes, as an identifier that is an address
// does; the first may not.
func isPagePath(escaped string) bool {
	segments := strings.Split(escaped, "/")
	if segments[0] != "" {
		return false
	}
	for i, segment := range segments[1:] {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" && i < len(segments)-2 {
			return false
		}
		parts := strings.Split(plain, "/")
		if i == 0 && len(parts) > 1 || slices.Contains(parts, ".") || slices.Contains(parts, "..") {
			return false
		}
	}
	return true
}

// patternOf returns the router pattern of a host's page, relative to the base URL, or "".
// Its wildcards may hold a secret, as of an invitation.
func (s *Site) patternOf(r *http.Request) string {
	i := strings.IndexByte(r.Pattern, '/')
	if i < 0 {
		return ""
	}
	return strings.TrimPrefix(r.Pattern[i:], s.Base.Path)
}

// Address returns the path and query of a host's page, to return to. If browsers or proxies
// might refuse its length, the query is dropped.
func (s *Site) Address(r *http.Request) string {
	m := matchOf(r)
	const most = 2 << 10
	if address := s.Link(m.path, asked(r, m)...); len(address) <= most {
		return address
	}
	return s.Link(m.path)
}

// The limits of a form with files: as many as an application has pictures, each of 512 KiB,
// and the size of any other form.
const (
	maxFiles  = 4
	MaxUpload = maxFiles*512<<10 + MaxForm
)

var errFiles = errors.New("a form has more than four files, or two of one field")

// readHostForm parses the form of a host's page, which may have a file, and lists.
func readHostForm(r *http.Request) error {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && mediaType == "multipart/form-data" {
		r.Body = http.MaxBytesReader(nil, r.Body, MaxUpload)
		// As large as the body, so that nothing of it is written to the disk.
		err = r.ParseMultipartForm(MaxUpload) //nolint:gosec // the body has been bounded
	} else {
		err = input.ParseForm(r, MaxForm)
	}
	if err != nil {
		return formError(err)
	}
	switch {
	case !fewFiles(r.MultipartForm):
		err = errFiles
	case !IsText(r.PostForm):
		err = errNotText
	case len(r.PostForm[csrfField]) > 1:
		err = errRepeated
	}
	if err != nil {
		return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
	}
	return nil
}

// fewFiles reports whether a form has at most the allowed number of files, and one a field:
// a second one would be ignored.
func fewFiles(form *multipart.Form) bool {
	if form == nil {
		return true
	}
	for _, list := range form.File {
		if len(list) > 1 {
			return false
		}
	}
	return len(form.File) <= maxFiles
}
