package applications

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// Routes returns the pages of the room.
func (r *Room) Routes() []frame.Route {
	routes := []frame.Route{
		{Path: "/applications", Needs: action.Staff.Operates, Section: desk.SectionApplications, Show: r.showApplications},
		{Path: "/applications/{id}", Needs: action.Staff.Operates, Show: r.showApplication},
		{Path: "/hosts", Needs: action.Staff.Operates, Section: desk.SectionHosts, Show: r.showHosts},
		{Path: "/hosts/{id}", Needs: action.Staff.Operates, Show: r.showHost},
		{Path: "/organizations", Needs: action.Staff.Operates, Section: desk.SectionOrganizations, Show: r.showOrganizations},
		{Path: "/organizations/{id}", Needs: action.Staff.Operates, Show: r.showOrganization},
	}
	if r.Dashboard != nil {
		routes = append(routes, frame.Route{Path: "/reviews", Needs: action.Staff.Operates, Section: desk.SectionReviews, Show: r.showReviews})
	}
	return routes
}

// ReviewRoutes returns the pages of the dashboard on which operators decide, in the frame of a desk
// that users sign in to: to others the dashboard shows them itself.
func (r *Room) ReviewRoutes() (routes []frame.Route) {
	if r.Dashboard == nil {
		return nil
	}
	within := func(answer func(*provider.Screen, developer.Within) error) frame.Handler {
		if answer == nil {
			return nil
		}
		return func(q *frame.Request) error {
			around := func() (ui.Wide, error) {
				page, err := q.Page(desk.SectionReviews)
				return page.Wide(), err
			}
			return answer(q.Screen, developer.Within{ReviewsURL: q.Path("reviews"), Around: around})
		}
	}
	for _, p := range r.Dashboard.ReviewPages() {
		// The dashboard asks for a fresh sign-in itself, and keeps what was entered.
		routes = append(routes, frame.Route{Path: "/reviews" + p.Path, Needs: action.Staff.Operates, Show: within(p.Show), Act: within(p.Act), Mild: frame.Mild})
	}
	return routes
}

// reviewURL is where an application is reviewed.
func (r *Room) reviewURL(q *frame.Request, a storage.Application) string {
	at := ""
	if q.Frame.Admit == nil {
		at = q.Path("reviews")
	}
	return r.Dashboard.ReviewURL(at, a)
}

// maxSought bounds what is sought.
const maxSought = 200

// showApplications lists applications: those of the dashboard by name, all registrations by
// ID, or what was sought.
func (r *Room) showApplications(q *frame.Request) error {
	page, err := q.Page(desk.SectionApplications)
	if err != nil {
		return err
	}
	v := screens.ApplicationsView{Page: page, SearchURL: q.Path("applications"), Search: strings.TrimSpace(q.Query(screens.FieldSearch))}
	if len(v.Search) > maxSought {
		return frame.Malformed("too long a search")
	}
	byID := r.Dashboard == nil || q.Query(screens.FieldAll) != ""
	switch {
	case v.Search != "":
		err = r.search(q, &v)
	case byID:
		if r.Dashboard != nil {
			v.NameURL = v.SearchURL
		}
		err = r.listByID(q, &v)
	default:
		v.AllURL = v.SearchURL + "?" + url.Values{screens.FieldAll: {"1"}}.Encode()
		err = r.listByName(q, &v, storage.ApplicationFilter{Environment: r.environment}, "applications")
	}
	if err != nil {
		return err
	}
	q.Render(http.StatusOK, screens.Applications(v))
	return nil
}

// listByName lists applications of the dashboard, from where the address says.
func (r *Room) listByName(q *frame.Request, v *screens.ApplicationsView, match storage.ApplicationFilter, of ...string) error {
	at, err := q.After(of...)
	if err != nil {
		return err
	}
	match.AfterName, match.After, _ = cut(at)
	match.Limit = frame.Many + 1
	found, err := r.Dashboard.Store.Applications(q.Context(), match)
	if err != nil {
		return err
	}
	if len(found) > frame.Many {
		found = found[:frame.Many]
		last := found[frame.Many-1]
		v.MoreURL = q.NextURL(join(last.Name, last.ClientID), of...)
	}
	rows, err := r.rows(q, found)
	v.Rows = append(v.Rows, rows...)
	return err
}

// listByID lists all registrations, whoever made them.
func (r *Room) listByID(q *frame.Request, v *screens.ApplicationsView) error {
	at, err := q.After("registrations")
	if err != nil {
		return err
	}
	clients, err := r.Provider.Clients().List(q.Context(), at, frame.Many+1)
	if err != nil {
		return err
	}
	if len(clients) > frame.Many {
		clients = clients[:frame.Many]
		v.MoreURL = q.NextURL(clients[frame.Many-1].ID, "registrations")
	}
	for _, c := range clients {
		if err := r.addClient(q, v, c); err != nil {
			return err
		}
	}
	return nil
}

