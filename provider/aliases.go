package provider

import (
	"net/http"
	"net/url"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/ui"
)

// alias is another address of an endpoint, which programs written for the dialect v3 know.
type alias struct {
	path, of string

	// parameter is the name that one of the endpoint's parameters, called as, has at a
	// page. The browser is sent on to the page itself: its form has an address of its own.
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

// withAliases returns the routes with those of the aliases.
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

// sendOn sends the browser to the page that an alias stands for, with the parameters of
// the request; cookies do not travel with a form that another site has posted. The page
// judges them: nothing here leads out of the provider.
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
