package storage

import (
	"context"
	"time"
)

// Block is a closed part of the audit log: the events after the block before it, up to Last
// by ID. What was recorded in it stays when its events are removed.
type Block struct {
	// Number counts the blocks from 1.
	Number int64

	// First and Last are the IDs of its first and last event, Count is their number.
	First, Last int64
	Count       int

	// From and Until are the earliest and the latest time of its events.
	From, Until time.Time
	SealedAt    time.Time

	// Names counts its events by name.
	Names map[string]int

	// Root is the root of the Merkle tree over its events.
	Root Digest

	// Edge are the hashes at the right edge of the Merkle tree over all blocks up to this
	// one, from which the next one goes on. Checkpoint is that tree's signed head, in the
	// format of C2SP tlog-checkpoint.
	Edge       []byte
	Checkpoint []byte

	// Removed reports that its events were removed.
	Removed bool
}

// Erasure is what an event of a closed block was, before the person that it names was
// deleted: the keyed digests that its block has of subject and address.
type Erasure struct {
	EventID          int64
	Subject, Address []byte
}

// Erase returns what is kept of an event when the person that it names is deleted. It does
// nothing but compute.
type Erase func(Event) Erasure

// NextBlock returns the block of some events, of which there is at least one, in the order of
// their IDs, after the last block (zero for none): all of it that does not come from a key or a
// clock.
func NextBlock(last Block, events []Event) Block {
	block := Block{
		Number: last.Number + 1, First: events[0].ID, Last: events[len(events)-1].ID, Count: len(events),
		From: events[0].At, Until: events[0].At, Names: make(map[string]int),
	}
	for _, e := range events {
		block.Names[e.Name]++
		if e.At.Before(block.From) {
			block.From = e.At
		}
		if e.At.After(block.Until) {
			block.Until = e.At
		}
	}
	return block
}

// BlockFilter selects blocks. All nonzero fields must match.
type BlockFilter struct {
	// After selects blocks with a higher number, in ascending order; Before those with a
	// lower one, in descending order. Without either the latest come first.
	After, Before int64
	// From and To select those with an event at From or later, and before To.
	From, To time.Time
	// Limit is the maximum number; 100 if zero.
	Limit int
}

// Trail stores the blocks of the audit log.
type Trail interface {
	// SealEvents closes the next block: the events after the last one, at most limit, whose
	// IDs nobody can still precede. With fewer than limit it closes a block only if one of
	// them is from before a moment. seal gets the last block (zero for none) and the
	// events, and returns the block to record, which is [NextBlock] and more; it is called in the step, does nothing but
	// compute, and may be called again. Of concurrent calls one at a time goes on. It reports
	// whether a block was closed. ErrUnavailable if writers did not pause in time: try again
	// in a minute.
	SealEvents(ctx context.Context, limit int, before time.Time, seal func(last Block, events []Event) (Block, error)) (sealed bool, err error)

	// Blocks returns the matching blocks.
	Blocks(ctx context.Context, match BlockFilter) ([]Block, error)

	// BlockEvents returns the events of a block that are still there, in the order of their
	// IDs, and what was erased in them. Of a block that is removed some may still be there.
	// ErrNotFound if there is no such block.
	BlockEvents(ctx context.Context, number int64) ([]Event, []Erasure, error)

	// OpenEvents returns up to limit events after the given ID that are in no block, the
	// earliest first.
	OpenEvents(ctx context.Context, after int64, limit int) ([]Event, error)
}
