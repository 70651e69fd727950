package resource

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/storage"
)

// OlderRoutes are those of the interface before v3, which asked for one group at a time.
func (e *Endpoints) OlderRoutes() []web.Route {
	groupsOf := func(a engine.Access) []string {
		_, groups := e.Claims.Catalogue.Release(a.Scopes)
		return groups
	}
	route := func(name string, of *resource) web.Route {
		of.event = activity.Attributes
		return web.Route{
			Method: http.MethodGet, Path: "/api/public/v2/" + name + ".json", Kind: web.Program, Origins: true, Handler: e.Site.Program(e.serve(of)),
		}
	}
	routes := []web.Route{route(ofTheToken, &resource{
		covers: coversAttributes,
		respond: func(ctx context.Context, a engine.Access) (response, error) {
			groups := groupsOf(a)
			if len(groups) != 1 {
				return response{}, errGroup.Because(diagnosis.ScopeInsufficient, "scope", strings.Join(a.Scopes, " "))
			}
			return e.membership(ctx, a, groups[0])
		},
	})}
	for _, group := range e.Claims.Catalogue.Groups {
		if group.Name == ofTheToken {
			continue
		}
		routes = append(routes, route(group.Name, &resource{
			covers:  func(a engine.Access) bool { return slices.Contains(groupsOf(a), group.Name) },
			respond: func(ctx context.Context, a engine.Access) (response, error) { return e.membership(ctx, a, group.Name) },
		}))
	}
	return routes
}

// ofTheToken is in the place of a group, for that of the token.
const ofTheToken = "attributes"

// errGroup keeps programs from taking the answer of several groups, or of none, for that of one.
var errGroup = &protocol.Error{
	Code: protocol.InvalidRequest, Status: http.StatusNotFound, Description: "The scope of the access token is not of one group.",
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
