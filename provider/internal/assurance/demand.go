package assurance

import (
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Demand is everything that is asked of the authentication of a user. The zero Demand is
// met by anybody who is signed in.
type Demand struct {
	// Must is a condition, Highest another one: the highest level that the account has.
	Must    Requirement
	Highest bool

	// AnyOf are requirements of which one is to be met as well; none for no more. Essential
	// makes that a condition, too; otherwise it is a wish, which nobody adds a factor for.
	AnyOf     []Requirement
	Essential bool

	// Afresh counts only factors that have been presented since the demand was made, at a time
	// that is known.
	Afresh bool
}

// IsZero reports whether nothing is asked.
func (d Demand) IsZero() bool {
	return d.Must == Requirement{} && !d.Highest && len(d.AnyOf) == 0 && !d.Essential && !d.Afresh
}

// For returns the requirement that an account is asked to meet: the easiest that it can
// meet of those that will do, so that every sufficient factor is offered. It leaves out a
// wish that the account cannot meet, but no condition.
func (d Demand) For(h Has, now time.Time) Requirement {
	must := d.Condition(h)
	if easiest, ok := d.easiest(must, func(r Requirement) bool { return h.CanMeet(r, now) }); ok {
		return easiest
	}
	if d.Essential {
		if easiest, ok := d.easiest(must, func(Requirement) bool { return true }); ok {
			return easiest
		}
	}
	return must
}

// Condition returns what an account must meet, without AnyOf.
func (d Demand) Condition(h Has) Requirement {
	if d.Highest {
		return d.Must.And(Requirement{Level: h.Highest()})
	}
	return d.Must
}

// easiest returns the lowest of AnyOf, together with the condition, that will do.
func (d Demand) easiest(must Requirement, does func(Requirement) bool) (easiest Requirement, ok bool) {
	for _, one := range d.AnyOf {
		r := must.And(one)
		if does(r) && (!ok || r.Level < easiest.Level) {
			easiest, ok = r, true
		}
	}
	return easiest, ok
}

// Candidate is a combination of factors; Fresh reports that all of them have been presented
// since the demand was made. They are as old as they may be.
type Candidate struct {
	Reached
	Fresh bool
}

// Candidates returns the combinations of factors, and of the fresh ones among them.
func Candidates(factors, fresh []storage.Factor) []Candidate {
	var candidates []Candidate
	for _, r := range Combinations(factors) {
		candidates = append(candidates, Candidate{r, false})
	}
	for _, r := range Combinations(fresh) {
		candidates = append(candidates, Candidate{r, true})
	}
	return candidates
}

// Meets reports whether the candidate meets a requirement at a time.
func (c Candidate) Meets(r Requirement, now time.Time) bool {
	if c.Fresh && !c.Undated {
		r = r.AtAnyAge()
	}
	return r.MetAt(c.Reached, now)
}

// Choose returns the combination with which an account meets the demand: the highest
// level, the newest of these. It prefers one that grants a wish. ok reports that the
// conditions are met, granted that one of AnyOf is, or that there is none.
func (d Demand) Choose(candidates []Candidate, h Has, now time.Time) (best Candidate, ok, granted bool) {
	must := d.Condition(h)
	for _, c := range candidates {
		grants := len(d.AnyOf) == 0
		for _, one := range d.AnyOf {
			grants = grants || c.Meets(must.And(one), now)
		}
		switch {
		case d.Afresh && (!c.Fresh || c.Undated), !c.Meets(must, now), d.Essential && !grants:
			continue
		case ok && granted != grants:
			if granted {
				continue
			}
		case ok && (c.Level < best.Level || c.Level == best.Level && !c.At.After(best.At)):
			continue
		}
		best, ok, granted = c, true, grants
	}
	return best, ok, granted
}
