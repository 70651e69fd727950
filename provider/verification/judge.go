package verification

import (
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// decided takes down a decision. It waits in the pending case, so that nobody else takes
// that up, until it is carried out or taken back.
func (t transition) decided(o opinion) (transition, bool) {
	if t.c.State != storage.CaseReview || t.k.Waiting != nil || t.k.Review == nil {
		return transition{}, false
	}
	t.c.State, t.k.Waiting = storage.CasePending, &o
	return t, true
}

// undone takes a decision back.
func (t transition) undone(at time.Time) (transition, bool) {
	if t.k.Waiting == nil || !at.Before(t.k.Waiting.At.Add(undoTime)) {
		return transition{}, false
	}
	t.c.State, t.k.Waiting = storage.CaseReview, nil
	return t, true
}

// carriedOut carries out the decision that has waited.
func (t transition) carriedOut(at time.Time) (transition, bool) {
	if t.k.Waiting == nil || t.k.Review == nil || at.Before(t.k.Waiting.At.Add(undoTime)) {
		return transition{}, false
	}
	o := *t.k.Waiting
	t.k.Waiting = nil
	switch o.Kind {
	case storage.DecisionAskAgain:
		return t.askAgain(o, at), true
	case storage.DecisionEscalate:
		t.c.State, t.c.Escalated = storage.CaseReview, true
		return t, true
	case storage.DecisionApprove, storage.DecisionOverride, storage.DecisionDecline:
		return t.judge(o, at), true
	default: // a reviewer who knows the person decides nothing; or a kind that only a newer version knows
		t.c.State = storage.CaseReview
		return t, true
	}
}

// withdrew ends the case for its person. A decline that waits is carried out before: nobody
// escapes one in the seconds in which it can be taken back.
func (t transition) withdrew(at time.Time) transition {
	if o := t.k.Waiting; o != nil && t.k.Review != nil && o.Kind == storage.DecisionDecline {
		if t = t.judge(*o, at); t.c.State.IsFinal() {
			return t
		}
	}
	return t.end(storage.CaseWithdrawn, at)
}

// judge weighs an approval or a decline. Where two have to agree, the first waits for the
// second; if they differ, a senior reviewer decides alone. A senior whom a reviewer has asked
// is one of the two: else whoever hands a case on would have it decided by one.
func (t transition) judge(o opinion, at time.Time) transition {
	earlier := t.k.Review.Opinions
	two := t.k.Terms.Reviewers > 1 || o.Kind == storage.DecisionOverride ||
		len(earlier) > 0 && earlier[0].Kind == storage.DecisionOverride
	if two && len(earlier) < 2 {
		t.k.Review.Opinions = slices.Concat(earlier, []opinion{o})
		switch {
		case len(earlier) == 0:
			t.c.State, t.c.Escalated = storage.CaseReview, false
			return t
		case approves(earlier[0]) != approves(o):
			t.c.State, t.c.Escalated = storage.CaseReview, true
			return t
		}
		o = o.with(earlier[0])
	}
	if !approves(o) {
		t.news = true
		return t.end(storage.CaseDeclined, at, o.Reasons...)
	}
	return t.approve(o, at)
}

// proved are the proofs of all accepted methods.
func (k *content) proved() []proof {
	var all []proof
	for _, c := range k.Checks {
		if c.State == checkAccepted && c.Found != nil {
			all = append(all, c.Found.Proved...)
		}
	}
	return all
}

func approves(o opinion) bool { return o.Kind != storage.DecisionDecline }

// with combines two opinions that agree: no more than both allow.
func (o opinion) with(other opinion) opinion {
	o.Until = earlier(o.Until, other.Until)
	if approves(o) {
		if other.Kind != storage.DecisionOverride {
			o.Kind = storage.DecisionApprove
		}
		o.Subgroups = slices.DeleteFunc(slices.Clone(o.Subgroups), func(s string) bool { return !slices.Contains(other.Subgroups, s) })
		return o
	}
	for _, r := range other.Reasons {
		if !slices.Contains(o.Reasons, r) {
			o.Reasons = append(slices.Clone(o.Reasons), r)
		}
	}
	return o
}

// approve accepts the method that was reviewed, or vouches for the whole case.
func (t transition) approve(o opinion, at time.Time) transition {
	r := *t.k.Review
	t.c.State = storage.CasePending // its reviewers have decided
	if o.Kind == storage.DecisionOverride {
		t.k.Vouched, t.news = true, true
		t.k.Member = &finding{Subgroups: o.Subgroups, Until: o.Until, Method: r.Method, Proved: t.k.proved(), At: at}
		return t.end(storage.CaseApproved, at)
	}
	if k := t.k.check(r.Method); k != nil {
		k.State = checkAccepted
		k.Found = &finding{Subgroups: o.Subgroups, NoSubgroup: len(o.Subgroups) == 0, Until: o.Until, Method: r.Method, At: at}
	} else {
		t.k.Vouched = true
		for i := range t.k.Checks {
			if found := t.k.Checks[i].Found; found != nil {
				vouched := found.and(finding{Subgroups: o.Subgroups, Until: o.Until, Level: found.Level})
				t.k.Checks[i].Found = &vouched
			}
		}
	}
	return t.settle(at)
}

// askAgain sends the case back to the person, who does only what is missing.
func (t transition) askAgain(o opinion, at time.Time) transition {
	t.news = true
	for i := range t.k.Checks {
		k := &t.k.Checks[i]
		if t.k.Review.Method != "" && k.Method != t.k.Review.Method || k.State == checkRefused {
			continue
		}
		k.State, k.Reasons, k.Facts, k.Found = checkFailed, o.Reasons, nil, nil
		if k.Method == t.k.Review.Method && len(o.Kinds) > 0 {
			k.State, k.Step = checkAsked, &step{Upload: &Upload{Kinds: o.Kinds, Reasons: o.Reasons}}
		}
	}
	t.k.Review = nil
	t.c.State, t.c.Escalated = storage.CasePending, false
	t.c.Method = ""
	t = t.settle(at)
	t.k.Reasons = o.Reasons
	return t
}
