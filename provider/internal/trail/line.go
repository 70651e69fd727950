package trail

import (
	"encoding/binary"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/bonafide-id/bonafide/storage"
)

// lineVersion and blockVersion begin what is hashed, so that no line is a block, and none of a
// later form is one of this.
const (
	lineVersion  = "bonafide audit line 1"
	blockVersion = "bonafide audit block 1"
)

// line returns the hash of a line: that of the event as it is stored, with the digests of its
// person and network as they were before an erasure.
func (k *Keys) line(e storage.Event, was *storage.Erasure) tlog.Hash {
	if was == nil {
		now := k.Erase(e)
		was = &now
	}
	return tlog.RecordHash(encodeLine(e, *was))
}

// encodeLine returns the only encoding of a line: no two lines have the same.
func encodeLine(e storage.Event, digests storage.Erasure) []byte {
	return appendParts(make([]byte, 0, 256), []byte(lineVersion),
		int64Bytes(e.ID), int64Bytes(storage.UnixMicro(e.At)), []byte(e.Name), []byte(e.ClientID), []byte(e.Detail),
		[]byte(e.Actor), []byte(e.Matter), digests.Subject, digests.Address)
}

// appendParts appends each part behind its length.
func appendParts(to []byte, parts ...[]byte) []byte {
	for _, part := range parts {
		to = binary.AppendUvarint(to, uint64(len(part)))
		to = append(to, part...)
	}
	return to
}

func int64Bytes(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
