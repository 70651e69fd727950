package web

import (
	"strings"
	"unicode"
)

// IsPlainText reports whether a text reads as it is written: without control characters and
// without characters that change the direction of others, which would display another name.
// Joiners, which some scripts need, are allowed.
func IsPlainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == '\uFFFD' || !unicode.IsGraphic(r) && r != '\u200c' && r != '\u200d'
	})
}

// IsVisible reports whether a text has any visible character. Spaces, marks, and letters
// that render as nothing leave an application without a name.
func IsVisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !strings.ContainsRune(drawnAsNothing, r)
	})
}

// drawnAsNothing are the fillers of Hangul and the empty pattern of Braille.
const drawnAsNothing = "\u115f\u1160\u3164\uffa0\u2800"
