package grants

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// BenchmarkDeleteClient deletes an application to which 300,000 people have allowed something:
// how long DeleteClient takes, how long the removal behind it, and how long another write waits
// meanwhile, at most and for 99 of 100.
func BenchmarkDeleteClient(b *testing.B) {
	const grants = 300_000
	for b.Loop() {
		b.StopTimer()
		w := lab.New(b).WithClients()
		allowed(w, "std", grants)
		waits := waiting(w)
		b.StartTimer()
		begin := time.Now()
		w.OK(w.Clients().Delete(b.Context(), "std", 0))
		answered := time.Since(begin)
		w.OK(w.RemoveDeleted(b.Context()))
		b.StopTimer()
		all := waits()
		if grants, consents := found(w, "std"); grants+consents > 0 {
			b.Errorf("%d grants and %d decisions are left", grants, consents)
		}
		b.ReportMetric(float64(answered.Microseconds())/1000, "answer-ms")
		b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "wait-max-ms")
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "wait-p99-ms")
		b.ReportMetric(float64(len(all)), "writes")
		b.StartTimer()
	}
}

// waiting has somebody write every few milliseconds, until it is asked how long that took each
// time, in order.
func waiting(w *lab.Fixture) (stop func() []time.Duration) {
	const id = "writer"
	w.AddAccount(provider.Account{ID: id, Email: id + "@example.com"})
	var took []time.Duration
	var writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			begin := time.Now()
			if err := w.People().SetAttributes(w.T.Context(), id, map[string]any{"fname": "A"}); err != nil {
				w.T.Error(err)
			}
			took = append(took, time.Since(begin))
		}
	})
	return func() []time.Duration {
		close(done)
		writing.Wait()
		slices.Sort(took)
		return took
	}
}
