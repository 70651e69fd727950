package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// key is what may be known of a signing key.
type key struct {
	ID             string    `json:"id" doc:"The kid of tokens that it has signed."`
	Alg            string    `json:"alg" doc:"The algorithm of its signatures."`
	Signs          bool      `json:"signs" doc:"Whether it signs now with its algorithm."`
	CreatedAt      time.Time `json:"created_at,omitzero"`
	From           time.Time `json:"from,omitzero" doc:"The begin of its turn to sign."`
	Until          time.Time `json:"until,omitzero" doc:"The end of its turn."`
	PublishedUntil time.Time `json:"published_until,omitzero" doc:"When it leaves the key set."`
}

type keyList struct {
	Data []key `json:"data"`
}

// report counts what there is.
type report struct {
	At            time.Time `json:"at" doc:"When it was counted: an hour ago at most."`
	Accounts      int       `json:"accounts"`
	Disabled      int       `json:"disabled" doc:"How many of the accounts are locked."`
	Sessions      int       `json:"sessions"`
	Grants        int       `json:"grants"`
	Applications  int       `json:"applications"`
	Organizations int       `json:"organizations"`
	Events        int       `json:"events"`
	CasesWaiting  int       `json:"cases_waiting"`
	PlansProposed int       `json:"plans_proposed"`
	BreaksOpen    int       `json:"breaks_open"`
	Schema        int       `json:"schema" doc:"The number of the last migration of the database."`
}

func (a *API) serviceRows() []operation {
	return []operation{
		{
			Method: http.MethodGet, Path: "/keys", ID: "listKeys", Title: "List the signing keys", Scope: ScopeApplicationsRead, Spend: reads,
			Text: "What is public of them, and when it is the turn of each.", Out: keyList{}, serve: listKeys,
		},
		{
			Method: http.MethodGet, Path: "/report", ID: "getReport", Title: "Count what there is", Scope: ScopeApplicationsRead, Or: ScopeEventsRead, Spend: reads,
			Out: report{}, serve: getReport,
		},
	}
}

func listKeys(c *call) (response, error) {
	found, err := c.api.Provider.Rooms().Keys.List(c.Context())
	if err != nil {
		return response{}, err
	}
	out := keyList{Data: []key{}}
	for _, k := range found {
		out.Data = append(out.Data, key{ID: k.ID, Alg: k.Alg, Signs: k.Signs, CreatedAt: k.CreatedAt, From: k.From, Until: k.Until, PublishedUntil: k.PublishedUntil})
	}
	return ok(out), nil
}

// reportLife is how long a report is shown: counting reads tables from end to end.
const reportLife = time.Hour

// counted is the last report of this process. Who comes while it is made waits for it.
type counted struct {
	mu   sync.Mutex
	last report
}

func getReport(c *call) (response, error) {
	r := &c.api.counted
	r.mu.Lock()
	defer r.mu.Unlock()
	now := c.now()
	if age := now.Sub(r.last.At); age >= 0 && age < reportLife {
		return ok(r.last), nil
	}
	n, err := c.api.Frame.Store.Report(c.Context(), now)
	if err != nil {
		return response{}, err
	}
	schema, err := c.api.Frame.Store.Schema(c.Context())
	if err != nil {
		return response{}, err
	}
	r.last = asReport(n, now)
	r.last.Schema = schema
	return ok(r.last), nil
}

func asReport(n storage.Report, at time.Time) report {
	return report{
		At: at, Accounts: n.Accounts, Disabled: n.Disabled, Sessions: n.Sessions, Grants: n.Grants, Applications: n.Applications,
		Organizations: n.Organizations, Events: n.Events, CasesWaiting: n.CasesWaiting, PlansProposed: n.PlansProposed, BreaksOpen: n.BreaksOpen,
	}
}
