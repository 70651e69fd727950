// Package clock has the one rule for times that lie in the future. Clocks are
// corrected, machines disagree, and a host hands in times of its own; so a moment
// that is written down as past can be ahead of now. Then:
//
//   - What has happened has happened: the moment counts as now.
//   - It never lengthens what is allowed: when it is ahead by more than [Skew], the
//     clock that wrote it was wrong, nobody knows how long ago it was, and an
//     allowance that would count from it (a life, a grace, an exemption from being
//     asked) has none left.
//
// So a clock that was a day ahead holds nobody up for a day, and one that goes back
// brings nothing back to life.
//
// A clock comes in by [UTC].
package clock

import "time"

// Skew is by how much the clocks of two machines of one provider may differ without
// anything being wrong.
const Skew = time.Minute

// UTC returns a clock that tells the time of another, or of time.Now without one, in UTC:
// neither which day it is nor how a time is written depends on where the machine stands.
func UTC(now func() time.Time) func() time.Time {
	if now == nil {
		now = time.Now
	}
	return func() time.Time { return now().UTC() }
}

// Ahead reports whether then was written by a clock that was wrong: it is later than
// now by more than [Skew].
func Ahead(now, then time.Time) bool { return then.Sub(now) > Skew }

// Elapsed returns how long ago then was. It is never negative: what lies in the
// future counts as now.
func Elapsed(now, then time.Time) time.Duration { return max(0, now.Sub(then)) }

// Within reports whether what is allowed for some time after then still is: less than
// that time has passed. It is not when then is [Ahead], or is ahead by as much as is
// allowed: a grace of ten seconds does not become one of a minute.
func Within(now, then time.Time, allowed time.Duration) bool {
	passed := now.Sub(then)
	return !Ahead(now, then) && -allowed < passed && passed < allowed
}

// InForce reports whether now lies between begin and end: end has not come, and begin
// is not [Ahead]. Without begin, an expired token would be good again on a clock that
// went back, until that has made up for it.
func InForce(now, begin, end time.Time) bool { return !Ahead(now, begin) && now.Before(end) }

// Since reports whether then, at which somebody was asked something, is at or after a
// moment, so that asking again is not needed. It is not when then is [Ahead]: it may
// have been long before.
func Since(now, then, moment time.Time) bool { return !Ahead(now, then) && !then.Before(moment) }
