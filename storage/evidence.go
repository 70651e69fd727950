package storage

import (
	"context"
	"time"
)

// Evidence describes a file that a subject has submitted for a case. Its content is kept
// elsewhere, encrypted with Key. Without the key it is shredded.
type Evidence struct {
	// ID is also the name of the content where it is kept.
	ID     string
	CaseID string

	// Kind is the requirement that it is for, such as "front".
	Kind string

	MediaType string
	Size      int64

	// Digest is a keyed digest of the content, and Likeness a perceptual hash of a picture:
	// alike pictures have the same or a close one. Zero for none.
	Digest   Digest
	Likeness uint64

	// Key is the key of the content, encrypted by the caller; nil once it is shredded.
	Key []byte

	AddedAt time.Time

	// ShredAt is when the key is removed; ShreddedAt is when that was done, or zero.
	ShredAt    time.Time
	ShreddedAt time.Time

	// HeldUntil postpones shredding; zero for not held.
	HeldUntil time.Time
}

// EvidenceID names the evidence of a case, or, unless it is empty, the one with this ID.
type EvidenceID struct{ CaseID, ID string }

// EvidenceLimits are the maximum number and size of what a subject has submitted for open
// cases.
type EvidenceLimits struct {
	Count int
	Bytes int64
}

// EvidenceFilter selects evidence to count.
type EvidenceFilter struct {
	// OverdueAt selects evidence that should have been shredded before it, is not held, and still
	// has its key. It excludes the other fields.
	OverdueAt time.Time

	// NotOf is a case. The other ones are counted that have evidence of this digest or likeness,
	// each if it is not zero, shredded evidence included.
	NotOf    string
	Digest   Digest
	Likeness uint64
}

// Evidences stores descriptions of evidence.
type Evidences interface {
	// AddEvidence records evidence for an open case of the subject. ErrEnded if the case is
	// not open, or not the subject's. ErrLimit if the subject's cases would have more than
	// the limits; shredded evidence does not count.
	AddEvidence(ctx context.Context, e Evidence, subject string, limits EvidenceLimits) error

	// Evidence returns the evidence of a case, the earliest first, shredded included, or the one
	// with an ID.
	Evidence(ctx context.Context, of EvidenceID) ([]Evidence, error)

	// RemoveEvidence shreds evidence of an open case of the subject; held evidence, once the
	// hold is over. ErrEnded if the case is not open, or not the subject's; nil if there is
	// no such evidence.
	RemoveEvidence(ctx context.Context, id, subject string, at time.Time) error

	// HoldEvidence keeps the evidence of a case that is not yet shredded until a time; zero
	// ends the hold.
	HoldEvidence(ctx context.Context, caseID string, until time.Time) error

	// CountEvidence counts what matches.
	CountEvidence(ctx context.Context, match EvidenceFilter) (int, error)

	// ShredEvidence removes the keys of up to limit files whose time has come and that are
	// not held, and returns their number. From then on no backup of the content opens.
	ShredEvidence(ctx context.Context, now time.Time, limit int) (shredded int, err error)

	// LeftoverEvidence returns up to limit IDs, after the given one and in order, of shredded
	// evidence whose content was not yet deleted, and DeletedEvidence records that it is.
	LeftoverEvidence(ctx context.Context, after string, limit int) (ids []string, err error)
	DeletedEvidence(ctx context.Context, ids []string) error

	// HeldEvidence returns up to limit cases with held evidence after the given one, in
	// order, and the end of each hold.
	HeldEvidence(ctx context.Context, afterCaseID string, limit int) ([]Hold, error)
}

// Hold is a case whose evidence is held.
type Hold struct {
	CaseID string
	Until  time.Time
}
