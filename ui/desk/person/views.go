package person

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
)

// The fields and buttons of the forms.
const (
	FieldPerson = "person"
	FieldReason = "reason"
	FieldTicket = "ticket"
	FieldNote   = "note"
	FieldCode   = "code"
	ActionSend  = "send"
	ActionProve = "prove"
)

// MaxNote is how long a note may be, in characters.
const MaxNote = 1000

// FindView finds a person. It posts [desk.FieldSought].
type FindView struct {
	desk.Page
	ui.Form
	// Ways are what the field takes, Sought is what was entered.
	Ways, Sought string

	Matters []desk.OpenMatter
}

// RequestView is what the logs of applications have of one request.
type RequestView struct {
	desk.Page
	Cards   []Card
	BackURL string
}

// OpenView opens a matter about the person who was found. It posts [FieldPerson], [FieldReason],
// [FieldTicket] and [FieldNote].
type OpenView struct {
	desk.Page
	ui.Form
	// Person is sealed.
	Person       string
	Reasons      []ui.Option
	Ticket, Note string
}

// BarView is the matter in which a page is about a person. Its form closes it.
type BarView struct {
	ui.Form
	Reason ui.Label
	Ticket string
	// Note is what who reads this has noted.
	Note   string
	EndsAt time.Time
	// Mailbox and Session are until when the caller has proved to read the mailbox, or to be
	// signed in; zero for neither.
	Mailbox, Session time.Time
	ProofURL         string
}

// ProofView has the caller prove who they are. It posts [ui.FieldAction] with [ActionSend], or
// with [ActionProve] and [FieldCode].
type ProofView struct {
	desk.Page
	ui.Form
	// CanMail reports that a code can be mailed.
	CanMail bool
	BackURL string
}

// PartView is a part of a person.
type PartView struct {
	desk.Page
	Head Head
	Part Part
	// Masked says that values are hidden.
	Masked bool
	Cards  []Card
	// MoreURL leads to the next page; empty for none.
	MoreURL string
	// SignInURL leads to what is about signing in, AllURL to everything; one is empty.
	SignInURL, AllURL string
}

// EventWord says what an event is that the person's own history does not tell, or of which it
// speaks to the person; empty for every other one.
func EventWord(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Events[name])
}

// DetailWord is what a detail of an event is called: a part of a person, a state, or why and how
// something was done; the detail itself if it has no word.
func DetailWord(l *ui.Locale, detail string) string {
	l = l.OrEnglish()
	t := textOf(l)
	for _, word := range []ui.Message{t.Details[detail], t.Parts[Part(detail)], t.States[State(detail)]} {
		if said := l.Plain(word); said != "" {
			return said
		}
	}
	return detail
}

// Looked says how often who reads this has looked in the matter.
func Looked(l *ui.Locale, times int) string {
	l = l.OrEnglish()
	return l.Plain(textOf(l).Person.Looked, ui.With("times", times))
}

// Head says of whom a page is, masked.
type Head struct {
	Address string
	Since   time.Time
	States  []State
	// Host reports that the account is the host's.
	Host  bool
	Parts []PartLink
}

// PartLink leads to a part.
type PartLink struct {
	Part Part
	URL  string
}

// Card is one thing of a part.
type Card struct {
	// Title is what it is called; Code is the name for machines beside it, or instead.
	Title  ui.Label
	Code   string
	Text   string
	States []State
	Rows   []Row
	Acts   []ActLink
}

// Row is one fact of a card: one of Text, At, Labels, State and By.
type Row struct {
	Name   RowName
	Text   string
	At     time.Time
	Labels []ui.Label
	State  State
	By     By
}

// ActLink leads to the form of an action.
type ActLink struct {
	// Name is that of the action in the table.
	Name, URL string
	// Of is what it is about, for who hears the link without what stands above it.
	Of string
}

// ReasonWord is what a reason of every desk is called, and false for one of the host's.
func ReasonWord(l *ui.Locale, name string) (string, bool) {
	l = l.OrEnglish()
	word, known := textOf(l).Reasons[name]
	if !known {
		return "", false
	}
	return l.Plain(word), true
}

// Wrong is a mistake in a form.
type Wrong string

// The mistakes.
const (
	WrongNobody  Wrong = "nobody"
	WrongSeveral Wrong = "several"
	WrongReason  Wrong = "reason"
	WrongLength  Wrong = "length"
	WrongOver    Wrong = "over"
	WrongCode    Wrong = "code"
	WrongTooMany Wrong = "too_many"
	WrongNoMail  Wrong = "no_mail"
)

// ProblemOf returns a mistake as a problem of a field, in the language of a page.
func ProblemOf(l *ui.Locale, field string, w Wrong) ui.Problem {
	l = l.OrEnglish()
	t := textOf(l)
	sentence := map[Wrong]ui.Message{
		WrongNobody: t.Find.Nobody, WrongSeveral: t.Find.Several, WrongReason: t.Open.ReasonMissing, WrongLength: t.Open.TooLong, WrongOver: t.Open.Over,
		WrongCode: t.Proof.Wrong, WrongTooMany: t.Proof.TooMany, WrongNoMail: t.Proof.NoMail,
	}[w]
	return ui.Problem{Field: field, Text: l.Plain(sentence)}
}
