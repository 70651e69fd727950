package account

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

var errEmail = errors.New("is not an e-mail address")

// EmailKey returns what makes an e-mail address unique: all its spellings in letter
// case and Unicode form are one, and so is its domain in Unicode and in ASCII, as DNS
// knows it. Before the @ a character that only looks like others, or stands for them, would
// make the address of somebody else of it and is refused.
func EmailKey(address string) (string, error) {
	key := foldEmail(address)
	if !isEmail(address) || standsForOthers(address) || !isEmail(key) || foldEmail(key) != key {
		return "", errEmail
	}
	return key, nil
}

// standsForOthers reports whether the local part of an address has a character that folding
// would make another mailbox of: a ligature, a letter in full width, or one beyond ASCII
// that folds into it, such as the capital I with a dot.
func standsForOthers(address string) bool {
	local := address[:max(0, strings.LastIndexByte(address, '@'))]
	return norm.NFC.String(local) != norm.NFKC.String(local) || strings.ContainsFunc(local, func(r rune) bool {
		return r > unicode.MaxASCII && registry.IsPrintableASCII(fold(string(r)))
	})
}

func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// foldEmail returns an address in one spelling. A domain in ASCII stays as it is, so
// that whatever is registered can be found: IDNA would refuse some that exist.
func foldEmail(address string) string {
	at := strings.LastIndexByte(address, '@')
	local, domain := fold(address[:at+1]), address[at+1:]
	if registry.IsPrintableASCII(domain) {
		return local + strings.ToLower(domain)
	}
	ascii, err := idna.Lookup.ToASCII(domain) // by its own mapping, as whoever mails there does
	if err != nil {
		return "" // not an address
	}
	return local + ascii
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
