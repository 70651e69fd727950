// Package inbox is the room of those who work with verification: reviewers, who decide about
// cases, and operators, who look after rosters, codes, holds and numbers. All that is decided
// goes through the verbs of the service, which hold the rules in the write: nobody decides
// their own case, twice in a round, or a case that they have not taken.
package inbox

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// Inbox is the room. Create one with New.
type Inbox struct {
	Verification *verification.Service
	frame        *frame.Frame
	provider     *provider.Provider
}

// New returns the room of a service.
func New(f *frame.Frame, service *verification.Service) *Inbox {
	d := &Inbox{Verification: service, frame: f, provider: f.Provider}
	f.Handle("/rosters/{roster}/file", d.rosterFile())
	f.Offer(d.tasks)
	return d
}

// request is a request of a member of the staff, as the service knows them.
type request struct {
	*frame.Request
	by storage.Reviewer
}

// posted returns a field of the posted form as it was sent.
func (r *request) posted(name string) string { return r.Screen.Request.PostForm.Get(name) }

// as returns the handler for the frame.
func as(h func(*request) error) frame.Handler {
	return func(r *frame.Request) error { return h(&request{r, reviewer(r)}) }
}

// reviewer is how the service knows a member of the staff.
func reviewer(r *frame.Request) storage.Reviewer {
	return storage.Reviewer{ID: r.Staff.ID, Subject: r.User.UserID, Groups: r.Staff.Groups, Senior: slices.Contains(r.Staff.Roles, action.Senior)}
}

// Routes returns the pages of the room. The file of a roster has one of its own: see
// rosterFile.
func (d *Inbox) Routes() []frame.Route {
	reviews, operates := action.Staff.Reviews, action.Staff.Operates
	return []frame.Route{
		{Path: "/cases", Section: "inbox", Needs: reviews, Show: as(d.showInbox), Act: as(d.takeFromInbox), Mild: frame.Mild},
		{Path: "/case/{case}", Needs: reviews, Show: as(d.showCase), Act: as(d.decide), Mild: frame.Mild},
		{Path: "/evidence/{sealed}", Needs: reviews, Show: as(d.serveEvidence)},
		{Path: "/rosters", Section: "rosters", Needs: operates, Show: as(d.showRosters)},
		{Path: "/rosters/{roster}", Needs: operates, Show: as(d.showRoster), Act: as(d.changeRoster), Power: true},
		{Path: "/codes", Section: "codes", Needs: operates, Show: as(d.showCodes), Act: as(d.changeCodes), Power: true},
		{Path: "/holds", Section: "holds", Needs: operates, Show: as(d.showHolds), Act: as(d.changeHold), Power: true},
		{Path: "/cases/numbers", Section: "case_numbers", Needs: operates, Show: as(d.showNumbers)},
	}
}
