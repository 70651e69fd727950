package developer

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// pageOfChanges is the number of activity log entries on a page.
const pageOfChanges = 50

// act is what somebody does to an organization, or to an application of it: what the activity
// log records, and what the owners are told.
type act struct {
	by  string // the user, or who stands for one
	org storage.Organization
	app storage.Application
}

// does is the act of the user of a page.
func (r *request) does() act { return act{r.User.UserID, r.org, r.app} }

// record writes an entry to the activity log of the organization, and of the application in
// the path.
func (d *Dashboard) record(r *request, what string, fields []storage.ChangedField) {
	d.recordAct(r.Request.Context(), r.does(), what, fields)
}

// recordAct writes an entry to the activity log of the organization and the application. If
// that fails, the change stands, and the operator's log has the entry.
func (d *Dashboard) recordAct(ctx context.Context, a act, what string, fields []storage.ChangedField) {
	// A caller that disconnects cannot keep a change out of the log.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := d.Store.AppendChange(ctx, storage.Change{
		OrganizationID: a.org.ID, At: d.Clock(), UserID: a.by,
		Environment: a.app.Environment, ClientID: a.app.ClientID, What: what, Fields: bounded(fields),
	})
	if err != nil {
		d.Logger.ErrorContext(ctx, "activity log entry could not be recorded", slog.String("organization", a.org.ID),
			slog.String("user", a.by), slog.String("client", a.app.ClientID), slog.String("what", what), slog.Any("error", err))
	}
}

// shownFields are changed fields for a page.
func shownFields(fields []storage.ChangedField) []screens.ChangedField {
	var shown []screens.ChangedField
	for _, f := range fields {
		shown = append(shown, screens.ChangedField(f))
	}
	return shown
}

// showActivity shows the activity log of an organization.
func (d *Dashboard) showActivity(r *request) error {
	before, _ := strconv.ParseInt(r.asked("before"), 10, 64) // anything else is the first page
	changes, err := d.Store.Changes(r.Request.Context(), storage.ChangeFilter{
		OrganizationID: r.org.ID, BeforeID: max(0, before), Limit: pageOfChanges + 1,
	})
	if err != nil {
		return err
	}
	p, err := d.organizationPage(r, screens.SectionActivity)
	if err != nil {
		return err
	}
	view := screens.ActivityView{Page: p}
	if len(changes) > pageOfChanges {
		changes = changes[:pageOfChanges]
		view.EarlierURL = "?before=" + strconv.FormatInt(changes[pageOfChanges-1].ID, 10)
	}
	people := d.newPeople(r)
	for _, c := range changes {
		who, err := people.account(c.UserID)
		if err != nil {
			return err
		}
		line := screens.Change{At: c.At, Who: who.Email, Program: isProgram(c.UserID), Act: c.What, Application: c.ClientID}
		line.Fields = shownFields(c.Fields)
		view.Changes = append(view.Changes, line)
	}
	r.Render(http.StatusOK, screens.Activity(view))
	return nil
}
