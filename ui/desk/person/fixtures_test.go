package person

import (
	"maps"
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var ada = ui.Label{Text: "Ada", Lang: "en"}

// page is a page of the desk around a sample page, in a matter.
func page(p ui.Page) desk.Page {
	p.Client = ui.Client{}
	d := desk.Page{Page: p, HomeURL: "/desk/", Account: audiencetest.Ada, AccountURL: "/account"}
	for _, area := range desk.Areas()[:2] {
		one := desk.AreaLink{Area: area.Area, Current: area.Area == desk.AreaPeople}
		for _, s := range area.Sections {
			one.Sections = append(one.Sections, desk.SectionLink{Section: s, URL: "/desk/" + string(s), Current: s == desk.SectionFind})
		}
		d.Areas = append(d.Areas, one)
	}
	return d
}

func inMatter(p ui.Page, change func(*BarView)) desk.Page {
	d := page(p)
	bar := BarView{
		Form: audiencetest.Form(), Reason: ada, Ticket: "T-42", Note: "Called twice", EndsAt: audiencetest.Now.Add(30 * time.Minute), ProofURL: "/desk/matters/m1/proof",
	}
	change(&bar)
	d.Remarks = append(d.Remarks, Bar(p.Locale, bar))
	return d
}

func headOf(states ...State) Head {
	h := Head{Address: "a•••@e•••.org", Since: audiencetest.Day(2024, time.March, 3), States: states}
	for _, part := range []Part{PartAccount, PartFactors, PartSessions, PartApplications, PartGroups, PartCases, PartHistory, PartActions} {
		h.Parts = append(h.Parts, PartLink{part, "/desk/matters/m1/" + string(part)})
	}
	return h
}

var until = audiencetest.Now.Add(5 * time.Minute)

var fixtures = slices.Concat(plainFixtures, hostileFixtures)

var plainFixtures = []audiencetest.Fixture{
	{Name: "find", Render: func(p ui.Page) templ.Component {
		return Find(FindView{Page: page(p), Form: audiencetest.Form(), Ways: desk.WayWord(p.Locale, desk.WayEmail), Matters: []desk.OpenMatter{{URL: "/desk/matters/m1", Reason: ada, EndsAt: until}}})
	}},
	{Name: "find-nobody", Render: func(p ui.Page) templ.Component {
		return Find(FindView{Page: page(p), Form: audiencetest.Form(ProblemOf(p.Locale, desk.FieldSought, WrongNobody)), Ways: desk.WayWord(p.Locale, desk.WayEmail), Sought: "ada@example.com"})
	}},
	{Name: "find-several", Render: func(p ui.Page) templ.Component {
		return Find(FindView{Page: page(p), Form: audiencetest.Form(ProblemOf(p.Locale, desk.FieldSought, WrongSeveral)), Ways: desk.WayWord(p.Locale, desk.WayID), Sought: "4711"})
	}},
	{Name: "request", Render: func(p ui.Page) templ.Component {
		return Request(RequestView{Page: page(p), BackURL: "/desk/find", Cards: []Card{{Code: "authorize", Rows: []Row{
			{Name: RowAt, At: until}, {Name: RowApplication, Text: "shop"}, {Name: RowOutcome, Text: "denied"},
			{Name: RowError, Text: "invalid_request"}, {Name: RowDetail, Text: "the redirect URI is not registered"},
		}}}})
	}},
	{Name: "open", Render: func(p ui.Page) templ.Component {
		v := OpenView{Page: page(p), Form: audiencetest.Form(), Person: "sealed"}
		for _, name := range []string{"caller", "report", "application", "data_request", "authority", "incident", "quality"} {
			word, _ := ReasonWord(p.Locale, name)
			v.Reasons = append(v.Reasons, ui.Option{Value: name, Label: word})
		}
		return Open(v)
	}},
	{Name: "proof", Render: func(p ui.Page) templ.Component {
		return Proof(ProofView{Page: inMatter(p, func(*BarView) {}), Form: audiencetest.Form(), CanMail: true})
	}},
	{Name: "proof-wrong", Render: func(p ui.Page) templ.Component {
		return Proof(ProofView{Page: inMatter(p, func(*BarView) {}), Form: audiencetest.Form(ProblemOf(p.Locale, FieldCode, WrongCode))})
	}},
	{Name: "overview", Render: func(p ui.Page) templ.Component {
		failed := Card{Title: ui.Label{Text: ui.HistoryWords(p.Locale, ui.HistorySignInFailed, "")}, Code: "signed_in", Rows: []Row{{Name: RowAt, At: until}}}
		for _, detail := range []string{"wrong password", "wrong app code", "wrong recovery code", "wrong passkey", "the account is disabled", "password"} {
			failed.Rows = append(failed.Rows, Row{Name: RowReason, Labels: []ui.Label{{Text: DetailWord(p.Locale, detail)}}})
		}
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartOverview, AllURL: "/desk/x", Cards: []Card{
			{Title: ada, States: []State{StateUsable}, Rows: []Row{{Name: RowSignedIn, At: until}, {Name: RowFailures, Text: "3"}}}, failed,
		}})
	}},
	{Name: "account", Render: func(p ui.Page) templ.Component {
		return Person(PartView{
			Page: inMatter(p, func(v *BarView) { v.Mailbox = until }), Head: headOf(StateLocked, StateDeletion), Part: PartAccount, Masked: true,
			Cards: []Card{
				{Title: ada, States: []State{StateVerified, StateSensitive}, Rows: []Row{{Name: RowValue, Text: "•••"}}, Acts: []ActLink{{Name: "show_value", URL: "/desk/x", Of: "Ada"}}},
				{Title: ada, Rows: []Row{{Name: RowValue, Text: "a•••@e•••.org", State: StateUnverified}, {Name: RowCreated, At: until}, {Name: RowDeletion, At: until}}},
			},
		})
	}},
	{Name: "factors", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(v *BarView) { v.Session, v.Ticket = until, "" }), Head: headOf(StateUnverified), Part: PartFactors, Cards: []Card{
			{Title: ada, Rows: []Row{
				{Name: RowPassword, State: StateRecorded}, {Name: RowPasskeys, Text: "3"}, {Name: RowLinks, Text: "1"}, {Name: RowApp, State: StateNone}, {Name: RowCodes, Text: "3"},
				{Name: RowSecondStep, State: StateOn}, {Name: RowSecondStep, State: StateOff}, {Name: RowRecovery, At: until},
			}},
			{Title: ui.Label{Text: "State University"}, Rows: []Row{{Name: RowValue, Text: "a•••@u•••.example"}, {Name: RowSince, At: until}, {Name: RowLast, At: until}}},
		}})
	}},
	{Name: "sessions", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartSessions, Cards: []Card{
			{Title: ui.Label{Text: "Mozilla Firefox – Linux", Lang: ui.Undetermined}, Rows: []Row{{Name: RowNetwork, Text: "192.0.2.0/24"}, {Name: RowSince, At: until}, {Name: RowLast, At: until}}, Acts: []ActLink{{Name: "end_session", URL: "/desk/x"}}},
		}})
	}},
	{Name: "applications", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartApplications, Cards: []Card{
			{Title: ada, Rows: []Row{{Name: RowAllowed, At: until}, {Name: RowReceived, Labels: []ui.Label{ada, ada}}, {Name: RowCalled, Text: "q4K0cF2pY8sLw1Zx"}}, Acts: []ActLink{{Name: "revoke_application", URL: "/desk/x"}}},
		}})
	}},
	{Name: "groups", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartGroups, Cards: []Card{
			{Title: ada, States: []State{StateVerified, StatePending, StateEnded}, Rows: []Row{{Name: RowSource, Text: "Ada"}, {Name: RowUntil, At: until}}},
			{Title: ada, States: []State{StateInWallet}, Rows: []Row{{Name: RowApplication, Text: "Ada"}, {Name: RowSince, At: until}, {Name: RowUntil, At: until}}, Acts: []ActLink{{Name: "end_credential", URL: "/desk/x"}}},
		}})
	}},
	{Name: "cases", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartCases, Cards: []Card{
			{Title: ada, States: []State{StateApproved, StateDeclined, StateWithdrawn, StateExpired, StateReview, StateOpen}, Rows: []Row{{Name: RowDue, At: until}}},
		}})
	}},
	{Name: "history", Render: func(p ui.Page) templ.Component {
		v := PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartHistory, MoreURL: "/desk/x", SignInURL: "/desk/x"}
		v.Cards = append(v.Cards, Card{Title: ui.Label{Text: Looked(p.Locale, 3)}, Code: "signed_in"})
		for _, by := range []By{ByPerson, ByStaff, ByClient, ByCommand, ByHost} {
			v.Cards = append(v.Cards, Card{Code: "signed_in", Rows: []Row{
				{Name: RowAt, At: until}, {Name: RowBy, By: by}, {Name: RowApplication, Labels: []ui.Label{ada}}, {Name: RowDetail, Text: "password"},
			}})
		}
		words := textOf(p.Locale.OrEnglish())
		for _, name := range slices.Sorted(maps.Keys(words.Events)) {
			v.Cards = append(v.Cards, Card{Title: ui.Label{Text: EventWord(p.Locale, name)}, Code: "signed_in"})
		}
		for _, detail := range slices.Sorted(maps.Keys(words.Details)) {
			v.Cards = append(v.Cards, Card{Code: "signed_in", Rows: []Row{{Name: RowDetail, Labels: []ui.Label{{Text: DetailWord(p.Locale, detail)}}}}})
		}
		return Person(v)
	}},
	{Name: "actions", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: headOf(), Part: PartActions, Cards: []Card{
			{Title: ui.Label{Text: desk.ActTitle(p.Locale, "lock")}, Text: desk.ActDoes(p.Locale, "lock"), Acts: []ActLink{{Name: "lock", URL: "/desk/x"}}},
		}})
	}},
	{Name: "host", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: Head{Host: true}, Part: PartGroups})
	}},
	{Name: "no-address", Render: func(p ui.Page) templ.Component {
		return Person(PartView{Page: inMatter(p, func(*BarView) {}), Head: Head{}, Part: PartGroups})
	}},
}
