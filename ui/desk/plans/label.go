package plans

import (
	"strconv"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/desk"
)

func (n Notice) icon() ui.Icon {
	if n.isWarning() {
		return ui.IconProblem
	}
	return ui.IconDone
}

// class is how the tag of a state looks.
func (s State) class() string {
	switch s {
	case StateWaiting, StateScheduled:
		return "warn"
	case StateDone, StateRunning:
		return "good"
	case StateStopped, StateRefused:
		return "bad"
	}
	return ""
}

// whyWord says why a target is left out or skipped: a reason of plans, or one of an action.
func whyWord(l *ui.Locale, why string) string {
	if m, ok := textOf(l).Whys[why]; ok {
		return l.Plain(m)
	}
	return desk.ActVoid(l, why)
}

// Reason says why something is planned, for a reason of every desk; empty for another.
func Reason(l *ui.Locale, name string) string {
	l = l.OrEnglish()
	m, ok := textOf(l).Reasons[name]
	if !ok {
		return ""
	}
	return l.Plain(m)
}

func count(n int) string { return strconv.Itoa(n) }

// Wrong is a mistake in a form.
type Wrong string

// The mistakes.
const (
	WrongCount    Wrong = "count"
	WrongSentence Wrong = "sentence"
	WrongTargets  Wrong = "targets"
	WrongValue    Wrong = "value"
	WrongNote     Wrong = "note"
	WrongReason   Wrong = "reason"
)

// ProblemOf returns a mistake as a problem of a field, in the language of a page.
func ProblemOf(l *ui.Locale, field string, w Wrong) ui.Problem {
	l = l.OrEnglish()
	t := textOf(l)
	sentence := map[Wrong]ui.Message{
		WrongCount: t.Plan.CountWrong, WrongSentence: t.Alone.SentenceWrong, WrongTargets: t.New.TargetsWrong,
		WrongValue: t.New.ValueWrong, WrongNote: t.New.NoteWrong, WrongReason: t.New.ReasonWrong,
	}[w]
	return ui.Problem{Field: field, Text: l.Plain(sentence)}
}

// progressOf are the numbers of a plan.
func progressOf(l *ui.Locale, r Row) []ui.Arg {
	number := func(n int) ui.Words { return ui.Words(l.Number(int64(n))) }
	return []ui.Arg{ui.With("done", number(r.Done)), ui.With("skipped", number(r.Skipped)), ui.With("all", number(r.Targets))}
}

// shows reports whether a plan has begun, or will.
func (v PlanView) shows() bool {
	return v.State != StateWaiting && v.State != StateExpired && v.State != StateRefused
}

// other is what the link to the other list says.
func (v BreaksView) other(l *ui.Locale) string {
	if v.All {
		return l.Plain(textOf(l).Breaks.Open)
	}
	return l.Plain(textOf(l).Breaks.All)
}

// none says that the list is empty.
func (v BreaksView) none(l *ui.Locale) string {
	if v.All {
		return l.Plain(textOf(l).Breaks.EmptyAll)
	}
	return l.Plain(textOf(l).Breaks.Empty)
}
