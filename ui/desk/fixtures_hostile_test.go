package desk

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// What people send as evidence says of itself, and what the staff and a host name things.
var (
	foul    = ui.Label{Text: audiencetest.Hostile, Lang: ui.Undetermined}
	endless = ui.Label{Text: audiencetest.Endless, Lang: ui.Undetermined}
)

var hostileFixtures = []audiencetest.Fixture{
	{Name: "home-hostile", Render: func(p ui.Page) templ.Component {
		find := audiencetest.Form()
		return Home(HomeView{
			Page: page(p, SectionHome), Find: &find, Ways: audiencetest.Endless,
			Matters: []OpenMatter{{URL: "/desk/matters/m1", Reason: endless, Ticket: audiencetest.Hostile, EndsAt: audiencetest.Now}},
			Tasks:   []Task{{Kind: TaskPlans, Count: 1_000_000, URL: "/desk/plans"}},
		})
	}},
	{Name: "act-hostile", Render: func(p ui.Page) templ.Component {
		return act(p, "change_email", func(v *ActView) {
			v.Target, v.Facts = endless, []ActFact{{"application", audiencetest.Hostile}, {"session", audiencetest.Endless}}
			v.Values = []ActValue{{Name: "email", Value: audiencetest.LongID + "@" + audiencetest.LongID + ".example"}}
		})
	}},
	{Name: "shown-hostile", Render: func(p ui.Page) templ.Component {
		return Shown(ShownView{Page: page(p, SectionFind), Name: "show_value", Target: endless, Of: foul, Value: audiencetest.Hostile + audiencetest.LongID, BackURL: "/desk/matters/m1"})
	}},
	{Name: "inbox-hostile", Render: func(p ui.Page) templ.Component {
		return Inbox(InboxView{Page: page(p, SectionInbox), Form: audiencetest.Form(), Cases: []Waiting{
			{ID: "c2", Group: endless, Method: foul, Due: due, Late: true, Appeal: true, Taken: true, Renewal: true, Escalated: true},
		}})
	}},
	{Name: "case-hostile", Render: func(p ui.Page) templ.Component {
		v := caseView(p)
		v.Person, v.Source, v.Group, v.Method = audiencetest.Hostile, audiencetest.Endless, endless, foul
		v.Found, v.Facts = []ui.Label{endless}, []ui.Label{foul}
		v.Evidence[0].Title, v.Evidence[1].Programs = endless, []string{audiencetest.Hostile, audiencetest.Endless}
		return Case(v)
	}},
	{Name: "codes-hostile", Render: func(p ui.Page) templ.Component {
		return Codes(CodesView{Page: page(p, SectionCodes), Form: audiencetest.Form(), Groups: []ui.Option{{Value: "g1", Title: endless}}, Batches: []Batch{
			{Name: audiencetest.Hostile, Group: endless, Codes: 10_000, Uses: 10_000, Used: 10_000, IssuedBy: audiencetest.Endless, IssuedAt: audiencetest.Now, EndsAt: due},
		}})
	}},
	{Name: "holds-hostile", Render: func(p ui.Page) templ.Component {
		return Holds(HoldsView{Page: page(p, SectionHolds), Form: audiencetest.Form(), Holds: []Hold{
			{Case: audiencetest.LongID, Group: endless, Until: due, By: audiencetest.Endless, Reason: audiencetest.Hostile},
		}})
	}},
	{Name: "rosters-hostile", Render: func(p ui.Page) templ.Component {
		return Rosters(RostersView{Page: page(p, SectionRosters), Rosters: []Roster{
			{Name: audiencetest.Endless, URL: "/desk/rosters/c1", Rows: 10_000_000, ImportedAt: audiencetest.Now, ImportedBy: audiencetest.Hostile},
		}})
	}},
}
