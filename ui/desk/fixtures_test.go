package desk

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// page is a page of the desk around a sample page.
func page(p ui.Page, current Section) Page {
	p.Client = ui.Client{}
	d := Page{Page: p, HomeURL: "/desk/", Account: audiencetest.Ada, AccountURL: "/account"}
	for _, area := range Areas() {
		one := AreaLink{Area: area.Area, Current: slices.Contains(area.Sections, current)}
		for _, s := range area.Sections {
			one.Sections = append(one.Sections, SectionLink{s, "/desk/" + string(s), s == current})
		}
		d.Areas = append(d.Areas, one)
	}
	return d
}

var (
	due     = audiencetest.Day(2026, time.March, 13).Add(9 * time.Hour)
	student = ui.Label{Text: "Ada", Lang: "en"}
)

var fixtures = slices.Concat(homeFixtures, actFixtures, reviewerFixtures, operatorFixtures, hostileFixtures)

var reviewerFixtures = []audiencetest.Fixture{
	{Name: "inbox", Render: func(p ui.Page) templ.Component {
		d := page(p, SectionInbox)
		d.Notice = NoticeDecided
		return Inbox(InboxView{
			Page: d, Form: audiencetest.Form(), Undo: &Undo{Case: "c1", Seconds: 8},
			Cases: []Waiting{
				{ID: "c2", Group: student, Method: student, Due: audiencetest.Day(2026, time.March, 12), Late: true, Appeal: true},
				{ID: "c3", Group: student, Due: due, Taken: true, Renewal: true},
				{ID: "c5", Group: student, Due: due, Unreadable: true},
				{ID: "c4", Group: student, Method: student, Due: due, Escalated: true},
			},
			MoreURL: "/desk/?after=c4",
		})
	}},
	{Name: "inbox-mine", Render: func(p ui.Page) templ.Component {
		return Inbox(InboxView{
			Page: page(p, SectionInbox), Form: audiencetest.Form(),
			Mine: &Waiting{ID: "c2", URL: "/desk/case/c2", Group: student, Method: student, Due: due},
		})
	}},
	{Name: "case", Render: func(p ui.Page) templ.Component {
		return Case(caseView(p))
	}},
	{Name: "case-problems", Render: func(p ui.Page) templ.Component {
		v := caseView(p)
		v.Form = audiencetest.Form(
			Unanswered(p.Locale, FieldName, ui.Label{}), Unanswered(p.Locale, v.Evidence[0].Questions[0].Field, student), ProblemOf(p.Locale, FieldUntil, WrongDate),
			ProblemOf(p.Locale, FieldReasons, WrongNoReason), ProblemOf(p.Locale, FieldNote, WrongNoNote),
		)
		v.Evidence[1].URL, v.Person, v.Facts, v.Found, v.Source = "", "", nil, nil, ""
		v.MayEscalate, v.Subgroups, v.Escalated = false, nil, true
		v.Before = []Opinion{{Action: ActionDecline, Reasons: []string{"altered", "limit"}, Note: "Museum"}, {Action: ActionEscalate}}
		return Case(v)
	}},
	{Name: "case-bare", Render: func(p ui.Page) templ.Component {
		v := caseView(p)
		v.Evidence, v.NeedsOverride, v.Method, v.ComparesName = nil, true, ui.Label{}, false
		return Case(v)
	}},
	{Name: "case-nameless", Render: func(p ui.Page) templ.Component {
		v := caseView(p)
		v.Claimed, v.Person = "", ""
		return Case(v)
	}},
}

func caseView(p ui.Page) CaseView {
	v := CaseView{
		Page: page(p, SectionInbox), Form: audiencetest.Form(), Version: "17", Group: student, Person: audiencetest.Ada.Name, ComparesName: true, Claimed: audiencetest.Ada.Name, Method: student,
		Due: due, TakenUntil: audiencetest.Now.Add(15 * time.Minute), Renewal: true,
		Source: "Museum", Found: []ui.Label{student}, Facts: []ui.Label{student},
		Evidence: []Evidence{
			{ID: "file-1", Title: student, URL: "sample/brand.svg", Picture: true, Questions: []Question{
				{Field: "answer.front.0", Text: student, Answer: AnswerYes}, {Field: "answer.front.1", Text: student},
			}},
			{ID: "file-2", Title: student, URL: "/desk/evidence/2", Alike: 2, Programs: []string{"Museum"}},
		},
		Subgroups: []ui.Option{{Value: "s1", Title: student, Chosen: true}}, Until: "2027-03-12", MayEscalate: true,
	}
	for _, r := range []string{
		"unreadable", "cropped", "wrong_kind", "not_current", "no_date", "name_differs", "incomplete",
		"not_in_group", "issuer_not_accepted", "altered", "generated", "taken", "suspicious", "other",
	} {
		v.Reasons = append(v.Reasons, ReasonOption{Reason: r, Chosen: r == "cropped"})
	}
	return v
}
