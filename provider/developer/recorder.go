package developer

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

const (
	// batchOfLines is how many lines are written in one step, and batchEvery how long
	// a line waits for others.
	batchOfLines = 256
	batchEvery   = 250 * time.Millisecond

	// maxLines is how many lines wait for a database that is slow, and maxLinesOf how
	// many of one application. More are counted.
	maxLines, maxLinesOf = 32_768, 512

	// maxLate is how far a clock goes back before it is believed.
	maxLate = 5 * time.Minute

	// keptSuccesses and keptFailures are how many lines of one application are kept, the
	// latest ones.
	keptSuccesses, keptFailures = 1000, 50_000

	// flushTimeout bounds a step of writing.
	flushTimeout = 5 * time.Second
)

// recorder writes what happens to the requests of applications to the log that their
// owners read.
type recorder struct {
	store  storage.RequestLog
	logger *slog.Logger

	// pseudonym stands for a user at an application.
	pseudonym func(environment, clientID, userID string) string

	arrived, full chan struct{} // of one place: there is something, there is much

	mu        sync.Mutex
	waiting   []storage.LogEntry
	waitingOf map[application]int
	dropped   int
	grown     map[application]bool // have got lines since they were trimmed
	budgets
}

// application is whose lines wait.
type application struct{ environment, clientID string }

func newRecorder(d *Dashboard) *recorder {
	return &recorder{
		store: d.Store, logger: d.Logger, pseudonym: d.pseudonym,
		arrived: make(chan struct{}, 1), full: make(chan struct{}, 1),
		waitingOf: map[application]int{}, grown: map[application]bool{}, budgets: budgets{of: map[spender]*budget{}},
	}
}

// pseudonym stands for a user at an application of an environment.
func (d *Dashboard) pseudonym(environment, clientID, userID string) string {
	// Neither an environment nor a client_id has a space.
	return d.Provider.Keys().Pseudonym("user of an application", environment+" "+clientID+" "+userID)
}

// add takes an activity of an environment. It never waits.
func (r *recorder) add(environment string, a provider.Activity) {
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

// entryOf returns the line of an activity. Successes of which there is only a number have
// none: it would take the place of one that says more.
func entryOf(environment string, a provider.Activity) storage.LogEntry {
	return storage.LogEntry{
		At: a.At, Environment: environment, ClientID: a.ClientID, Event: string(a.Event), Outcome: string(a.Outcome),
		Error: a.Error, Cause: string(a.Diagnosis), Details: a.Details, RequestID: a.RequestID, Flow: a.Flow, Address: a.Address, Requests: a.Requests,
		OnlyCounted: a.Requests > 0 && a.Outcome == provider.OutcomeOK,
	}
}

// wait has a line written. It is called under the lock.
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

// settle writes down what had no line in the minute before, once that is over. It is called
// under the lock.
func (r *recorder) settle(now time.Time) {
	minute := now.Truncate(time.Minute)
	if late := r.minute.Sub(minute); late >= 0 && late < maxLate {
		return // what has waited for its turn is of a minute that is over
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

// settleAll writes down what had no line until now.
func (r *recorder) settleAll(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(now)
}

// takeGrown returns the applications that have got lines since it was called last.
func (r *recorder) takeGrown() []application {
	r.mu.Lock()
	defer r.mu.Unlock()
	grown := slices.Collect(maps.Keys(r.grown))
	clear(r.grown)
	return grown
}

// flush writes what waits. What cannot be written waits on.
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
