package verification

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

// student is a page about a group.
func student(p ui.Page) CasePage {
	return CasePage{Page: p, Group: p.Locale.Word("Student status"), ListURL: "/verification/"}
}

// open is a page about a case that can be withdrawn.
func open(p ui.Page) CasePage {
	c := student(p)
	c.WithdrawURL = "/verification/case/1/withdraw"
	return c
}

// inSteps is open with three steps.
func inSteps(p ui.Page) CasePage {
	c := open(p)
	c.Steps = []Step{
		{Ways: []ui.Label{Word(p.Locale, "With an email address of the institution")}, State: StepDone},
		{Ways: []ui.Label{Word(p.Locale, "With an invitation code"), Word(p.Locale, "On another page")}, State: StepNow},
		{Ways: []ui.Label{Word(p.Locale, "With a picture of a document")}, State: StepLater},
	}
	return c
}

// fromClient is a page from which an application can be reached.
func fromClient(c CasePage) CasePage {
	c.Client, c.ApplicationURL = audiencetest.Client, "/verify/return?flow=f1"
	return c
}

// keeping is a page of somebody who is verified meanwhile.
func keeping(c CasePage) CasePage {
	c.KeptUntil = audiencetest.Day(2026, time.April, 30)
	return c
}

func byMail(l *ui.Locale) Method {
	return Method{
		Name: "email", Title: Word(l, "With an email address of the institution"),
		Asks: Word(l, "You get a code by email and enter it here."), Takes: 2 * time.Minute,
		Keeps: Word(l, "The domain of the address, and a digest from which the address cannot be read."),
	}
}

func byCode(l *ui.Locale) Method {
	return Method{
		Name: "invitation", Title: Word(l, "With an invitation code"), Asks: Word(l, "You enter the code that you were given."),
		Keeps: Word(l, "Which batch the code was of."),
	}
}

func byDocument(l *ui.Locale) Method {
	return Method{
		Name: "document", Title: Word(l, "With a picture of a document"), Takes: 48 * time.Hour,
		Asks: Word(l, "You need a document that shows your name and that you are a member"), Keeps: KeepsFiles(l, 7*24*time.Hour),
	}
}

var everyReason = []Reason{
	"unreadable", "cropped", "wrong_kind", "not_current", "no_date", "name_differs", "incomplete", "no_match", "other_domain", "not_now",
	"not_in_group", "issuer_not_accepted", "limit", "policy_ended", ReasonOther,
}

