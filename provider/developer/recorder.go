package developer

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// batchOfLines is the number of entries written in one step, and batchEvery how long an
	// entry waits for others.
	batchOfLines = 256
	batchEvery   = 250 * time.Millisecond

	// maxLines is how many entries wait for a slow database, and maxLinesOf how many of one
	// application. Further ones are counted.
	maxLines, maxLinesOf = 32_768, 512

	// maxLate is how far a clock goes back before it is believed.
	maxLate = 5 * time.Minute

	// keptSuccesses and keptFailures are how many of an application's latest entries are
	// kept.
	keptSuccesses, keptFailures = 1000, 50_000

	// flushTimeout limits a step of writing.
	flushTimeout = 5 * time.Second
)

// recorder writes the request logs of applications.
type recorder struct {
	store  storage.RequestLog
	logger *slog.Logger

	// pseudonym replaces a user at an application.
	pseudonym func(environment, clientID, userID string) string

	arrived, full chan struct{} // of one place: there is something, there is much

	mu        sync.Mutex
	waiting   []storage.LogEntry
	waitingOf map[application]int
	dropped   int
	grown     map[application]bool // have got entries since they were trimmed
	budgets
}

// application has waiting entries.
type application struct{ environment, clientID string }

func newRecorder(d *frame) *recorder {
	return &recorder{
		store: d.Store, logger: d.Logger, pseudonym: d.pseudonym,
		arrived: make(chan struct{}, 1), full: make(chan struct{}, 1),
		waitingOf: map[application]int{}, grown: map[application]bool{}, budgets: budgets{of: map[spender]*budget{}},
	}
}

// pseudonym replaces a user at an application of an environment.
func (d *frame) pseudonym(environment, clientID, userID string) string {
	// Neither an environment nor a client_id has a space.
	return d.Provider.Rooms().Keys.Pseudonym("user of an application", environment+" "+clientID+" "+userID)
}

// add takes an activity of an environment. It never waits.
func (r *recorder) add(environment string, a activity.Activity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(a.At)
	budget := r.get(spender{environment, a.ClientID, a.Outcome})
	switch {
	case budget == nil:
		r.dropped += max(1, a.Requests)
	case a.Requests == 0 && r.waitingOf[application{environment, a.ClientID}] < maxLinesOf && budget.spend(a.Address):
		entry := entryOf(environment, a)
		if a.UserID != "" {
			entry.User = r.pseudonym(environment, a.ClientID, a.UserID)
		}
		r.wait(entry)
	default:
		budget.count(a)
	}
}

// entryOf returns the entry of an activity. Summed-up successes have none: it would take
// the place of one that says more.
func entryOf(environment string, a activity.Activity) storage.LogEntry {
	return storage.LogEntry{
		At: a.At, Environment: environment, ClientID: a.ClientID, Event: string(a.Event), Outcome: string(a.Outcome),
		Error: a.Error, Cause: string(a.Diagnosis), Details: a.Details, RequestID: a.RequestID, Flow: a.Flow, Address: a.Address, Requests: a.Requests,
		OnlyCounted: a.Requests > 0 && a.Outcome == activity.OK,
	}
}

// wait queues an entry. It is called under the lock.
func (r *recorder) wait(entry storage.LogEntry) {
	if len(r.waiting) >= maxLines {
		r.dropped += max(1, entry.Requests)
		return
	}
	r.waiting = append(r.waiting, entry)
	r.waitingOf[application{entry.Environment, entry.ClientID}]++
	signal(r.arrived)
	if len(r.waiting) >= batchOfLines {
		signal(r.full)
	}
}

// settle records the requests without an entry of the minute before, once that has ended.
// It is called under the lock.
func (r *recorder) settle(now time.Time) {
	minute := now.Truncate(time.Minute)
	if late := r.minute.Sub(minute); late >= 0 && late < maxLate {
		return // the queued ones are of a past minute
	}
	for s, b := range r.of {
		for _, rest := range b.rest {
			r.wait(entryOf(s.environment, *rest))
		}
	}
	clear(r.of)
	r.minute = minute
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run writes until ctx ends.
func (r *recorder) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.arrived:
		}
		late := time.NewTimer(batchEvery)
		select {
		case <-ctx.Done():
		case <-r.full:
		case <-late.C:
		}
		late.Stop()
		r.flush(ctx)
	}
}

// settleAll records the requests without an entry until now.
func (r *recorder) settleAll(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(now)
}

// takeGrown returns the applications with new entries since the last call.
func (r *recorder) takeGrown() []application {
	r.mu.Lock()
	defer r.mu.Unlock()
	grown := slices.Collect(maps.Keys(r.grown))
	clear(r.grown)
	return grown
}

// putBack has takeGrown return an application again, whose entries could not all be trimmed.
func (r *recorder) putBack(a application) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grown[a] = true
}

// flush writes the queue. Entries that cannot be written stay in it.
func (r *recorder) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	for {
		r.mu.Lock()
		n := min(len(r.waiting), batchOfLines)
		batch := r.waiting[:n:n]
		dropped := r.dropped
		r.mu.Unlock()
		if n == 0 {
			return
		}
		if err := r.store.AppendLog(ctx, batch); err != nil {
			r.logger.ErrorContext(ctx, "request log entries could not be recorded; will retry", slog.Any("error", err))
			signal(r.arrived)
			return
		}
		r.mu.Lock()
		for _, entry := range batch {
			of := application{entry.Environment, entry.ClientID}
			if r.waitingOf[of]--; r.waitingOf[of] == 0 {
				delete(r.waitingOf, of)
			}
			r.grown[of] = true
		}
		r.waiting = append([]storage.LogEntry(nil), r.waiting[n:]...)
		r.dropped -= dropped
		r.mu.Unlock()
		if dropped > 0 {
			r.logger.WarnContext(ctx, "request log entries were dropped: the database is slow", slog.Int("lines", dropped))
		}
	}
}
