package scale

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// times are how long something took.
type times []time.Duration

// String is the median, the 99th percentile and the longest, in milliseconds.
func (t times) String() string {
	if len(t) == 0 {
		return "never"
	}
	slices.Sort(t)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("p50 %7.2f  p99 %7.2f  max %7.2f ms, n = %d", ms(t[len(t)/2]), ms(t[len(t)*99/100]), ms(t[len(t)-1]), len(t))
}

// timed returns how long f takes.
func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// again has f done again and again, with a pause before each time, until what is returned is
// called, which returns how long each took. The end of the test ends it, too.
func (w *place) again(pause time.Duration, f func()) (end func() times) {
	var took times
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(pause):
				took = append(took, timed(f))
			}
		}
	}()
	end = sync.OnceValue(func() times { close(stop); <-ended; return took })
	w.t.Cleanup(func() { end() })
	return end
}

// writes records an event every few milliseconds.
func (w *place) writes() (end func() times) {
	return w.again(5*time.Millisecond, func() {
		err := w.Store.AppendEvent(context.WithoutCancel(w.t.Context()), storage.Event{At: w.Now(), Name: "sign_in", Subject: "alice", Address: "10.1.7.0/24"})
		if err != nil {
			w.t.Error(err)
		}
	})
}
