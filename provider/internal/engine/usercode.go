package engine

import (
	"crypto/rand"
	"math/big"
	"strings"
)

// userCodeLetters are those of user codes: 20 consonants, none of which is taken for another, and
// which spell no word (RFC 8628 section 6.1). Eight of them are 34 bits.
const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
)

// newUserCode returns a random user code.
func newUserCode() string {
	code := make([]byte, userCodeLength)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userCodeLetters))))
		if err != nil { // the program stops without randomness
			panic(err)
		}
		code[i] = userCodeLetters[n.Int64()]
	}
	return string(code)
}

// ShownCode returns a user code in the two halves in which people read it.
func ShownCode(code string) string {
	return code[:userCodeLength/2] + "-" + code[userCodeLength/2:]
}

// ReadUserCode reads a user code as people type it: in either case, with any spaces and
// punctuation. It reports whether there can be such a code.
func ReadUserCode(typed string) (string, bool) {
	if len(typed) > 64 {
		return "", false
	}
	code := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, typed)
	known := strings.Trim(code, userCodeLetters) == ""
	return code, known && len(code) == userCodeLength
}
