package developer

import (
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// levels are the sign-ins that developers can require, the weakest first.
var levels = []provider.Assurance{provider.AnyAssurance, provider.TwoFactors, provider.PhishingResistant}

// reachable is the highest level that developers can require in an environment. The sandbox
// has none that production lacks: its personas reach every level.
func (d *forms) reachable(env string) provider.Assurance {
	return min(d.provider(env).Rooms().Installation().Assurance, d.Provider.Rooms().Installation().Assurance)
}

// signIns are the sign-ins to choose from. One that is registered is among them, so that
// saving another field does not lower it.
func (d *forms) signIns(env string, now provider.Client) []string {
	highest := max(d.reachable(env), now.Requires.Assurance)
	var words []string
	for _, level := range levels {
		if level <= highest {
			words = append(words, signInWord(level))
		}
	}
	return words
}

// signInWord is the value of screens.FieldRequires for a level. Any sign-in has one factor.
func signInWord(level provider.Assurance) string {
	if level <= provider.OneFactor {
		return screens.AnySignIn
	}
	return level.String()
}

// requires reads the required sign-in. A page without the choice changes nothing, nor does
// the registered one; the times of the requirement are not the developers'.
func (p *posting) requires() {
	word, registered := p.r.posted(screens.FieldRequires), p.before.Requires.Assurance
	if word == "" || word == signInWord(registered) {
		return
	}
	for _, level := range levels {
		if word == signInWord(level) && level <= p.d.reachable(p.r.env) {
			p.Requires.Assurance = level
			return
		}
	}
	p.wrong(ui.Problem{Code: ui.SignInUnreachable, Field: screens.FieldRequires})
}

// requirementText is a requirement as its developers read it; empty for none.
func requirementText(r provider.Requirement) string {
	var parts []string
	if r.Assurance > provider.AnyAssurance {
		parts = append(parts, r.Assurance.String())
	}
	if r.MaxAge > 0 {
		parts = append(parts, "max_age "+r.MaxAge.String())
	}
	if r.Enrolled > 0 {
		parts = append(parts, "enrolled "+r.Enrolled.String())
	}
	return strings.Join(parts, ", ")
}
