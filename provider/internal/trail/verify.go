package trail

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/storage"
)

// Source is the audit log that is verified.
type Source interface {
	Blocks(ctx context.Context, match storage.BlockFilter) ([]storage.Block, error)
	BlockEvents(ctx context.Context, number int64) ([]storage.Event, []storage.Erasure, error)
	OpenEvents(ctx context.Context, after int64, limit int) ([]storage.Event, error)
	Events(ctx context.Context, match storage.EventFilter) ([]storage.Event, error)
}

// Finding is the first place at which a log is not what was sealed.
type Finding struct {
	// Block is its number; the last one, if the log ends too early.
	Block int64
	// Line is the ID of the line; zero if it is none, or not known which.
	Line  int64
	Cause Cause
}

// Cause is what is wrong, in plain English.
type Cause string

// The causes.
const (
	LineChanged    Cause = "the line was changed"
	LineMissing    Cause = "a line before it is missing"
	LineAdded      Cause = "the line was added"
	LinesDiffer    Cause = "the lines are not those that were sealed"
	RecordChanged  Cause = "the record of the block was changed"
	BlockMissing   Cause = "the block is missing"
	ErasedForNone  Cause = "the line was rewritten as if its person had been deleted"
	RemovedForNone Cause = "its lines were removed without a line that says so"
	RolledBack     Cause = "the log ends here, before the checkpoint: it was rolled back"
	OtherHistory   Cause = "the log is another one than that of the checkpoint, from here or before"
)

// String names the place and the cause.
func (f Finding) String() string {
	if f.Line != 0 {
		return fmt.Sprintf("block %d, line %d: %s", f.Block, f.Line, f.Cause)
	}
	return fmt.Sprintf("block %d: %s", f.Block, f.Cause)
}

// Verdict is what a log was found to be.
type Verdict struct {
	// Blocks and Lines are how many were read, Removed how many of the blocks have no lines
	// any more, Open how many lines are in no block yet.
	Blocks, Lines, Removed, Open int64
	// Head is the checkpoint of the last block; zero for none.
	Head Checkpoint
	// Finding is the first thing that is wrong; nil for nothing.
	Finding *Finding
}

// page is the number of blocks, and of open lines, that are read at a time.
const page = 64

// Verify reads a log from its first block to its last line, and compares it with what was sealed
// and with these checkpoints. It calls rest after each block that it has read, unless that is nil.
// An error means that it could not be read.
func (k *Keys) Verify(ctx context.Context, from Source, now time.Time, rest func(context.Context) error, anchors ...Checkpoint) (Verdict, error) {
	v := verifier{keys: k, from: from, now: now, anchors: anchors, erased: map[string]Finding{}}
	for v.Finding == nil {
		// A filter does not select by zero.
		blocks, err := from.Blocks(ctx, storage.BlockFilter{After: cmp.Or(v.last.Number, -1), Limit: page})
		if err != nil {
			return v.Verdict, fmt.Errorf("read blocks: %w", err)
		}
		if len(blocks) == 0 {
			return v.Verdict, v.end(ctx)
		}
		for _, b := range blocks {
			if v.Finding, err = v.block(ctx, b); err != nil || v.Finding != nil {
				return v.Verdict, err
			}
			if rest == nil {
				continue
			}
			if err := rest(ctx); err != nil {
				return v.Verdict, err
			}
		}
	}
	return v.Verdict, nil
}

type verifier struct {
	Verdict
	keys    *Keys
	from    Source
	now     time.Time
	anchors []Checkpoint

	log  tree
	last storage.Block

	// erased are the lines whose person is said to have been deleted, by pseudonym, until the
	// line that says so has been read.
	erased map[string]Finding

	// gone is the last block if its lines are removed, with what tells them: of the blocks before
	// it there is nothing left. kept is the last line of the last block that has its lines.
	gone  storage.Block
	marks []byte
	kept  int64

	// swept is the last block whose lines are removed, reach how young its lines were, and
	// removed from before when lines were said to be removed.
	swept          int64
	reach, removed time.Time
}

// block verifies the next block.
func (v *verifier) block(ctx context.Context, b storage.Block) (*Finding, error) {
	if b.Number != v.last.Number+1 {
		return &Finding{Block: v.last.Number + 1, Cause: BlockMissing}, nil
	}
	if b.First <= v.last.Last || b.Last < b.First || b.Count < 1 {
		return &Finding{Block: b.Number, Cause: RecordChanged}, nil
	}
	v.log.add(leafOf(b))
	edge := v.log.edge()
	head, signed := v.head(b)
	if !signed || !bytes.HasPrefix(b.Edge, edge) {
		return &Finding{Block: b.Number, Cause: RecordChanged}, nil
	}
	for _, a := range v.anchors {
		if a.Size == head.Size && a.Root != head.Root {
			return &Finding{Block: b.Number, Cause: OtherHistory}, nil
		}
	}
	found, err := v.lines(ctx, b, b.Edge[len(edge):])
	if err != nil || found != nil {
		return found, err
	}
	v.Blocks++
	v.Head, v.last = head, b
	return nil, nil
}

// head returns the checkpoint of a block, and whether it is ours and that of all blocks up to it.
func (v *verifier) head(b storage.Block) (Checkpoint, bool) {
	head, err := v.keys.Open(b.Checkpoint)
	return head, err == nil && head.Size == b.Number && head.Root == storage.Digest(v.log.root())
}

