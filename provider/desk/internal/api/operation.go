package api

import (
	"net/http"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// operation is one row of the table.
type operation struct {
	// Method and Path are those of [http.ServeMux], the path below the API's.
	Method, Path string

	// ID names the operation in the OpenAPI document, and in the code that is made of it. Title
	// and Text are for its readers.
	ID, Title, Text string

	// Scope is the one that a token needs, or else Or.
	Scope, Or string

	// Spend is the limit that it counts for.
	Spend spend

	// Query are the parameters of its address. Any other is refused.
	Query []parameter

	// Paged adds those of a page of a list.
	Paged bool

	// Matter demands an open matter about the person of the path.
	Matter bool

	// Act demands an Idempotency-Key, and Match the revision that was looked at.
	Act, Match bool

	// Revises reports that its response has the revision of what it shows.
	Revises bool

	// In is a struct like its body, nil for none; Fields are those of an action in its place.
	In     any
	Fields *fields

	// MaxBody is how large a body may be. Defaults to maxBody.
	MaxBody int64

	// Patience is the time limit of its path for POST. Defaults to that of all programs.
	Patience time.Duration

	// Out is a struct like its response, whose status is Status: 200 unless it says otherwise.
	Out    any
	Status int

	// Problems are the kinds that it has beside those of all operations like it.
	Problems []kind

	serve func(*call) (response, error)
}

// parameter is one of the address.
type parameter struct {
	name, doc string
	enum      []string
	// format is date-time for a time, or empty.
	format string
}

// spend is a limit of a client.
type spend struct {
	name  string
	limit provider.Limit
	says  string
}

// The limits of a client.
var (
	reads = spend{"desk_api_read", provider.Limit{Burst: 600, Every: minute / 600}, "600 reads a minute"}
	acts  = spend{"desk_api_act", provider.Limit{Burst: 60, Every: minute / 60}, "60 acts a minute"}
	finds = spend{"desk_api_find", provider.Limit{Burst: 300, Every: 60 * minute / 300}, "600 finds an hour"}
)

// table returns every operation.
func (a *API) table() (all []operation) {
	for _, rows := range [][]operation{
		a.matterRows(), a.proofRows(), a.peopleRows(), a.actionRows(), a.planRows(), a.applicationRows(), a.hostRows(), a.receiverRows(), a.organizationRows(), a.caseRows(), a.recordRows(), a.checkpointRows(), a.serviceRows(),
	} {
		all = append(all, rows...)
	}
	for i := range all {
		o := &all[i]
		if o.Status == 0 {
			o.Status = http.StatusOK
		}
		if o.MaxBody == 0 {
			o.MaxBody = maxBody
		}
	}
	return all
}

// hasBody reports whether a request has a body.
func (o operation) hasBody() bool { return o.In != nil || o.Fields != nil }
