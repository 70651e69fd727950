package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many characters of a chosen name, of a fact about a person, and of a longer text a
// screen shows.
const (
	MaxName   = 60
	MaxValue  = 200
	MaxDetail = 2000

	// maxMessage is how many characters of a message of the host.
	maxMessage = 500

	// maxProblem is how many characters of what a protocol finds wrong.
	maxProblem = 500
)

// maxMarks is how many marks may stand on one letter. No script needs more, and
// without a bound they would cover the lines above and below.
const maxMarks = 4

// Clean makes a string that somebody chose fit to be shown in a line: valid
// UTF-8, on one line, at most the given number of characters long, and without
// the invisible characters that turn text around or make two names look alike.
func Clean(s string, most int) string {
	marks := 0
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !visible(r), marks > maxMarks:
			return -1
		default:
			return r
		}
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most])) + "…"
}

// visible reports whether r may be shown. The joiners cannot be seen but are
// part of how Persian, Hindi and many emoji are spelled.
func visible(r rune) bool {
	switch r {
	case '\u200c', '\u200d': // joiners
		return true
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0': // letters without a shape
		return false
	}
	return r != utf8.RuneError && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// Initial returns the letter that stands for a name without a logo.
func Initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "·"
}
