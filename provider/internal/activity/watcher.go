package activity

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/host"
)

// watcher is somebody who watches.
type watcher struct {
	call   func(Activity)
	queue  *queue
	calls  host.Calls // of one place: calls do not overlap
	done   chan struct{}
	logger *slog.Logger

	abandoned atomic.Bool // nobody waits for what is left

	warned time.Time // guarded by the lock of the log: when it was reported last
}

// Watch calls a function for each activity from now on, one after the other, until stop is
// called or the log is closed. A function that is slow is told only how many there were of
// an application of which much happens, and so is any of what happens often; one that panics
// or hangs harms nobody. stop waits until what has happened before has been told, unless that
// takes longer than host.Timeout.
func (l *Log) Watch(call func(Activity)) (stop func()) {
	w := &watcher{
		call: call, queue: newQueue(), calls: make(host.Calls, 1),
		done: make(chan struct{}), logger: l.logger,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return func() {}
	}
	l.watchers = append(l.watchers, w)
	l.watched.Store(true)
	go w.run()
	return sync.OnceFunc(func() {
		l.tellCounts()
		l.remove(w)
		w.wait()
	})
}

// Close ends all watching.
func (l *Log) Close() {
	l.tellCounts()
	l.mu.Lock()
	ended := l.watchers
	for _, w := range ended {
		w.queue.close()
	}
	l.watchers, l.closed = nil, true
	l.watched.Store(false)
	l.mu.Unlock()
	for _, w := range ended {
		w.wait()
	}
}

func (l *Log) remove(w *watcher) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.watchers, w)
	if i < 0 {
		return // the log has been closed
	}
	w.queue.close()
	l.watchers = slices.Delete(slices.Clone(l.watchers), i, i+1)
	l.watched.Store(len(l.watchers) > 0)
}

// offer gives an activity to the watcher if it has room. It is called under the lock of
// the log.
func (w *watcher) offer(a Activity) {
	if w.queue.put(a) || a.At.Sub(w.warned) < repeatEvery {
		return
	}
	w.warned = a.At
	w.logger.Warn("activity watcher is too slow; it gets only the number of a busy application's activities", slog.String("client", a.ClientID))
}

func (w *watcher) run() {
	defer close(w.done)
	failing := false
	for {
		a, ok := w.queue.take()
		if !ok || w.abandoned.Load() {
			return
		}
		_, err := host.CallIn(context.Background(), w.calls, func(context.Context) (struct{}, error) {
			w.call(a)
			return struct{}{}, nil
		})
		if err != nil && !failing {
			w.logger.Error("activity watcher failed or did not return", slog.String("event", a.Event), slog.Any("error", err))
		}
		failing = err != nil
	}
}

// wait waits for what is in the queue, but not for a function that hangs.
func (w *watcher) wait() {
	late, cancel := context.WithTimeout(context.Background(), host.Timeout)
	defer cancel()
	select {
	case <-w.done:
	case <-late.Done():
		w.abandoned.Store(true)
	}
}
