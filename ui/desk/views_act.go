package desk

import "github.com/bonafide-id/bonafide/ui"

// The fields and buttons of the form of an action, beside the values of the action under their
// own names. A plan is proposed with [FieldName], [FieldTargets] and, about a person,
// [FieldMatter]; a form for whom the lines of a filter of the audit log are about is asked for
// with [FieldLines].
const (
	FieldRevision = "revision"
	FieldName     = "name"
	FieldTargets  = "targets"
	FieldMatter   = "matter"
	FieldLines    = "lines"
	ActionCheck   = "check"
	ActionDo      = "do"
	ActionDraft   = "draft"
)

// ActView is the form of an action: what it would do before it is done. It posts
// [ui.FieldAction] with [ActionCheck] and the values, or with [ActionDo], the values and
// [FieldRevision].
type ActView struct {
	Page
	ui.Form
	// Name is that of the action.
	Name string
	// Target is whom or what it is done to; the zero Label is the service. BackURL leads
	// back to it.
	Target  ui.Label
	BackURL string

	// Entries are the values that are asked for, and Values those that were given.
	Entries, Values []ActValue

	// Checked reports that Facts, Void and Revision are known.
	Checked  bool
	Facts    []ActFact
	Void     string
	Revision string

	// Needs is what stands in the way of doing it at once. PlanForm proposes it to another
	// operator, BreakURL leads to doing it alone, ProofURL to where the caller proves who
	// they are; each is empty where it is not offered.
	Needs              ActNeed
	PlanForm           *ui.Form
	BreakURL, ProofURL string
}

// ActNeed is what an action still needs.
type ActNeed string

// The needs.
const (
	NeedsNothing   ActNeed = ""
	NeedsMailbox   ActNeed = "mailbox"
	NeedsSession   ActNeed = "session"
	NeedsEyes      ActNeed = "eyes"
	NeedsProtected ActNeed = "protected"
)

// ActValue is a value of an action.
type ActValue struct {
	Name, Value string
	// Options are those that it may have, to be ticked ([FieldTick]); nil for any.
	Options []ui.Option
}

// FieldTick is the field of an option of a value, which is posted if it is ticked.
func FieldTick(name, option string) string { return name + "." + option }

// ActFact is one part of what an action would do.
type ActFact struct{ Name, Value string }

// ShownView shows a value once.
type ShownView struct {
	Page
	Name    string
	Target  ui.Label
	Of      ui.Label
	Value   string
	BackURL string
}
