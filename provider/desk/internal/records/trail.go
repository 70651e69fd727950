package records

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// Room serves the pages.
type Room struct {
	Provider *provider.Provider
	// Matters are what the staff looks for.
	Matters storage.Matters
}

// Routes returns the pages of the room.
func (r *Room) Routes() []frame.Route {
	return []frame.Route{
		{Path: "/trail", Needs: action.Staff.Audits, Section: desk.SectionTrail, Show: r.showTrail},
		{Path: "/trail.csv", Needs: action.Staff.Audits, Show: r.export(asCSV)},
		{Path: "/trail.jsonl", Needs: action.Staff.Audits, Show: r.export(asJSON)},
		{Path: "/looks", Needs: action.Staff.Audits, Section: desk.SectionLooks, Show: r.showLooks, Act: r.release},
	}
}

// list reads events of a filter before one of this ID.
func (r *Room) list(ctx context.Context, f filter, before int64, limit int) ([]provider.RecordedEvent, error) {
	if f.nothing || f.wrong != "" {
		return nil, nil
	}
	match := f.match
	match.Before, match.Limit = before, limit
	return r.Provider.Events().List(ctx, match)
}

// showTrail shows a part of the audit log.
func (r *Room) showTrail(q *frame.Request) error {
	f, err := readFilter(q.Request.URL.Query())
	if err != nil {
		return err
	}
	page, err := q.Page(desk.SectionTrail)
	if err != nil {
		return err
	}
	at, err := q.After(f.names()...)
	if err != nil {
		return err
	}
	before, _ := strconv.ParseInt(at, 10, 64) // an empty one is the first page, and no other opens
	if err := q.Looked("", f.read(event.StaffLooked, "trail")); err != nil {
		return err
	}
	events, err := r.list(q.Context(), f, before, frame.Many+1)
	if err != nil {
		return err
	}
	v := screens.TrailView{Page: page, URL: q.Path("trail"), Filter: f.TrailFilter, Wrong: f.wrong, Filtered: len(f.values()) > 0}
	if len(events) > frame.Many {
		events = events[:frame.Many]
		next := f.values()
		next.Set(frame.ParameterAfter, q.Next(strconv.FormatInt(events[frame.Many-1].ID, 10), f.names()...))
		v.EarlierURL = "?" + next.Encode()
	}
	for _, e := range events {
		v.Lines = append(v.Lines, line(f, e.Event))
	}
	if len(events) > 0 {
		query := f.values().Encode()
		if q.Staff.Operates() && query != "" {
			v.PlanURL = q.Path("plans", "new") + "?" + url.Values{desk.FieldLines: {query}}.Encode()
		}
		v.CSVURL, v.JSONURL = q.Path("trail.csv")+"?"+query, q.Path("trail.jsonl")+"?"+query
	}
	status := http.StatusOK
	if f.wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	q.Render(status, screens.Trail(v))
	return nil
}

// line shows an event. Every value leads to the events that have it, too.
func line(f filter, e provider.Event) screens.Line {
	return screens.Line{
		At: e.At, Event: e.Name, Detail: e.Detail, Person: e.UserID, Application: e.ClientID, Staff: e.Actor, Matter: e.Matter, Network: e.Address,
		EventURL: f.with(screens.FieldEvent, e.Name), PersonURL: f.with(screens.FieldPerson, e.UserID),
		ApplicationURL: f.with(screens.FieldApplication, e.ClientID), StaffURL: f.with(screens.FieldStaff, e.Actor),
		MatterURL: f.with(screens.FieldMatter, e.Matter), NetworkURL: f.with(screens.FieldNetwork, e.Address),
	}
}
