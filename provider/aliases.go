package provider

import (
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// alias is another address of an endpoint, for programs written for the V3 dialect.
type alias struct {
	path, of string

	// parameter is the alias's name of a parameter that the page names called. With one,
	// the browser is redirected to the page itself, whose form has an address of its own.
	parameter, called string
}

var aliases = []alias{
	{path: "/api/public/v3/userinfo.json", of: "/api/public/v3/userinfo"},
	{path: "/api/public/v3/attributes", of: "/api/public/v3/attributes.json"},
	{path: "/api/public/v2/attributes.json", of: "/api/public/v3/attributes.json"},
	{path: "/oidc/.well-known/jwks.json", of: "/oidc/.well-known/jwks"},
	{path: "/oauth/logout", of: "/signout", parameter: "redirect_uri", called: "post_logout_redirect_uri"},
	{path: "/groups", of: "/oauth/authorize", parameter: "scopes", called: "scope"},
}

// withAliases adds the routes of the aliases.
func withAliases(site *web.Site, routes []web.Route) []web.Route {
	for _, a := range aliases {
		if a.parameter != "" {
			routes = append(routes,
				web.Route{Method: http.MethodGet, Path: a.path, OwnQuery: true, Handler: site.Page(a.sendOn(site))},
				web.Route{Method: http.MethodPost, Path: a.path, OwnQuery: true, Handler: site.Page(a.sendOn(site))})
			continue
		}
		for _, route := range routes {
			if route.Path == a.of {
				route.Path = a.path
				routes = append(routes, route)
			}
		}
	}
	return routes
}

// sendOn redirects the browser to the page of an alias with the parameters of the request,
// because cookies do not travel with a form that another site has posted. The page checks
// them; the redirect stays within the provider.
func (a alias) sendOn(site *web.Site) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		query, err := url.ParseQuery(r.URL.RawQuery)
		if r.Method == http.MethodPost {
			query, err = input.ReadForm(r)
		}
		if err != nil {
			return &web.PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
		}
		if query.Has(a.parameter) && !query.Has(a.called) {
			query[a.called] = query[a.parameter]
			query.Del(a.parameter)
		}
		site.Redirect(w, site.Base.Path+a.of+"?"+query.Encode())
		return nil
	}
}
