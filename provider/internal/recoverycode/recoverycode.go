// Package recoverycode has the codes with which the owner of an account gets in when an app
// or a passkey is lost. Each has 65 random bits, of which NIST SP 800-63B-4 section 4.2.1.1
// asks 64, in the alphabet of Crockford's base32, which has no letters that look alike.
package recoverycode

import (
	"errors"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// Count is how many codes a set has.
const Count = 10

// length is how many characters a code has, of five bits each.
const length = 13

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const saltSize = 16

// Section 3.1.2.2 wants codes of fewer than 112 bits hashed like passwords, with whatever
// work: nobody searches 65 bits, and a wrong guess must not keep a processor busy.
const (
	passes = 1
	memory = 2 * 1024 // KiB
	lanes  = 1
)

// ErrMalformed is returned by Set for text that is no code.
var ErrMalformed = errors.New("recoverycode: malformed code")

// New returns the codes of a new set, each in groups that are easy to copy.
func New() []string {
	codes := make([]string, Count)
	for i := range codes {
		chars := random.Bytes(length)
		for j, b := range chars {
			chars[j] = alphabet[b%byte(len(alphabet))] // 32 divides 256: each is as likely
		}
		codes[i] = string(chars[:4]) + "-" + string(chars[4:8]) + "-" + string(chars[8:])
	}
	return codes
}

// Set returns the record of a set of codes, with one new salt for all: so one computation
// finds an entered code among them. The caller sets CreatedAt. The error is ErrMalformed.
func Set(codes []string) (storage.RecoveryCodes, error) {
	set := storage.RecoveryCodes{Salt: random.Bytes(saltSize)}
	for _, code := range codes {
		digest, ok := Digest(set.Salt, code)
		if !ok {
			return storage.RecoveryCodes{}, ErrMalformed
		}
		set.Digests = append(set.Digests, digest)
	}
	return set, nil
}

// Digest returns the digest of a code as somebody has entered it, for comparison with those
// of a set: case, spaces and hyphens do not matter, nor O for 0, and I or L for 1. It
// reports false, without work, if that is no code.
func Digest(salt []byte, entered string) (storage.Digest, bool) {
	code, ok := plain(entered)
	if !ok {
		return storage.Digest{}, false
	}
	return storage.Digest(argon2.IDKey([]byte(code), salt, passes, memory, lanes, uint32(len(storage.Digest{})))), true
}

// longest is how many bytes of an entry are read: a code in its widest spelling.
const longest = 128

// plain returns the one spelling of an entered code.
func plain(entered string) (code string, ok bool) {
	if len(entered) > longest {
		return "", false
	}
	code = strings.Map(func(char rune) rune {
		switch {
		case strings.ContainsRune(" -_\t\r\n\u00a0\u2010\u2011\u2012\u2013\u2014\u200e\u200f\u2068\u2069", char):
			return -1
		case char >= 'a' && char <= 'z':
			char -= 'a' - 'A'
		}
		switch char {
		case 'O':
			return '0'
		case 'I', 'L':
			return '1'
		default:
			return char
		}
	}, entered)
	if len(code) != length || strings.Trim(code, alphabet) != "" {
		return "", false
	}
	return code, true
}