// lines verifies the lines of a block, and that there is none between it and the one before. Who
// removes them meanwhile is right.
func (v *verifier) lines(ctx context.Context, b storage.Block, marks []byte) (*Finding, error) {
	// The very last line of the log stays when its block is removed: a block of it alone has
	// all its lines, and no line says that it was removed.
	if b.Removed && b.Count > 1 {
		v.sweep(b, marks)
		return nil, nil
	}
	events, erasures, err := v.from.BlockEvents(ctx, b.Number)
	if err != nil {
		return nil, fmt.Errorf("read lines of block: %w", err)
	}
	if b.Removed && len(events) == 0 {
		v.sweep(b, marks)
		return nil, nil
	}
	found, err := v.stray(ctx, b.Number, b.First)
	if err != nil || found != nil {
		return found, err
	}
	if found = v.compare(b, marks, events, erasures); found == nil {
		v.Lines += int64(len(events))
		v.gone, v.kept = storage.Block{}, b.Last
		return nil, nil
	}
	again, err := v.from.Blocks(ctx, storage.BlockFilter{Before: b.Number + 1, Limit: 1})
	if err == nil && len(again) == 1 && again[0].Number == b.Number && again[0].Removed {
		v.sweep(b, marks)
		return nil, nil
	}
	return found, err
}

// stray finds the last line before another that is in no block which has its lines. Of the last
// removed block there may be an end left: a removal goes on, or was interrupted.
func (v *verifier) stray(ctx context.Context, block, before int64) (*Finding, error) {
	var left []storage.Event
	was := map[int64]*storage.Erasure{}
	if v.gone.Number != 0 {
		events, erasures, err := v.from.BlockEvents(ctx, v.gone.Number)
		if err != nil {
			return nil, fmt.Errorf("read what is left of a block: %w", err)
		}
		left, was = events, byEvent(erasures)
	}
	lines, err := v.from.Events(ctx, storage.EventFilter{BeforeID: before, Limit: len(left) + 1})
	if err != nil {
		return nil, fmt.Errorf("read lines between blocks: %w", err)
	}
	for i, e := range lines {
		switch at := len(left) - 1 - i; {
		case v.kept != 0 && e.ID <= v.kept:
			return nil, nil
		case at >= 0 && left[at].ID == e.ID && marked(v.marks, v.gone.Count-1-i, v.keys.line(left[at], was[e.ID])):
		case e.ID < v.gone.First || e.ID > v.gone.Last:
			return &Finding{Block: block, Line: e.ID, Cause: LineAdded}, nil
		default:
			return &Finding{Block: v.gone.Number, Line: e.ID, Cause: LineAdded}, nil
		}
	}
	return nil, nil
}

// skew is how far another clock may be ahead.
const skew = time.Minute

// sweep notes a block whose lines are removed. It is as old as its latest line, or as its closing
// if that is earlier; one of a wrong clock is as old as the next.
func (v *verifier) sweep(b storage.Block, marks []byte) {
	v.Removed++
	v.gone, v.marks = b, marks
	age := b.Until
	if b.SealedAt.Before(age) {
		age = b.SealedAt
	}
	if age.After(v.now.Add(skew)) {
		return
	}
	if age.After(v.reach) {
		v.swept, v.reach = b.Number, age
	}
}

// end verifies what follows the last block, and what only the whole log tells.
func (v *verifier) end(ctx context.Context) (err error) {
	if v.gone.Number != 0 {
		if v.Finding, err = v.stray(ctx, v.last.Number, v.last.Last+1); err != nil || v.Finding != nil {
			return err
		}
	}
	for after := v.last.Last; ; {
		events, err := v.from.OpenEvents(ctx, after, page)
		if err != nil {
			return fmt.Errorf("read open lines: %w", err)
		}
		for _, e := range events {
			v.heed(e)
			after = e.ID
		}
		v.Open += int64(len(events))
		if len(events) < page {
			break
		}
	}
	for _, a := range v.anchors {
		if a.Size > v.log.size {
			v.Finding = &Finding{Block: v.log.size, Cause: RolledBack}
			return nil
		}
	}
	if v.swept > 0 && !v.reach.Before(v.removed) {
		v.Finding = &Finding{Block: v.swept, Cause: RemovedForNone}
		return nil
	}
	for _, f := range v.erased {
		if v.Finding == nil || f.Line < v.Finding.Line {
			v.Finding = &f
		}
	}
	return nil
}

// removedPrefix begins the Detail of the line that says that lines were removed.
const removedPrefix = "from before "

// RemovedDetail is the Detail of the line that says that lines from before a moment were removed.
func RemovedDetail(before time.Time) string {
	return removedPrefix + before.UTC().Format(time.RFC3339)
}

// heed takes from a line what it says about others.
func (v *verifier) heed(e storage.Event) {
	switch e.Name {
	case event.AccountDeleted:
		delete(v.erased, e.Subject)
	case event.EventsRemoved:
		moment, found := bytes.CutPrefix([]byte(e.Detail), []byte(removedPrefix))
		if !found {
			return
		}
		// The text has seconds: what was removed is from before the end of this one.
		if at, err := time.Parse(time.RFC3339, string(moment)); err == nil && !at.After(e.At.Add(skew)) {
			if end := at.Add(time.Second); end.After(v.removed) {
				v.removed = end
			}
		}
	}
}
