package applications

import (
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui/desk"
	screens "github.com/bonafide-id/bonafide/ui/desk/service"
)

// The parameters of the address that say where the lists of the page of organizations begin.
const (
	afterOwnerless = "ownerless_after"
	afterSuspended = "suspended_after"
	afterFound     = "found_after"
)

// showOrganizations lists organizations: those that were sought, those without an owner, and
// those that are suspended.
func (r *Room) showOrganizations(q *frame.Request) error {
	page, err := q.Page(desk.SectionOrganizations)
	if err != nil {
		return err
	}
	v := screens.OrganizationsView{Page: page, SearchURL: q.Path("organizations"), Search: strings.TrimSpace(q.Query(screens.FieldSearch)), NoDashboard: r.Dashboard == nil}
	if len(v.Search) > maxSought {
		return frame.Malformed("too long a search")
	}
	if r.Dashboard != nil {
		err = r.addOrganizations(q, &v)
	}
	if err != nil {
		return err
	}
	q.Render(http.StatusOK, screens.Organizations(v))
	return nil
}

func (r *Room) addOrganizations(q *frame.Request, v *screens.OrganizationsView) error {
	ctx, store := q.Context(), r.Dashboard.Store
	at, err := q.AfterIn(afterOwnerless, afterOwnerless)
	if err != nil {
		return err
	}
	ownerless, err := store.Ownerless(ctx, at, frame.Few+1)
	if err != nil {
		return err
	}
	if len(ownerless) > frame.Few {
		ownerless = ownerless[:frame.Few]
		v.OwnerlessMoreURL = from(q, afterOwnerless, q.Next(ownerless[frame.Few-1].ID, afterOwnerless))
	}
	for _, o := range ownerless {
		row := organizationRow(q, o.Organization, true)
		row.Applications = o.Applications
		v.Ownerless = append(v.Ownerless, row)
	}
	if at, err = q.AfterIn(afterSuspended, afterSuspended); err != nil {
		return err
	}
	stopped, err := store.Organizations(ctx, storage.OrganizationFilter{Stopped: true}, at, frame.Few+1)
	if err != nil {
		return err
	}
	v.Suspended, v.SuspendedMoreURL = organizationRows(q, stopped, afterSuspended)
	if v.Search == "" {
		return nil
	}
	if at, err = q.AfterIn(afterFound, afterFound, v.Search); err != nil {
		return err
	}
	found, err := store.Organizations(ctx, storage.OrganizationFilter{Search: v.Search}, at, frame.Few+1)
	if err != nil {
		return err
	}
	v.Found, v.FoundMoreURL = organizationRows(q, found, afterFound, v.Search)
	return nil
}

// organizationRows shows a page of organizations, and the address of the next: of the list of this
// parameter, with what it was filtered by.
func organizationRows(q *frame.Request, found []storage.Organization, parameter string, by ...string) (rows []screens.OrganizationRow, more string) {
	if len(found) > frame.Few {
		found = found[:frame.Few]
		more = from(q, parameter, q.Next(found[frame.Few-1].ID, append([]string{parameter}, by...)...))
	}
	for _, o := range found {
		rows = append(rows, organizationRow(q, o, false))
	}
	return rows, more
}

func organizationRow(q *frame.Request, o storage.Organization, ownerless bool) screens.OrganizationRow {
	row := screens.OrganizationRow{Name: o.Name, ID: o.ID, URL: q.Path("organizations", o.ID), Applications: -1}
	if ownerless {
		row.States = append(row.States, screens.StateOwnerless)
	}
	if !o.Stopped.At.IsZero() {
		row.States = append(row.States, screens.StateSuspended)
	}
	return row
}

// from is the address of the same page with a list that begins elsewhere.
func from(q *frame.Request, parameter, at string) string {
	query := q.Request.URL.Query()
	query.Set(parameter, at)
	return "?" + query.Encode()
}

// showOrganization shows an organization.
func (r *Room) showOrganization(q *frame.Request) error {
	o, err := r.organization(q.Context(), q.Value("id"))
	if err != nil {
		return missing(err)
	}
	page, err := q.Page(desk.SectionOrganizations)
	if err != nil {
		return err
	}
	if err := q.Looked("", provider.Event{Name: event.StaffLooked, Detail: "organization " + o.ID}); err != nil {
		return err
	}
	v := screens.OrganizationView{
		Page: page, OrganizationRow: organizationRow(q, o.Organization, owners(o.members) == 0), ListURL: q.Path("organizations"),
		Created: o.CreatedAt, SuspendedAt: o.Stopped.At, Reason: o.Stopped.Reason,
		Acts: r.acts(q, action.Organization, "organizations", o.ID),
	}
	for _, m := range o.members {
		v.Members = append(v.Members, screens.Member{ID: m.UserID, Role: screens.Role(m.Role), Joined: m.JoinedAt})
	}
	apps := screens.ApplicationsView{}
	err = r.listByName(q, &apps, storage.ApplicationFilter{Environment: r.environment, OrganizationID: o.ID}, "applications of", o.ID)
	if err != nil {
		return err
	}
	v.Apps, v.MoreURL = apps.Rows, apps.MoreURL
	q.Render(http.StatusOK, screens.OrganizationScreen(v))
	return nil
}
