package storage

import (
	"context"
	"time"
)

// VerificationCode proves membership in a group to whoever has it, such as a code that a
// school hands to its teachers. The store knows it by its digest.
type VerificationCode struct {
	Digest Digest

	// Batch names the codes that were issued together.
	Batch string

	Group     string
	Subgroups []string

	// Email is a keyed digest of the address whose owner may redeem it; zero for anybody.
	Email Digest

	// Uses is how many subjects may redeem it, and Used how many have.
	Uses int
	Used int

	IssuedBy  string
	IssuedAt  time.Time
	ExpiresAt time.Time

	// MadeBy is a keyed digest of the subject who has made it; zero for a program.
	MadeBy Digest

	// HoldsUntil is the end of a membership that it proves; zero for that of the policy.
	HoldsUntil time.Time
}

// CodeBatch sums up codes that were issued together.
type CodeBatch struct {
	Batch    string
	Group    string
	Codes    int
	Uses     int
	Used     int
	IssuedBy string
	IssuedAt time.Time
	EndsAt   time.Time
}

// Waits reports whether the codes can be redeemed once ReleaseCodes says until when.
func (b CodeBatch) Waits() bool { return b.Codes > 0 && b.EndsAt.Equal(b.IssuedAt) }

// VerificationCodes stores verification codes.
type VerificationCodes interface {
	// IssueCodes records codes, all or none. ErrConflict if a digest exists.
	IssueCodes(ctx context.Context, codes []VerificationCode) error

	// RedeemCode counts a use of a code of the group by a subject, and returns the code.
	// The same subject again gets the same answer and is not counted. ErrNotFound if there
	// is none, it has expired, waits for ReleaseCodes, or is for another address; ErrSpent if
	// all its uses are taken.
	RedeemCode(ctx context.Context, digest Digest, group, subject string, email Digest, now time.Time) (VerificationCode, error)

	// CodeBatches returns up to limit batches, the latest first, issued before a time if
	// that is not zero.
	CodeBatches(ctx context.Context, before time.Time, limit int) ([]CodeBatch, error)

	// ReleaseCodes gives the codes of a batch that were issued without a time, so that they
	// expired as they were issued, the time at which they expire. ErrSpent if there are none: it
	// was done before, or they have been ended.
	ReleaseCodes(ctx context.Context, batch string, expiresAt time.Time) error

	// EndCodes ends the codes of a batch, and returns their number: those with a time to
	// come, and those that wait for ReleaseCodes. ErrSpent if there are none.
	EndCodes(ctx context.Context, batch string, at time.Time) (ended int, err error)
}
