package factor

import (
	"errors"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/password"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// The owner of an account gets in with a recovery code when an app or a passkey is lost. Each of a
// set has 65 random bits, of which NIST SP 800-63B-4 section 4.2.1.1 asks 64, in the alphabet of
// Crockford's base32, which has no letters that look alike.
const (
	codesOfASet = 10
	codeLength  = 13 // characters of five bits each
)

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const codeSaltSize = 16

var errMalformed = errors.New("malformed recovery code")

// NewRecoveryCodes returns the codes of a new set, each in groups that are easy to copy.
func NewRecoveryCodes() []string {
	codes := make([]string, codesOfASet)
	for i := range codes {
		chars := random.Bytes(codeLength)
		for j, b := range chars {
			chars[j] = alphabet[b%byte(len(alphabet))] // 32 divides 256: each is as likely
		}
		codes[i] = string(chars[:4]) + "-" + string(chars[4:8]) + "-" + string(chars[8:])
	}
	return codes
}

// RecoverySet returns the record of a set of codes, with one new salt for all: so one computation
// finds an entered code among them. The caller sets CreatedAt. The error is a text that is no code.
func RecoverySet(codes []string) (storage.RecoveryCodes, error) {
	set := storage.RecoveryCodes{Salt: random.Bytes(codeSaltSize)}
	for _, code := range codes {
		digest, ok := RecoveryDigest(set.Salt, code)
		if !ok {
			return storage.RecoveryCodes{}, errMalformed
		}
		set.Digests = append(set.Digests, digest)
	}
	return set, nil
}

// RecoveryDigest returns the digest of a code as somebody has entered it, for comparison with those
// of a set: case, spaces and hyphens do not matter, nor O for 0, and I or L for 1. It
// reports false, without work, if that is no code.
func RecoveryDigest(salt []byte, entered string) (storage.Digest, bool) {
	code, ok := plainCode(entered)
	if !ok {
		return storage.Digest{}, false
	}
	// Section 3.1.2.2 wants codes of fewer than 112 bits hashed like passwords, with whatever
	// work: nobody searches 65 bits, and a wrong guess must not keep a processor busy.
	return storage.Digest(password.Light(code, salt, uint32(len(storage.Digest{})))), true
}

// longest is how many bytes of an entry are read: a code in its widest spelling.
const longest = 128

// plainCode returns the one spelling of an entered code.
func plainCode(entered string) (code string, ok bool) {
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
	if len(code) != codeLength || strings.Trim(code, alphabet) != "" {
		return "", false
	}
	return code, true
}
