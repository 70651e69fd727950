package web

import (
	"net/http"

	"github.com/a-h/templ"
)

// RenderBeside is Render for a page beside ours, which may show others in frames, and fetch
// what completes them: pages where people sign in and consent do neither.
func (s *Site) RenderBeside(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.setPageHeaders(w.Header(), false, nil)
	w.Header().Set("Content-Security-Policy", s.contentPolicy(nil)+"; connect-src 'self'; frame-src 'self'")
	s.render(w, r, status, c)
}

// previewPolicy is that of a page in a frame of ours. The sandbox leaves it its origin, or
// the browser would load its pictures without cookies; without scripts and forms the page
// can do nothing with it.
const previewPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'self'; " +
	"base-uri 'none'; form-action 'none'; sandbox allow-same-origin"

// RenderPreview answers with a page that only pages of this origin show in a frame, and on
// which nothing can be done.
func (s *Site) RenderPreview(w http.ResponseWriter, r *http.Request, c templ.Component) {
	h := w.Header()
	s.setPageHeaders(h, false, nil)
	h.Set("Content-Security-Policy", previewPolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	// Browsers refuse a page that is sandboxed and has a group of its own.
	h.Del("Cross-Origin-Opener-Policy")
	s.render(w, r, http.StatusOK, c)
}
