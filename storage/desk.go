package storage

import (
	"context"
	"time"
)

// Desk are the roles for those who run the service, beside [Matters]. Like [Developers] they
// are not a part of [Store].
type Desk interface {
	Plans
	Breaks
	Answers
	Deeds
	Reports
	Trims
}

// Report counts what a store holds.
type Report struct {
	// Accounts are all embedded accounts, Disabled those of them that are locked.
	Accounts, Disabled int

	Sessions, Grants, Events    int
	Applications, Organizations int

	// CasesWaiting are the cases in review, PlansProposed the plans that nobody has decided
	// about and that have not expired, BreaksOpen the breaks that nobody has signed off.
	CasesWaiting, PlansProposed, BreaksOpen int
}

// Reports counts. A count reads a table from end to end, which takes a second for a million
// rows; it is for the background, and holds no writer.
type Reports interface {
	// Report counts what the store holds at a moment. Each number is of a moment of its
	// own.
	Report(ctx context.Context, now time.Time) (Report, error)

	// Schema returns the number of the last migration of the database: higher than that of the
	// program after a newer one has migrated.
	Schema(ctx context.Context) (int, error)
}
