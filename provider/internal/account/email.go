package account

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
)

var errEmail = errors.New("is not an e-mail address")

// EmailKey returns what makes an e-mail address unique: all its spellings in letter
// case and Unicode form are one, and so is its domain in Unicode and in ASCII, as DNS
// knows it. A character that stands for several, such as a full-width @, would make
// another address of it and is refused.
func EmailKey(address string) (string, error) {
	key := foldEmail(address)
	if !isEmail(address) || !isEmail(key) || foldEmail(key) != key {
		return "", errEmail
	}
	return key, nil
}

// foldEmail returns an address in one spelling. A domain in ASCII stays as it is, so
// that whatever is registered can be found: IDNA would refuse some that exist.
func foldEmail(address string) string {
	folded := strings.ToLower(norm.NFKC.String(address))
	at := strings.LastIndexByte(folded, '@')
	domain := folded[at+1:]
	if engine.IsPrintableASCII(domain) {
		return folded
	}
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return "" // not an address
	}
	return folded[:at+1] + ascii
}

// HasDot reports whether the domain of an address has more than one word, as those have
// that people get mail at: a slip of the finger is told before a code is sent to nobody.
func HasDot(address string) bool {
	_, domain, _ := strings.Cut(foldEmail(address), "@")
	return strings.Contains(strings.Trim(domain, "."), ".")
}

// isEmail reports whether this is an address and nothing else: no name beside it,
// no space, and nothing that cannot be seen.
func isEmail(s string) bool {
	// Some letters and marks show as nothing as well, and one symbol.
	invisible := func(r rune) bool {
		return !unicode.IsPrint(r) || r == '\uFFFD' || r == '\u2800' ||
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	if len(s) > 254 || strings.ContainsAny(s, " <>\"") || strings.ContainsFunc(s, invisible) {
		return false
	}
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s
}
