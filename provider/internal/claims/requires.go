package claims

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/field"
	"github.com/bonafide-id/bonafide/storage"
)

// Requires returns what scope values and single claims together require of the
// authentication of the user about whom they tell. A single claim requires as much as the
// least demanding of the scopes that release it: asking for it by name is no way around.
func (c *Catalogue) Requires(scopes, single []string) assurance.Requirement {
	var all assurance.Requirement
	if !c.demanding {
		return all
	}
	for _, name := range scopes {
		if s := c.Scope(name); s != nil {
			all = all.And(assurance.Required(s.Requires))
		}
	}
	for _, name := range single {
		if group, ok := authorization.VerifiedGroup(name); ok {
			all = all.And(c.least(func(_, groups []string) bool { return slices.Contains(groups, group) }))
			continue
		}
		for _, fact := range c.factsOf(name) {
			all = all.And(c.least(func(facts, _ []string) bool { return slices.Contains(facts, fact) }))
		}
	}
	return all
}

// Demanding reports whether any scope requires something.
func (c *Catalogue) Demanding() bool { return c.demanding }

// checkRequirement refuses an invalid requirement of a scope.
func checkRequirement(r storage.Requirement) *field.Error {
	switch {
	case r.Assurance > storage.PhishingResistant:
		return field.Errorf("Requires.Assurance", "%d is no level", r.Assurance)
	case r.MaxAge < 0 || r.MaxAge%time.Second != 0:
		return field.Errorf("Requires.MaxAge", "%v is negative, or not in whole seconds", r.MaxAge)
	case r.Enrolled < 0:
		return field.Errorf("Requires.Enrolled", "%v is negative", r.Enrolled)
	}
	return nil
}

// least returns the requirement of the least demanding scope that releases something.
func (c *Catalogue) least(releases func(facts, groups []string) bool) assurance.Requirement {
	var least assurance.Requirement
	found := false
	for _, s := range c.Scopes {
		if required := assurance.Required(s.Requires); releases(c.Requested([]string{s.Name})) && (!found || demands(required, least) < 0) {
			least, found = required, true
		}
	}
	return least
}

// demands compares how much two requirements demand: first the level, then how long the
// account must have had it, then how new it must be.
func demands(a, b assurance.Requirement) int {
	const never = math.MaxInt64
	return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Enrolled, b.Enrolled),
		cmp.Compare(cmp.Or(b.MaxAge, never), cmp.Or(a.MaxAge, never)))
}
