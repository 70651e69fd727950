package activity

import (
	"slices"
	"sync"
	"time"
)

// The bounds of what goes well and happens often.
const (
	// eachOften is how many successes of one application and kind are told each within
	// oftenEvery of the first. The others are only counted.
	eachOften  = 20
	oftenEvery = time.Minute
)

// oftens are the kinds of requests that an application makes again and again with one token.
var oftens = []string{Userinfo, Attributes, Introspect}

// often counts successes: to tell of one takes as long as a tenth of such a request.
type often struct {
	mu  sync.Mutex
	of  map[oftenKind]*tally
	end *time.Timer // of the minute; nil while nothing has happened in one
}

// oftenKind is what is counted together.
type oftenKind struct{ clientID, event string }

// tally is what has happened of a kind.
type tally struct {
	told, counted int
	since         time.Time // when counting began
}

// counts counts a success and reports true, unless it is one to tell.
func (l *Log) counts(clientID, event string) bool {
	if clientID == "" || !slices.Contains(oftens, event) {
		return false
	}
	l.often.mu.Lock()
	defer l.often.mu.Unlock()
	if l.often.end == nil {
		l.often.end = time.AfterFunc(oftenEvery, l.tellCounts)
	}
	kind := oftenKind{clientID, event}
	t := l.often.of[kind]
	if t == nil {
		if l.often.of == nil {
			l.often.of = map[oftenKind]*tally{}
		}
		t = &tally{}
		l.often.of[kind] = t
	}
	if t.told < eachOften {
		t.told++
		return false
	}
	if t.counted == 0 {
		t.since = l.clock()
	}
	t.counted++
	return true
}

// tellCounts ends the minute and tells what has been counted in it.
func (l *Log) tellCounts() {
	l.often.mu.Lock()
	ended := l.often.of
	l.often.of = nil
	if l.often.end != nil {
		l.often.end.Stop()
		l.often.end = nil
	}
	l.often.mu.Unlock()
	for kind, t := range ended {
		if t.counted > 0 {
			l.offer(Activity{At: t.since, ClientID: kind.clientID, Event: kind.event, Outcome: OK, Requests: t.counted})
		}
	}
}
