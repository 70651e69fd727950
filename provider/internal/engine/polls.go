package engine

import (
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// maxPolls is how many pending requests are remembered; the others may be polled at will, each
// time at the cost of one reading.
const maxPolls = 10_000

// polls are when devices may poll again, in this process: with several, a device may be told to
// slow down later, which costs readings.
type polls struct {
	mu   sync.Mutex
	next map[storage.Digest]poll
}

type poll struct {
	at       time.Time
	interval time.Duration
	ends     time.Time
}

// pollTolerance is how much too early a poll may come: clocks and networks are not exact.
const pollTolerance = time.Second

// tooEarly reports whether the poll of a pending request comes too early. The device then waits
// five seconds more each time (RFC 8628 section 3.5).
func (p *polls) tooEarly(c storage.Digest, now, ends time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.next[c]
	if !ok {
		p.makeRoom(now)
		if len(p.next) >= maxPolls {
			return false
		}
		known = poll{interval: PollInterval, ends: ends}
	}
	early := ok && now.Before(known.at.Add(-pollTolerance))
	if early {
		known.interval += PollInterval
	}
	known.at = now.Add(known.interval)
	if p.next == nil {
		p.next = map[storage.Digest]poll{}
	}
	p.next[c] = known
	return early
}

// makeRoom forgets requests that have expired, when there are many.
func (p *polls) makeRoom(now time.Time) {
	if len(p.next) < maxPolls {
		return
	}
	for c, known := range p.next {
		if !now.Before(known.ends) {
			delete(p.next, c)
		}
	}
}

// forget drops a request that is pending no more.
func (p *polls) forget(c storage.Digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.next, c)
}
