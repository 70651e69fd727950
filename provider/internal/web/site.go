// Package web is what all endpoints share: pages and their headers, forms that only a page
// of ours can post, error pages and error bodies, assets, languages, cross-origin answers,
// and the server that finds the endpoint of a request.
//
// It knows paths by the table that it is given (Route), and no endpoint itself.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/cache"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/theme"
)

// Site is what the pages and endpoints of one provider share.
type Site struct {
	Options

	// Base is BaseURL, parsed.
	Base *url.URL

	assets  map[string]ui.Asset
	known   *cache.Cache[storage.Digest, plates]
	smaller sync.Map // the assets that are compressed, by name: []byte
	origin  *http.CrossOriginProtection
	started time.Time
}

// Options are what a Site is made from.
type Options struct {
	// BaseURL is where browsers and clients reach the provider, Issuer its issuer
	// identifier.
	BaseURL, Issuer string

	// Brand is around every page; its pictures are set by New, its Links for each page.
	Brand ui.Brand

	// Pictures are those of the brand, and Links those at the foot of every page.
	Pictures Pictures
	Links    []Link

	// Theme is the look of all pages.
	Theme *theme.Theme

	// Locales are the languages of the pages.
	Locales *ui.LocaleSet

	// LinkError returns the address that the error page of a request of an application
	// leads to for those who build it, or "".
	LinkError func(r *http.Request, clientID, requestID string) string

	// Screens render the pages.
	Screens ui.Screens

	// Sandbox marks every page, and lets error pages say more.
	Sandbox bool

	Images interface {
		Image(ctx context.Context, digest storage.Digest) (storage.Image, error)
	}
	Secrets *keyring.Secrets
	Cookies session.Cookies
	Clock   func() time.Time
	Logger  *slog.Logger
}

// New returns a site. BaseURL is one that has been validated.
func New(o Options) (*Site, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	s := &Site{
		Options: o, Base: base, assets: map[string]ui.Asset{}, known: cache.New[storage.Digest, plates](plateLife, maxPlates, o.Clock),
		origin: http.NewCrossOriginProtection(), started: o.Clock(),
	}
	if err := s.origin.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	for _, a := range slices.Concat(ui.Assets(), s.Theme.Assets()) {
		s.assets[a.Name] = a
	}
	s.addPictures()
	return s, nil
}

// Link returns the address of a path of the provider, with a query of names and values;
// empty values are left out. It has no host, so that it works at every address that the
// host application answers at.
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

// Redirect sends the browser on with 303, so that a form is never sent again to where it
// leads (RFC 9700 section 4.12).
func (s *Site) Redirect(w http.ResponseWriter, location string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// The parameters that travel with pages, in their addresses and forms.
const (
	// FlowParameter carries the sealed flow, or what else a page leads back to.
	FlowParameter = "flow"

	// CodeParameter carries the sealed request for an e-mailed code.
	CodeParameter = "ticket"

	// MailboxParameter carries the pass that the links of a mail have.
	MailboxParameter = "mailbox"

	// AfterParameter carries, sealed, what the last page of a list ended with.
	AfterParameter = "after"

	// ClientParameter names the application that asks to sign out, or one whose access
	// is to be removed.
	ClientParameter = "client_id"
)

// Parameter returns a parameter that travels with a page: in the address when it is
// shown, in the form when it is posted.
func Parameter(r *http.Request, name string) string {
	if r.PostForm.Has(name) {
		return r.PostForm.Get(name)
	}
	return asks(r, name)
}

// HostOf names where a redirect URI leads: its host, or the scheme of an app.
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

// HostOfFirst is HostOf for the first of a client's redirect URIs, or "" when it has none.
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

// homeOfFirst returns where the first of these addresses with a home has it, or "".
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
