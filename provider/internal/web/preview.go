package web

import (
	"net/http"

	"github.com/a-h/templ"
)

// RenderBeside is Render for a host's page, which may show pages in frames and fetch
// additions to them; sign-in and consent pages do neither.
func (s *Site) RenderBeside(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.setBesideHeaders(w.Header(), "")
	s.render(w, r, status, c)
}

// RenderWithButton is RenderBeside for a page on which the sign-in button stands.
func (s *Site) RenderWithButton(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.setBesideHeaders(w.Header(), " "+s.scriptsIn("/widget/"))
	s.render(w, r, status, c)
}

// RenderSecret is RenderBeside for a page with a secret, which nobody compresses: its
// length would reveal the secret to anybody who controls another part of the page.
func (s *Site) RenderSecret(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.setBesideHeaders(w.Header(), "")
	w.Header().Set("Cache-Control", "no-store, "+noTransform)
	s.render(w, r, status, c)
}

// setBesideHeaders sets the headers of a host's page, which may load more scripts than those of
// every page: none, or their source after a space.
func (s *Site) setBesideHeaders(h http.Header, more string) {
	s.setPageHeaders(h, false, nil)
	h.Set("Content-Security-Policy", s.contentPolicy(nil, s.scriptsIn("/assets/")+more)+"; connect-src 'self'; frame-src 'self'")
}

// previewPolicy is the policy of a page in a frame of the provider. The sandbox keeps its
// origin, or the browser would load its pictures without cookies; without scripts and forms
// the page can do nothing with it.
const previewPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'self'; " +
	"base-uri 'none'; form-action 'none'; sandbox allow-same-origin"

// RenderPreview answers with an inert page that only pages of this origin can frame.
func (s *Site) RenderPreview(w http.ResponseWriter, r *http.Request, c templ.Component) {
	s.renderFramed(w, r, s.fontPolicy()+previewPolicy, c)
}

// mailPolicy is the policy of an e-mail in a frame of the provider. It contains styles, and
// so gets no origin: what a style could load or measure would be a stranger's.
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
