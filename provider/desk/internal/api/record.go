package api

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	events "github.com/bonafide-id/bonafide/provider/event"
)

// event is a line of the audit log.
type event struct {
	ID       int64     `json:"id"`
	At       time.Time `json:"at"`
	Name     string    `json:"name"`
	Person   string    `json:"person,omitempty" doc:"The ID of the person, or what stands for it after the person was deleted."`
	ClientID string    `json:"client_id,omitempty"`
	Network  string    `json:"network,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Actor    string    `json:"actor,omitempty" doc:"Who acted, if not the person: staff:, client: or command: with a name, or host."`
	Matter   string    `json:"matter,omitempty" doc:"The matter in which it was done."`
}

func (a *API) recordRows() []operation {
	return []operation{
		{
			Method: http.MethodGet, Path: "/events", ID: "listEvents", Title: "Read the audit log, the latest first", Scope: ScopeEventsRead, Spend: reads,
			Query: []parameter{
				{name: "name", doc: "The name of the event, such as account_disabled."},
				{name: "person", doc: "The ID of the person."}, {name: "client_id", doc: "The application."},
				{name: "actor", doc: "Who acted, such as staff:jo."}, {name: "matter", doc: "The matter in which it was done."},
				{name: "from", doc: "From this time on.", format: "date-time"}, {name: "until", doc: "Before this time.", format: "date-time"},
			},
			Paged: true, Out: rows[event]{}, serve: listEvents,
		},
	}
}

func listEvents(c *call) (response, error) {
	match := linesOf(c.URL.Query().Get)
	var err error
	if match.From, err = c.time("from"); err != nil {
		return response{}, err
	}
	if match.Until, err = c.time("until"); err != nil {
		return response{}, err
	}
	what := "trail"
	if by := slices.Sorted(maps.Keys(c.URL.Query())); len(by) > 0 {
		what += " by " + strings.Join(by, ", ")
	}
	e := provider.Event{Name: events.StaffLooked, UserID: match.UserID, ClientID: match.ClientID, Detail: what}
	if err := c.looks("", e); err != nil {
		return response{}, err
	}
	return c.events(match)
}

// linesOf returns what a filter selects, but for its times.
func linesOf(value func(name string) string) provider.EventFilter {
	return provider.EventFilter{
		Name: value("name"), UserID: value("person"), ClientID: value("client_id"),
		Actor: value("actor"), Matter: value("matter"),
	}
}

// events is a page of the audit log.
func (c *call) events(match provider.EventFilter) (response, error) {
	return pageOf(c, func(limit int, after string) ([]provider.RecordedEvent, error) {
		match.Limit = limit
		match.Before, _ = strconv.ParseInt(after, 10, 64)
		return c.api.Provider.Events().List(c.Context(), match)
	}, func(e provider.RecordedEvent) event {
		return event{
			ID: e.ID, At: e.At, Name: e.Name, Person: e.UserID, ClientID: e.ClientID, Network: e.Address, Detail: e.Detail,
			Actor: e.Actor, Matter: e.Matter,
		}
	}, func(last event) string { return strconv.FormatInt(last.ID, 10) })
}
