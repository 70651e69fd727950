package storage

import (
	"context"
	"time"
)

// Trims removes what is old. It is a part of every role that has some of it.
type Trims interface {
	// Trim removes records of a kind: at most limit of each sort, and fewer if that takes long.
	// It returns the number of rows; the caller repeats until zero. Any number of processes may
	// call it at once.
	Trim(ctx context.Context, t Trim, limit int) (removed int, err error)
}

// Trim says what is old.
type Trim struct {
	Kind   TrimKind
	Before time.Time

	// DaysBefore is for OldLog, Now for OldCases and OldEvents.
	DaysBefore, Now time.Time

	// Environment and ClientID name the application of a SurplusLog, of which Successes and
	// Failures stay.
	Environment, ClientID string
	Successes, Failures   int
}

// TrimKind is a kind of record that [Trims] removes.
type TrimKind string

// The kinds of records.
const (
	// OldChanges are changes from Before, and those of deleted organizations.
	OldChanges TrimKind = "changes"

	// OldLog are entries of request logs from Before, counts of days from DaysBefore, and both of
	// deleted applications.
	OldLog TrimKind = "log"

	// SurplusLog are entries of one application: all but the latest Successes with the outcome ok,
	// and all but the latest Failures of the others. Their counts stay. An unknown application has
	// none.
	SurplusLog TrimKind = "surplus log"

	// OldPlans are plans that ended, or expired without a decision, before Before, with their
	// targets, which count.
	OldPlans TrimKind = "plans"

	// OldMatters are matters that were over before Before, and of which the person could read
	// before it.
	OldMatters TrimKind = "matters"

	// OldEvents are the events of closed blocks ([Trail]) from Before, the first block first, and
	// what was erased in them. A block is as old as its latest event, or as its closing if that is
	// earlier; one from more than a minute after Now, of a wrong clock, is as old as the next one
	// that is not. A block counts as removed before the first of its events goes. Events in no
	// block stay, and so does the very last one, so that no ID is used again. A block that a Mark
	// has not passed stays until it is 30 days old.
	OldEvents TrimKind = "events"

	// OldCases are cases that ended before Before and whose evidence is gone, with their
	// decisions, messages and references, and fingerprints that are free at Now. A case whose
	// status is in force stays, as does one that an open case appeals against.
	OldCases TrimKind = "cases"

	// OldCodes are verification codes that expired before Before.
	OldCodes TrimKind = "verification codes"

	// OldRosters are rows of generations that are neither in force nor Previous and were last
	// staged before Before.
	OldRosters TrimKind = "rosters"

	// AllOneTimeCodes are the codes of every purpose, AllPushedRequests the requests of every
	// client, whatever their time.
	AllOneTimeCodes   TrimKind = "one-time codes"
	AllPushedRequests TrimKind = "pushed requests"
)
