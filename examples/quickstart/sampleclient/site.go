// Package sampleclient is a small web site that signs its visitors in at an identity
// provider and shows what came back. It is written as any client developer would
// write it: the standard dialect with golang.org/x/oauth2 and coreos/go-oidc
// (standard.go), the v3 dialect with net/http (v3.go). What both have in common, and
// every client needs, is in flow.go: state, nonce, PKCE and the check of the issuer.
// It also has an API for which other programs get access tokens (api.go), and tools for
// assistants (mcp.go).
package sampleclient

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Name, Color and RedirectPath are for the registration at a provider: the name of
// the site, the colour of its buttons, and the path of its redirect URI.
const (
	Name         = "Sample Shop"
	Color        = "#0f766e"
	RedirectPath = "/callback"
)

// Config says where the site is, and which providers it knows.
type Config struct {
	// BaseURL is where browsers reach the site, without a slash at its end.
	BaseURL string

	// API is what the providers call the API of the site: the URI of a resource (RFC 8707).
	// Defaults to BaseURL + "/api".
	API string

	// Services are the providers to choose from, at least one. The first is
	// offered unless the visitor chooses another.
	Services []Service
}

// Service is a provider at which the site is registered, once in each dialect.
type Service struct {
	// Key stands for the service in addresses, Name on pages.
	Key, Name string

	// BaseURL is that of the provider; its issuer is BaseURL + "/oidc".
	BaseURL string

	// Brand is what the provider calls itself; "Bonafide" when empty.
	Brand string

	V3, Standard Credentials

	// People are whom visitors may sign in as, of a demonstration. Empty names nobody.
	People []Person
}

// Person is an account whose password is no secret.
type Person struct {
	Email, Password string

	// Groups are those that it is verified in.
	Groups []string
}

// Credentials are what a registration yields.
type Credentials struct{ ID, Secret string }

// Site is the web site, an http.Handler for everything under its base URL.
type Site struct {
	base     string
	resource string
	services []*service
	sessions sessions
	cookie   cookie
	mux      *http.ServeMux
}

// New returns the site. It asks the providers for nothing until a visitor comes.
func New(cfg Config) (*Site, error) {
	base, err := url.Parse(cfg.BaseURL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("sampleclient: BaseURL: %w", err)
	case base.Host == "" || base.Path != "":
		return nil, fmt.Errorf("sampleclient: BaseURL: %q is not an address without a path", cfg.BaseURL)
	case len(cfg.Services) == 0:
		return nil, errors.New("sampleclient: Services: is empty")
	}
	s := &Site{base: cfg.BaseURL, resource: cmp.Or(cfg.API, cfg.BaseURL+apiPath), cookie: newCookie(base), mux: http.NewServeMux()}
	for _, c := range cfg.Services {
		s.services = append(s.services, newService(c, cfg.BaseURL+RedirectPath))
	}
	s.mux.HandleFunc("GET /{$}", s.home)
	s.mux.HandleFunc("GET /start/{protocol}", s.start)
	s.mux.HandleFunc("GET "+RedirectPath, s.callback)
	s.mux.HandleFunc("GET /result", s.result)
	s.mux.HandleFunc("GET /problem", s.lastProblem)
	s.mux.HandleFunc("POST /signout", s.signOut)
	s.mux.HandleFunc("GET "+apiPath, s.api)
	s.mux.HandleFunc("GET "+metadataPath, s.metadata)
	s.mux.HandleFunc("POST "+toolsPath, s.tools)
	s.mux.HandleFunc(toolsPath, noStream)
	s.mux.HandleFunc("GET "+toolsMetadataPath, s.toolsMetadata)
	s.mux.Handle("GET /static/", http.FileServerFS(static))
	s.mux.HandleFunc("/", s.notFound)
	return s, nil
}

// service is a provider with the ways to sign in there.
type service struct {
	Service
	discovery *discovery
	protocols []protocol
}

func newService(c Service, redirectURI string) *service {
	if c.Brand == "" {
		c.Brand = "Bonafide"
	}
	d := &discovery{issuer: c.BaseURL + "/oidc"}
	return &service{c, d, []protocol{
		&standard{discovery: d, base: c.BaseURL, redirectURI: redirectURI, client: c.Standard},
		&v3{discovery: d, base: c.BaseURL, redirectURI: redirectURI, client: c.V3, openID: true},
		&v3{discovery: d, base: c.BaseURL, redirectURI: redirectURI, client: c.V3},
	}}
}

// service returns the service with this key, or the first.
func (s *Site) service(key string) *service {
	for _, c := range s.services {
		if c.Key == key {
			return c
		}
	}
	return s.services[0]
}

// protocol returns the protocol with this key, or nil.
func (s *service) protocol(key string) protocol {
	for _, p := range s.protocols {
		if p.Key() == key {
			return p
		}
	}
	return nil
}

// ServeHTTP answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.secure(w.Header())
	s.mux.ServeHTTP(w, r)
}

// secure sets the headers of every answer. The only scripts are the providers'; the
// form that starts a flow leads to them, and Chromium holds form-action against
// redirects.
func (s *Site) secure(h http.Header) {
	var origins []string
	for _, c := range s.services {
		if u, err := url.Parse(c.BaseURL); err == nil {
			origins = append(origins, u.Scheme+"://"+u.Host)
		}
	}
	providers := strings.Join(slices.Compact(origins), " ")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; script-src "+providers+
		"; form-action 'self' "+providers+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address of the redirect page holds a code
	h.Set("Cache-Control", "no-store")
}

//go:embed static
var static embed.FS

// Logo is the logo of the site, a PNG, for its registration.
//
//go:embed static/logo.png
var Logo []byte

//go:embed pages
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "pages/*.html"))
