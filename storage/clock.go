package storage

import (
	"context"
	"time"
)

// Clock is what the processes of a provider have said about the time. What is removed for
// good has to have ended by a time that all of them agree on: the clock of one of them, or of
// the only one, may be wrong, and an account whose owner may still think again must not go by
// it. So the slowest clock counts, and a leap forward is doubted for a day, in which somebody
// may contradict it.
type Clock struct {
	// Agreed is the time that is agreed on; zero when there has been none.
	Agreed time.Time

	// Claimed is a later time that was said first; zero when nothing is doubted.
	Claimed time.Time
}

const (
	// ClockStep is how far the time goes on from one saying to the next without being
	// doubted. Processes say it every minute, and a round may take as long.
	ClockStep = 3 * time.Minute

	// ClockDoubt is for how long a leap beyond that is doubted.
	ClockDoubt = 24 * time.Hour
)

// Heard returns the clock after a process has said that it is now.
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

// Clocks keeps the one Clock of a database.
type Clocks interface {
	// HearClock has the clock become what [Clock.Heard] says, and returns it. Concurrent
	// calls happen one after the other.
	HearClock(ctx context.Context, now time.Time) (Clock, error)
}
