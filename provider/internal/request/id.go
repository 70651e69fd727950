package request

import (
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

// An identifier is the second of its request and eight random bytes, in hexadecimal digits: by
// the second its lines in a log are found without an index of identifiers.
const (
	secondLength = 4
	idLength     = secondLength + 8
)

func newID() string {
	var id [idLength]byte
	random.Fill(id[secondLength:])
	binary.BigEndian.PutUint32(id[:], uint32(time.Now().Unix()))
	return hex.EncodeToString(id[:])
}

// Time returns the second in which a request with this identifier began, by the clock of its
// process, and false for a text that is none, such as one of before they had a time.
func Time(id string) (time.Time, bool) {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != idLength {
		return time.Time{}, false
	}
	return time.Unix(int64(binary.BigEndian.Uint32(b)), 0), true
}
