package ui

import "slices"

// checksMet reports whether nothing is missing.
func checksMet(checks []DeveloperCheck) bool {
	return !slices.ContainsFunc(checks, func(c DeveloperCheck) bool { return !c.Met })
}
