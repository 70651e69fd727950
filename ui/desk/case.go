package desk

import (
	"slices"

	"github.com/bonafide-id/bonafide/ui"
)

// keyOrder are the keys in the order in which a case is decided. A capital is pressed with
// Shift: one stray key decides nothing.
var keyOrder = []string{"j", "k", "y", "x", "1", "n", "A", "R", "D", "E", "P", "Q", "?"}

// isShifted reports whether a key is pressed with Shift.
func isShifted(key string) bool { return key >= "A" && key <= "Z" }

// shortcut is a key for screen readers.
func shortcut(key string) string {
	if isShifted(key) {
		return "Shift+" + key
	}
	return key
}

// asksName reports whether there is a name to compare.
func (v CaseView) asksName() bool { return v.ComparesName && v.Claimed != "" }

// refuses reports whether the reviewer has begun to say what speaks against the case.
func (v CaseView) refuses() bool {
	_, wrong := v.Problem(FieldReasons)
	return wrong || slices.ContainsFunc(v.Reasons, func(r ReasonOption) bool { return r.Chosen })
}

// asks reports whether there is anything to answer.
func (v CaseView) asks() bool {
	return v.asksName() || slices.ContainsFunc(v.Evidence, func(e Evidence) bool { return len(e.Questions) > 0 })
}

// action is what another reviewer has decided.
func (o Opinion) action(l *ui.Locale) string {
	t := textOf(l).Case
	return l.Plain(map[string]ui.Message{
		ActionApprove: t.Approve, ActionAskAgain: t.AskAgain, ActionDecline: t.Decline, ActionEscalate: t.Escalate,
		ActionRecuse: t.Recuse, ActionOverride: t.Override,
	}[o.Action])
}

// reasonWord is what a reason is called; one that the desk has no word for is another.
func reasonWord(l *ui.Locale, reason string) string {
	word, known := textOf(l).Reasons[reason]
	if !known {
		word = textOf(l).Reasons["other"]
	}
	return l.Plain(word)
}

// reasons are the reasons as boxes.
func (v CaseView) reasons(l *ui.Locale) []ui.Option {
	var options []ui.Option
	for _, r := range v.Reasons {
		options = append(options, ui.Option{Value: r.Reason, Label: l.Plain(textOf(l).Reasons[r.Reason]), Chosen: r.Chosen})
	}
	return options
}

// Wrong names a mistake in a form that only the desk has a sentence for.
type Wrong string

// The mistakes.
const (
	WrongAnsweredNo Wrong = "answered_no"
	WrongNoReason   Wrong = "no_reason"
	WrongNoNote     Wrong = "no_note"
	WrongDate       Wrong = "date"
)

// Unanswered returns the problem of a question without an answer, which it names: the name on
// the files if it has none.
func Unanswered(l *ui.Locale, field string, asked ui.Label) ui.Problem {
	l = l.OrEnglish()
	t := textOf(l).Case
	if field == FieldName {
		return ui.Problem{Field: field, Text: l.Plain(t.NameUnanswered)}
	}
	return ui.Problem{Field: field, Text: l.Plain(t.Unanswered, ui.With("question", asked.Text))}
}

// ProblemOf returns a mistake as a problem of a field, in the language of a page.
func ProblemOf(l *ui.Locale, field string, w Wrong) ui.Problem {
	l = l.OrEnglish()
	t := textOf(l)
	sentence := map[Wrong]ui.Message{
		WrongAnsweredNo: t.Case.AnsweredNo, WrongNoReason: t.Case.ReasonMissing,
		WrongNoNote: t.Case.NoteMissing, WrongDate: t.Case.DateWrong,
		WrongGroup: t.Codes.GroupMissing, WrongNumber: t.Codes.NumberWrong, WrongEmail: t.Codes.EmailWrong, WrongLength: t.Codes.TooLong,
		WrongEndOfCodes: t.Codes.DateWrong, WrongCase: t.Holds.NoCase, WrongHoldReason: t.Holds.ReasonWrong, WrongEndOfHold: t.Holds.DateWrong,
		WrongMissing: t.Act.Missing, WrongValue: t.Act.Wrong, WrongMoved: t.Act.Moved,
	}[w]
	return ui.Problem{Field: field, Text: l.Plain(sentence)}
}
