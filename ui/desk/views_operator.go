package desk

import (
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// The fields and actions of the forms of operators.
const (
	FieldFile           = "file"
	FieldColumnSubgroup = "column_subgroup"
	FieldColumnUntil    = "column_until"
	FieldGeneration     = "generation"
	FieldReplaces       = "replaces"
	FieldManyVanish     = "many_vanish"
	FieldManySkipped    = "many_skipped"
	FieldBatch          = "batch"
	FieldGroup          = "group"
	FieldCount          = "count"
	FieldUses           = "uses"
	FieldIssuedBy       = "issued_by"
	FieldReason         = "hold_reason"
	ActionUse           = "use"
	ActionPutBack       = "put_back"
	ActionIssue         = "issue"
	ActionEnd           = "end"
	ActionHold          = "hold"
	ActionRelease       = "release"
)

// RostersView lists the rosters.
type RostersView struct {
	Page
	Rosters []Roster
}

// Roster is a list of members.
type Roster struct {
	Name, URL string
	Rows      int
	// ImportedAt is zero for a roster that was never imported.
	ImportedAt time.Time
	ImportedBy string
}

// RosterView is one roster. It posts a file in [FieldFile], or [ui.FieldAction] with
// [ActionPutBack], which asks what the former one would change.
type RosterView struct {
	Page
	ui.Form
	Roster
	RostersURL string
	// FileAction is the address that takes the file.
	FileAction string
	// MayPutBack reports that there is a former roster to put back.
	MayPutBack bool
	// Problem is what is wrong with the file; ProblemLine the line that it is in, or zero.
	Problem RosterProblem
	// Subgroup and Until are the headers of columns, as they were entered.
	Subgroup, Until string
	ProblemLine     int
	// Wanted are the columns that the file lacks at least one of, and Found those that it has;
	// nil for another problem.
	Wanted, Found []string
	// Staged is what a file would change; nil before there is one.
	Staged *Staged
}

// RosterProblem is what is wrong with a file.
type RosterProblem string

// The problems of files.
const (
	RosterFileMissing RosterProblem = "missing"
	RosterFileWrong   RosterProblem = "wrong"
	RosterTooMany     RosterProblem = "many"
	RosterManySkipped RosterProblem = "skipped"
	RosterMovedOn     RosterProblem = "moved_on"
)

// Staged is a file that was read, or the former roster, and that is not in force. It posts [ui.FieldAction] with
// [ActionUse], [FieldGeneration], [FieldReplaces] and, if many vanish or were skipped, [FieldManyVanish] and
// [FieldManySkipped].
type Staged struct {
	Generation, Replaces                     string
	Rows, Added, Vanished, Skipped, Repeated int
	ManyVanish, ManySkipped                  bool

	// Skips are the first rows that were skipped, Sample the first as they are understood.
	Skips  []Skip
	Sample []string
}

// Skip is a row that was skipped: its line, and the column that has nothing to be read.
type Skip struct {
	Line   int
	Column string
}

// CodesView makes invitation codes, and lists those that there are. It posts [ui.FieldAction]
// with [ActionIssue] and its fields, or with [ActionEnd] and [FieldBatch].
type CodesView struct {
	Page
	ui.Form
	// Groups can have codes; there is no form without one.
	Groups []ui.Option
	// Count, Uses, Email, Until and IssuedBy are what was entered.
	Count, Uses, Email, Until, IssuedBy string
	Batches                             []Batch
	MoreURL                             string
}

// Batch are codes that were made together.
type Batch struct {
	Name              string
	Group             ui.Label
	Codes, Uses, Used int
	IssuedBy          string
	IssuedAt, EndsAt  time.Time
	Ended             bool
}

// IssuedView shows new codes, once. ReleaseURL is where another operator lets them be redeemed.
type IssuedView struct {
	Page
	ReleaseURL string
	Group      ui.Label
	Codes      []string
	Until      time.Time
}

// HoldsView lists cases whose evidence is kept longer. It posts [ui.FieldAction] with
// [ActionHold], [FieldCase], [FieldUntil] and [FieldReason], or with [ActionRelease] and
// [FieldCase].
type HoldsView struct {
	Page
	ui.Form
	// Case, Until and Reason are what was entered.
	Case, Until, Reason string
	Holds               []Hold
	MoreURL             string
}

// Hold is a case whose evidence is kept longer.
type Hold struct {
	Case       string
	Group      ui.Label
	Until      time.Time
	By, Reason string
}

// NumbersView counts cases.
type NumbersView struct {
	Page
	// Days is the length of the period.
	Days    int
	Waiting int
	// Oldest is when the one that is due first was promised; zero for none.
	Oldest time.Time
	// Kept and Decided are how many promises of the period were kept, of how many.
	Kept, Decided int
	// Overdue is evidence that should have been shredded.
	Overdue int
	Rows    []Number
}

// Number are the cases of a group, a method and a state.
type Number struct {
	Group       ui.Label
	Method      ui.Label
	State       State
	Count, Late int
}
