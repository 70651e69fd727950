package verification

import "slices"

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
	return slices.Compact(all)
}
