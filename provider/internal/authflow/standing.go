package authflow

import (
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/storage"
)

// EnrolAge is the maximum age of the authentication, at the highest level that the account
// has, of a user who adds a factor: else whoever finds an unlocked browser could add one.
const EnrolAge = 5 * time.Minute

// standing is what is asked of the authentication of a user, and what the user has reached.
type standing struct {
	demand     assurance.Demand
	candidates []assurance.Candidate

	// has is what the account can present, if it isOurs: that of a user of the host, and of a
	// persona, is not known.
	isOurs bool
	has    assurance.Has

	// highest is the highest level that a sign-in can reach.
	highest storage.Assurance
	now     time.Time
}

// verdict is what a standing comes to.
type verdict int

const (
	// suffices: the conditions are met, and the wishes that can be.
	suffices verdict = iota
	// present: the user has to present what asked says.
	present
	// enrol: the account cannot meet the demand, but the user may add a factor to it.
	enrol
	// unmet: the user cannot meet the demand.
	unmet
)

// fresh reports whether the user has authenticated since the demand was made.
func (s standing) fresh() bool {
	return slices.ContainsFunc(s.candidates, func(c assurance.Candidate) bool { return c.Fresh })
}

// choose returns with what the user meets the demand.
func (s standing) choose() (best assurance.Candidate, ok, granted bool) {
	return s.demand.Choose(s.candidates, s.has, s.now)
}

// judge decides, and says what to ask for. Any sufficient factor will do; one that the
// account has is asked for before another is added, and adding one takes the best that it
// has.
func (s standing) judge() (verdict, assurance.Requirement) {
	_, ok, granted := s.choose()
	asked := s.demand.For(s.has, s.now)
	switch {
	case ok && (granted || !s.canGrant()):
		return suffices, asked
	case !s.isOurs && s.fresh():
		return unmet, asked
	case !s.isOurs, s.has.CanMeet(asked, s.now):
		return present, asked
	case asked.Level > s.highest, s.has.Highest() >= asked.Level: // what it has is too new
		return unmet, asked
	}
	if best := (assurance.Requirement{Level: s.has.Highest(), MaxAge: EnrolAge}); !s.meets(best) {
		return present, best
	}
	return enrol, asked
}

// onlyWishes reports whether all conditions are met.
func (s standing) onlyWishes() bool {
	_, ok, _ := s.choose()
	return ok
}

// canGrant reports whether the account can meet one of the wishes.
func (s standing) canGrant() bool {
	must := s.demand.Condition(s.has)
	return s.isOurs && slices.ContainsFunc(s.demand.AnyOf, func(r assurance.Requirement) bool { return s.has.CanMeet(must.And(r), s.now) })
}

func (s standing) meets(r assurance.Requirement) bool {
	return slices.ContainsFunc(s.candidates, func(c assurance.Candidate) bool { return c.Meets(r, s.now) })
}

// reached returns the names of the requested classes that a candidate is of.
func (s authState) reached(by assurance.Candidate) []string {
	return slices.DeleteFunc(slices.Clone(s.request.Claims.Classes()), func(class string) bool {
		r, known := s.classes.Requirement(class)
		return !known || !by.Meets(r, s.now)
	})
}
