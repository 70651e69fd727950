package request

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func begun(parent context.Context) *Context {
	c := new(Context)
	c.Begin(httptest.NewRecorder(), httptest.NewRequestWithContext(parent, http.MethodGet, "/", nil), nil)
	return c
}

// ended demands that a context has ended, in every way in which it can be asked, and
// that it goes on to say why.
func ended(t *testing.T, c *Context, why error) {
	t.Helper()
	for range 2 {
		if err := c.Err(); !errors.Is(err, why) {
			t.Errorf("Err is %v, want %v", err, why)
		}
		select {
		case <-c.Done():
		default:
			t.Error("Done is open")
		}
	}
	child, cancel := context.WithCancel(c)
	defer cancel()
	if err := child.Err(); !errors.Is(err, why) {
		t.Errorf("a context of it says %v, want %v", err, why)
	}
}

func TestContextEnds(t *testing.T) {
	for name, wait := range map[string]func(context.Context){
		"Unasked": func(context.Context) {},
		"Asked":   func(c context.Context) { _ = c.Err() },
		"Awaited": func(c context.Context) { _ = c.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				byTime := begun(context.Background())
				wait(byTime)
				if err := byTime.Err(); err != nil {
					t.Errorf("it has ended at once: %v", err)
				}
				time.Sleep(Timeout)
				synctest.Wait()
				ended(t, byTime, context.DeadlineExceeded)
				byTime.End()
				ended(t, byTime, context.DeadlineExceeded)

				over := begun(context.Background())
				wait(over)
				over.End()
				ended(t, over, context.Canceled)
				time.Sleep(2 * Timeout)
				ended(t, over, context.Canceled)

				parent, leave := context.WithCancel(context.Background())
				left := begun(parent)
				wait(left)
				leave()
				ended(t, left, context.Canceled)
				left.End()
			})
		})
	}
}

func TestContextEndsWhatIsMadeOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := begun(context.Background())
		before := runtime.NumGoroutine()
		child, cancel := context.WithCancel(context.WithValue(c, attachment{}, 1))
		defer cancel()
		if now := runtime.NumGoroutine(); now != before {
			t.Errorf("%d goroutines watch", now-before)
		}
		began := time.Now()
		<-child.Done()
		if took := time.Since(began); took != Timeout || !errors.Is(child.Err(), context.DeadlineExceeded) {
			t.Errorf("it ended after %v: %v", took, child.Err())
		}
	})
}
