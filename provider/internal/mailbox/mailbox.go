// Package mailbox reads e-mail addresses and domain names, and decides which of them are one
// and the same.
package mailbox

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

var (
	errMailbox = errors.New("is not an e-mail address")
	errDomain  = errors.New("is not a domain name")
)

// Address is an e-mail address, in the parts that decide whose it is.
type Address struct {
	local string // as it was written

	// Domain is in lower case, as in DNS.
	Domain string
}

// Parse reads an address. It refuses more than the syntax of mail does: whatever
// could be delivered elsewhere than to the domain behind the @ (quotation marks, comments,
// two @, and the source routes that % and ! once were), and what could be taken for
// another mailbox than it is.
func Parse(address string) (Address, error) {
	local, domain, ok := strings.Cut(address, "@")
	if !ok || len(address) > 254 || !isLocalPart(local) {
		return Address{}, errMailbox
	}
	ascii, err := ParseDomain(domain)
	if err != nil {
		return Address{}, errMailbox
	}
	return Address{local, ascii}, nil
}

// isLocalPart reports whether s is a dot-atom of RFC 5322 or, with letters and digits beyond
// ASCII, of RFC 6531.
func isLocalPart(s string) bool {
	if s == "" || len(s) > 64 || !utf8.ValidString(s) || s[0] == '+' ||
		strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") || strings.Contains(s, "..") || strings.Contains(s, ".+") {
		return false
	}
	for _, r := range s {
		switch {
		case r <= unicode.MaxASCII:
			if !isAlphanumeric(r) && !strings.ContainsRune(".+-_'=&#$*/?^`{|}~", r) {
				return false
			}
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r),
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return false
		}
	}
	// A ligature, a full-width letter, or a letter that folds into ASCII, such as the Kelvin
	// sign: the mail goes to one mailbox and the fingerprint would be another's.
	return norm.NFC.String(s) == norm.NFKC.String(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII && strings.IndexFunc(fold(string(r)), isAlphanumeric) == 0
	})
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// fold returns one spelling for all letter cases and Unicode forms of a text.
func fold(s string) string { return norm.NFKC.String(strings.ToLower(norm.NFKC.String(s))) }

// ParseDomain returns a domain name as it is in DNS: in ASCII and lower case, without a
// trailing dot.
func ParseDomain(domain string) (string, error) {
	ascii := strings.ToLower(domain)
	if !isPlainDomain(domain) {
		// Twice, because IDNA writes some labels that it does not read.
		var err, unread error
		ascii, err = idna.Lookup.ToASCII(domain)
		_, unread = idna.Lookup.ToASCII(ascii)
		if err != nil || unread != nil || !utf8.ValidString(domain) {
			return "", errDomain
		}
	}
	if len(ascii) > 253 || strings.Trim(lastLabel(ascii), "0123456789") == "" {
		return "", errDomain
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return !isAlphanumeric(r) && r != '-' }) {
			return "", errDomain
		}
	}
	return ascii, nil
}

// isPlainDomain reports whether a domain stays as it is: IDNA would refuse some that exist,
// and has to look at those that it wrote itself.
func isPlainDomain(domain string) bool {
	for label := range strings.SplitSeq(domain, ".") {
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return false
		}
	}
	return !strings.ContainsFunc(domain, func(r rune) bool { return r > unicode.MaxASCII })
}

func lastLabel(domain string) string { return domain[strings.LastIndexByte(domain, '.')+1:] }

// IsWithin reports whether a domain is another one or below it, label by label: neither
// evilstanford.edu nor stanford.edu.evil.example is within stanford.edu.
func IsWithin(domain, parent string) bool {
	return domain == parent || strings.HasSuffix(domain, "."+parent)
}

// String returns the address to which mail is sent.
func (a Address) String() string { return a.local + "@" + a.Domain }

// Fingerprint returns one spelling of all addresses that reach this mailbox: without letter
// case and without the part from the first + on, of which anybody has any number.
func (a Address) Fingerprint() string {
	local, _, _ := strings.Cut(fold(a.local), "+")
	return local + "@" + a.Domain
}
