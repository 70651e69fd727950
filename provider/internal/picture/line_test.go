package picture

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestLines tests that who sends many pictures keeps nobody else from a turn.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		begin, busy := make(chan struct{}), make(chan struct{})
		draw := func(ctx context.Context, user string) {
			err := alone(Of(ctx, "user "+user, "network"), func() error {
				if user == "first" {
					close(busy)
					<-begin
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, user)
				return nil
			})
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
		go draw(t.Context(), "first")
		<-busy
		for range 40 {
			go draw(t.Context(), "many")
		}
		synctest.Wait()
		gone, cancel := context.WithCancel(t.Context())
		go draw(gone, "gone")
		go draw(t.Context(), "alice")
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(begin)
		synctest.Wait()
		if len(order) != 42 || order[2] != "alice" {
			t.Errorf("%d are drawn: %v", len(order), order)
		}
		if len(drawing.of) > 0 {
			t.Errorf("%d lines are kept", len(drawing.of))
		}
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := alone(late, func() error { return alone(late, func() error { return nil }) })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
