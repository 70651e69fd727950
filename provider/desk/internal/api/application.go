package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// application is the registration of an application.
type application struct {
	ClientID     string   `json:"client_id"`
	Name         string   `json:"name"`
	Dialect      string   `json:"dialect" enum:"v3,standard"`
	Public       bool     `json:"public" doc:"Whether it can keep no secret."`
	Disabled     bool     `json:"disabled" doc:"Whether it is unknown to every endpoint."`
	Unreviewed   bool     `json:"unreviewed" doc:"Whether people are warned of it."`
	AuthMethod   string   `json:"token_endpoint_auth_method,omitempty" doc:"How it authenticates; missing for a secret in either form."`
	GrantTypes   []string `json:"grant_types,omitempty"`
	Scopes       []string `json:"scopes,omitempty" doc:"What it may ask for; missing for all of the catalogue."`
	RedirectURIs []string `json:"redirect_uris,omitempty"`
	Organization string   `json:"organization,omitempty" doc:"The ID of who answers for it; missing for one of the host's own."`
}

func asApplication(c provider.Client) application {
	return application{
		ClientID: c.ID, Name: c.Name, Dialect: c.Dialect, Public: c.Public, Disabled: c.Disabled, Unreviewed: c.Unreviewed,
		AuthMethod: c.TokenEndpointAuthMethod, GrantTypes: c.GrantTypes, Scopes: c.Scopes, RedirectURIs: c.RedirectURIs,
	}
}

// organization is who answers for applications.
type organization struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	CreatedAt   time.Time `json:"created_at"`
	SuspendedAt time.Time `json:"suspended_at,omitzero" doc:"Since when it is suspended."`
}

func (a *API) applicationRows() []operation {
	return []operation{
		{
			Method: http.MethodGet, Path: "/applications", ID: "listApplications", Title: "List applications", Scope: ScopeApplicationsRead, Spend: reads,
			Paged: true, Out: rows[application]{}, serve: listApplications,
		},
		{
			Method: http.MethodGet, Path: "/applications/{application}", ID: "getApplication", Title: "Read an application", Scope: ScopeApplicationsRead, Spend: reads,
			Out: application{}, serve: getApplication,
		},
	}
}

func listApplications(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]provider.Client, error) {
		return c.api.Provider.Clients().List(c.Context(), after, limit)
	}, asApplication, func(last application) string { return last.ClientID })
}

func getApplication(c *call) (response, error) {
	found, err := c.api.Provider.Clients().Get(c.Context(), c.PathValue("application"))
	if err != nil {
		return response{}, err
	}
	out := asApplication(found)
	if c.api.Dashboard != nil {
		a, err := c.api.Dashboard.Store.Application(c.Context(), storage.Production, found.ID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return response{}, err
		}
		out.Organization = a.OrganizationID
	}
	return ok(out), nil
}

func (a *API) organizationRows() []operation {
	if a.Dashboard == nil {
		return nil
	}
	return []operation{
		{
			Method: http.MethodGet, Path: "/organizations", ID: "listOrganizations", Title: "List organizations", Scope: ScopeApplicationsRead, Spend: reads,
			Query: []parameter{
				{name: "search", doc: "A part of their name, or their ID."},
				{name: "only", doc: "Those without an owner, or those that are suspended.", enum: []string{"ownerless", "suspended"}},
			},
			Paged: true, Out: rows[organization]{}, serve: listOrganizations,
		},
		{
			Method: http.MethodGet, Path: "/organizations/{organization}", ID: "getOrganization", Title: "Read an organization", Scope: ScopeApplicationsRead, Spend: reads,
			Out: organization{}, serve: getOrganization,
		},
	}
}

func asOrganization(o storage.Organization) organization {
	return organization{ID: o.ID, Name: o.Name, CreatedAt: o.CreatedAt, SuspendedAt: o.Stopped.At}
}

func listOrganizations(c *call) (response, error) {
	limit, after, err := c.page()
	if err != nil {
		return response{}, err
	}
	query, store := c.URL.Query(), c.api.Dashboard.Store
	var all []organization
	switch query.Get("only") {
	case "":
		found, err := store.Organizations(c.Context(), storage.OrganizationFilter{Search: query.Get("search")}, after, limit)
		if err != nil {
			return response{}, err
		}
		for _, o := range found {
			all = append(all, asOrganization(o))
		}
	case "suspended":
		found, err := store.Organizations(c.Context(), storage.OrganizationFilter{Stopped: true}, after, limit)
		if err != nil {
			return response{}, err
		}
		for _, o := range found {
			all = append(all, asOrganization(o))
		}
	case "ownerless":
		found, err := store.Ownerless(c.Context(), after, limit)
		if err != nil {
			return response{}, err
		}
		for _, o := range found {
			all = append(all, asOrganization(o.Organization))
		}
	default:
		return response{}, fail(kindRequest, "The parameter only is ownerless or suspended.")
	}
	return listed(c, all, limit, func(last organization) string { return last.ID }), nil
}

func getOrganization(c *call) (response, error) {
	o, err := c.api.Dashboard.Store.Organization(c.Context(), c.PathValue("organization"))
	return ok(asOrganization(o)), err
}
