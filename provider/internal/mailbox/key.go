package mailbox

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// EmailKey returns the unique key of an e-mail address: all its spellings in letter case
// and Unicode form are one, and so is its domain in Unicode and in ASCII, as in DNS. Before
// the @, a character that resembles or stands for others, and so would turn the address
// into another person's, is refused.
func EmailKey(address string) (string, error) {
	key := foldEmail(address)
	if !isEmail(address) || standsForOthers(address) || !isEmail(key) || foldEmail(key) != key {
		return "", errMailbox
	}
	return key, nil
}

// standsForOthers reports whether the local part of an address has a character that folding
// would turn into another mailbox: a ligature, a full-width letter, or one beyond ASCII
// that folds into it, such as the capital I with a dot.
func standsForOthers(address string) bool {
	local := address[:max(0, strings.LastIndexByte(address, '@'))]
	return norm.NFC.String(local) != norm.NFKC.String(local) || strings.ContainsFunc(local, func(r rune) bool {
		return r > unicode.MaxASCII && registry.IsPrintableASCII(foldKey(string(r)))
	})
}

func foldKey(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// foldEmail returns an address in one spelling. A domain in ASCII stays as it is, so that
// every registered one can be found: IDNA would refuse some that exist.
func foldEmail(address string) string {
	at := strings.LastIndexByte(address, '@')
	local, domain := foldKey(address[:at+1]), address[at+1:]
	if registry.IsPrintableASCII(domain) {
		return local + strings.ToLower(domain)
	}
	ascii, err := idna.Lookup.ToASCII(domain) // by its own mapping, like senders of mail
	if err != nil {
		return "" // not an address
	}
	return local + ascii
}

// HasDot reports whether the domain of an address has more than one label, as those of
// mailboxes do: a typo is reported before a code is sent to nobody.
func HasDot(address string) bool {
	_, domain, _ := strings.Cut(foldEmail(address), "@")
	return strings.Contains(strings.Trim(domain, "."), ".")
}

// isEmail reports whether s is an address and nothing else: no name beside it, no space,
// and nothing invisible.
func isEmail(s string) bool {
	// Some letters and marks are invisible as well, and one symbol.
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
