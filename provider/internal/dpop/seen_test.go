package dpop_test

import (
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/dpop"
	"github.com/bonafide-id/bonafide/storage"
)

func TestSeen(t *testing.T) {
	t.Parallel()
	var seen dpop.Seen
	use, end := storage.Digest(sha256.Sum256([]byte("a"))), now.Add(2*time.Minute)
	var wins atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if seen.UseID(t.Context(), use, end, now) == nil {
				wins.Add(1)
			}
		})
	}
	all.Wait()
	if wins.Load() != 1 {
		t.Errorf("%d of 50 uses at once succeed", wins.Load())
	}
	for _, later := range []time.Duration{time.Minute, 2*time.Minute - 1} {
		if err := seen.UseID(t.Context(), use, end, now.Add(later)); !errors.Is(err, storage.ErrConflict) {
			t.Errorf("after %v: %v", later, err)
		}
	}
	if err := seen.UseID(t.Context(), use, end.Add(time.Minute), end); err != nil {
		t.Errorf("once it has expired: %v", err)
	}
	if err := seen.UseID(t.Context(), storage.Digest(sha256.Sum256([]byte("b"))), end, now); err != nil {
		t.Errorf("another: %v", err)
	}
}
