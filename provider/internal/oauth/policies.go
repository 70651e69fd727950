package oauth

import (
	"cmp"
	"net/http"

	"github.com/bonafide-id/bonafide/provider/internal/web"
)

// policy is a scope value that an application may request, in the words of the V3 dialect.
type policy struct {
	Name   string `json:"name"`
	Handle string `json:"handle"`
	Active bool   `json:"active"`
}

// OlderRoutes are the addresses at which programs for the V3 dialect look for their scope
// values.
func (e *Endpoints) OlderRoutes() []web.Route {
	routes := make([]web.Route, 0, 2)
	for _, path := range []string{"/api/public/v3/policies", "/api/public/v3/policies.json"} {
		routes = append(routes, web.Route{Method: http.MethodGet, Path: path, Kind: web.Program, Handler: e.Site.Program(e.policies)})
	}
	return routes
}

// policies tells an application its scope values.
func (e *Endpoints) policies(w http.ResponseWriter, r *http.Request) error {
	scopes, err := e.Engine.RegisteredScopes(r.Context(), r)
	if err != nil {
		return e.clientFailed(w, r, err)
	}
	list := make([]policy, 0, len(scopes))
	for _, name := range scopes {
		p := policy{Name: name, Handle: name}
		if known := e.Catalogue.Scope(name); known != nil {
			p.Name, p.Active = cmp.Or(known.Title, name), true
		}
		list = append(list, p)
	}
	e.Site.WriteJSON(w, r, http.StatusOK, list)
	return nil
}
