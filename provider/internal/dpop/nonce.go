package dpop

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// Nonces makes and recognizes nonces (RFC 9449 section 8). A nonce is a minute with its
// authentication code: nothing is stored, and all processes with one secret agree.
type Nonces struct {
	// Secrets authenticate nonces for a purpose that is fixed at program start.
	Secrets interface {
		MAC(purpose string, parts ...[]byte) [sha256.Size]byte
		VerifyMAC(purpose string, mac []byte, parts ...[]byte) bool
	}
	Purpose string
}

const (
	// before and after are how many minutes around the present one a nonce may be of.
	before, after = 2, 1

	minuteSize, macSize = 4, 16
)

// Next returns the nonce for later proofs, or empty when the one that was sent is the newest.
func (n Nonces) Next(sent string, now time.Time) string {
	minute := minuteOf(now)
	if of, ok := n.minute(sent); ok && of >= minute && of <= minute+after {
		return ""
	}
	raw := binary.BigEndian.AppendUint32(nil, minute)
	mac := n.Secrets.MAC(n.Purpose, raw)
	return base64.RawURLEncoding.EncodeToString(append(raw, mac[:macSize]...))
}

// end returns until when a nonce is accepted; false when it is not accepted now.
func (n Nonces) end(nonce string, now time.Time) (time.Time, bool) {
	of, ok := n.minute(nonce)
	present := minuteOf(now)
	if !ok || of+before < present || of > present+after {
		return time.Time{}, false
	}
	return time.Unix((int64(of)+before+1)*60, 0), true
}

// minute returns the minute of a nonce of this provider.
func (n Nonces) minute(nonce string) (uint32, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(nonce)
	if err != nil || len(raw) != minuteSize+macSize || !n.Secrets.VerifyMAC(n.Purpose, raw[minuteSize:], raw[:minuteSize]) {
		return 0, false
	}
	return binary.BigEndian.Uint32(raw), true
}

func minuteOf(now time.Time) uint32 { return uint32(now.Unix() / 60) }
