package clock_test

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func TestUTC(t *testing.T) {
	there := func() time.Time { return now.In(time.FixedZone("Apia", 13*60*60)) }
	if got := clock.UTC(there)(); got != now {
		t.Errorf("%v, want %v", got, now)
	}
	if got := clock.UTC(nil)(); got.Location() != time.UTC || clock.Ahead(time.Now(), got) || clock.Ahead(got, time.Now()) {
		t.Errorf("without a clock: %v", got)
	}
}

func TestElapsedIsNeverNegative(t *testing.T) {
	for ago, want := range map[time.Duration]time.Duration{
		time.Hour: time.Hour, 0: 0, -time.Microsecond: 0, -24 * time.Hour: 0,
	} {
		if got := clock.Elapsed(now, now.Add(-ago)); got != want {
			t.Errorf("%v ago: %v, want %v", ago, got, want)
		}
	}
}

func TestTimesFromTheFutureAllowNothing(t *testing.T) {
	const tick = time.Microsecond
	for name, tt := range map[string]struct{ got, want bool }{
		"as far ahead as clocks may differ":         {clock.Ahead(now, now.Add(clock.Skew)), false},
		"further":                                   {clock.Ahead(now, now.Add(clock.Skew+tick)), true},
		"within a grace":                            {clock.Within(now, now.Add(tick-10*time.Second), 10*time.Second), true},
		"at its end":                                {clock.Within(now, now.Add(-10*time.Second), 10*time.Second), false},
		"ahead by less than the grace":              {clock.Within(now, now.Add(10*time.Second-tick), 10*time.Second), true},
		"ahead by the grace":                        {clock.Within(now, now.Add(10*time.Second), 10*time.Second), false},
		"ahead by more than clocks differ":          {clock.Within(now, now.Add(clock.Skew+tick), time.Hour), false},
		"no grace at all":                           {clock.Within(now, now, 0), false},
		"in force":                                  {clock.InForce(now, now.Add(-time.Minute), now.Add(tick)), true},
		"in force at the end":                       {clock.InForce(now, now.Add(-time.Minute), now), false},
		"in force, from a clock that is ahead":      {clock.InForce(now, now.Add(clock.Skew), now.Add(time.Hour)), true},
		"in force, from a clock that was wrong":     {clock.InForce(now, now.Add(clock.Skew+tick), now.Add(time.Hour)), false},
		"since the moment":                          {clock.Since(now, now.Add(-time.Hour), now.Add(-time.Hour)), true},
		"before the moment":                         {clock.Since(now, now.Add(-time.Hour-tick), now.Add(-time.Hour)), false},
		"since the moment, from one that was wrong": {clock.Since(now, now.Add(clock.Skew+tick), now.Add(-time.Hour)), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}
