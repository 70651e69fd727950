package trail

import (
	"bytes"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/bonafide-id/bonafide/storage"
)

// compare compares the lines of a block with its root, and names the first that differs, by the
// marks of those that were sealed.
func (v *verifier) compare(b storage.Block, marks []byte, events []storage.Event, erasures []storage.Erasure) *Finding {
	was := byEvent(erasures)
	leaves := make([]tlog.Hash, len(events))
	for i, e := range events {
		leaves[i] = v.keys.line(e, was[e.ID])
	}
	if len(events) != b.Count || storage.Digest(rootOf(leaves)) != b.Root {
		line, cause := differs(b, marks, events, leaves)
		return &Finding{Block: b.Number, Line: line, Cause: cause}
	}
	for _, e := range events {
		if was[e.ID] != nil { // neither person nor network is a part of the hash now
			erased := Finding{Block: b.Number, Line: e.ID, Cause: ErasedForNone}
			if e.Address != "" {
				return &erased
			}
			if _, pending := v.erased[e.Subject]; !pending {
				v.erased[e.Subject] = erased
			}
		}
		v.heed(e)
	}
	return nil
}

// byEvent returns erasures by the line that they are about.
func byEvent(erasures []storage.Erasure) map[int64]*storage.Erasure {
	was := make(map[int64]*storage.Erasure, len(erasures))
	for i := range erasures {
		was[erasures[i].EventID] = &erasures[i]
	}
	return was
}

// marked reports whether a hash has the mark at this place.
func marked(marks []byte, at int, leaf tlog.Hash) bool {
	return at >= 0 && (at+1)*markSize <= len(marks) && bytes.Equal(leaf[:markSize], marks[at*markSize:(at+1)*markSize])
}

// differs returns the first line of a block that is not what was sealed.
func differs(b storage.Block, marks []byte, events []storage.Event, leaves []tlog.Hash) (int64, Cause) {
	if len(marks) != b.Count*markSize {
		return 0, LinesDiffer
	}
	is := func(leaf, mark int) bool {
		return leaf < len(leaves) && marked(marks, mark, leaves[leaf])
	}
	i := 0
	for is(i, i) {
		i++
	}
	switch {
	case i == len(events) && i == b.Count:
		return 0, LinesDiffer
	case i == len(events):
		return b.Last, LineMissing
	case len(events) > b.Count && (i == b.Count || is(i+1, i)):
		return events[i].ID, LineAdded
	case len(events) < b.Count && is(i, i+1):
		return events[i].ID, LineMissing
	default:
		return events[i].ID, LineChanged
	}
}
