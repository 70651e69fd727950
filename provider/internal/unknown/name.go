package unknown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/bonafide-id/bonafide/provider/internal/registration"
)

// maxName is the maximum length of a name that is shown, in characters.
const maxName = 60

// shownName returns what a client calls itself, or "" for a name that would deceive: with
// characters that are not seen or turn the text around, of letters of several scripts, or like
// one of the names that people trust here.
func shownName(name string, known []string) string {
	name = strings.Join(strings.Fields(norm.NFC.String(name)), " ")
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, isHidden) || isMixed(name) {
		return ""
	}
	for _, other := range known {
		if registration.NameContains(name, other) {
			return ""
		}
	}
	return name
}

// isHidden reports whether a character is not seen, or changes how others are.
func isHidden(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' '
}

// together are the scripts that one language mixes (Unicode Technical Standard 39 section 5.2,
// highly restrictive).
var together = [][]*unicode.RangeTable{
	{unicode.Latin, unicode.Han, unicode.Hiragana, unicode.Katakana},
	{unicode.Latin, unicode.Han, unicode.Hangul},
	{unicode.Latin, unicode.Han, unicode.Bopomofo},
}

// isMixed reports whether a text has letters of scripts that no language mixes.
func isMixed(text string) bool {
	fit := func(scripts []*unicode.RangeTable) bool {
		return !strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsLetter(r) && !unicode.In(r, unicode.Common, unicode.Inherited) && !unicode.In(r, scripts...)
		})
	}
	for _, scripts := range together {
		if fit(scripts) {
			return false
		}
	}
	for _, script := range unicode.Scripts {
		if fit([]*unicode.RangeTable{script}) {
			return false
		}
	}
	return true
}
