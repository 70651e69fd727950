package backchannel

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// nothingDue is a store without client sessions that are due.
type nothingDue struct{ storage.ClientSessions }

func (nothingDue) TakeClientSessions(context.Context, storage.Turn) ([]storage.ClientSession, error) {
	return nil, nil
}

// TestRestThatBeginsMeanwhile has a call fail while another turn begins, which must not forget the rest.
func TestRestThatBeginsMeanwhile(t *testing.T) {
	clock := func() time.Time {
		now := time.Now()
		runtime.Gosched()
		return now
	}
	for range 10_000 {
		n := New(Options{Store: nothingDue{}, Clock: clock, AgreedTime: clock})
		var both sync.WaitGroup
		both.Go(func() { n.leaveAlone("failing") })
		both.Go(func() { _, _ = n.take(t.Context()) })
		both.Wait()
		if _, rests := n.rests["failing"]; !rests {
			t.Fatal("the client is not left alone")
		}
	}
}
