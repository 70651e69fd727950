package storage

import "fmt"

// assuranceWords are the words for the levels, by level.
var assuranceWords = [...]string{"", "one_factor", "two_factors", "phishing_resistant"}

// String returns the word for the level; empty for AnyAssurance.
func (a Assurance) String() string {
	if int(a) < len(assuranceWords) {
		return assuranceWords[a]
	}
	return fmt.Sprintf("assurance %d", uint8(a))
}

// MarshalText implements encoding.TextMarshaler.
func (a Assurance) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Assurance) UnmarshalText(text []byte) error {
	for level, word := range assuranceWords {
		if word == string(text) {
			*a = Assurance(level)
			return nil
		}
	}
	return fmt.Errorf("%q is not a level of assurance: one_factor, two_factors or phishing_resistant", text)
}
