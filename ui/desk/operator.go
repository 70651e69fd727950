package desk

import (
	"strings"

	"github.com/bonafide-id/bonafide/ui"
)

// maxHeaders limits the headers of a file that are shown, in characters.
const maxHeaders = 200

// problem is what is wrong with a file.
func (v RosterView) problem(l *ui.Locale) string {
	t := textOf(l).Rosters
	switch {
	case v.Problem == RosterFileMissing:
		return l.Plain(t.FileMissing)
	case v.Problem == RosterTooMany:
		return l.Plain(t.ManyVanishMissing)
	case v.Problem == RosterManySkipped:
		return l.Plain(t.ManySkippedMissing)
	case v.Problem == RosterMovedOn:
		return l.Plain(t.Moving)
	case len(v.Wanted) > 0:
		return l.Plain(t.FileColumns, ui.With("wanted", ui.Clean(strings.Join(v.Wanted, ", "), maxHeaders)),
			ui.With("found", ui.Clean(strings.Join(v.Found, ", "), maxHeaders)))
	case v.ProblemLine > 0:
		return l.Plain(t.FileLine, ui.With("line", v.ProblemLine))
	default:
		return l.Plain(t.FileWrong)
	}
}

// The mistakes of operators.
const (
	WrongGroup      Wrong = "group"
	WrongNumber     Wrong = "number"
	WrongEmail      Wrong = "email"
	WrongLength     Wrong = "length"
	WrongEndOfCodes Wrong = "end_of_codes"
	WrongCase       Wrong = "case"
	WrongHoldReason Wrong = "hold_reason"
	WrongEndOfHold  Wrong = "end_of_hold"
)
