// Package web is what all endpoints share: pages and their headers, CSRF protection of
// forms, error pages and error bodies, assets, languages, cross-origin responses, and the
// server that finds the endpoint of a request.
//
// It knows paths from its table (Route), and no endpoint itself.
package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// Site is what the pages and endpoints of one provider share.
type Site struct {
	Options

	// Base is BaseURL, parsed.
	Base *url.URL

	*files
	origin *http.CrossOriginProtection
}

// Options are the parts of a Site.
type Options struct {
	// BaseURL is the address for browsers and clients, Issuer the issuer identifier.
	BaseURL, Issuer string

	// Brand is around every page; New sets its pictures, and each page its Links.
	Brand ui.Brand

	// Pictures are the brand's pictures, and Links the links at the foot of every page.
	Pictures Pictures
	Links    []Link

	// Theme is the look of all pages.
	Theme *theme.Theme

	// Locales are the languages of the pages.
	Locales *ui.LocaleSet

	// LinkError returns the address that an error page links to for the application's
	// developers, or "".
	LinkError func(r *http.Request, clientID, requestID string) string

	// Screens render the pages.
	Screens ui.Screens

	// Sandbox marks every page, and lets error pages say more.
	Sandbox bool

	// PlainUpstreams says that a form of any page may lead to an upstream provider by http, for
	// development: where it authenticates somebody is unknown before it is asked.
	PlainUpstreams bool

	// Alone is for pages at an address that has no account page (Server.At).
	Alone bool

	Images  images
	Secrets *keyring.Secrets
	Cookies session.Cookies
	Clock   func() time.Time
	Logger  *slog.Logger
}

// New returns a site. BaseURL must be valid.
func New(o Options) (*Site, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	s := &Site{
		Options: o, Base: base, files: newFiles(o, base), origin: http.NewCrossOriginProtection(),
	}
	if err := s.origin.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	s.dress(&s.Brand, o.Pictures)
	return s, nil
}

// Link returns the address of a path of the provider, with a query of names and values;
// empty values are dropped. It has no host, so that it works at every address of the host
// application.
func (s *Site) Link(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	if len(q) == 0 {
		return s.Base.Path + path
	}
	return s.Base.Path + path + "?" + q.Encode()
}

// Redirect redirects the browser with 303, so that a form is never sent again to the new
// address (RFC 9700 section 4.12).
func (s *Site) Redirect(w http.ResponseWriter, location string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// The parameters that travel with pages, in their addresses and forms.
const (
	// FlowParameter carries the sealed flow, or another sealed return address.
	FlowParameter = "flow"

	// CodeParameter carries the sealed request for a mailed code.
	CodeParameter = "ticket"

	// MailboxParameter carries the pass of the links in a mail.
	MailboxParameter = "mailbox"

	// AfterParameter carries, sealed, the last entry of the previous page of a list.
	AfterParameter = "after"

	// ClientParameter names the application that requests a sign-out, or whose access is to
	// be removed.
	ClientParameter = "client_id"
)

// Parameter returns a parameter that travels with a page: from the address when it is
// shown, from the form when it is posted.
func Parameter(r *http.Request, name string) string {
	if r.PostForm.Has(name) {
		return r.PostForm.Get(name)
	}
	return asks(r, name)
}

// HostOf returns the host of a redirect URI, or the scheme of an app.
func HostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if u.Scheme == "http" || u.Scheme == "https" {
		return u.Host
	}
	return u.Scheme
}

// HostOfFirst is HostOf for a client's first redirect URI, or "" without any.
func HostOfFirst(uris []string) string {
	if len(uris) == 0 {
		return ""
	}
	return HostOf(uris[0])
}

// HomeOf returns the start page behind a registered redirect URI, or "" for apps.
func HomeOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}

// homeOfFirst returns the home of the first of these addresses that has one, or "".
func homeOfFirst(uris []string) string {
	for _, uri := range uris {
		if home := HomeOf(uri); home != "" {
			return home
		}
	}
	return ""
}

// WithQuery adds parameters to an address that has no fragment.
func WithQuery(address string, q url.Values) string {
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + q.Encode()
}

// Truncate returns the first n bytes of a text.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}
