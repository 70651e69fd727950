package storage_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const day = 24 * time.Hour

// processes claim the time to one clock each minute, each by a clock that is ahead by so much.
type processes struct {
	t     *testing.T
	clock storage.Clock
	now   time.Time
}

func newProcesses(t *testing.T) *processes {
	return &processes{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

// claim has a process that is ahead claim its time. Whatever it hears, no time is certain to it
// that has not come, but for what passes between two claims.
func (p *processes) claim(ahead time.Duration) {
	p.clock = p.clock.Heard(p.now.Add(ahead))
	if certain := p.clock.Certain(p.now.Add(ahead)); certain.After(p.now.Add(storage.ClockStep)) {
		p.t.Fatalf("%v ahead: certain is %v at %v", ahead, certain, p.now)
	}
}

// run has processes claim the time for so long.
func (p *processes) run(length time.Duration, ahead ...time.Duration) {
	for end := p.now.Add(length); p.now.Before(end); p.now = p.now.Add(time.Minute) {
		for _, a := range ahead {
			p.claim(a)
		}
	}
}

// agreed fails the test unless the time is certain.
func (p *processes) agreed() {
	p.t.Helper()
	p.claim(0)
	if certain := p.clock.Certain(p.now); !certain.Equal(p.now) {
		p.t.Fatalf("certain is %v at %v: %+v", certain, p.now, p.clock)
	}
}

// ahead are clocks that are wrong.
var ahead = []time.Duration{storage.ClockStep + 1, time.Hour, 26 * time.Hour, 80 * time.Hour, 20 * day, 91 * day, 400 * day}

func TestClock(t *testing.T) {
	// A process that is right pauses, and one that is wrong is heard: before, after and within
	// the pause, for any time less than a day.
	t.Run("BelievesNobodyAfterAPause", func(t *testing.T) {
		for _, wrong := range ahead {
			for _, young := range []time.Duration{0, time.Minute, 5 * time.Minute, day, 3 * day} {
				for _, pause := range []time.Duration{0, time.Minute, 2 * time.Minute, 4 * time.Minute, 20 * time.Minute, day - time.Minute} {
					for _, order := range [][]time.Duration{{0, wrong}, {wrong, 0}, {wrong}} {
						p := newProcesses(t)
						p.run(young, 0)
						p.now = p.now.Add(pause)
						p.run(min(day-pause, 30*time.Minute), order...)
						p.run(2*time.Minute, 0, wrong)
						p.now = p.now.Add(pause)
						p.claim(wrong)
						p.run(day-pause-2*time.Minute, wrong)
						p.claim(0)
						p.run(time.Hour, 0, wrong)
					}
				}
			}
		}
	})
	t.Run("BelievesNobodyInAnyOrder", func(t *testing.T) {
		for seed := range uint64(300) {
			random := rand.New(rand.NewPCG(seed, 0))
			p := newProcesses(t)
			right := p.now // when the one that is right was heard
			for range 2000 {
				p.now = p.now.Add(time.Duration(random.IntN(300)) * time.Second)
				switch a := random.IntN(len(ahead) + 2); {
				case a >= len(ahead) || p.now.Sub(right) > 20*time.Hour:
					right = p.now
					p.claim(0)
				case random.IntN(3) > 0:
					p.claim(ahead[a])
				default: // one that leaps
					p.run(time.Duration(random.IntN(20))*time.Minute, ahead[a])
				}
			}
		}
	})
	t.Run("AgreesAfterADay", func(t *testing.T) {
		for _, wrong := range ahead {
			for name, before := range map[string]func(*processes){
				"New":          func(*processes) {},
				"OffForAMonth": func(p *processes) { p.run(2*day, 0); p.now = p.now.Add(30 * day) },
				"OffInDoubt": func(p *processes) {
					p.run(2*day, 0)
					p.now = p.now.Add(time.Hour)
					p.claim(0)
					p.now = p.now.Add(30 * day)
				},
				"AfterAWrong": func(p *processes) { p.run(2*day, 0, wrong); p.now = p.now.Add(time.Hour); p.claim(wrong) },
			} {
				for _, with := range [][]time.Duration{{0}, {0, wrong}, {wrong, 0}, {wrong, 2 * wrong, 0, time.Minute}} {
					t.Run(fmt.Sprint(wrong, name, len(with)), func(t *testing.T) {
						p := newProcesses(t)
						before(p)
						p.run(day+15*time.Minute, with...)
						p.agreed()
					})
				}
			}
		}
	})
	t.Run("GoesByTheSlowest", func(t *testing.T) {
		p := newProcesses(t)
		p.run(2*day, 0)
		p.run(time.Hour, 0, -20*day)
		if certain := p.clock.Certain(p.now); certain.After(p.now.Add(-19 * day)) {
			t.Errorf("certain: %v at %v", certain, p.now)
		}
		p.run(day+15*time.Minute, 0)
		p.agreed()
	})
	// A machine that rests each night never runs for a day, and still sees a wait end.
	t.Run("GoesOnWhileInDoubt", func(t *testing.T) {
		p := newProcesses(t)
		for range 10 {
			p.run(16*time.Hour, 0)
			p.now = p.now.Add(8 * time.Hour)
		}
		p.claim(0)
		if behind := p.now.Sub(p.clock.Certain(p.now)); behind > 10*(8*time.Hour+20*time.Minute) {
			t.Errorf("is %v behind", behind)
		}
	})
	t.Run("BelievesTheOnlyOneAfterADay", func(t *testing.T) {
		p := newProcesses(t)
		p.run(2*day, 0)
		p.now = p.now.Add(20 * day) // as far as it can tell
		p.run(day+time.Minute, 0)
		p.agreed()
	})
}
