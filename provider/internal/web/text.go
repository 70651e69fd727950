package web

import (
	"strings"
	"unicode"
)

// IsPlainText reports whether a text has no control characters, and is text at all.
func IsPlainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' })
}

// IsVisible reports whether people can see anything of a text. Spaces, marks, and
// letters that are drawn as nothing leave an application without a name.
func IsVisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !strings.ContainsRune(drawnAsNothing, r)
	})
}

// drawnAsNothing are the fillers of Hangul and the empty pattern of Braille.
const drawnAsNothing = "\u115f\u1160\u3164\uffa0\u2800"
