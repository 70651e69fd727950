package provider

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/ui"
)

// screen answers a person. An error that it returns becomes an error page, or goes
// to the application when it is a *refusal.
type screen func(w http.ResponseWriter, r *http.Request) error

// refusal is an error that the application is told, at its redirect URI.
type refusal struct {
	request *engine.AuthorizeRequest
	err     error
}

func (e *refusal) Error() string { return "refused: " + e.err.Error() }

func (e *refusal) Unwrap() error { return e.err }

// page turns a screen into a handler with the headers that every page carries.
func (p *Provider) page(s screen) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.rememberLanguage(w, r)
		err := p.checkQuery(r)
		if err == nil {
			err = s(w, r)
		}
		var refused *refusal
		switch {
		case err == nil:
		case errors.As(err, &refused) && !isUnavailable(err):
			p.logFailure(r, engine.AsError(refused.err).Status, err)
			p.answer(w, r, refused.request, p.engine.Refuse(refused.request, refused.err))
		default:
			p.failPage(w, r, err)
		}
	}
}

// contentPolicy is the Content-Security-Policy of pages. Chromium holds form-action
// against every redirect that follows a form, also those of the application behind
// its redirect URI, which may lead anywhere; so it allows https, and what else the
// redirect URI of the request needs.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self' https:"

// secure sets the headers of every page. redirectURI is that of the request the page
// belongs to, or empty.
func (p *Provider) secure(h http.Header, redirectURI string, popup bool) {
	policy := contentPolicy
	if u, err := url.Parse(redirectURI); err == nil && u.Scheme != "" && u.Scheme != "https" {
		policy += " " + u.Scheme + ":"
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	if !popup { // any value would cut a popup off from the page that opened it
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	if p.base.Scheme == "https" {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// render answers with a page. It is drawn before anything is sent, so that a fault
// in drawing it can still be told.
func (p *Provider) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	p.renderFor(w, r, nil, status, c)
}

// renderFor is render for a page that belongs to an authorization request.
func (p *Provider) renderFor(w http.ResponseWriter, r *http.Request, request *engine.AuthorizeRequest, status int, c templ.Component) {
	var body bytes.Buffer
	// A request whose time is over still gets the page that says so.
	err := c.Render(context.WithoutCancel(r.Context()), &body)
	redirectURI, popup := "", false
	if request != nil {
		redirectURI, popup = request.RedirectURI, request.Display == displayPopup
	}
	p.secure(w.Header(), redirectURI, popup)
	if err != nil {
		p.logFailure(r, http.StatusInternalServerError, err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

// redirect sends the browser on with 303, so that a form is never sent again to
// where it leads (RFC 9700 section 4.12).
func (p *Provider) redirect(w http.ResponseWriter, location string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// displayPopup is the value of display for a small window (OpenID Connect Core
// section 3.1.2.1).
const displayPopup = "popup"

// link returns the address of a path of the provider, with a query of names and
// values; empty values are left out. It has no host, so that it works at every
// address that the host application answers at.
func (p *Provider) link(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	if len(q) == 0 {
		return p.base.Path + path
	}
	return p.base.Path + path + "?" + q.Encode()
}

// parameter returns a parameter that travels with a page: in the address when it is
// shown, in the form when it is posted.
func parameter(r *http.Request, name string) string {
	if r.PostForm.Has(name) {
		return r.PostForm.Get(name)
	}
	return r.URL.Query().Get(name)
}

// pageView returns what every screen shows around its content; request may be nil.
func (p *Provider) pageView(r *http.Request, request *engine.AuthorizeRequest) ui.Page {
	page := ui.Page{
		Locale: p.locale(r, request),
		Brand: ui.Brand{
			Name: p.cfg.Brand.Name, LogoURL: p.brandLogoURL(), HomeURL: p.cfg.Brand.HomeURL,
			TermsURL: p.cfg.Brand.TermsURL, PolicyURL: p.cfg.Brand.PolicyURL, HelpURL: p.cfg.Brand.HelpURL,
		},
		AssetPath:       p.link("/assets/"),
		BrandStylesheet: p.brandStylesheet(p.cfg.Brand.ButtonColor),
		Sandbox:         p.cfg.Sandbox,
		Now:             p.cfg.Clock(),
		Languages:       p.languages(r),
	}
	if request == nil {
		return page
	}
	page.Client = p.clientView(request)
	page.Popup = request.Display == displayPopup
	if request.OpenID() && request.Client.ButtonColor != "" {
		page.BrandStylesheet = p.brandStylesheet(request.Client.ButtonColor)
	}
	return page
}

func (p *Provider) clientView(request *engine.AuthorizeRequest) ui.Client {
	c := request.Client
	return ui.Client{
		Name: c.Name, LogoURL: p.imageURL(c.Logo), Host: hostOf(request.RedirectURI),
		Verified: true, TermsURL: c.TermsURI, PolicyURL: c.PolicyURI,
	}
}

// hostOf names where a redirect URI leads: its host, or the scheme of an app.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		return u.Host
	}
	return u.Scheme
}

// homeOf returns the start page behind a registered redirect URI, or "" for apps.
func homeOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}

// languageParameter chooses the language, in authorization requests (OpenID Connect
// Core section 3.1.2.1) and on every page.
const languageParameter = "ui_locales"

// locale chooses the language: what the visitor has chosen, what the application
// asks for, what the browser prefers.
func (p *Provider) locale(r *http.Request, request *engine.AuthorizeRequest) *ui.Locale {
	wanted := []string{r.URL.Query().Get(languageParameter), p.cookies.Get(r, session.Language)}
	if request != nil {
		wanted = append(wanted, request.UILocales)
	}
	return ui.MatchLocale(strings.Join(wanted, " "), r.Header.Get("Accept-Language"))
}

// rememberLanguage keeps the language that a visitor has chosen by a link of the
// language switch.
func (p *Provider) rememberLanguage(w http.ResponseWriter, r *http.Request) {
	chosen := r.URL.Query().Get(languageParameter)
	if p.path(r) == "/oauth/authorize" || chosen == "" {
		return
	}
	if slices.ContainsFunc(ui.Locales(), func(l *ui.Locale) bool { return l.Lang == chosen }) {
		p.cookies.Set(w, session.Language, chosen, 0)
	}
}

// languages are the links of the language switch: this page, with what it was
// asked for. A path that is none of ours has none: it is a stranger's text, and
// //host.example would be a link to that host.
func (p *Provider) languages(r *http.Request) []ui.Language {
	if _, known := p.routes[p.path(r)]; !known {
		return nil
	}
	var list []ui.Language
	for _, l := range ui.Locales() {
		query := []string{languageParameter, l.Lang}
		for _, name := range []string{flowParameter, ticketParameter, clientParameter} {
			query = append(query, name, parameter(r, name))
		}
		list = append(list, ui.Language{Lang: l.Lang, URL: p.link(p.path(r), query...)})
	}
	return list
}
