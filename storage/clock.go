package storage

import (
	"context"
	"time"
)

// Clock is the time on which the processes of a provider agree. What cannot be undone goes by
// it: the clock of one process, or of the only one, may be wrong, and must not delete an
// account whose owner may still withdraw the request. So the slowest clock counts, and a leap
// forward is doubted until processes have claimed the later time for a day without a gap, and
// none an earlier one: the first word of a process that is wrong must not count as the last of
// a day. How long a doubted clock has been running is certain all the same, so that the agreed
// time goes on, behind by the pauses.
type Clock struct {
	// Earliest is the earliest claim that was heard while there was no earlier one; zero if
	// there was none yet.
	Earliest time.Time

	// Agreed is the agreed time, once it is a day after Earliest.
	Agreed time.Time

	// Claimed and Last are the first and the last claim of the doubted time; zero if nothing
	// is doubted.
	Claimed, Last time.Time

	// Beyond is how many claims in a row were too late to follow Last.
	Beyond int
}

const (
	// ClockStep is the largest undoubted advance from one claim to the next. Processes
	// claim the time every minute, and a round may take as long.
	ClockStep = 3 * time.Minute

	// ClockDoubt is how long a larger leap is doubted.
	ClockDoubt = 24 * time.Hour

	// mostBeyond is after how many claims in a row beyond a doubted time nobody is taken to
	// claim it any more. Fewer would have processes that are ahead interrupt one that is right.
	mostBeyond = 10
)

// Heard returns the clock after a process has claimed the time now.
func (c Clock) Heard(now time.Time) Clock {
	if c.Earliest.IsZero() || now.Before(c.Earliest) {
		return Clock{Earliest: now, Agreed: now}
	}
	switch beyond := now.After(c.Last.Add(ClockStep)); {
	case !now.After(c.Agreed.Add(ClockStep)), !beyond && now.Sub(c.Claimed) >= ClockDoubt:
		return Clock{Earliest: c.Earliest, Agreed: now}
	case c.Claimed.IsZero(), now.Before(c.Claimed), beyond && c.Beyond == mostBeyond:
		c.Claimed, c.Last, c.Beyond = now, now, 0
	case beyond:
		c.Beyond++
	default:
		c.Agreed, c.Last, c.Beyond = c.Agreed.Add(now.Sub(c.Last)), now, 0
	}
	return c
}

// Certain returns the time that has come for certain, for a process whose own clock says now:
// never after now. While all is well it is now, as claims are heard every minute, and otherwise at most
// ClockStep after Agreed. It is zero until processes have run for a day.
func (c Clock) Certain(now time.Time) time.Time {
	if c.Agreed.Sub(c.Earliest) < ClockDoubt {
		return time.Time{}
	}
	if limit := c.Agreed.Add(ClockStep); limit.Before(now) {
		return limit
	}
	return now
}

// Clocks stores the one Clock of a database.
type Clocks interface {
	// Clock returns the clock; the zero Clock if no process has claimed a time.
	Clock(ctx context.Context) (Clock, error)

	// HearClock updates the clock as [Clock.Heard] does, and returns it. Concurrent calls
	// happen one after the other.
	HearClock(ctx context.Context, now time.Time) (Clock, error)
}
