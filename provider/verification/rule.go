package verification

import (
	"slices"
	"strings"
	"time"
)

// verifiers returns the verifiers of a rule, in its order.
func (r Rule) verifiers() []*Verifier {
	if r.verifier != nil {
		return []*Verifier{r.verifier}
	}
	var all []*Verifier
	for _, of := range r.rules {
		all = append(all, of.verifiers()...)
	}
	return all
}

// verifier returns the verifier with this name, or nil.
func (p *Policy) verifier(name string) *Verifier {
	for _, v := range p.Rule.verifiers() {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// depth returns the number of levels of a rule.
func (r Rule) depth() int {
	deepest := 0
	for _, of := range r.rules {
		deepest = max(deepest, of.depth())
	}
	return deepest + 1
}

// shape returns the rule without its verifiers.
func (r Rule) shape() shape {
	if r.verifier != nil {
		return shape{Method: r.verifier.Name}
	}
	s := shape{All: r.all}
	for _, of := range r.rules {
		s.Of = append(s.Of, of.shape())
	}
	return s
}

// methods returns the methods of a rule, in its order.
func (s shape) methods() []string {
	if s.Method != "" {
		return []string{s.Method}
	}
	var all []string
	for _, of := range s.Of {
		all = append(all, of.methods()...)
	}
	return all
}

// verdict is what a rule says about the checks of a case.
type verdict int

const (
	undecided verdict = iota
	accepted
	refused
)

// verdict decides a rule. Nothing is accepted without an accepted method.
func (s shape) verdict(of func(method string) checkState) verdict {
	if s.Method != "" {
		switch of(s.Method) {
		case checkAccepted:
			return accepted
		case checkRefused:
			return refused
		default:
			return undecided
		}
	}
	acceptedRules, refusedRules := 0, 0
	for _, rule := range s.Of {
		switch rule.verdict(of) {
		case accepted:
			acceptedRules++
		case refused:
			refusedRules++
		}
	}
	switch {
	case len(s.Of) == 0:
		return undecided
	case s.All && refusedRules > 0, refusedRules == len(s.Of):
		return refused
	case s.All && acceptedRules == len(s.Of), !s.All && acceptedRules > 0:
		return accepted
	default:
		return undecided
	}
}

// needs returns the methods that can still bring a rule closer to being accepted, in its
// order.
func (s shape) needs(of func(method string) checkState) []string {
	if s.verdict(of) != undecided {
		return nil
	}
	if s.Method != "" {
		return []string{s.Method}
	}
	var all []string
	for _, rule := range s.Of {
		all = append(all, rule.needs(of)...)
	}
	return all
}

// found returns what the accepted methods of an accepted rule have found together: of an
// AnyOf its first accepted rule, of an AllOf the subgroups that all accept where they say
// any, the earliest end and the lowest level.
func (s shape) found(of func(method string) *check) (finding, bool) {
	state := func(method string) checkState {
		if k := of(method); k != nil {
			return k.State
		}
		return ""
	}
	if s.verdict(state) != accepted {
		return finding{}, false
	}
	if s.Method != "" {
		k := of(s.Method)
		if k.Found == nil {
			return finding{Method: s.Method}, true
		}
		return *k.Found, true
	}
	var together finding
	first := true
	for _, rule := range s.Of {
		one, ok := rule.found(of)
		switch {
		case !ok:
		case !s.All:
			return one, true
		case first:
			together, first = one, false
		default:
			together = together.and(one)
		}
	}
	return together, !first
}

// and combines the findings of two methods that both have to accept.
func (f finding) and(g finding) finding {
	switch {
	case len(f.Subgroups) == 0 && !f.NoSubgroup:
		f.Subgroups, f.NoSubgroup = g.Subgroups, g.NoSubgroup
	case len(g.Subgroups) == 0 && !g.NoSubgroup:
	default:
		f.Subgroups = slices.DeleteFunc(slices.Clone(f.Subgroups), func(s string) bool { return !slices.Contains(g.Subgroups, s) })
		f.NoSubgroup = len(f.Subgroups) == 0
	}
	f.Until = earlier(f.Until, g.Until)
	f.Level = min(f.Level, g.Level)
	f.Proved = slices.Concat(f.Proved, g.Proved)
	f.NameDiffers = f.NameDiffers || g.NameDiffers
	f.Source = strings.Join(slices.DeleteFunc([]string{f.Source, g.Source}, func(s string) bool { return s == "" }), ", ")
	return f
}

// withoutName is the finding without the name on the proof; nil of nil.
func (f *finding) withoutName() *finding {
	if f == nil {
		return nil
	}
	nameless := *f
	nameless.Name = nil
	return &nameless
}

// earlier returns the earlier of two ends, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
