package activity

import "sync"

// The bounds of what waits for one watcher.
const (
	// maxWaiting is how many activities of one application wait. More are only counted.
	maxWaiting = 64

	// maxKinds is how many kinds of them are counted for one application, and
	// maxApplications how many applications have something waiting at once.
	maxKinds        = 64
	maxApplications = 4096
)

// queue is what waits for one watcher. Applications take turns, so that none keeps another
// from being heard, whatever strangers send in its name.
type queue struct {
	mu     sync.Mutex
	some   sync.Cond
	of     map[string]*waiting
	turns  []string // the applications that have something waiting
	closed bool
}

// waiting is what waits of one application.
type waiting struct {
	each []Activity
	more map[kind]*Activity // that there was no room for
}

// kind is what activities have in common that are counted together.
type kind struct{ event, outcome, err string }

func newQueue() *queue {
	q := &queue{of: map[string]*waiting{}}
	q.some.L = &q.mu
	return q
}

// put adds an activity, and reports whether there was room for more than to count it.
func (q *queue) put(a Activity) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.of[a.ClientID]
	if w == nil {
		if len(q.of) >= maxApplications {
			return false
		}
		w = &waiting{}
		q.of[a.ClientID] = w
		q.turns = append(q.turns, a.ClientID)
		q.some.Signal()
	}
	if len(w.each) < maxWaiting {
		w.each = append(w.each, a)
		return true
	}
	k := kind{a.Event, a.Outcome, a.Error}
	if counted := w.more[k]; counted != nil {
		counted.Requests += max(1, a.Requests)
		return false
	}
	if len(w.more) >= maxKinds {
		return false
	}
	if w.more == nil {
		w.more = map[kind]*Activity{}
	}
	w.more[k] = &Activity{At: a.At, ClientID: a.ClientID, Event: a.Event, Outcome: a.Outcome, Error: a.Error, Requests: max(1, a.Requests)}
	return false
}

// take waits for the next activity. It reports false when the queue is closed and empty.
func (q *queue) take() (Activity, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.turns) == 0 {
		if q.closed {
			return Activity{}, false
		}
		q.some.Wait()
	}
	client := q.turns[0]
	q.turns = q.turns[1:]
	w := q.of[client]
	a := w.next()
	if len(w.each)+len(w.more) == 0 {
		delete(q.of, client)
	} else {
		q.turns = append(q.turns, client)
	}
	return a, true
}

func (w *waiting) next() (a Activity) {
	if len(w.each) > 0 {
		a, w.each = w.each[0], w.each[1:]
		return a
	}
	for k, counted := range w.more {
		delete(w.more, k)
		return *counted
	}
	return a
}

// close ends the queue: what is in it can still be taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.some.Broadcast()
}
