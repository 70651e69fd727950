package plans

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// page is a page of plans around a sample page.
func page(p ui.Page) Page {
	p.Client = ui.Client{}
	d := desk.Page{Page: p, HomeURL: "/desk/", Account: audiencetest.Ada, AccountURL: "/account"}
	for _, area := range desk.Areas() {
		one := desk.AreaLink{Area: area.Area, Current: area.Area == desk.AreaPeople}
		for _, s := range area.Sections {
			one.Sections = append(one.Sections, desk.SectionLink{Section: s, URL: "/desk/" + string(s), Current: s == desk.SectionPlans})
		}
		d.Areas = append(d.Areas, one)
	}
	return Page{Page: d}
}

var (
	now  = audiencetest.Now
	soon = now.Add(20 * time.Hour)
)

func row(s State) Row {
	r := Row{URL: "/desk/plans/p1", Action: "lock", State: s, Targets: 3, By: "Ada", At: now, Until: soon}
	if s == StateRunning || s == StateStopped || s == StateDone {
		r.Done, r.Skipped = 1, 1
	}
	return r
}

var (
	facts  = []desk.ActFact{{Name: "sessions", Value: "3"}}
	values = []Value{{Name: "group", Value: "Museum"}}
	left   = []Left{{Why: "changed", Count: 1}, {Why: "gone", Count: 2}}
)

var fixtures = slices.Concat(plainFixtures, hostileFixtures)

