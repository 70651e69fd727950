package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

const minute = time.Minute

// Scopes of the API. They are no part of a catalogue: an application has those that its
// registration names.
const (
	ScopePeopleRead       = "desk.people.read"
	ScopePeopleAct        = "desk.people.act"
	ScopeApplicationsRead = "desk.applications.read"
	ScopeApplicationsAct  = "desk.applications.act"
	ScopeEventsRead       = "desk.events.read"
	ScopeCases            = "desk.cases"
)

// scopes are all scopes with what they allow.
var scopes = []struct{ name, says string }{
	{ScopePeopleRead, "Find people, open matters and read what these show."},
	{ScopePeopleAct, "Act on people, and propose plans about them."},
	{ScopeApplicationsRead, "Read applications, hosts of unregistered ones, receivers of signals, organizations, keys and numbers."},
	{ScopeApplicationsAct, "Act on applications, hosts, receivers of signals and organizations, and propose plans about them."},
	{ScopeEventsRead, "Read the audit log and its checkpoints."},
	{ScopeCases, "Read which cases of verification wait."},
}

// Resource returns the API as one of provider.Config.Resources: only these clients get tokens
// for it.
func Resource(baseURL string, clients ...string) provider.Resource {
	r := provider.Resource{URI: baseURL + "/desk/api/v1", Name: "Desk", Clients: clients}
	for _, s := range scopes {
		r.Scopes = append(r.Scopes, s.name)
	}
	return r
}

// bearer returns the client that sends a request. Tokens come in the header alone: addresses
// reach logs.
func (a *API) bearer(r *http.Request, o *operation) (room.Bearer, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return room.Bearer{}, fail(kindNoToken, "")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.TrimLeft(token, " ")
	if len(headers) == 1 && !strings.EqualFold(scheme, "Bearer") { // as a proxy or a browser adds them
		return room.Bearer{}, fail(kindNoToken, "")
	}
	if len(headers) > 1 || token == "" || strings.ContainsAny(token, " ,") {
		return room.Bearer{}, fail(kindRequest, "Send one header Authorization: Bearer and the access token.")
	}
	client, err := a.Provider.Rooms().Clients.Bearer(r.Context(), a.resource.URI, token)
	switch {
	case errors.Is(err, room.ErrToken):
		return client, fail(kindToken, "It is unknown, expired or revoked, of a user, or for another API.")
	case err != nil:
		return client, err
	case !slices.Contains(a.resource.Clients, client.ClientID):
		return client, fail(kindToken, "The client is none of this API.")
	case !client.Signs:
		return client, fail(kindToken, "The client has to authenticate by private_key_jwt.")
	case !slices.Contains(client.Scopes, o.Scope) && (o.Or == "" || !slices.Contains(client.Scopes, o.Or)):
		return client, &problem{kind: kindScope, Detail: "It needs " + o.Scope + ".", scope: o.Scope}
	}
	return client, nil
}

// allow counts a request for a limit of its client.
func (a *API) allow(r *http.Request, client string, of spend) error {
	wait, err := a.Provider.Rooms().Pages.Allow(r.Context(), of.name, client, of.limit)
	if err == nil && wait > 0 {
		return &problem{kind: kindTooMany, Detail: "It has " + of.says + ".", retry: wait}
	}
	return err
}

// challenge is the WWW-Authenticate header of a problem (RFC 6750 section 3, RFC 9728 section
// 5.1); empty for none.
func (a *API) challenge(p *problem) string {
	header := `Bearer resource_metadata="` + a.metadataURL() + `"`
	switch p.kind.name {
	case kindNoToken.name:
		return header
	case kindToken.name:
		return header + `, error="invalid_token"`
	case kindScope.name:
		return header + `, error="insufficient_scope", scope="` + p.scope + `"`
	}
	return ""
}
