package developer

import (
	"context"
	"log/slog"
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

	// maxLines is how many lines wait for a database that is slow. More are dropped.
	maxLines = 4096

	// maxAlike is how many errors of one kind are recorded of an application in a
	// minute: whoever knows a client_id can make any number, and would fill the disk.
	maxAlike = 120

	// flushTimeout bounds a step of writing.
	flushTimeout = 5 * time.Second
)

// recorder writes what happens to the requests of applications to the log that their
// owners read.
type recorder struct {
	store  storage.RequestLog
	logger *slog.Logger

	// pseudonym stands for a user at an application.
	pseudonym func(clientID, userID string) string

	arrived, full chan struct{} // of one place: there is something, there is much

	mu      sync.Mutex
	waiting []storage.LogEntry
	dropped int
	minute  time.Time
	alike   map[kindOfError]int
}

// kindOfError is what errors have in common that are alike.
type kindOfError struct {
	environment, clientID string
	event                 provider.ActivityEvent
	diagnosis             provider.Diagnosis
}

func newRecorder(d *Dashboard) *recorder {
	return &recorder{
		store: d.Store, logger: d.Logger,
		pseudonym: func(clientID, userID string) string { return d.Provider.Pseudonym("user of "+clientID, userID) },
		arrived:   make(chan struct{}, 1), full: make(chan struct{}, 1), alike: map[kindOfError]int{},
	}
}

// add takes an activity of an environment. It never waits.
func (r *recorder) add(environment string, a provider.Activity) {
	entry := storage.LogEntry{
		At: a.At, Environment: environment, ClientID: a.ClientID, Event: string(a.Event), Outcome: string(a.Outcome),
		Error: a.Error, Cause: string(a.Diagnosis), Details: a.Details, RequestID: a.RequestID, Address: a.Address,
	}
	if a.UserID != "" {
		entry.User = r.pseudonym(environment+" "+a.ClientID, a.UserID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Outcome == provider.OutcomeError && !r.mayRecord(environment, a) {
		return
	}
	if len(r.waiting) >= maxLines {
		r.dropped++
		return
	}
	r.waiting = append(r.waiting, entry)
	signal(r.arrived)
	if len(r.waiting) >= batchOfLines {
		signal(r.full)
	}
}

// mayRecord counts an error. It is called under the lock.
func (r *recorder) mayRecord(environment string, a provider.Activity) bool {
	if minute := a.At.Truncate(time.Minute); !minute.Equal(r.minute) {
		r.minute = minute
		clear(r.alike)
	}
	kind := kindOfError{environment, a.ClientID, a.Event, a.Diagnosis}
	r.alike[kind]++
	return r.alike[kind] <= maxAlike
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
			r.logger.ErrorContext(ctx, "what happened to requests of applications could not be recorded; it is tried again", slog.Any("error", err))
			signal(r.arrived)
			return
		}
		r.mu.Lock()
		r.waiting = append([]storage.LogEntry(nil), r.waiting[n:]...)
		r.dropped -= dropped
		r.mu.Unlock()
		if dropped > 0 {
			r.logger.WarnContext(ctx, "the log of applications has a gap, because the database was slow", slog.Int("lines", dropped))
		}
	}
}
