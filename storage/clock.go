package storage

import (
	"context"
	"time"
)

// Clock is the time on which the processes of a provider agree. Records are permanently
// removed only if they have ended by it: the clock of one process, or of the only one, may
// be wrong, and must not delete an account whose owner may still withdraw the request. So
// the slowest clock counts, and a leap forward is doubted for a day, in which another
// process may contradict it.
type Clock struct {
	// Agreed is the agreed time; zero if there is none yet.
	Agreed time.Time

	// Claimed is the first claim of a later time; zero if nothing is doubted.
	Claimed time.Time
}

const (
	// ClockStep is the largest undoubted advance from one claim to the next. Processes
	// claim the time every minute, and a round may take as long.
	ClockStep = 3 * time.Minute

	// ClockDoubt is how long a larger leap is doubted.
	ClockDoubt = 24 * time.Hour
)

// Heard returns the clock after a process has claimed the time now.
func (c Clock) Heard(now time.Time) Clock {
	switch {
	case !c.Agreed.IsZero() && !now.After(c.Agreed.Add(ClockStep)):
		return Clock{Agreed: now}
	case c.Claimed.IsZero(), now.Before(c.Claimed):
		return Clock{Agreed: c.Agreed, Claimed: now}
	case now.Sub(c.Claimed) >= ClockDoubt:
		return Clock{Agreed: now}
	}
	return c
}

// Clocks stores the one Clock of a database.
type Clocks interface {
	// HearClock updates the clock as [Clock.Heard] does, and returns it. Concurrent calls
	// happen one after the other.
	HearClock(ctx context.Context, now time.Time) (Clock, error)
}
