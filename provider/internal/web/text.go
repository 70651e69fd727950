package web

import (
	"strings"
	"unicode"
)

// IsPlainText reports whether a text reads as it is written: without control characters and
// what turns the direction of others, which would have people read another name. Joiners stay,
// which some scripts need.
func IsPlainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == '\uFFFD' || !unicode.IsGraphic(r) && r != '\u200c' && r != '\u200d'
	})
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
