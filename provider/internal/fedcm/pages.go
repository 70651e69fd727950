// Package fedcm is what browsers ask of a provider for their users (Federated Credential
// Management API, W3C). A page brings an authorization request and gets the address to which
// a redirect would lead: package authflow decides, by the same steps and writes.
package fedcm

import (
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/account"
	"github.com/bonafide-id/bonafide/provider/internal/authflow"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// The paths below the base URL.
const (
	configPath     = "/fedcm/config.json"
	accountsPath   = "/fedcm/accounts"
	metadataPath   = "/fedcm/client_metadata"
	assertionPath  = "/fedcm/assertion"
	disconnectPath = "/fedcm/disconnect"
	signInPath     = "/fedcm/signin"
	errorPath      = "/fedcm/error"
)

// Pages are the endpoints, and the pages to which a browser leads its user.
type Pages struct {
	*account.Pages

	// AccountID names an account to browsers.
	AccountID func(userID string) string

	// Brand is how the browser's dialog looks.
	Brand Brand
}

// Routes returns the routes.
func (p *Pages) Routes() []web.Route {
	program := func(method, path string, h web.Handler) web.Route {
		return web.Route{Method: method, Path: path, Kind: web.Program, Handler: p.Site.Program(ofBrowsers(h))}
	}
	return append([]web.Route{
		program(http.MethodGet, configPath, p.showConfig),
		program(http.MethodGet, accountsPath, p.showAccounts),
		program(http.MethodGet, metadataPath, p.showMetadata),
		program(http.MethodPost, assertionPath, p.postAssertion),
		program(http.MethodPost, disconnectPath, p.postDisconnect),
		{Method: http.MethodGet, Path: errorPath, Handler: p.Site.Page(showError)},
	}, p.Site.FormRoutes(signInPath, p.Flows.Handler(authflow.NoFlow, p.showSignIn), p.Flows.Handler(authflow.NoFlow, p.signIn))...)
}

// ofBrowsers passes on what a browser itself asks: no page can make such a request, also
// not of its own origin, and a page of any origin could make any other.
func ofBrowsers(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !session.OfBrowser(r) {
			return &web.PageError{Status: http.StatusForbidden, Code: ui.ErrorForbidden}
		}
		return h(w, r)
	}
}

// showError is where a browser leads that has said itself that a request cannot be answered.
func showError(http.ResponseWriter, *http.Request) error {
	return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest}
}
