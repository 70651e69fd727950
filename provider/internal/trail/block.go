package trail

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/bonafide-id/bonafide/storage"
)

// Most is the number of lines of a full block, and Oldest how long a line waits for a block to be
// full.
const (
	Most   = 1024
	Oldest = 10 * time.Minute
)

// markSize is how much of the hash of each line is kept behind the edge of a block: what tells
// which line is wrong. Whether one is wrong, the root tells.
const markSize = 4

// Seal returns the function with which a store closes the next block.
func (k *Keys) Seal(now time.Time) func(last storage.Block, events []storage.Event) (storage.Block, error) {
	return func(last storage.Block, events []storage.Event) (storage.Block, error) {
		log, _, err := treeOf(last.Number, last.Edge)
		if err != nil {
			return storage.Block{}, err
		}
		block := storage.NextBlock(last, events)
		block.SealedAt = now
		leaves := make([]tlog.Hash, len(events))
		for i, e := range events {
			leaves[i] = k.line(e, nil)
		}
		block.Root = storage.Digest(rootOf(leaves))
		log.add(leafOf(block))
		block.Edge = append(log.edge(), marksOf(leaves)...)
		block.Checkpoint, err = k.sign(Checkpoint{Origin: k.origin, Size: log.size, Root: storage.Digest(log.root())})
		if err != nil {
			return storage.Block{}, fmt.Errorf("sign checkpoint: %w", err)
		}
		return block, nil
	}
}

// leafOf returns the hash of a block: of all that is recorded of it, so that it stays when its
// lines are removed.
func leafOf(b storage.Block) tlog.Hash {
	encoded := appendParts(nil, []byte(blockVersion), int64Bytes(b.Number), int64Bytes(b.First), int64Bytes(b.Last), int64Bytes(int64(b.Count)),
		int64Bytes(storage.UnixMicro(b.From)), int64Bytes(storage.UnixMicro(b.Until)), int64Bytes(storage.UnixMicro(b.SealedAt)), b.Root[:])
	for _, name := range slices.Sorted(maps.Keys(b.Names)) {
		encoded = appendParts(encoded, []byte(name), int64Bytes(int64(b.Names[name])))
	}
	return tlog.RecordHash(encoded)
}

func marksOf(leaves []tlog.Hash) []byte {
	marks := make([]byte, 0, len(leaves)*markSize)
	for _, leaf := range leaves {
		marks = append(marks, leaf[:markSize]...)
	}
	return marks
}
