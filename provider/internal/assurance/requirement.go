package assurance

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/storage"
)

// Requirement is a condition on the authentication of a user. The zero Requirement is none.
type Requirement struct {
	// Level is the lowest level that will do.
	Level storage.Assurance

	// MaxAge is the maximum age of the factors that reach it; zero for any.
	MaxAge time.Duration

	// Enrolled is how long the account must have had them; zero for any time. It keeps
	// somebody who has stolen a password from meeting the requirement with a passkey added
	// just now.
	Enrolled time.Duration
}

// Required returns a requirement of a host in this form.
func Required(r storage.Requirement) Requirement {
	return Requirement{Level: r.Assurance, MaxAge: r.MaxAge, Enrolled: r.Enrolled}
}

// And returns the requirement that demands both.
func (r Requirement) And(other Requirement) Requirement {
	r.Level = max(r.Level, other.Level)
	r.Enrolled = max(r.Enrolled, other.Enrolled)
	if r.MaxAge == 0 || other.MaxAge > 0 && other.MaxAge < r.MaxAge {
		r.MaxAge = other.MaxAge
	}
	return r
}

// AtAnyAge returns the requirement for factors that have been presented because of it.
func (r Requirement) AtAnyAge() Requirement {
	r.MaxAge = 0
	return r
}

// MetBy reports whether the factors meet the requirement at a time. A factor in the future
// was recorded by a wrong clock, and may be of any age.
func (r Requirement) MetBy(factors []storage.Factor, now time.Time) bool {
	for _, reached := range Combinations(factors) {
		if r.MetAt(reached, now) {
			return true
		}
	}
	return r.Level == storage.AnyAssurance && r.MaxAge == 0
}

// MetAt reports whether one combination of factors meets the requirement at a time.
func (r Requirement) MetAt(reached Reached, now time.Time) bool {
	return reached.Level >= r.Level &&
		(r.MaxAge == 0 || !reached.Undated && !clock.Ahead(now, reached.At) && clock.Elapsed(now, reached.At) <= r.MaxAge) &&
		(r.Enrolled == 0 || clock.Elapsed(now, reached.Since) >= r.Enrolled)
}
