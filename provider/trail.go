package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/storage"
)

// Checkpoint is the signed head of the audit log: of its first Size blocks, which Root stands
// for. Who keeps one elsewhere can show later that the log is still the same.
type Checkpoint struct {
	Size int64
	Root [32]byte

	// Signed is the checkpoint as text, in the format of C2SP tlog-checkpoint.
	Signed []byte
}

// ErrNoCheckpoint means that no block of the audit log is closed yet: Run closes the first ten
// minutes after the first event.
var ErrNoCheckpoint = errors.New("provider: no block of the audit log is closed yet")

// ErrCheckpoint means that a text is not a checkpoint that this provider has signed.
var ErrCheckpoint = trail.ErrCheckpoint

// Checkpoint returns the head of the audit log. ErrNoCheckpoint if there is none.
func (p Trail) Checkpoint(ctx context.Context) (Checkpoint, error) {
	last, err := p.store.Blocks(ctx, storage.BlockFilter{Limit: 1})
	if err != nil {
		return Checkpoint{}, fmt.Errorf("provider: read checkpoint: %w", err)
	}
	if len(last) == 0 {
		return Checkpoint{}, ErrNoCheckpoint
	}
	return p.Open(last[0].Checkpoint)
}

// Open reads a signed checkpoint that was kept elsewhere. It may be of an earlier base URL of
// the provider. ErrCheckpoint if the provider has not signed it so.
func (p Trail) Open(signed []byte) (Checkpoint, error) {
	c, err := p.trail.Open(signed)
	if err != nil {
		return Checkpoint{}, err
	}
	return Checkpoint{c.Size, c.Root, signed}, nil
}

// VerifierKey returns the public key of checkpoints, in the form that verifiers of signed notes
// take: name, short name and key. It stays as long as the database and the base URL do.
func (p Trail) VerifierKey() string { return p.trail.VerifierKey() }

// AnchorWith has Run, in this process, take the checkpoint elsewhere once an hour, such as to
// storage whose objects are locked: what is older than it cannot be changed unseen even by who
// has the database and the secret. A failure is logged, and f called again in a minute.
func (p Trail) AnchorWith(f func(ctx context.Context, c Checkpoint) error) {
	p.upkeep.AnchorWith(func(ctx context.Context, signed []byte) error {
		c, err := p.Open(signed)
		if err != nil {
			return err
		}
		return f(ctx, c)
	})
}

// Verdict is what Verify has found.
type Verdict struct {
	// Blocks and Lines were read. Removed blocks have no lines any more, and Open lines are in
	// no block yet.
	Blocks  int64 `json:"blocks"`
	Lines   int64 `json:"lines"`
	Removed int64 `json:"removed"`
	Open    int64 `json:"open"`

	// Finding is the first thing that is not as it was sealed; nil if all is.
	Finding *Finding `json:"finding,omitempty"`
}

// Finding is a place at which the audit log is not what was sealed.
type Finding struct {
	// Block is the number of the block.
	Block int64 `json:"block"`
	// Line is the ID of the event; zero if it is none, or not known which.
	Line int64 `json:"line,omitempty"`
	// Cause says what is wrong, in plain English.
	Cause string `json:"cause"`
}

// Verify reads the audit log and compares it with what was sealed, and with these checkpoints,
// which are read from their Signed. It records the outcome as an event, and says in the
// operator's log what is wrong. It holds up no writer; a million events take seven seconds.
// An error means that nothing is known.
func (p Trail) Verify(ctx context.Context, anchors ...Checkpoint) (Verdict, error) {
	against := make([]trail.Checkpoint, len(anchors))
	for i, a := range anchors {
		var err error
		if against[i], err = p.trail.Open(a.Signed); err != nil {
			return Verdict{}, err
		}
	}
	v, err := p.upkeep.VerifyTrail(ctx, nil, against...)
	if err != nil {
		return Verdict{}, fmt.Errorf("provider: verify audit log: %w", err)
	}
	verdict := Verdict{Blocks: v.Blocks, Lines: v.Lines, Removed: v.Removed, Open: v.Open}
	if f := v.Finding; f != nil {
		verdict.Finding = &Finding{f.Block, f.Line, string(f.Cause)}
	}
	return verdict, nil
}

// State returns when the audit log was last sealed, verified and taken elsewhere.
func (p trailRoom) State(ctx context.Context) (room.TrailState, error) {
	var s room.TrailState
	s.AnchoredAt, s.HasAnchor = p.upkeep.Anchored()
	last, err := p.store.Blocks(ctx, storage.BlockFilter{Limit: 1})
	if err == nil && len(last) > 0 {
		s.Blocks, s.SealedAt = last[0].Number, last[0].SealedAt
	}
	if err == nil {
		s.LateSince, err = p.upkeep.LateSince(ctx, p.cfg.Clock())
	}
	if err != nil {
		return room.TrailState{}, fmt.Errorf("provider: read state of audit log: %w", err)
	}
	verified, due, err := p.upkeep.LastVerified(ctx)
	if err != nil {
		return room.TrailState{}, fmt.Errorf("provider: read state of audit log: %w", err)
	}
	s.VerifiedAt, s.VerifyDue = verified.At, due
	if verified.Name == event.TrailBroken {
		s.Wrong = verified.Detail
	}
	return s, nil
}

// Blocks returns blocks of the audit log.
func (p trailRoom) Blocks(ctx context.Context, match storage.BlockFilter) ([]storage.Block, error) {
	blocks, err := p.store.Blocks(ctx, match)
	if err != nil {
		return nil, fmt.Errorf("provider: read blocks: %w", err)
	}
	return blocks, nil
}

// OpenEvents returns up to limit events after an ID that are in no block yet, the earliest
// first.
func (p trailRoom) OpenEvents(ctx context.Context, after int64, limit int) ([]RecordedEvent, error) {
	stored, err := p.store.OpenEvents(ctx, after, limit)
	if err != nil {
		return nil, fmt.Errorf("provider: read open events: %w", err)
	}
	events := make([]RecordedEvent, len(stored))
	for i, e := range stored {
		events[i] = RecordedEvent{e.ID, asEvent(e)}
	}
	return events, nil
}
