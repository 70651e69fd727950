package developer

import (
	"net/http"
	"strconv"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// pageOfChanges is the number of activity log entries on a page.
const pageOfChanges = 50

// looked writes that an operator is shown what is about the people behind an application or an
// organization, before it is shown: once a day.
func (d *teamPages) looked(r *request, e provider.Event) error {
	e.Name = event.StaffLooked
	return d.Provider.Rooms().Events.WriteDaily(r.Request.Context(), e)
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
func (d *teamPages) showActivity(r *request) error {
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
