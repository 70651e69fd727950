package plans

import (
	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// What the staff writes, the names of members, and the IDs that a host gives its people.
var hostileFixtures = []audiencetest.Fixture{
	{Name: "list-hostile", Render: func(p ui.Page) templ.Component {
		v := PlansView{Page: page(p), NewURL: "/desk/plans/new"}
		for _, by := range []string{audiencetest.Hostile, audiencetest.Endless} {
			r := row(StateWaiting)
			r.By, r.Targets = by, 10_000
			v.Plans = append(v.Plans, r)
		}
		return Plans(v)
	}},
	{Name: "plan-hostile", Render: func(p ui.Page) templ.Component {
		v := planView(p, StateRunning)
		v.Note, v.Values = audiencetest.Hostile, []Value{{Name: "group", Value: audiencetest.Endless}}
		v.Facts = []desk.ActFact{{Name: "application", Value: audiencetest.Endless}}
		v.Row.By, v.Row.Targets, v.Row.Done, v.Row.Skipped = audiencetest.Endless, 10_000, 7_500, 2_000
		v.DecidedBy, v.DecidedAt, v.MayStop = audiencetest.Endless, now, true
		v.First = nil
		for n := range 50 {
			v.First = append(v.First, Target{Number: n + 1, ID: audiencetest.LongID, State: TargetSkipped, Why: "changed"})
		}
		return Plan(v)
	}},
	{Name: "breaks-hostile", Render: func(p ui.Page) templ.Component {
		return Breaks(BreaksView{Page: page(p), Form: audiencetest.Form(), OtherURL: "/desk/breaks", Breaks: []Break{{
			ID: "b1", By: audiencetest.Endless, At: now, Action: "lock", Target: audiencetest.LongID, Sentence: audiencetest.Hostile + audiencetest.Endless, Overdue: true, MaySignOff: true,
		}}})
	}},
}
