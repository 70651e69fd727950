package verification

import (
	"context"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// UnderReview is a case for the reviewer who has taken it. It does not have the address of the
// person, and the decisions of others only if it is escalated: else each reviewer decides
// blindly.
type UnderReview struct {
	RecordedCase

	// Name is that of the account, and ComparesName reports that the files of the method must
	// have the name Claimed.
	Name         Name
	ComparesName bool

	// NeedsOverride reports that nothing but an override approves it: no method has found the
	// person to be a member, or the program does not have the method any more.
	NeedsOverride bool

	// Requirements are of the files of the method in review; empty for none.
	Requirements []Requirement

	// Subgroups are those that an approval can name, and Until is the end that the policy
	// gives it; zero for never.
	Subgroups []string
	Until     time.Time

	// Before are the decisions about an escalated case that were not taken back, the earliest
	// first, with what was noted for the senior reviewer. It lacks one that waits for a second:
	// the senior may be that.
	Before []RecordedDecision

	// Undone is the last decision about the case if the reviewer has taken it back; nil for none.
	Undone *Decision
}

// Review returns a case for the reviewer who has taken it. ErrForbidden if the reviewer has
// not, or the time is over.
func (s *casePages) Review(ctx context.Context, by storage.Reviewer, id string) (UnderReview, error) {
	c, k, err := s.engine.read(ctx, id)
	if err != nil {
		return UnderReview{}, err
	}
	now := s.Clock()
	if by.ID == "" || c.State != storage.CaseReview || k.Review == nil || c.TakenBy != by.ID || !now.Before(c.TakenUntil) ||
		c.Subject == by.ID || c.Subject == by.Subject {
		return UnderReview{}, ErrForbidden
	}
	u := UnderReview{Subgroups: s.group(c.Group).Subgroups}
	if u.RecordedCase, err = s.engine.recorded(ctx, c, k); err != nil {
		return UnderReview{}, err
	}
	u.Reasons = nil // of earlier decisions
	who, err := s.person(ctx, c.Subject)
	if err != nil {
		return UnderReview{}, err
	}
	u.Name, u.ComparesName = who.name, s.comparesName(c.Group, k.Review.Method)
	made, err := s.caseReviews.Decisions(ctx, c.ID)
	if err != nil {
		return UnderReview{}, err
	}
	if n := len(made); n > 0 && made[n-1].Undone && made[n-1].Reviewer == by.ID {
		u.Undone = &made[n-1].Decision
	}
	if c.Escalated && by.Senior {
		u.Before = slices.DeleteFunc(slices.Clone(made), func(d RecordedDecision) bool {
			return d.Undone || len(k.Review.Opinions) == 1 && d.Reviewer == k.Review.Opinions[0].Reviewer && d.Round == c.Round
		})
	}
	found, ok := k.Terms.Rule.found(k.check)
	u.NeedsOverride = s.caseReviews.checkApproval(c, k) != nil || u.WholeCase && !ok
	u.Until = s.ends(c.Group, found, now)
	if p := s.policies[c.Group]; p != nil {
		if v := p.verifier(k.Review.Method); v != nil {
			u.Requirements = v.Upload
		}
	}
	return u, nil
}
