package host

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCallsThatDoNotReturnAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := WithRequest(t.Context(), make(Calls, 3), new(Memo))
		call := func(f func()) error {
			_, err := Call(ctx, func(context.Context) (int, error) { f(); return 1, nil })
			return err
		}
		released := make(chan struct{})
		for range 3 {
			if err := call(func() { <-released }); !errors.Is(err, ErrFailed) {
				t.Fatalf("a call that hangs: %v", err)
			}
		}
		called := false
		begin := time.Now()
		err := call(func() { called = true })
		if !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "have not returned") || called || time.Since(begin) != Timeout {
			t.Errorf("the fourth: %v, called %v, after %v", err, called, time.Since(begin))
		}
		close(released)
		synctest.Wait()
		if err := call(func() { called = true }); err != nil || !called {
			t.Errorf("after they have returned: %v", err)
		}
	})
}

func TestProvidersDoNotShareTheirCalls(t *testing.T) {
	full := make(Calls, 1)
	full <- struct{}{}
	ctx := WithRequest(t.Context(), make(Calls, 1), new(Memo))
	if n, err := Call(ctx, func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}
