//go:build cgo && !race

package counts

import (
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// count is what one operation took.
type count struct{ allocs, bytes, calls uint64 }

// figure is what an operation is known to take.
type figure struct {
	name string
	count
}

// counter adds up what the handler takes for one operation of several requests.
type counter struct {
	handler http.Handler
	sum     count
}

// do serves one request. What is made around it is not counted.
func (c *counter) do(r *http.Request) *answer {
	a := newAnswer()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	calls := runtime.NumCgoCall()
	c.handler.ServeHTTP(a, r)
	calls = runtime.NumCgoCall() - calls
	runtime.ReadMemStats(&after)
	c.sum.allocs += after.Mallocs - before.Mallocs
	c.sum.bytes += after.TotalAlloc - before.TotalAlloc
	c.sum.calls += uint64(calls)
	return a
}

// repeats is how often an operation is counted. The median does not see what the runtime
// does for itself now and then, nor a table that grows.
const repeats = 51

// median counts an operation, after it has filled what is filled once.
func median(handler http.Handler, operation func(*counter)) count {
	return medianOf(repeats, handler, operation)
}

// medianOf is median for an operation that is counted this often.
func medianOf(times int, handler http.Handler, operation func(*counter)) count {
	var allocs, bytes, calls []uint64
	for i := range 2 * times {
		c := &counter{handler: handler}
		operation(c)
		if i >= times {
			allocs, bytes, calls = append(allocs, c.sum.allocs), append(bytes, c.sum.bytes), append(calls, c.sum.calls)
		}
	}
	middle := func(of []uint64) uint64 {
		slices.Sort(of)
		return of[len(of)/2]
	}
	return count{middle(allocs), middle(bytes), middle(calls)}
}

// alone keeps everything else from being counted: no collection empties a pool meanwhile,
// and no goroutine runs beside the one that counts.
func alone(t *testing.T) {
	collect, processors := debug.SetGCPercent(-1), runtime.GOMAXPROCS(1)
	t.Cleanup(func() {
		debug.SetGCPercent(collect)
		runtime.GOMAXPROCS(processors)
	})
}

// figuresOf is the version of Go that the figures are of. Another has other maps, another
// library and another compiler, and so a wider margin.
const figuresOf = "go1.26"

// margin is how far from its figure a count may be, in per cent.
func margin() uint64 {
	if strings.HasPrefix(runtime.Version(), figuresOf) {
		return 3
	}
	return 15
}

// compare says what is wrong with a count, or "".
func (f figure) compare(got count) string {
	var wrong []string
	look := func(of string, got, want uint64) {
		most, least := want+want*margin()/100, want-want*margin()/100
		switch {
		case got > most:
			wrong = append(wrong, fmt.Sprintf("%d %s instead of %d: make it cheaper, or say in figures_test.go why it costs that", got, of, want))
		case got < least:
			wrong = append(wrong, fmt.Sprintf("%d %s instead of %d: it is cheaper, which figures_test.go has to keep", got, of, want))
		}
	}
	look("allocations", got.allocs, f.allocs)
	look("bytes", got.bytes, f.bytes)
	look("calls into C", got.calls, f.calls)
	return strings.Join(wrong, "; ")
}
