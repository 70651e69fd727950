package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/ui"
)

// Handler answers a request. Its caller answers its errors.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Page answers with a page: errors become error pages. It refuses an address that no page
// of the provider has, except at the authorization endpoint, which has its own rules
// (OwnQuery).
func (s *Site) Page(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.rememberLanguage(w, r)
		err := checkQuery(r)
		if err == nil {
			err = h(w, r)
		}
		if err != nil {
			s.FailPage(w, r, err)
		}
	}
}

// Render answers with a page. It renders before it sends, so that a failure can still be
// reported.
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	s.RenderTo(w, r, false, nil, status, c)
}

// RenderFor is Render for a page of an authorization request, which may be nil.
func (s *Site) RenderFor(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, status int, c templ.Component) {
	if request == nil {
		s.Render(w, r, status, c)
		return
	}
	s.RenderTo(w, r, request.Display == DisplayPopup, []string{request.RedirectURI}, status, c)
}

// RenderTo is Render for a page whose form finally leads to these destinations.
func (s *Site) RenderTo(w http.ResponseWriter, r *http.Request, popup bool, destinations []string, status int, c templ.Component) {
	s.setPageHeaders(w.Header(), popup, destinations)
	s.render(w, r, status, c)
}

func (s *Site) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	var body bytes.Buffer
	// A request past its time limit still gets the page that says so.
	err := c.Render(context.WithoutCancel(r.Context()), &body)
	if err != nil {
		s.LogFailure(r, http.StatusInternalServerError, err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	s.writePage(w, r, status, body.Bytes())
}

// DisplayPopup is the value of display for a small window (OpenID Connect Core section
// 3.1.2.1).
const DisplayPopup = "popup"

// contentPolicy returns the Content-Security-Policy of pages.
//
// Scripts come only from the folder of the provider's assets: the data endpoints of this
// origin respond with scripts of the caller's choice (JSONP), and the host has files of its
// own. At an address that is not the base URL pages have no scripts; all work without.
//
// Chromium applies form-action to every redirect after a form, including those of the
// application behind its redirect URI, which may lead anywhere; so the policy allows https,
// and the schemes of this form's destinations.
func (s *Site) contentPolicy(destinations []string, scripts string) string {
	policy := "default-src 'none'; script-src " + scripts + "; style-src 'self'; img-src 'self'; " + s.fontPolicy() +
		"frame-ancestors 'none'; base-uri 'none'; form-action 'self' https:"
	if s.PlainUpstreams {
		policy += " " + PlainHTTP
	}
	for _, destination := range destinations {
		if u, err := url.Parse(destination); err == nil && u.Scheme != "" && u.Scheme != "https" && !strings.HasSuffix(policy, " "+u.Scheme+":") {
			policy += " " + u.Scheme + ":"
		}
	}
	return policy
}

// scriptsIn are those below a folder of the provider, in a policy.
func (s *Site) scriptsIn(folder string) string {
	if strings.HasPrefix(s.Base.Host, "[") { // a policy cannot name an IPv6 address
		return "'self'"
	}
	return s.Base.Scheme + "://" + s.Base.Host + policyPath.Replace(s.Link(folder))
}

// fontPolicy allows the theme's font, if any.
func (s *Site) fontPolicy() string {
	if s.Theme.HasFont() {
		return "font-src 'self'; "
	}
	return ""
}

// policyPath escapes what would end a path in a policy (CSP Level 3 section 2.3.1).
var policyPath = strings.NewReplacer(";", "%3B", ",", "%2C")

// setPageHeaders sets the headers of every page. destinations are where its form finally
// leads, outside of the provider.
func (s *Site) setPageHeaders(h http.Header, popup bool, destinations []string) {
	h.Set("Content-Security-Policy", s.contentPolicy(destinations, s.scriptsIn("/assets/")))
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	// Under no-referrer a browser sends its own forms with the origin null, and only at a
	// trustworthy host with Sec-Fetch-Site as well (Fetch, "append a request Origin header").
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	if !popup { // any value would cut a popup off from the page that opened it
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	if s.Base.Scheme == "https" {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// PageView returns the frame that every page has around its content; request may be nil.
func (s *Site) PageView(r *http.Request, request *engine.AuthorizeRequest) ui.Page {
	locale := s.Locale(r)
	page := ui.Page{
		Locale:    locale,
		Brand:     s.brandIn(locale),
		AssetPath: s.Link("/assets/"),
		Theme:     s.Theme,
		Sandbox:   s.Sandbox,
		Now:       s.Clock(),
		Languages: s.languages(r),
		Recovery:  warningOf(r),
	}
	if request == nil {
		return page
	}
	page.Client = s.ClientView(r.Context(), request.Client, request.RedirectURI)
	page.Popup = request.Display == DisplayPopup
	if request.OpenID() {
		page.ButtonColor = request.Client.ButtonColor
	}
	return page
}

// ClientView shows an application to which a browser will return at this address.
func (s *Site) ClientView(ctx context.Context, c *registry.Client, uri string) ui.Client {
	view := ui.Client{
		Name: c.Title(), Logo: s.ClientPicture(ctx, c.Logo, c.LogoDark), Wordmark: s.ClientPicture(ctx, c.Wordmark, c.WordmarkDark), Host: HostOf(uri),
		TermsURL: c.TermsURL, PolicyURL: c.PolicyURL, Unreviewed: c.Unreviewed && !c.Trusted,
	}
	if c.IsUnknown() {
		view.Program = !strings.HasPrefix(uri, "https://")
		view.Unknown = !c.Trusted
	}
	if view.Unknown {
		view.Calls = c.Document.Name
	}
	return view
}