var plainFixtures = []audiencetest.Fixture{
	{Name: "list", Render: func(p ui.Page) templ.Component {
		v := PlansView{Page: page(p), NewURL: "/desk/plans/new", MoreURL: "/desk/plans?after=1"}
		v.Said = NoticeProposed
		for _, s := range []State{StateWaiting, StateScheduled, StateRunning, StateDone, StateStopped, StateRefused, StateExpired} {
			r := row(s)
			r.Yours = s == StateWaiting
			v.Plans = append(v.Plans, r)
		}
		return Plans(v)
	}},
	{Name: "list-none", Render: func(p ui.Page) templ.Component {
		return Plans(PlansView{Page: page(p)})
	}},
	{Name: "new", Render: func(p ui.Page) templ.Component {
		return New(NewView{Page: page(p), PlansURL: "/desk/plans", Actions: []ActionLink{{"lock", "?name=lock"}, {"end_sessions", "?name=end_sessions"}}})
	}},
	{Name: "new-none", Render: func(p ui.Page) templ.Component {
		return New(NewView{Page: page(p), PlansURL: "/desk/plans"})
	}},
	{Name: "many", Render: func(p ui.Page) templ.Component {
		return Many(ManyView{
			Page: page(p), Form: audiencetest.Form(
				ProblemOf(p.Locale, FieldTargets, WrongTargets), ProblemOf(p.Locale, "group", WrongValue),
				ProblemOf(p.Locale, FieldReason, WrongReason), ProblemOf(p.Locale, FieldNote, WrongNote),
			),
			NewURL: "/desk/plans/new", Action: "end_status", Fields: values, Targets: "Museum", Note: "Museum",
			Reasons: []ui.Option{{Value: "incident", Label: Reason(p.Locale, "incident"), Chosen: true}, {Value: "quality", Label: Reason(p.Locale, "quality")}},
		})
	}},
	{Name: "draft", Render: func(p ui.Page) templ.Component {
		return Draft(DraftView{
			Page: page(p), Form: audiencetest.Form(), Changed: true, Action: "end_status", Values: values, Count: 2, Facts: facts, Left: left,
			First: []string{"p1", "p2"},
		})
	}},
	{Name: "draft-one", Render: func(p ui.Page) templ.Component {
		return Draft(DraftView{
			Page: page(p), Form: audiencetest.Form(), BackURL: "/desk/matters/m1", Action: "reset_factors_now", Count: 1, Facts: facts,
			Reasons: []ui.Option{{Value: "caller", Label: Reason(p.Locale, "caller")}}, AskNote: true, AloneURL: "/desk/breaks/new",
		})
	}},
	{Name: "draft-none", Render: func(p ui.Page) templ.Component {
		return Draft(DraftView{Page: page(p), Form: audiencetest.Form(), Action: "lock", Left: left})
	}},
	{Name: "plan", Render: func(p ui.Page) templ.Component {
		v := planView(p, StateWaiting)
		v.MayApprove, v.MayRefuse = true, true
		v.Form = audiencetest.Form(ProblemOf(p.Locale, FieldCount, WrongCount))
		return Plan(v)
	}},
	{Name: "plan-yours", Render: func(p ui.Page) templ.Component {
		v := planView(p, StateWaiting)
		v.Row.Action, v.Row.Yours, v.MayTakeBack, v.Person, v.Proof = "change_email", true, true, true, ProofSession
		v.Values, v.Row.Targets, v.First, v.CSVURL = []Value{{Name: "email", Value: "ada@example.com"}}, 1, v.First[:1], ""
		return Plan(v)
	}},
	{Name: "plan-running", Render: func(p ui.Page) templ.Component {
		v := planView(p, StateRunning)
		v.DecidedBy, v.DecidedAt, v.MayStop, v.Skips = "Ada", now, true, []Left{{Why: "failed", Count: 1}}
		v.First[0].State, v.First[1].State, v.First[1].Why = TargetDone, TargetSkipped, "failed"
		return Plan(v)
	}},
	{Name: "plan-scheduled", Render: func(p ui.Page) templ.Component {
		v := planView(p, StateScheduled)
		v.DecidedBy, v.DecidedAt, v.NotBefore, v.Altered = "Ada", now, soon, true
		return Plan(v)
	}},
	{Name: "alone", Render: func(p ui.Page) templ.Component {
		return Alone(AloneView{
			Page: page(p), Form: audiencetest.Form(ProblemOf(p.Locale, FieldSentence, WrongSentence)), BackURL: "/desk/matters/m1",
			Action: "lock", Target: "p1", Entries: values, Values: values, Facts: facts, Sentence: "Museum",
		})
	}},
	{Name: "alone-done", Render: func(p ui.Page) templ.Component {
		return AloneDone(AloneDoneView{Page: page(p), Shown: "Museum", BreaksURL: "/desk/breaks"})
	}},
	{Name: "breaks", Render: func(p ui.Page) templ.Component {
		v := BreaksView{Page: page(p), Form: audiencetest.Form(), All: true, OtherURL: "/desk/breaks", MoreURL: "/desk/breaks?after=1"}
		v.Remarks = append(v.Remarks, Banner(BannerView{Locale: p.Locale, Count: 2, URL: "/desk/breaks"}))
		v.Breaks = []Break{
			{ID: "b1", By: "Ada", At: now, Action: "lock", Target: "p1", Sentence: "Museum", Told: true, MaySignOff: true},
			{ID: "b2", By: "Ada", At: now, Action: "change_email", Target: "p2", Sentence: "Museum", Overdue: true, Unfinished: true, Yours: true},
			{ID: "b3", By: "Ada", At: now, Action: "revoke_keys", Sentence: "Museum", Told: true, SignedOffBy: "Ada", SignedOffAt: now},
		}
		return Breaks(v)
	}},
	{Name: "breaks-none", Render: func(p ui.Page) templ.Component {
		return Breaks(BreaksView{Page: page(p), Form: audiencetest.Form(), OtherURL: "/desk/breaks?all=1"})
	}},
}

func planView(p ui.Page, s State) PlanView {
	return PlanView{
		Page: page(p), Form: audiencetest.Form(), Row: row(s), PlansURL: "/desk/plans", Reason: ui.Label{Text: Reason(p.Locale, "incident")},
		Note: "Museum", Values: values, Facts: facts, Left: left, CSVURL: "/desk/plans/p1/targets.csv", Shown: "d1",
		First: []Target{{Number: 1, ID: "p1", State: TargetWaiting}, {Number: 2, ID: "p2", State: TargetWaiting}},
	}
}
