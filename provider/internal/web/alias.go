package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/ui"
)

// Alias is another address of an endpoint, for programs written for the V3 dialect.
type Alias struct {
	Path, Of string

	// Parameter is the alias's name of a parameter that the page names Called. With one,
	// the browser is redirected to the page itself, whose form has an address of its own.
	Parameter, Called string
}

// WithAliases returns routes with those of their aliases.
func (s *Site) WithAliases(routes []Route, aliases ...Alias) []Route {
	all := slices.Clone(routes)
	for _, a := range aliases {
		if a.Parameter != "" {
			handler := s.Page(s.sendOn(a))
			all = append(all,
				Route{Method: http.MethodGet, Path: a.Path, Alias: true, OwnQuery: true, Handler: handler},
				Route{Method: http.MethodPost, Path: a.Path, Alias: true, OwnQuery: true, Handler: handler})
			continue
		}
		for _, route := range routes {
			if route.Path == a.Of {
				route.Path, route.Alias = a.Path, true
				all = append(all, route)
			}
		}
	}
	return all
}

// sendOn redirects the browser to the page of an alias with the parameters of the request,
// because cookies do not travel with a form that another site has posted. The page checks
// them; the redirect stays within the provider.
func (s *Site) sendOn(a Alias) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		query, err := url.ParseQuery(r.URL.RawQuery)
		if r.Method == http.MethodPost {
			query, err = input.ReadForm(r)
		}
		if err != nil {
			return &PageError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Cause: err}
		}
		if query.Has(a.Parameter) && !query.Has(a.Called) {
			query[a.Called] = query[a.Parameter]
			query.Del(a.Parameter)
		}
		s.Leave(w, r, s.Base.Path+a.Of+"?"+query.Encode(), false, nil)
		return nil
	}
}
