// Package random reads the randomness of the operating system, which is where every
// identifier, secret, salt and nonce of the provider comes from.
package random

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"
)

// Fill fills b with random bytes. It returns no error: since Go 1.24 crypto/rand ends
// the program when the system has no randomness, so that nothing can go on with weak
// keys.
func Fill(b []byte) { _, _ = rand.Read(b) }

// Bytes returns n random bytes.
func Bytes(n int) []byte {
	b := make([]byte, n)
	Fill(b)
	return b
}

// Text returns n random bytes in base64url without padding (RFC 4648 section 5), for
// cookies, form fields and addresses.
func Text(n int) string { return base64.RawURLEncoding.EncodeToString(Bytes(n)) }

// UUID returns a random UUID (RFC 9562 section 5.4). As the ID of a user it reveals nothing,
// not even the time of the sign-up.
func UUID() string {
	var b [16]byte
	Fill(b[:])
	b[6] = b[6]&0x0f | 0x40
	return text(b)
}

// SortedUUID returns a UUID that sorts by time (RFC 9562 section 5.7), for records of which an
// index grows at its end.
func SortedUUID(at time.Time) string { return text(SortedID(at)) }

// SortedID returns the bytes of a SortedUUID.
func SortedID(at time.Time) (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], uint64(at.UnixMilli())<<16)
	Fill(b[6:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return b
}

func text(b [16]byte) string {
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
