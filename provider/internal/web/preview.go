package web

import (
	"net/http"

	"github.com/a-h/templ"
)

// RenderBeside is Render for a page beside ours, which may show others in frames, and fetch
// what completes them: pages where people sign in and consent do neither.
func (s *Site) RenderBeside(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.setBesideHeaders(w.Header())
	s.render(w, r, status, c)
}

// RenderSecret is RenderBeside for a page that shows a secret, which nobody compresses: its
// length would tell of it to who has a say in another part of the page.
func (s *Site) RenderSecret(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.setBesideHeaders(w.Header())
	w.Header().Set("Cache-Control", "no-store, "+noTransform)
	s.render(w, r, status, c)
}

// setBesideHeaders sets the headers of a page beside ours.
func (s *Site) setBesideHeaders(h http.Header) {
	s.setPageHeaders(h, false, nil)
	h.Set("Content-Security-Policy", s.contentPolicy(nil)+"; connect-src 'self'; frame-src 'self'")
}

// previewPolicy is that of a page in a frame of ours. The sandbox leaves it its origin, or
// the browser would load its pictures without cookies; without scripts and forms the page
// can do nothing with it.
const previewPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'self'; " +
	"base-uri 'none'; form-action 'none'; sandbox allow-same-origin"

// RenderPreview answers with a page that only pages of this origin show in a frame, and on
// which nothing can be done.
func (s *Site) RenderPreview(w http.ResponseWriter, r *http.Request, c templ.Component) {
	s.renderFramed(w, r, s.fontPolicy()+previewPolicy, c)
}

// mailPolicy is that of an e-mail in a frame of ours. It has its styles in it, and so no
// origin: what a style could load or measure would be a stranger's.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'; " +
	"base-uri 'none'; form-action 'none'; sandbox"

// RenderMailPreview is RenderPreview for an e-mail.
func (s *Site) RenderMailPreview(w http.ResponseWriter, r *http.Request, c templ.Component) {
	s.renderFramed(w, r, mailPolicy, c)
}

func (s *Site) renderFramed(w http.ResponseWriter, r *http.Request, policy string, c templ.Component) {
	h := w.Header()
	s.setPageHeaders(h, false, nil)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	// Browsers refuse a page that is sandboxed and has a group of its own.
	h.Del("Cross-Origin-Opener-Policy")
	s.render(w, r, http.StatusOK, c)
}
