package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	strangers "github.com/bonafide-id/bonafide/provider/internal/unknown"
)

// host is a host of applications that nobody has registered.
type host struct {
	Host         string    `json:"host" doc:"In lower case; localhost for programs on a device."`
	Standing     string    `json:"standing" enum:"admitted,trusted,refused,off" doc:"What the configuration says of it."`
	Denial       *denial   `json:"denial,omitempty" doc:"What keeps its applications out; missing if nothing does."`
	Applications int       `json:"applications" doc:"How many are counted, 500 at most."`
	Documents    int       `json:"documents" doc:"How many of these have a metadata document; the others have registered themselves."`
	People       int       `json:"people" doc:"How many allow these something, 1,000 at most."`
	FirstSeenAt  time.Time `json:"first_seen_at,omitzero"`
	LastUsedAt   time.Time `json:"last_used_at,omitzero"`
}

// denial is what an operator has said of a host.
type denial struct {
	Host   string    `json:"host" doc:"The host, or one above it."`
	Reason string    `json:"reason"`
	By     string    `json:"by" doc:"Who has denied it, as the actor of an event."`
	At     time.Time `json:"at"`
}

func asHost(h strangers.Host) host {
	out := host{
		Host: h.Host, Standing: string(h.Standing), Applications: h.Applications, Documents: h.Documents, People: h.People,
		FirstSeenAt: h.FirstSeen, LastUsedAt: h.LastUsed,
	}
	if h.Denial.Host != "" {
		out.Denial = &denial{h.Denial.Host, h.Denial.Reason, h.Denial.By, h.Denial.At}
	}
	return out
}

func (a *API) hostRows() []operation {
	return []operation{
		{
			Method: http.MethodGet, Path: "/hosts", ID: "listHosts", Title: "List the hosts of applications that nobody has registered",
			Text: "Those that have come, and those that are denied.", Scope: ScopeApplicationsRead, Spend: reads,
			Paged: true, Out: rows[host]{}, serve: listHosts,
		},
		{
			Method: http.MethodGet, Path: "/hosts/{host}", ID: "getHost", Title: "Read a host", Scope: ScopeApplicationsRead, Spend: reads,
			Text: "Also one from which no application has come.", Out: host{}, serve: getHost,
		},
	}
}

func listHosts(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]strangers.Host, error) {
		return c.api.Provider.Rooms().Hosts.List(c.Context(), after, limit)
	}, asHost, func(last host) string { return last.Host })
}

func getHost(c *call) (response, error) {
	found, err := c.api.Provider.Rooms().Hosts.Get(c.Context(), c.PathValue("host"))
	var wrong *provider.FieldError
	if errors.As(err, &wrong) {
		return response{}, notFound
	}
	return ok(asHost(found)), err
}
