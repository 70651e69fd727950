package reply

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxName and maxEmail limit what is shown of a person, in bytes. 254 is the limit of an
	// address in a mail's envelope (RFC 5321 section 4.5.3.1.3).
	maxName  = 200
	maxEmail = 254
	// maxSubject is the limit of OpenID Connect Core section 2, in bytes.
	maxSubject = 255
)

// Name returns a name as it can be shown: valid, on one line, without characters that change
// what stands around it, and cut to 200 bytes.
func Name(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		default:
			return r
		}
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxName {
		text = text[:maxName]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	return strings.TrimSpace(text)
}

// Email returns an address, or "" for what cannot be one.
func Email(text string) string {
	text = strings.TrimSpace(text)
	local, domain, ok := cutLast(text, '@')
	if !ok || local == "" || domain == "" || len(text) > maxEmail || !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable) {
		return ""
	}
	return text
}

// Domain returns the domain of an address in lower case, or "".
func Domain(email string) string {
	_, domain, _ := cutLast(email, '@')
	return strings.ToLower(domain)
}

// Subject reports whether a text can identify somebody.
func Subject(text string) bool {
	return text != "" && len(text) <= maxSubject && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func cutLast(text string, at byte) (before, after string, found bool) {
	i := strings.LastIndexByte(text, at)
	if i < 0 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

func unprintable(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsPrint(r)
}
