package storage

import (
	"context"
	"time"
)

// Roster is a list of members, imported as a whole. Each import is a generation.
type Roster struct {
	Name string

	// Generation is the one in force; zero before the first import. Rows is its number of
	// rows, and Previous the one that it replaced, whose rows are kept for an undo until
	// the next import.
	Generation int64
	Rows       int
	Previous   int64

	ImportedAt time.Time
	ImportedBy string
}

// RosterRow is a row of a roster.
type RosterRow struct {
	// Digest is a keyed digest of the values by which people match.
	Digest Digest

	// Content is the rest, such as subgroup and end, encrypted by the caller.
	Content []byte
}

// RosterChange counts the rows of a staged generation beside the one in force.
type RosterChange struct {
	Rows     int // of the staged generation
	Skipped  int // as StageRoster was told of it
	Added    int
	Vanished int
}

// Rosters stores rosters.
type Rosters interface {
	// Roster returns a roster; with the zero Generation if none was imported.
	Roster(ctx context.Context, name string) (Roster, error)

	// StageRoster adds rows to a generation that is not yet in force; a repeated digest
	// keeps its first row, and skipped, which were no rows, add up. ErrChanged if the generation is, or was, in force, or its removal
	// has begun. The caller chooses a random generation above zero, and stages at most 1000
	// rows a call.
	StageRoster(ctx context.Context, name string, generation int64, rows []RosterRow, skipped int, at time.Time) error

	// CompareRoster counts the rows of a staged generation and the difference. ErrNotFound
	// if there is none.
	CompareRoster(ctx context.Context, name string, staged int64) (RosterChange, error)

	// SwapRoster puts a staged generation in force in place of the one with this number,
	// zero for none; the store counts its rows. ErrChanged if another is in force, or if the
	// staged one is gone or its removal has begun. The replaced one becomes Previous. A swap
	// back to Previous is an undo; that of the first import puts zero, an empty roster, in
	// force.
	SwapRoster(ctx context.Context, r Roster, replaced int64) error

	// MatchRoster returns the row in force with any of the digests, and the digest.
	// ErrNotFound if there is none.
	MatchRoster(ctx context.Context, name string, digests []Digest) (RosterRow, error)
}
