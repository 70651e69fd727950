package verification

import (
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// reminded are the times before the end of a membership at which its person is reminded.
var reminded = []time.Duration{30 * day, 7 * day, day}

// nudgeBefore is how long before the end of an unfinished case its person is reminded, if
// the case has twice as long.
const nudgeBefore = 3 * day

// reminders returns how many reminders of a membership have come due.
func reminders(until, at time.Time) int {
	n := 0
	for _, ahead := range reminded {
		if !until.IsZero() && !at.Before(until.Add(-ahead)) {
			n++
		}
	}
	return n
}

// nudgeAt is when the person of an unfinished case is reminded; zero for never.
func (k *content) nudgeAt() time.Time {
	if k.Nudged || k.Terms.Finish < 2*nudgeBefore {
		return time.Time{}
	}
	return k.finishBy().Add(-nudgeBefore)
}

// due is when something has to happen to a case without its person; zero for never.
func due(c storage.Case, k content) time.Time {
	var first time.Time
	at := func(t time.Time) { first = earlier(first, t) }
	switch c.State {
	case storage.CaseOpen, storage.CasePending:
		if k.Waiting != nil {
			return k.Waiting.At.Add(undoTime)
		}
		at(k.finishBy())
		at(k.nudgeAt())
		for _, of := range k.Checks {
			if of.State == checkWaiting && of.Step != nil && of.Step.Wait != nil {
				at(of.Step.Wait.Again)
			}
			if k.Unasked && of.isElsewhere() {
				at(k.Since)
			}
		}
	case storage.CaseApproved:
		if k.Ending != nil && !k.Ended {
			at(c.EndedAt)
		}
		if k.Member != nil && !k.Ended && !k.Member.Until.IsZero() {
			at(k.Member.Until)
			if k.Reminded < len(reminded) {
				at(k.Member.Until.Add(-reminded[k.Reminded]))
			}
		}
	case storage.CaseReview, storage.CaseDeclined, storage.CaseWithdrawn, storage.CaseExpired:
	}
	if c.State.IsFinal() && (len(k.Forget) > 0 || k.Unrecorded) {
		at(c.EndedAt)
	}
	return first
}
