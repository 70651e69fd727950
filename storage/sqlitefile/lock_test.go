package sqlitefile

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// TestOtherProcess tests what happens while another process holds the lock.
func TestOtherProcess(t *testing.T) {
	// lock takes the lock of the file and returns how to release it.
	lock := func(t *writerTest) (release func()) {
		t.Helper()
		other := t.otherConnection()
		if _, err := other.Exec(`BEGIN EXCLUSIVE`); err != nil {
			t.Fatal(err)
		}
		return func() {
			if _, err := other.Exec(`ROLLBACK`); err != nil {
				t.Error(err)
			}
		}
	}
	// call writes after a delay, and reports when it was answered and how.
	type answer struct {
		after time.Duration
		err   error
	}
	call := func(t *writerTest, delay, timeout time.Duration, name string) <-chan answer {
		start := time.Now()
		answered := make(chan answer, 1)
		go func() {
			time.Sleep(delay)
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			err := mattn.mapError(t.w.write(ctx, insert(name)))
			answered <- answer{time.Since(start), err}
		}()
		return answered
	}
	const slack = 10 * time.Millisecond // between two attempts

	t.Run("IsWaitedFor", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			release := lock(t)
			first := call(t, 0, time.Hour, "first")
			second := call(t, time.Second, time.Hour, "second")
			time.Sleep(patience - time.Second)
			release()
			for _, answered := range []<-chan answer{first, second} {
				if got := <-answered; got.err != nil || got.after > patience-time.Second+slack {
					t.Errorf("answered after %v with %v", got.after, got.err)
				}
			}
			if got := t.commits.Load(); got != 1 {
				t.Errorf("%d commits, want 1 for both", got)
			}
		})
	})
	t.Run("IsWaitedForUpToPatienceEach", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			release := lock(t)
			defer release()
			for i, answered := range []<-chan answer{
				call(t, 0, time.Hour, "first"),
				call(t, 0, time.Hour, "second"),
				call(t, 2*time.Second, time.Hour, "third"),
			} {
				delay := []time.Duration{0, 0, 2 * time.Second}[i]
				got := <-answered
				if !errors.Is(got.err, storage.ErrUnavailable) || errors.Is(got.err, storage.ErrNotFound) {
					t.Errorf("call %d: err = %v, want %v", i, got.err, storage.ErrUnavailable)
				}
				if waited := got.after - delay; waited < patience || waited > patience+3*slack {
					t.Errorf("call %d waited %v, want %v", i, waited, patience)
				}
			}
		})
	})
	t.Run("LeaderWhoLeavesHandsOver", func(t *testing.T) {
		testWriter(t, func(t *writerTest) {
			release := lock(t)
			first := call(t, 0, time.Second, "first")
			second := call(t, time.Millisecond, time.Hour, "second")
			if got := <-first; got.err != context.DeadlineExceeded || got.after > time.Second+slack {
				t.Errorf("leader was answered after %v with %v", got.after, got.err)
			}
			release()
			if got := <-second; got.err != nil || got.after > time.Second+2*slack {
				t.Errorf("successor was answered after %v with %v", got.after, got.err)
			}
			t.wantWritten("second")
		})
	})
}
