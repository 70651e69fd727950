// Package people is the room in which the staff looks at one person: the find, the matter, what
// the caller has proved, and the parts of the person. Nothing is shown without an open matter
// about the person, and what is personal is masked.
package people

import (
	"errors"
	"sync"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/desk/internal/person"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
	views "github.com/bonafide-id/bonafide/ui/desk/person"
)

// Options are what the room is made with. Verification is nil without cases, Dashboard without
// logs of applications.
type Options struct {
	Frame        *frame.Frame
	Book         *action.Book
	Host         person.Host
	Verification *verification.Service
	Dashboard    *developer.Dashboard
}

// Room is the room. Create one with New.
type Room struct {
	Options

	// misses counts for each member of the staff, in this process, who was not found in a row.
	mu     sync.Mutex
	misses map[string]int
}

// New returns the room.
func New(o Options) *Room {
	d := &Room{Options: o, misses: map[string]int{}}
	o.Frame.Dress(d.bar)
	return d
}

// Routes returns the pages of the room.
func (d *Room) Routes() []frame.Route {
	helps := action.Staff.Helps
	routes := []frame.Route{
		{Path: "/find", Section: screens.SectionFind, Needs: helps, Show: d.showFind, Act: d.find, Mild: frame.Mild},
		{Path: "/matters", Needs: helps, Act: d.open, Mild: frame.Mild},
		{Path: "/matters/{matter}/close", Needs: helps, Act: d.close, Mild: frame.Mild},
		{Path: "/matters/{matter}/proof", Needs: helps, Show: d.showProof, Act: d.prove, Power: true},
		{Path: "/matters/{matter}", Needs: helps, Show: d.part(views.PartOverview, d.overview)},
	}
	for _, p := range d.parts() {
		routes = append(routes, frame.Route{Path: "/matters/{matter}/" + string(p.name), Needs: helps, Show: d.part(p.name, p.cards)})
	}
	return routes
}

// partOf is a part of a person with what fills it.
type partOf struct {
	name  views.Part
	cards func(*look) error
}

// parts are those that there are here.
func (d *Room) parts() []partOf {
	parts := []partOf{{views.PartOverview, d.overview}, {views.PartAccount, d.account}}
	if d.Frame.Provider.Rooms().Installation().HasAccounts {
		parts = append(parts, partOf{views.PartFactors, d.factors}, partOf{views.PartSessions, d.sessions})
	}
	parts = append(parts, partOf{views.PartApplications, d.applications}, partOf{views.PartGroups, d.groups})
	if d.Verification != nil {
		parts = append(parts, partOf{views.PartCases, d.cases})
	}
	return append(parts, partOf{views.PartHistory, d.history}, partOf{views.PartActions, d.actions})
}

// Name is what a person is called on a form: by the masked address.
func (d *Room) Name(r *frame.Request, id string) (ui.Label, error) {
	account, err := d.Frame.Provider.Accounts().Get(r.Context(), id)
	if err == nil {
		return chosen(frame.MaskEmail(account.Email)), nil
	}
	if !errors.Is(err, provider.ErrNoUser) {
		return ui.Label{}, err
	}
	return chosen(id), nil
}
