package activity

import (
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestARequestThatNobodyWatchesCostsNothing(t *testing.T) {
	log, ctx := New(time.Now, slog.New(slog.DiscardHandler)), t.Context()
	if n := testing.AllocsPerRun(100, func() { log.Succeeded(ctx, Userinfo, Party{"client", "alice"}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestARequestThatIsOnlyCountedCostsNoAllocation(t *testing.T) {
	log, ctx := New(time.Now, slog.New(slog.DiscardHandler)), t.Context()
	stop := log.Watch(func(Activity) {})
	defer stop()
	again := func() { log.Succeeded(ctx, Userinfo, Party{"client", "alice"}) }
	for range eachOften {
		again()
	}
	if n := testing.AllocsPerRun(100, again); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWhatHappensOftenIsToldAsANumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, ctx := New(time.Now, slog.New(slog.DiscardHandler)), t.Context()
		var mu sync.Mutex // the watcher calls in a goroutine of its own
		told, numbers := map[oftenKind]int{}, map[oftenKind]int{}
		stop := log.Watch(func(a Activity) {
			if a.Outcome != OK || a.At.IsZero() {
				t.Errorf("told %+v", a)
			}
			mu.Lock()
			defer mu.Unlock()
			if a.Requests == 0 {
				told[oftenKind{a.ClientID, a.Event}]++
			}
			numbers[oftenKind{a.ClientID, a.Event}] += max(1, a.Requests)
		})
		expect := func(kind oftenKind, each, all int) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if told[kind] != each || numbers[kind] != all {
				t.Errorf("of %v %d are told, and %d in all; want %d and %d", kind, told[kind], numbers[kind], each, all)
			}
		}
		happen := func(kind oftenKind, n int) {
			for range n {
				log.Succeeded(ctx, kind.event, Party{kind.clientID, "alice"})
				synctest.Wait() // the queue has no bound that a test should meet
			}
		}
		data, other, token := oftenKind{"shop", Userinfo}, oftenKind{"till", Userinfo}, oftenKind{"shop", Token}
		happen(data, 70)
		happen(other, eachOften)
		happen(token, 30)
		expect(data, eachOften, eachOften)
		expect(other, eachOften, eachOften)
		expect(token, 30, 30)
		time.Sleep(oftenEvery) // of the bubble
		expect(data, eachOften, 70)
		happen(data, 25)
		stop()
		expect(data, 2*eachOften, 95)
		log.Close()
	})
}

func TestAnEndedLogTellsWhatItHasCounted(t *testing.T) {
	log, all := New(time.Now, slog.New(slog.DiscardHandler)), 0
	log.Watch(func(a Activity) { all += max(1, a.Requests) })
	for range 50 {
		log.Succeeded(t.Context(), Introspect, Party{ClientID: "api"})
	}
	log.Close()
	if all != 50 {
		t.Errorf("%d requests are told, want 50", all)
	}
}