var fixtures = []audiencetest.Fixture{
	{Name: "list", Render: func(p ui.Page) templ.Component {
		word := p.Locale.Word
		return List(ListView{Page: p, AccountURL: "/account", Groups: []Group{
			{Label: word("Student status"), State: StateEnding, Until: audiencetest.Day(2026, time.April, 30), Source: "University of Strathclyde", Action: DoRenew, URL: "/verification/student"},
			{Label: word("Military status"), State: StateVerified, Subgroups: []ui.Label{word("Veteran")}, Until: audiencetest.Day(2027, time.March, 12), Action: DoStatus, URL: "/verification/case/2"},
			{Label: word("Teacher status"), State: StateReview, By: audiencetest.Day(2026, time.March, 14), Action: DoStatus, URL: "/verification/case/3"},
			{Label: word("Nurse status"), State: StateSentBack, By: audiencetest.Day(2026, time.March, 20), Action: DoContinue, URL: "/verification/case/4"},
			{Label: word("First responder status"), State: StateUnverified, Action: DoVerify, URL: "/verification/responder"},
		}})
	}},
	{Name: "list-others", Render: func(p ui.Page) templ.Component {
		word := p.Locale.Word
		return List(ListView{Page: p, AccountURL: "/account", Notice: NoticeCodeSent, Groups: []Group{
			{Label: word("Student status"), State: StateExpired, Until: audiencetest.Day(2026, time.January, 30), Action: DoVerify, URL: "/verification/student"},
			{Label: word("Military status"), State: StateDeclined, Action: DoResult, URL: "/verification/case/2", Decided: audiencetest.Day(2026, time.March, 1), AppealUntil: audiencetest.Day(2026, time.March, 31)},
			{Label: word("Teacher status"), State: StatePending},
			{Label: word("First responder status"), State: StateUnverified, NoWay: true},
			{Label: word("Nurse status"), State: StateOpen, By: audiencetest.Day(2026, time.March, 20), Action: DoContinue, URL: "/verification/case/4"},
		}})
	}},
	{Name: "list-empty", Render: func(p ui.Page) templ.Component { return List(ListView{Page: p, AccountURL: "/account"}) }},
	{Name: "choose", Render: func(p ui.Page) templ.Component {
		return Choose(ChooseView{CasePage: student(p), Form: audiencetest.Form(), Methods: []Method{byCode(p.Locale), byMail(p.Locale), byDocument(p.Locale)}})
	}},
	{Name: "choose-one", Render: func(p ui.Page) templ.Component {
		return Choose(ChooseView{CasePage: student(p), Form: audiencetest.Form(), Methods: []Method{byMail(p.Locale)}})
	}},
	{Name: "choose-renewal", Render: func(p ui.Page) templ.Component {
		m := byDocument(p.Locale)
		m.Takes = 3 * time.Hour
		return Choose(ChooseView{CasePage: keeping(student(p)), Form: audiencetest.Form(TooMany(p.Locale, audiencetest.Now.Add(time.Hour))), Renewal: true, Methods: []Method{m, byMail(p.Locale)}})
	}},
	{Name: "choose-again", Render: func(p ui.Page) templ.Component {
		first, second := byCode(p.Locale), byMail(p.Locale)
		first.Failed, first.Reasons = true, []Reason{"no_match"}
		second.Refused, second.Reasons = true, []Reason{"issuer_not_accepted"}
		return Choose(ChooseView{CasePage: inSteps(p), Form: audiencetest.Form(TooMany(p.Locale, time.Time{})), Methods: []Method{first, second}})
	}},
	{Name: "choose-over", Render: func(p ui.Page) templ.Component {
		m := byMail(p.Locale)
		m.Refused = true
		return Choose(ChooseView{CasePage: open(p), Form: audiencetest.Form(), Methods: []Method{m, m}})
	}},
	{Name: "sent-back", Render: func(p ui.Page) templ.Component {
		return Choose(ChooseView{CasePage: open(p), Form: audiencetest.Form(), Reasons: []Reason{"unreadable", "no_date"}, Methods: []Method{byDocument(p.Locale)}})
	}},
	{Name: "ask", Render: func(p ui.Page) templ.Component {
		word := func(s string) ui.Label { return Word(p.Locale, s) }
		return Ask(AskView{
			CasePage: inSteps(p), Form: audiencetest.Form(), Title: word("With your data as the institution has it"), CanChoose: true,
			Fields: []Field{
				{Name: "number", Kind: "code", Label: word("Student number")},
				{Name: "family", Label: word("Last name"), Autocomplete: "family-name", Value: "Lovelace"},
				{Name: "birth", Kind: "date", Label: word("Date of birth"), Autocomplete: "bday", Optional: true},
			},
		})
	}},
	{Name: "ask-wrong", Render: func(p ui.Page) templ.Component {
		word := func(s string) ui.Label { return Word(p.Locale, s) }
		number, family, birth := FieldAnswer+"number", FieldAnswer+"family", FieldAnswer+"birth"
		return Ask(AskView{
			CasePage: open(p), Title: word("With your data as the institution has it"),
			Form: audiencetest.Form(Missing(p.Locale, number), TooLong(p.Locale, family, 500), NotADate(p.Locale, birth), NotAccepted(p.Locale, "no_match")),
			Fields: []Field{
				{Name: "number", Kind: "code", Label: word("Student number")},
				{Name: "family", Label: word("Last name")},
				{Name: "birth", Kind: "date", Label: word("Date of birth")},
			},
		})
	}},
	{Name: "ask-email", Render: func(p ui.Page) templ.Component {
		field := Field{Name: "email", Kind: "email", Label: Word(p.Locale, "Email address"), Hint: Word(p.Locale, "The one that the institution gave you."), Autocomplete: "email"}
		return Ask(AskView{CasePage: open(p), Form: audiencetest.Form(), Title: byMail(p.Locale).Title, Reasons: []Reason{"not_current"}, Fields: []Field{field}, CanChoose: true})
	}},
	{Name: "ask-email-ends", Render: func(p ui.Page) templ.Component {
		field := Field{Name: "email", Kind: "email", Label: Word(p.Locale, "Email address"), Hint: Word(p.Locale, "It ends in:"), Example: "army.example"}
		return Ask(AskView{CasePage: open(p), Form: audiencetest.Form(), Title: byMail(p.Locale).Title, Fields: []Field{field}})
	}},
	{Name: "code", Render: func(p ui.Page) templ.Component {
		c := open(p)
		c.Notice = NoticeCodeSent
		return Code(CodeView{CasePage: c, Form: audiencetest.Form(), Email: "ada@strath.example", ValidFor: 15 * time.Minute})
	}},
	{Name: "code-wrong", Render: func(p ui.Page) templ.Component {
		return Code(CodeView{CasePage: open(p), Form: audiencetest.Form(CodeMissing(p.Locale)), Email: "ada@strath.example", ValidFor: 15 * time.Minute})
	}},
	{Name: "code-spent", Render: func(p ui.Page) templ.Component {
		return Code(CodeView{CasePage: open(p), Form: audiencetest.Form(Spent(p.Locale)), Email: "ada@strath.example", ValidFor: 15 * time.Minute})
	}},
	{Name: "elsewhere", Render: func(p ui.Page) templ.Component {
		return Elsewhere(ElsewhereView{CasePage: open(p), Form: audiencetest.Form(), URL: "https://login.university.example/start", Host: "login.university.example", Until: audiencetest.Now.Add(time.Hour), AgainURL: "/verification/case/1", CanChoose: true})
	}},
	{Name: "elsewhere-here", Render: func(p ui.Page) templ.Component {
		return Elsewhere(ElsewhereView{CasePage: open(p), Form: audiencetest.Form(), URL: "/office", AgainURL: "/verification/case/1"})
	}},
	{Name: "pending", Render: func(p ui.Page) templ.Component {
		return Pending(PendingView{CasePage: fromClient(open(p)), Expected: audiencetest.Now.Add(time.Hour)})
	}},
	{Name: "review", Render: func(p ui.Page) templ.Component {
		return Pending(PendingView{CasePage: fromClient(open(p)), Review: true, By: audiencetest.Day(2026, time.March, 14), Mailed: true})
	}},
	{Name: "review-sandbox", Render: func(p ui.Page) templ.Component {
		c := open(p)
		c.Simulation = &Simulation{Form: audiencetest.Form(), Outcomes: []Outcome{OutcomeApproved, OutcomeSentBack, OutcomeDeclined, OutcomeExpired, OutcomeReview}}
		return Pending(PendingView{CasePage: c, Review: true, By: audiencetest.Day(2026, time.March, 14)})
	}},
	{Name: "review-late", Render: func(p ui.Page) templ.Component {
		return Pending(PendingView{CasePage: keeping(open(p)), Review: true, By: audiencetest.Day(2026, time.March, 11), Late: true})
	}},
	{Name: "declined", Render: func(p ui.Page) templ.Component {
		return Declined(DeclinedView{CasePage: fromClient(student(p)), Reasons: []Reason{"not_in_group"}, StartURL: "/verification/student", AppealURL: "/verification/case/1/appeal", AppealUntil: audiencetest.Day(2026, time.April, 11)})
	}},
	{Name: "declined-renewal", Render: func(p ui.Page) templ.Component {
		return Declined(DeclinedView{CasePage: keeping(student(p)), Renewal: true, Reasons: []Reason{ReasonOther}, RetryFrom: audiencetest.Day(2026, time.April, 11)})
	}},
	{Name: "declined-every-reason", Render: func(p ui.Page) templ.Component {
		return Declined(DeclinedView{CasePage: student(p), Reasons: everyReason})
	}},
	{Name: "approved", Render: func(p ui.Page) templ.Component {
		return Approved(ApprovedView{
			CasePage: fromClient(student(p)), Subgroups: []ui.Label{p.Locale.Word("University")}, Until: audiencetest.Day(2027, time.March, 12), RenewFrom: audiencetest.Day(2027, time.January, 11), Source: "University of Strathclyde",
		})
	}},
	{Name: "approved-for-ever", Render: func(p ui.Page) templ.Component { return Approved(ApprovedView{CasePage: student(p)}) }},
	{Name: "expired", Render: func(p ui.Page) templ.Component {
		return Ended(EndedView{CasePage: fromClient(student(p)), How: EndingExpired, On: audiencetest.Day(2026, time.March, 10), StartURL: "/verification/student"})
	}},
	{Name: "withdrawn", Render: func(p ui.Page) templ.Component {
		return Ended(EndedView{CasePage: student(p), How: EndingWithdrawn, StartURL: "/verification/student"})
	}},
	{Name: "closed", Render: func(p ui.Page) templ.Component { return Ended(EndedView{CasePage: student(p), How: EndingClosed}) }},
	{Name: "superseded", Render: func(p ui.Page) templ.Component {
		return Ended(EndedView{CasePage: student(p), How: EndingSuperseded})
	}},
	{Name: "withdraw", Render: func(p ui.Page) templ.Component {
		return Withdraw(WithdrawView{CasePage: keeping(student(p)), Form: audiencetest.Form(), CancelURL: "/verification/case/1"})
	}},
	{Name: "appeal", Render: func(p ui.Page) templ.Component {
		return Appeal(AppealView{CasePage: student(p), Form: audiencetest.Form(), Reasons: []Reason{ReasonOther}, CancelURL: "/verification/case/1"})
	}},
}
