package claims

import (
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
)

// Requires returns what scope values and single claims together require of the
// authentication of the user about whom they tell. A single claim requires as much as the
// least demanding of the scopes that release it: asking for it by name is no way around.
func (c *Catalogue) Requires(scopes, single []string) assurance.Requirement {
	var all assurance.Requirement
	for _, name := range scopes {
		if s := c.Scope(name); s != nil {
			all = all.And(assurance.Required(s.Requires))
		}
	}
	for _, name := range single {
		for _, fact := range c.factsOf(name) {
			all = all.And(c.least(fact))
		}
	}
	return all
}

// least returns the requirement of the least demanding scope that releases a fact.
func (c *Catalogue) least(fact string) assurance.Requirement {
	var least assurance.Requirement
	found := false
	for _, s := range c.Scopes {
		facts, _ := c.Requested([]string{s.Name})
		if required := assurance.Required(s.Requires); slices.Contains(facts, fact) && (!found || required.Level < least.Level) {
			least, found = required, true
		}
	}
	return least
}
