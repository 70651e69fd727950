package person

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// What people, applications and browsers choose, and what the staff writes.
var (
	foul    = ui.Label{Text: audiencetest.Hostile, Lang: ui.Undetermined}
	endless = ui.Label{Text: audiencetest.Endless, Lang: ui.Undetermined}
)

var hostileFixtures = []audiencetest.Fixture{
	{Name: "applications-hostile", Render: func(p ui.Page) templ.Component {
		return Person(PartView{
			Page: inMatter(p, func(v *BarView) {
				v.Reason, v.Ticket, v.Note, v.Mailbox = endless, audiencetest.Endless, audiencetest.Hostile, until
			}),
			Head: headOf(StateLocked, StateDeletion), Part: PartApplications, MoreURL: "/desk/x",
			Cards: []Card{
				{Title: foul, Rows: []Row{{Name: RowAllowed, At: until}, {Name: RowReceived, Labels: []ui.Label{endless, foul, endless}}, {Name: RowCalled, Text: audiencetest.LongID}},
					Acts: []ActLink{{Name: "revoke_application", URL: "/desk/x", Of: audiencetest.Endless}}},
				{Title: endless, Rows: []Row{{Name: RowAllowed, At: until}}, Acts: []ActLink{{Name: "revoke_application", URL: "/desk/x"}}},
			},
		})
	}},
	{Name: "history-hostile", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartHistory, Cards: []Card{
			{Code: "registration_access_token_refused", Rows: []Row{
				{Name: RowAt, At: until}, {Name: RowBy, By: ByClient}, {Name: RowApplication, Text: audiencetest.LongID}, {Name: RowDetail, Text: audiencetest.Hostile},
				{Name: RowNetwork, Text: "2001:db8:ffff::/48"},
			}},
		}})
	}},
	{Name: "open-hostile", Render: func(p ui.Page) templ.Component {
		return Open(OpenView{
			Page: page(p), Form: audiencetest.Form(), Person: "sealed",
			Reasons: []ui.Option{{Value: "a", Label: audiencetest.Hostile}, {Value: "b", Label: audiencetest.Endless}},
		})
	}},
	{Name: "find-hostile", Render: func(p ui.Page) templ.Component {
		return Find(FindView{
			Page: page(p), Form: audiencetest.Form(ProblemOf(p.Locale, desk.FieldSought, WrongNobody)), Sought: audiencetest.Hostile,
			Ways: audiencetest.Endless + " – " + audiencetest.Endless, Matters: []desk.OpenMatter{{URL: "/desk/matters/m1", Reason: endless, Ticket: audiencetest.LongID, EndsAt: until}},
		})
	}},
}
