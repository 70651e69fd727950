package verification

import (
	"cmp"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// Word returns what a text of the verifiers of this module is called in a language. Any
// other text is returned as it is, in a language that nobody knows.
func Word(l *ui.Locale, original string) ui.Label {
	if m, ok := textOf(l).Words[original]; ok {
		return ui.Label{Text: l.OrEnglish().Plain(m)}
	}
	return l.Word(original)
}

// ReasonText returns why something was not accepted, in a sentence.
func ReasonText(l *ui.Locale, r Reason) string { return l.OrEnglish().Plain(textOf(l).reason(r).Text) }

// Missing returns the problem of a field that must not be empty.
func Missing(l *ui.Locale, field string) ui.Problem {
	return ui.Problem{Field: field, Text: l.OrEnglish().Plain(textOf(l).Ask.Missing)}
}

// TooLong returns the problem of a field with more characters than there may be.
func TooLong(l *ui.Locale, field string, most int) ui.Problem {
	return ui.Problem{Field: field, Text: l.OrEnglish().Plain(textOf(l).Ask.TooLong, ui.Count(most))}
}

// NotADate returns the problem of a field that is no date.
func NotADate(l *ui.Locale, field string) ui.Problem {
	return ui.Problem{Field: field, Text: l.OrEnglish().Plain(textOf(l).Ask.Date)}
}

// NotAccepted returns the problem of a form that was not accepted for a reason.
func NotAccepted(l *ui.Locale, r Reason) ui.Problem { return ui.Problem{Text: ReasonText(l, r)} }

// CodeMissing returns the problem of a code that was not entered.
func CodeMissing(l *ui.Locale) ui.Problem {
	return ui.Problem{Field: ui.FieldCode, Text: l.OrEnglish().Plain(textOf(l).Code.Missing)}
}

// KeepsFiles says how long uploaded files are kept after the decision.
func KeepsFiles(l *ui.Locale, keep time.Duration) ui.Label {
	days := max(1, int(keep/(24*time.Hour)))
	return ui.Label{Text: l.OrEnglish().Plain(textOf(l).Choose.KeepsFiles, ui.Count(days))}
}

// Spent returns the problem of a code that was tried too often.
func Spent(l *ui.Locale) ui.Problem {
	return ui.Problem{Field: ui.FieldCode, Text: l.OrEnglish().Plain(textOf(l).Code.Spent)}
}

// TooMany returns the problem of a method that was tried too often, until a time; the zero
// time is for the rest of the case.
func TooMany(l *ui.Locale, until time.Time) ui.Problem {
	t := textOf(l).Choose
	l = l.OrEnglish()
	if until.IsZero() {
		return ui.Problem{Text: l.Plain(t.WaitEnd)}
	}
	return ui.Problem{Text: l.Plain(t.Wait, ui.With("time", ui.Words(l.Moment(until))))}
}

// reason returns what there is to say about a reason.
func (t *text) reason(r Reason) reasonText {
	if said, ok := t.Reasons[r]; ok {
		return said
	}
	return t.Reasons[ReasonOther]
}

// takes says how long a method takes.
func takes(l *ui.Locale, d time.Duration) string {
	t := textOf(l).Choose
	switch {
	case d <= 0:
		return l.Plain(t.AtOnce)
	case d < 2*time.Hour:
		return l.Plain(t.Minutes, ui.Count(max(1, int(d/time.Minute))))
	case d < 48*time.Hour:
		return l.Plain(t.Hours, ui.Count(int(d/time.Hour)))
	default:
		return l.Plain(t.Days, ui.Count(int(d/(24*time.Hour))))
	}
}

// heading says what the page of a choice is about.
func (v ChooseView) heading() ui.Message {
	t := textOf(v.Locale)
	switch {
	case len(v.Reasons) > 0:
		return t.SentBack.Heading
	case v.Renewal:
		return t.Choose.HeadingRenew
	default:
		return t.Choose.Heading
	}
}

// isOver reports that no method is left to try.
func (v ChooseView) isOver() bool {
	return !slices.ContainsFunc(v.Methods, func(m Method) bool { return !m.Refused })
}

// place returns the number of the present step, or zero if all are done.
func (p CasePage) place() int {
	for i, s := range p.Steps {
		if s.State == StepNow {
			return i + 1
		}
	}
	return 0
}

// class is the look of a step.
func (s StepState) class() string {
	if s == StepLater {
		return "ahead"
	}
	return string(s)
}

func (t stepsText) of(s StepState) ui.Message {
	switch s {
	case StepDone:
		return t.Done
	case StepNow:
		return t.Now
	default:
		return t.Later
	}
}

// minutes are those of a time, at least one.
func minutes(d time.Duration) int { return max(1, int(d/time.Minute)) }

// icon is the picture of a state in the list.
func (s State) icon() ui.Icon {
	switch s {
	case StateVerified:
		return ui.IconVerified
	case StateEnding, StateExpired:
		return ui.IconExpired
	case StatePending, StateReview:
		return ui.IconAway
	case StateSentBack:
		return ui.IconProblem
	default:
		return ui.IconUnverified
	}
}

// class is the look of a state in the list: that of the groups of the account.
func (s State) class() string {
	switch s {
	case StateVerified:
		return "verified"
	case StateEnding, StateExpired, StateSentBack:
		return "expired"
	default:
		return "unverified"
	}
}

// inputType is the type of an input for a kind of field.
func (f Field) inputType() string {
	switch f.Kind {
	case "email", "date":
		return f.Kind
	default:
		return "text"
	}
}

// id names the field and its input.
func (f Field) id() string { return FieldAnswer + f.Name }

// describedBy names the elements that explain the field.
func (f Field) describedBy(wrong bool) string {
	ids := ""
	if wrong {
		ids = f.id() + "-problem"
	}
	if f.Hint.Text != "" {
		if wrong {
			ids += " "
		}
		ids += f.id() + "-hint"
	}
	return ids
}

// autocomplete is the token of the field for browsers.
func (f Field) autocomplete() string { return cmp.Or(f.Autocomplete, "off") }

// dir is the direction in which the field is written: what is no word is ASCII.
func (f Field) dir() string {
	if f.Kind == "" || f.Kind == "text" {
		return "auto"
	}
	return "ltr"
}

func (v AskView) heading() ui.Message {
	if len(v.Reasons) > 0 {
		return textOf(v.Locale).SentBack.Heading
	}
	return textOf(v.Locale).Choose.Heading
}

func (v ElsewhereView) heading() ui.Message {
	if v.Host == "" {
		return textOf(v.Locale).Elsewhere.HeadingHere
	}
	return textOf(v.Locale).Elsewhere.Heading
}

func (v PendingView) heading() ui.Message {
	if v.Review {
		return textOf(v.Locale).Pending.HeadingReview
	}
	return textOf(v.Locale).Pending.Heading
}

func (v DeclinedView) heading() ui.Message {
	if v.Renewal {
		return textOf(v.Locale).Declined.HeadingRenew
	}
	return textOf(v.Locale).Declined.Heading
}

func (v EndedView) heading() ui.Message {
	t := textOf(v.Locale).Ended
	switch v.How {
	case EndingWithdrawn:
		return t.Withdrawn
	case EndingSuperseded:
		return t.Superseded
	case EndingClosed:
		return t.Closed
	default:
		return t.Expired
	}
}
