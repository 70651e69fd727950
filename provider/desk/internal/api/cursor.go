package api

import (
	"strconv"
)

// The parameters of a page of a list.
const (
	parameterAfter = "after"
	parameterLimit = "limit"
)

// The rows of a page of a list.
const (
	usualRows = 50
	mostRows  = 200
)

// page are the parameters of a page of a list.
var page = []parameter{
	{name: parameterLimit, doc: "How many rows, 1 to 200. Defaults to 50."},
	{name: parameterAfter, doc: "Where the page begins: `next` of the one before."},
}

// parameters are all that the address of an operation may have.
func (o *operation) parameters() []parameter {
	if o.Paged {
		return append(o.Query[:len(o.Query):len(o.Query)], page...)
	}
	return o.Query
}

// page returns how many rows a page has and where it begins: empty for the first one.
func (c *call) page() (limit int, after string, err error) {
	limit = usualRows
	if text := c.URL.Query().Get(parameterLimit); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostRows {
			return 0, "", fail(kindRequest, "The parameter limit is a number from 1 to 200.")
		}
	}
	after, opens := c.api.Frame.OpenCursor(c.list(), c.URL.Query().Get(parameterAfter))
	if !opens {
		return 0, "", fail(kindCursor, "")
	}
	return limit, after, nil
}

// list names the list that a cursor is good for: of this client, with this filter.
func (c *call) list() []string {
	query := c.URL.Query()
	query.Del(parameterAfter)
	query.Del(parameterLimit)
	return []string{"api", c.client, c.below(), query.Encode()}
}

// rows is a page of a list.
type rows[T any] struct {
	Data []T    `json:"data" doc:"The rows."`
	Next string `json:"next,omitempty" doc:"What to send as after for the next page; missing on the last one."`
}

// pageOf is a page of a list: rows that read returns, as they are shown.
func pageOf[S, T any](c *call, read func(limit int, after string) ([]S, error), as func(S) T, at func(last T) string) (response, error) {
	limit, after, err := c.page()
	if err != nil {
		return response{}, err
	}
	found, err := read(limit, after)
	if err != nil {
		return response{}, err
	}
	all := make([]T, len(found))
	for i, one := range found {
		all[i] = as(one)
	}
	return listed(c, all, limit, at), nil
}

// listed is a page of rows. There may be more if it is full: then at is where the next one
// begins.
func listed[T any](c *call, all []T, limit int, at func(last T) string) response {
	return listedAs(c, all, len(all) == limit, func() string { return at(all[len(all)-1]) })
}

// listedAs is a page of rows with another one behind it if more.
func listedAs[T any](c *call, all []T, more bool, at func() string) response {
	p := rows[T]{Data: all}
	if p.Data == nil {
		p.Data = []T{}
	}
	if more && len(all) > 0 {
		p.Next = c.api.Frame.Cursor(c.list(), at())
	}
	return response{body: p, next: p.Next}
}
