package frame

import (
	"slices"
	"time"
)

// Withholding is how long a person cannot read of a matter with a withheld reason, unless an
// operator releases it before.
const Withholding = 90 * 24 * time.Hour

// NoteKind is the kind of record for which the note of a matter is sealed, under its ID.
const NoteKind = "desk note"

// usualReasons are the reasons that every desk has. What they are called is in ui.
var usualReasons = []Reason{
	{Name: "caller"}, {Name: "report"}, {Name: "application"}, {Name: "data_request"},
	{Name: "authority", Withheld: true}, {Name: "incident", Withheld: true}, {Name: "quality"},
}

// AllReasons are the reasons for which a matter is opened: those of every desk, then the host's.
func (f *Frame) AllReasons() []Reason { return slices.Concat(usualReasons, f.Reasons) }

// Reason returns the reason of this name, and false if there is none.
func (f *Frame) Reason(name string) (Reason, bool) {
	all := f.AllReasons()
	i := slices.IndexFunc(all, func(r Reason) bool { return r.Name == name })
	if i < 0 {
		return Reason{}, false
	}
	return all[i], true
}
