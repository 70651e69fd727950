package password

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Maximum lengths of a password, which limit the cost of a check.
const (
	MaxCharacters = 256
	MaxBytes      = 1024
)

const (
	defaultMinLength = 10
	// leastMinLength is what NIST SP 800-63B-4 section 3.1.1.2 allows at least,
	// for a password beside another factor.
	leastMinLength = 8
)

// Reason is the reason for which a password is refused.
type Reason string

// The reasons, as errors.
const (
	NotText     Reason = "not valid UTF-8"
	TooShort    Reason = "too short"
	TooLong     Reason = "too long"
	TooCommon   Reason = "common"
	TooPersonal Reason = "little more than a name or an address"
)

// Error returns the reason for a log. The caller has the text for users.
func (r Reason) Error() string { return "password: " + string(r) }

// Policy says which passwords may be chosen. The zero value is ready to use.
type Policy struct {
	// MinLength is the least number of characters (Unicode code points); less than 8
	// means 8. NIST SP 800-63B-4 asks for 15 where the password is the only factor.
	// Defaults to 10.
	MinLength int
}

// Least returns the number of characters that a password needs.
func (p Policy) Least() int {
	if p.MinLength == 0 {
		return defaultMinLength
	}
	return max(p.MinLength, leastMinLength)
}

// Check returns nil when the password may be chosen, or a [Reason]. The context is
// what an attacker would try first for this account: its e-mail address, the name
// of the service, that of the application. Without those, and without the part of
// the address before the @, a password must still be long enough.
//
// It does not look for patterns or substituted letters: NIST SP 800-63B-4 section
// 3.1.1.2 asks to compare the whole password with a blocklist and for no more, as
// the limit on guesses does the rest.
func (p Policy) Check(password string, context ...string) error {
	if len(password) > MaxBytes {
		return TooLong
	}
	if !utf8.ValidString(password) {
		return NotText
	}
	text := strings.ToLower(normalize(password))
	length := utf8.RuneCountInString(text)
	if length > MaxCharacters {
		return TooLong
	}
	if length < p.Least() {
		return TooShort
	}
	if isCommon(text) {
		return TooCommon
	}
	if utf8.RuneCountInString(without(text, context)) < p.Least() {
		return TooPersonal
	}
	return nil
}

//go:embed common.txt.gz
var packedCommon string

// common lists passwords, names and words, one per line, sorted. It is unpacked when somebody first
// chooses a password.
var common = sync.OnceValue(func() string {
	var b strings.Builder
	r, err := gzip.NewReader(strings.NewReader(packedCommon))
	if err == nil {
		_, err = io.Copy(&b, r) //nolint:gosec // a file of this package
	}
	if err != nil {
		panic(fmt.Errorf("password: common.txt.gz: %w", err)) // which the tests read
	}
	return b.String()
})

// isCommon reports whether a password is on the list, as it is or without digits and signs
// at its ends: most entries are shorter than the minimum length, and people pad them
// there.
func isCommon(text string) bool {
	bare := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return isListed(text) || isListed(bare)
}

// isListed looks up a line by binary search in the text: a map of the lines would take megabytes.
func isListed(word string) bool {
	common := common()
	low, high := 0, len(common) // both at the start of a line
	for low < high {
		middle := (low + high) / 2
		start := low + strings.LastIndexByte(common[low:middle], '\n') + 1
		end := start + strings.IndexByte(common[start:], '\n')
		switch line := common[start:end]; {
		case line == word:
			return true
		case line < word:
			low = end + 1
		default:
			high = start
		}
	}
	return false
}

// without removes from a text all phrases, then all their words of three characters or
// more.
func without(text string, phrases []string) string {
	var words []string
	for _, phrase := range phrases {
		phrase = strings.ToLower(normalize(phrase))
		if local, _, found := strings.Cut(phrase, "@"); found {
			words = append(words, local)
		}
		words = append(words, strings.FieldsFunc(phrase, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})...)
		text = remove(text, phrase)
	}
	for _, word := range words {
		text = remove(text, word)
	}
	return text
}

func remove(text, word string) string {
	if utf8.RuneCountInString(word) < 3 {
		return text
	}
	return strings.ReplaceAll(text, word, "")
}
