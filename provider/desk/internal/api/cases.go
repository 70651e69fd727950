package api

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// waitingCase is what may be known of a case before a reviewer takes it: no person.
type waitingCase struct {
	ID        string    `json:"id"`
	Group     string    `json:"group"`
	Method    string    `json:"method,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	DueAt     time.Time `json:"due_at"`
	Escalated bool      `json:"escalated"`
	Renewal   bool      `json:"renewal"`

	Unreadable bool `json:"unreadable,omitempty" doc:"Its content cannot be decrypted, as after damage: nobody can decide it."`
}

// caseNumber counts cases.
type caseNumber struct {
	Group  string    `json:"group"`
	Method string    `json:"method,omitempty"`
	State  string    `json:"state"`
	Count  int       `json:"count" doc:"Those of the last 30 days."`
	Late   int       `json:"late" doc:"Those of them that were decided too late, or are overdue."`
	Oldest time.Time `json:"oldest,omitzero" doc:"Since when the oldest waits."`
}

type caseNumbers struct {
	Data []caseNumber `json:"data"`
}

func (a *API) caseRows() []operation {
	if a.Verification == nil {
		return nil
	}
	return []operation{
		{
			Method: http.MethodGet, Path: "/cases", ID: "listCases", Title: "List cases that wait for a reviewer", Scope: ScopeCases, Spend: reads,
			Query: []parameter{{name: "group", doc: "The name of a group."}}, Paged: true, Out: rows[waitingCase]{}, serve: listCases,
		},
		{
			Method: http.MethodGet, Path: "/cases/numbers", ID: "countCases", Title: "Count the cases of the last 30 days", Scope: ScopeCases, Spend: reads,
			Out: caseNumbers{}, serve: countCases,
		},
	}
}

func listCases(c *call) (response, error) {
	limit, after, err := c.page()
	if err != nil {
		return response{}, err
	}
	found, err := c.api.Verification.Cases(c.Context(), storage.CaseFilter{
		Group: c.URL.Query().Get("group"), State: storage.CaseReview, BeforeID: after, Limit: limit,
	})
	if err != nil {
		return response{}, err
	}
	all := make([]waitingCase, len(found))
	for i, k := range found {
		all[i] = waitingCase{
			ID: k.ID, Group: k.Group, Method: k.Method, CreatedAt: k.CreatedAt, DueAt: k.DueAt, Escalated: k.Escalated, Renewal: k.Renewal,
			Unreadable: k.Unreadable,
		}
	}
	return listed(c, all, limit, func(last waitingCase) string { return last.ID }), nil
}

// period is how many days numbers are about.
const period = 30

func countCases(c *call) (response, error) {
	now := c.now()
	counted, err := c.api.Verification.Store.CaseNumbers(c.Context(), now.AddDate(0, 0, -period), now)
	if err != nil {
		return response{}, err
	}
	out := caseNumbers{Data: []caseNumber{}}
	for _, n := range counted {
		out.Data = append(out.Data, caseNumber{Group: n.Group, Method: n.Method, State: string(n.State), Count: n.Count, Late: n.Late, Oldest: n.Oldest})
	}
	return ok(out), nil
}