// search finds applications by a part of the name, the whole ID, or the host of a redirect
// address.
func (r *Room) search(q *frame.Request, v *screens.ApplicationsView) error {
	seen := map[string]bool{}
	if q.Query(frame.ParameterAfter) == "" {
		c, err := r.Provider.Rooms().Clients.Listed(q.Context(), v.Search)
		if err != nil && !errors.Is(err, provider.ErrNoClient) {
			return err
		}
		found := []provider.Client{}
		if err == nil {
			found = append(found, c)
		}
		if strings.Contains(v.Search, ".") || v.Search == "localhost" {
			of, err := r.Provider.Rooms().Clients.OfHost(q.Context(), v.Search, "", frame.Many)
			if err != nil {
				return err
			}
			found = append(found, of...)
		}
		for _, c := range found {
			if !seen[c.ID] {
				seen[c.ID] = true
				if err := r.addClient(q, v, c); err != nil {
					return err
				}
			}
		}
	}
	if r.Dashboard == nil {
		return nil
	}
	before := len(v.Rows)
	err := r.listByName(q, v, storage.ApplicationFilter{Environment: r.environment, Search: v.Search}, "applications", v.Search)
	kept := v.Rows[:before]
	for _, row := range v.Rows[before:] {
		if !seen[row.ID] {
			kept = append(kept, row)
		}
	}
	v.Rows = kept
	return err
}

// addClient adds a registration to a list.
func (r *Room) addClient(q *frame.Request, v *screens.ApplicationsView, c provider.Client) error {
	row := screens.ApplicationRow{Name: c.Name, ID: c.ID, URL: q.Path("applications", c.ID), States: clientStates(c)}
	if r.Dashboard != nil {
		app, err := r.Dashboard.Store.Application(q.Context(), r.environment, c.ID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		if err == nil {
			rows, err := r.rows(q, []storage.Application{app})
			v.Rows = append(v.Rows, rows...)
			return err
		}
	}
	unknown, err := r.Provider.Rooms().Hosts.Client(q.Context(), c.ID)
	switch {
	case err == nil:
		row = unknownRow(q, unknown)
	case !errors.Is(err, provider.ErrNoClient):
		return err
	}
	v.Rows = append(v.Rows, row)
	return nil
}

// rows shows applications of the dashboard.
func (r *Room) rows(q *frame.Request, found []storage.Application) (rows []screens.ApplicationRow, err error) {
	names := map[string]string{}
	for _, a := range found {
		name, known := names[a.OrganizationID]
		if !known {
			o, err := r.Dashboard.Store.Organization(q.Context(), a.OrganizationID)
			if err != nil && !errors.Is(err, storage.ErrNotFound) {
				return nil, err
			}
			name, names[a.OrganizationID] = o.Name, o.Name
		}
		c, err := r.Provider.Rooms().Clients.Listed(q.Context(), a.ClientID)
		missing := errors.Is(err, provider.ErrNoClient)
		if err != nil && !missing {
			return nil, err
		}
		row := screens.ApplicationRow{Name: a.Name, ID: a.ClientID, URL: q.Path("applications", a.ClientID), Organization: name}
		switch {
		case a.Deleting:
			row.States = []screens.State{screens.StateDeleting}
		case missing:
			row.States = []screens.State{screens.StateIncomplete}
		default:
			row.States = states(application{client: c, known: true, app: a})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// clientStates are the states of a registration that only the provider knows.
func clientStates(c provider.Client) []screens.State { return states(application{client: c}) }

// states are the states of an application.
func states(a application) (all []screens.State) {
	halted := !slices.Contains([]storage.Halt{storage.HaltNone, storage.HaltOver, storage.HaltAlone}, a.app.Halt)
	switch {
	case halted:
		all = append(all, screens.StateSuspended)
	case a.remembers() && a.isStopped():
		all = append(all, screens.StateStopped)
	case a.client.Disabled:
		all = append(all, screens.StateDisabled)
	default:
		all = append(all, screens.StateActive)
	}
	if a.client.Unreviewed {
		all = append(all, screens.StateUnreviewed)
	}
	if a.app.Review == storage.ReviewAsked {
		all = append(all, screens.StateWaiting)
	}
	return all
}

// showReviews lists what waits for a decision at the dashboard.
func (r *Room) showReviews(q *frame.Request) error {
	page, err := q.Page(desk.SectionReviews)
	if err != nil {
		return err
	}
	at, err := q.After("reviews")
	if err != nil {
		return err
	}
	match := storage.ApplicationFilter{Review: storage.ReviewAsked, Limit: frame.Many + 1}
	match.AfterName, match.After, match.AfterEnvironment = cut(at)
	found, err := r.Dashboard.Store.Applications(q.Context(), match)
	if err != nil {
		return err
	}
	v := screens.ReviewsView{Page: page}
	if len(found) > frame.Many {
		found = found[:frame.Many]
		last := found[frame.Many-1]
		v.MoreURL = q.NextURL(join(last.Name, last.ClientID, last.Environment), "reviews")
	}
	if v.Rows, err = r.rows(q, found); err != nil {
		return err
	}
	for i, a := range found {
		v.Rows[i].URL = r.reviewURL(q, a)
		if a.Environment != r.environment { // its registration is another provider's
			v.Rows[i].States = nil
		}
	}
	q.Render(http.StatusOK, screens.Reviews(v))
	return nil
}

const separator = "\x00"

func join(parts ...string) string { return strings.Join(parts, separator) }

func cut(at string) (first, second, third string) {
	parts := append(strings.Split(at, separator), "", "")
	return parts[0], parts[1], parts[2]
}

// day is the first moment of a day in UTC.
func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// missing is the error of a page about nothing.
func missing(err error) error {
	if errors.Is(err, action.ErrNoTarget) {
		return frame.NotFound
	}
	return err
}
