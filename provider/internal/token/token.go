// Package token makes and recognizes the random values that codes, access tokens,
// refresh tokens and sessions are.
//
// A token reads
//
//	bfa_AbCd...
//
// three letters that name its kind, for people and for scanners that look for
// leaked credentials, and 66 letters and digits (base62.go) that hold
//
//	 4 bytes  time in steps of some 4 ms, big-endian; begins anew after 208 days
//	28 bytes  random
//	16 bytes  HMAC-SHA256 over the 32 before, under a key for issuer and kind
//
// The authentication code guards the database: guessed, damaged and foreign values
// are refused without a query, and so is a token of one kind where another belongs
// or of one issuer at another. It gives no right by itself; what a token is good for
// is what the database says about its digest.
//
// Digests start with the time at which the token was made, so that rows which are
// added together lie together in an index. Nothing else asks for that time.
package token

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// Kind is what a token is good for. It is the third letter of the token.
type Kind byte

// The kinds of token.
const (
	Code    Kind = 'c'
	Access  Kind = 'a'
	Refresh Kind = 'r'
	Session Kind = 's'
)

const (
	timeSize   = 4
	bodySize   = 32
	tagSize    = 16
	prefixSize = len("bfa_")

	// stepBits of the nanoseconds are left out of the time: some thousand tokens
	// a second fill the pages of an index one after the other.
	stepBits = 22

	rawSize = bodySize + tagSize

	// size is the length of a token in characters.
	size = prefixSize + rawSize/wordSize*wordDigits

	// formerSize is that of a token in base64url, as they were made before. Its 48
	// bytes fill 64 characters exactly: no bit is left that could vary.
	formerSize = prefixSize + rawSize/3*4
)

// Codec makes and recognizes the tokens of one issuer. It is safe for concurrent
// use.
type Codec struct {
	secrets  *keyring.Secrets
	purposes map[Kind]string
	clock    func() time.Time
}

// NewCodec returns the codec of an issuer. A nil clock means time.Now.
func NewCodec(secrets *keyring.Secrets, issuer string, clock func() time.Time) *Codec {
	if clock == nil {
		clock = time.Now
	}
	c := &Codec{secrets: secrets, purposes: make(map[Kind]string), clock: clock}
	for _, kind := range []Kind{Code, Access, Refresh, Session} {
		// Part of how the key is derived: another word would end every token.
		c.purposes[kind] = "opaque " + string(kind) + " of " + issuer
	}
	return c
}

// New returns a new token and its digest, which is what is stored. It panics when
// the kind is not one of this package.
func (c *Codec) New(kind Kind) (token string, digest storage.Digest) {
	purpose, ok := c.purposes[kind]
	if !ok {
		panic("token: unknown kind")
	}
	var raw [rawSize]byte
	binary.BigEndian.PutUint32(raw[:], uint32(c.clock().UnixNano()>>stepBits))
	random.Fill(raw[timeSize:bodySize])
	tag := c.secrets.MAC(purpose, raw[:bodySize])
	copy(raw[bodySize:], tag[:tagSize])

	text := [size]byte{'b', 'f', byte(kind), '_'}
	encode(text[prefixSize:], raw[:])
	return string(text[:]), digestOf(text[:], &raw)
}

// Parse returns the digest of a token of this kind, and whether this issuer has made
// it, under its current secret or one before. Each token has one spelling.
func (c *Codec) Parse(kind Kind, token string) (storage.Digest, bool) {
	purpose, ok := c.purposes[kind]
	if !ok {
		return storage.Digest{}, false
	}
	var raw [rawSize]byte
	digest, ok := readToken(kind, token, &raw)
	if !ok || !c.secrets.VerifyMAC(purpose, raw[bodySize:], raw[:bodySize]) {
		return storage.Digest{}, false
	}
	return digest, true
}

// DigestOf returns the digest that a text has as a token of this kind, whoever has made it.
// It is for a look-up among tokens that Parse or New has returned: no other text has the
// digest of one of them.
func DigestOf(kind Kind, token string) (storage.Digest, bool) {
	var raw [rawSize]byte
	return readToken(kind, token, &raw)
}

// readToken reads a text that has the form of a token of a kind, and returns its digest.
func readToken(kind Kind, token string, raw *[rawSize]byte) (storage.Digest, bool) {
	if len(token) != size && len(token) != formerSize {
		return storage.Digest{}, false
	}
	var buffer [size]byte
	text := buffer[:copy(buffer[:], token)]
	if [prefixSize]byte(text) != [prefixSize]byte{'b', 'f', byte(kind), '_'} || !decodeRaw(raw, text[prefixSize:]) {
		return storage.Digest{}, false
	}
	return digestOf(text, raw), true
}

// decodeRaw reads what the characters after a prefix hold, in today's form or the former.
func decodeRaw(raw *[rawSize]byte, text []byte) bool {
	if len(text) == size-prefixSize {
		return decode(raw[:], text)
	}
	// The decoder skips line breaks: then it finds fewer bytes than there are.
	n, err := base64.RawURLEncoding.Decode(raw[:], text)
	return err == nil && n == len(raw)
}

// digestOf returns the time of a token followed by what SHA-256 of all its
// characters leaves room for: 224 bits, beyond any collision.
func digestOf(text []byte, raw *[rawSize]byte) storage.Digest {
	digest := storage.Digest(sha256.Sum256(text))
	copy(digest[:timeSize], raw[:timeSize])
	return digest
}
