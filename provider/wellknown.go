package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// The addresses at the root of a host that browsers and password managers look at.
const (
	// relatedOrigins lists origins in which passkeys of this host may be used (WebAuthn
	// Level 3 section 5.11.1).
	relatedOrigins = "/.well-known/webauthn"

	// passkeyEndpoints says where passkeys are managed (W3C, A Well-Known URL for Relying
	// Party Passkey Endpoints).
	passkeyEndpoints = "/.well-known/passkey-endpoints"

	// changePassword leads to where a password is changed (W3C, A Well-Known URL for
	// Changing Passwords).
	changePassword = "/.well-known/change-password"
)

// WellKnown returns a handler for three addresses at the root of the host: webauthn with
// SignIn.Passkeys.Origins, passkey-endpoints and change-password below /.well-known/, by
// which browsers and password managers find their way. Others get 404, as do those of
// passkeys that are off, and all if users are the host's. It is for the host of the RPID, and
// needed only when BaseURL has a path or another host: otherwise the provider serves them.
//
//	mux.Handle("/.well-known/change-password", idp.Pages().WellKnown())
func (p Pages) WellKnown() http.Handler {
	mux := http.NewServeMux()
	for _, r := range p.wellKnownRoutes() {
		mux.HandleFunc(r.Method+" "+r.Path, r.Handler)
	}
	return mux
}

// ownWellKnown are the routes of WellKnown if the provider is at the root of its host.
func (p Pages) ownWellKnown() []web.Route {
	if p.flows.Site.Base.Path != "" {
		return nil
	}
	return p.wellKnownRoutes()
}

func (p Pages) wellKnownRoutes() (routes []web.Route) {
	if !p.cfg.hasAccounts() {
		return nil
	}
	add := func(path string, handler http.HandlerFunc) {
		routes = append(routes, web.Route{Method: http.MethodGet, Path: path, Kind: web.Program, Handler: handler})
	}
	add(changePassword, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, p.cfg.BaseURL+"/account/password", http.StatusSeeOther)
	})
	if p.cfg.rpID() == "" {
		return routes
	}
	add(passkeyEndpoints, serveJSON(map[string]string{
		"enroll": p.cfg.BaseURL + "/account/passkeys", "manage": p.cfg.BaseURL + "/account/security",
	}))
	if origins := p.cfg.relatedOrigins(); len(origins) > 0 {
		add(relatedOrigins, serveJSON(map[string][]string{"origins": origins}))
	}
	return routes
}

// relatedOrigins are the configured ones, and that of the provider itself if the RPID is
// neither its host nor above it.
func (c Config) relatedOrigins() []string {
	origins := slices.Clone(c.SignIn.Passkeys.Origins)
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return origins
	}
	id, host := c.SignIn.Passkeys.RPID, base.Hostname()
	own := base.Scheme + "://" + base.Host
	if id != host && !strings.HasSuffix(host, "."+id) && !slices.Contains(origins, own) {
		origins = append(origins, own)
	}
	return origins
}

// serveJSON serves a document that changes with the program only.
func serveJSON(document any) http.HandlerFunc {
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("provider: %v", err)) // strings
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text)
	}
}
