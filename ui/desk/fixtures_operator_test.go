package desk

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var museum = Roster{Name: "Museum", URL: "/desk/rosters/museum", Rows: 2, ImportedAt: audiencetest.Day(2026, time.March, 1), ImportedBy: "Ada"}

var operatorFixtures = []audiencetest.Fixture{
	{Name: "rosters", Render: func(p ui.Page) templ.Component {
		return Rosters(RostersView{Page: page(p, SectionRosters), Rosters: []Roster{museum, {Name: "Shop", URL: "/desk/rosters/shop"}}})
	}},
	{Name: "rosters-none", Render: func(p ui.Page) templ.Component {
		return Rosters(RostersView{Page: page(p, SectionRosters)})
	}},
	{Name: "roster", Render: func(p ui.Page) templ.Component {
		return RosterScreen(RosterView{
			Page: page(p, SectionRosters), Form: audiencetest.Form(), Roster: museum, RostersURL: "/desk/rosters", FileAction: "/here",
			MayPutBack: true, Staged: &Staged{Generation: "17", Replaces: "0", Rows: 17, Added: 1, Vanished: 2, ManyVanish: true, Skipped: 3, ManySkipped: true, Skips: []Skip{{Line: 17, Column: "Museum"}}, Sample: []string{"Museum"}},
		})
	}},
	{Name: "roster-problem", Render: func(p ui.Page) templ.Component {
		return RosterScreen(RosterView{
			Page: page(p, SectionRosters), Form: audiencetest.Form(), Roster: museum, RostersURL: "/desk/rosters", FileAction: "/here",
			Problem: RosterFileWrong, ProblemLine: 17,
		})
	}},
	{Name: "roster-columns", Render: func(p ui.Page) templ.Component {
		return RosterScreen(RosterView{
			Page: page(p, SectionRosters), Form: audiencetest.Form(), Roster: museum, RostersURL: "/desk/rosters", FileAction: "/here",
			Problem: RosterFileWrong, ProblemLine: 1, Wanted: []string{"Museum"}, Found: []string{"Ada"},
		})
	}},
	{Name: "codes", Render: func(p ui.Page) templ.Component {
		return Codes(CodesView{
			Page: page(p, SectionCodes), Form: audiencetest.Form(
				ProblemOf(p.Locale, FieldCount, WrongNumber), ProblemOf(p.Locale, FieldUntil, WrongEndOfCodes),
			),
			Groups: []ui.Option{{Value: "g1", Title: student, Chosen: true}}, Count: "0", Uses: "1", Until: "2026-03-12",
			Batches: []Batch{
				{Name: "Museum", Group: student, Codes: 2, Uses: 2, Used: 1, IssuedBy: "Ada", IssuedAt: audiencetest.Now, EndsAt: due},
				{Name: "Shop", Group: student, Codes: 1, Uses: 1, IssuedBy: "Ada", IssuedAt: audiencetest.Now, EndsAt: audiencetest.Now, Ended: true},
			},
			MoreURL: "/desk/codes?before=1",
		})
	}},
	{Name: "codes-none", Render: func(p ui.Page) templ.Component {
		return Codes(CodesView{Page: page(p, SectionCodes), Form: audiencetest.Form()})
	}},
	{Name: "codes-issued", Render: func(p ui.Page) templ.Component {
		return Issued(IssuedView{Page: page(p, SectionCodes), ReleaseURL: "/desk/codes", Group: student, Codes: []string{"Museum", "Shop"}, Until: due})
	}},
	{Name: "holds", Render: func(p ui.Page) templ.Component {
		return Holds(HoldsView{
			Page: page(p, SectionHolds), Form: audiencetest.Form(ProblemOf(p.Locale, FieldCase, WrongCase)), Case: "c9", Until: "2026-05-01", Reason: "Museum",
			Holds: []Hold{{Case: "c1", Group: student, Until: due, By: "Ada", Reason: "Museum"}}, MoreURL: "/desk/holds?after=c1",
		})
	}},
	{Name: "holds-none", Render: func(p ui.Page) templ.Component {
		return Holds(HoldsView{Page: page(p, SectionHolds), Form: audiencetest.Form()})
	}},
	{Name: "numbers", Render: func(p ui.Page) templ.Component {
		v := NumbersView{Page: page(p, SectionCaseNumbers), Days: 30, Waiting: 2, Oldest: due, Kept: 1, Decided: 2, Overdue: 1}
		for _, s := range []State{StateOpen, StatePending, StateReview, StateApproved, StateDeclined, StateWithdrawn, StateExpired} {
			v.Rows = append(v.Rows, Number{Group: student, Method: student, State: s, Count: 2, Late: 1})
		}
		return Numbers(v)
	}},
	{Name: "numbers-none", Render: func(p ui.Page) templ.Component {
		return Numbers(NumbersView{Page: page(p, SectionCaseNumbers), Days: 30})
	}},
}
