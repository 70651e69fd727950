package signals_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/storage"
)

// follow follows events until it is stopped.
func (w *world) follow(name string, f func(storage.Event) error) (stop func() error) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Follow(ctx, name, func(_ context.Context, e storage.Event) error { return f(e) }) }()
	return func() error { cancel(); return <-done }
}

func TestFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{})
	events := make(chan storage.Event, 100)
	failing := 1
	stop := w.follow("mine", func(e storage.Event) error {
		if failing--; failing == 0 {
			return fmt.Errorf("not now")
		}
		events <- e
		return nil
	})
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 })
	begin := time.Now()
	for i := range 3 {
		w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: fmt.Sprint("event_", i)}))
		w.Recorded("event")
	}
	for i := range 3 {
		if e := <-events; e.Name != fmt.Sprint("event_", i) {
			t.Errorf("%d: %s", i, e.Name)
		}
	}
	if took := time.Since(begin); took < time.Second {
		t.Errorf("after an error it called again after %s", took)
	}
	w.marked(func(marks []storage.Mark) bool { return marks[0].Unread.IsZero() })
	if err := stop(); err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
	w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: "event_3"}))
	w.ahead.Add(int64(time.Minute)) // another process
	stop = w.follow("mine", func(e storage.Event) error { events <- e; return nil })
	if e := <-events; e.Name != "event_3" {
		t.Errorf("then came %s", e.Name)
	}
	_ = stop()
}

// Of several processes one calls, and another takes over when that has ended.
func TestFollowOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "test.db"), random.Bytes(32)
	first, second := worldAt(t, path, key, signals.Config{}), worldAt(t, path, key, signals.Config{})
	var mu sync.Mutex
	var called []string
	by := func(who string) func(storage.Event) error {
		return func(e storage.Event) error {
			mu.Lock()
			defer mu.Unlock()
			called = append(called, who+" "+e.Name)
			return nil
		}
	}
	// read records events and waits until they are read.
	read := func(names ...string) {
		t.Helper()
		for _, name := range names {
			first.ok(first.store.AppendEvent(t.Context(), storage.Event{At: first.now(), Name: name}))
			first.Recorded(name)
			second.Recorded(name)
		}
		first.marked(func(marks []storage.Mark) bool { return marks[0].Unread.IsZero() })
	}
	stopFirst := first.follow("mine", by("first"))
	first.marked(func(marks []storage.Mark) bool { return len(marks) == 1 })
	stopSecond := second.follow("mine", by("second"))
	read("a", "b", "c")
	_ = stopFirst()
	second.ahead.Add(int64(time.Minute))
	read("d", "e")
	_ = stopSecond()
	if want := []string{"first a", "first b", "first c", "second d", "second e"}; !slices.Equal(called, want) {
		t.Errorf("called were %q, want %q", called, want)
	}
}

// lossy is a store from which events called lost were removed.
type lossy struct{ storage.Signals }

func (s lossy) EventsAfter(ctx context.Context, m storage.Mark, limit int) ([]storage.Event, storage.Mark, error) {
	events, next, err := s.Signals.EventsAfter(ctx, m, limit)
	if err == nil && len(events) > 0 && events[0].Name == "lost" {
		return nil, next, storage.ErrEnded
	}
	return events, next, err
}

// Who has not read for a month is told so once, and then what is new.
func TestFollowAfterEventsWereRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signals.Config{})
	w.Store = lossy{w.store}
	stop := w.follow("mine", func(storage.Event) error { return nil })
	w.marked(func(marks []storage.Mark) bool { return len(marks) == 1 })
	_ = stop()
	w.ahead.Add(int64(time.Minute))
	for range 2 {
		w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: "lost"}))
	}
	nothing := func(context.Context, storage.Event) error { return errors.New("it calls with what is lost") }
	if err := w.Follow(t.Context(), "mine", nothing); !errors.Is(err, storage.ErrEnded) {
		t.Fatalf("it ends with %v", err)
	}
	w.ok(w.store.AppendEvent(t.Context(), storage.Event{At: w.now(), Name: "new"}))
	ctx, cancel := context.WithCancel(t.Context())
	var called []string
	err := w.Follow(ctx, "mine", func(_ context.Context, e storage.Event) error {
		called = append(called, e.Name)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(called, []string{"new"}) {
		t.Errorf("then it calls with %q, and ends with %v", called, err)
	}
}
