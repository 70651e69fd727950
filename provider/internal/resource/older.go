package resource

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// OlderRoutes are those of the interface before v3, which asked for one group at a time.
func (e *Endpoints) OlderRoutes() []web.Route {
	var routes []web.Route
	for _, group := range e.Claims.Catalogue.Groups {
		if group.Name == "attributes" {
			continue // another name of the endpoint of v3
		}
		of := &resource{event: activity.Attributes,
			covers: func(a engine.Access) bool {
				_, groups := e.Claims.Catalogue.Release(a.Scopes)
				return slices.Contains(groups, group.Name)
			},
			respond: func(ctx context.Context, a engine.Access) (response, error) { return e.membership(ctx, a, group.Name) },
		}
		routes = append(routes, web.Route{
			Method: http.MethodGet, Path: "/api/public/v2/" + group.Name + ".json",
			Kind: web.Program, Origins: true, Handler: e.Site.Program(e.serve(of)),
		})
	}
	return routes
}

// membership says whether the token's user is a verified member of one group, and which.
func (e *Endpoints) membership(ctx context.Context, a engine.Access, group string) (response, error) {
	released, err := e.Claims.ReleaseTo(ctx, a.Grant, a.Scopes)
	if err != nil {
		return response{}, err
	}
	var status storage.Status
	for _, s := range released.Statuses {
		if s.Group == group {
			status = s
		}
	}
	body, err := json.Marshal(struct {
		ID          string `json:"id"`
		Verified    bool   `json:"verified"`
		Affiliation string `json:"affiliation"`
	}{a.Grant.Subject, status.Verified, cmp.Or(slices.Concat(status.Subgroups, []string{""})...)})
	return response{body: body, mediaType: mediaJSON}, err
}
