package input

import (
	"slices"
	"strings"
)

// Values splits a list of RFC 6749 section 3.3: at spaces, and nothing else.
func Values(list string) []string {
	if list == "" {
		return nil
	}
	return slices.DeleteFunc(strings.Split(list, " "), func(v string) bool { return v == "" })
}

// ScopeValues are the values of a parameter scope, each once: libraries add openid to
// whatever the program lists (RFC 6749 section 3.3 has a set).
func ScopeValues(list string) []string { return Distinct(Values(list)) }

// Distinct returns the values in their order, without repetitions.
func Distinct(values []string) []string {
	var kept []string
	for _, v := range values {
		if !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}
