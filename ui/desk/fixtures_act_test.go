package desk

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

func act(p ui.Page, name string, change func(*ActView)) templ.Component {
	v := ActView{
		Page: page(p, SectionFind), Form: audiencetest.Form(), Name: name, Target: student, BackURL: "/desk/matters/m1",
		Checked: true, Facts: []ActFact{{"sessions", "3"}, {"applications", "2"}}, Revision: "3.1",
	}
	change(&v)
	return Act(v)
}

var actFixtures = []audiencetest.Fixture{
	{Name: "act", Render: func(p ui.Page) templ.Component { return act(p, "lock", func(*ActView) {}) }},
	{Name: "act-asks", Render: func(p ui.Page) templ.Component {
		return act(p, "change_email", func(v *ActView) {
			v.Checked, v.Facts, v.Entries = false, nil, []ActValue{{Name: "email"}, {Name: "group", Options: []ui.Option{{Value: "a", Label: "Ada"}}}}
			v.Form = audiencetest.Form(ProblemOf(p.Locale, "email", WrongMissing))
		})
	}},
	{Name: "act-plan", Render: func(p ui.Page) templ.Component {
		return act(p, "change_email", func(v *ActView) {
			form := audiencetest.Form()
			v.Values, v.Needs, v.PlanForm, v.BreakURL = []ActValue{{Name: "email", Value: "ada@example.com"}}, NeedsEyes, &form, "/desk/breaks/new"
		})
	}},
	{Name: "act-proof", Render: func(p ui.Page) templ.Component {
		return act(p, "unlock", func(v *ActView) { v.Needs, v.ProofURL = NeedsMailbox, "/desk/matters/m1/proof" })
	}},
	{Name: "act-void", Render: func(p ui.Page) templ.Component {
		return act(p, "unlock", func(v *ActView) { v.Void, v.Facts, v.Target = "not_locked", nil, ui.Label{} })
	}},
	{Name: "shown", Render: func(p ui.Page) templ.Component {
		return Shown(ShownView{Page: page(p, SectionFind), Name: "show_value", Target: student, Of: student, Value: "Ada Lovelace", BackURL: "/desk/matters/m1"})
	}},
}
