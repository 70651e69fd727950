package records

import (
	"context"
	"net/url"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
)

// mostLines is how many lines are read at most to find whom they are about.
const mostLines = 100_000

// Whom returns the people or the applications whom the lines of a filter are about, each once,
// the latest first. It is that of the query of a page of the audit log. more reports that there
// are more than most of them, or more lines than are read for it: a list is whole or none.
func (r *Room) Whom(ctx context.Context, query string, kind action.Kind, most int) (ids []string, more bool, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, false, frame.Malformed("not a filter")
	}
	f, err := readFilter(values)
	if err != nil {
		return nil, false, err
	}
	if f.wrong != "" || len(f.values()) == 0 {
		return nil, false, frame.Malformed("a filter with a wrong value, or without any")
	}
	if f.nothing {
		return nil, false, nil
	}
	return r.Of(ctx, f.match, kind, most)
}

// Of is Whom for a filter of the audit log.
func (r *Room) Of(ctx context.Context, match provider.EventFilter, kind action.Kind, most int) (ids []string, more bool, err error) {
	seen := map[string]bool{}
	match.Limit = batch
	for read := 0; ; {
		events, err := r.Provider.Events().List(ctx, match)
		if err != nil {
			return nil, false, err
		}
		for _, e := range events {
			match.Before = e.ID
			if id := subjectOf(e, kind); id != "" && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
		read += len(events)
		switch {
		case len(ids) > most:
			return nil, true, nil
		case len(events) < batch:
			return ids, false, nil
		case read >= mostLines:
			return nil, true, nil
		}
	}
}

// subjectOf returns what of a kind a line is about.
func subjectOf(e provider.RecordedEvent, kind action.Kind) string {
	switch kind {
	case action.Person:
		return e.UserID
	case action.Application:
		return e.ClientID
	}
	return ""
}
