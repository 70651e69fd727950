package password

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

const phrase = "correct horse battery staple"

func hashed(t testing.TB, h *Hasher, password string) string {
	t.Helper()
	phc, err := h.Hash(t.Context(), Strangers, password)
	testkit.OK(t, err)
	return phc
}

func verify(t testing.TB, h *Hasher, phc, password string) (ok, rehash bool) {
	t.Helper()
	ok, rehash, err := h.Verify(t.Context(), Strangers, phc, password)
	testkit.OK(t, err)
	return ok, rehash
}

func TestHash(t *testing.T) {
	h := NewHasher()
	phc := hashed(t, h, phrase)
	if want := "$argon2id$v=19$m=19456,t=2,p=1$"; !strings.HasPrefix(phc, want) {
		t.Errorf("hash %s, want one that starts with %s", phc, want)
	}
	if phc == hashed(t, h, phrase) {
		t.Error("two hashes have one salt")
	}
	if ok, rehash := verify(t, h, phc, phrase); !ok || rehash {
		t.Errorf("the password: ok %v, rehash %v", ok, rehash)
	}
	for _, wrong := range []string{"", phrase + " ", " " + phrase, strings.ToUpper(phrase), phrase[:len(phrase)-1], phrase + "\x00"} {
		if ok, rehash := verify(t, h, phc, wrong); ok || rehash {
			t.Errorf("%q: ok %v, rehash %v", wrong, ok, rehash)
		}
	}
}

func TestHashCountsEveryCharacterOfALongPassword(t *testing.T) {
	h := NewHasher()
	long := strings.Repeat("a long password ", 16)
	phc := hashed(t, h, long)
	if ok, _ := verify(t, h, phc, long); !ok {
		t.Error("the password itself is refused")
	}
	if ok, _ := verify(t, h, phc, long[:len(long)-1]+"X"); ok {
		t.Error("the last of 256 characters does not count")
	}
}

func TestVerifyAcceptsEverySpellingOfOnePassword(t *testing.T) {
	h := NewHasher()
	phc := hashed(t, h, "Zo\u00eb\u00a0walks at d\u00e4mmerung")
	if ok, _ := verify(t, h, phc, "Zoe\u0308 walks at da\u0308mmerung"); !ok {
		t.Error("the decomposed spelling is refused")
	}
	if ok, _ := verify(t, h, phc, "Zoe walks at dammerung"); ok {
		t.Error("the accents do not count")
	}
}

// The hash is a vector of the reference implementation (phc-winner-argon2,
// src/test.c).
func TestVerifyAcceptsAHashMadeElsewhere(t *testing.T) {
	h := NewHasher()
	const phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, rehash := verify(t, h, phc, "password"); !ok || !rehash {
		t.Errorf("ok %v, rehash %v; want both", ok, rehash)
	}
	if ok, rehash := verify(t, h, phc, "passwore"); ok || rehash {
		t.Errorf("a wrong password: ok %v, rehash %v; want neither", ok, rehash)
	}
}

func TestVerifyWorksAsMuchWithoutAHash(t *testing.T) {
	h := NewHasher()
	phc := hashed(t, h, phrase)
	// Each computation takes its memory anew, which can be counted on any machine.
	work := func(phc string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if ok, _ := verify(t, h, phc, "wrong"); ok {
			t.Errorf("a wrong password verifies against %q", phc)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	known := work(phc)
	if known < uint64(current.memory)<<10 {
		t.Errorf("a password is verified in %d bytes", known)
	}
	for _, unknown := range []string{"", "!", "$2b$12$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234", phc + "x"} {
		if took := work(unknown); took < known/2 {
			t.Errorf("hash %q: %d bytes, but %d with a hash", unknown, took, known)
		}
	}
}

func TestVerifyRefusesAnEndlessPasswordAtOnce(t *testing.T) {
	h := NewHasher()
	if ok, _ := verify(t, h, hashed(t, h, phrase), strings.Repeat("x", MaxBytes+1)); ok {
		t.Error("accepted")
	}
}

func TestHasherBoundsItsLoad(t *testing.T) {
	h := NewHasher()
	var group sync.WaitGroup
	var mu sync.Mutex
	results := make(map[error]int)
	for range 3 * cap(h.queues[Strangers].admitted) {
		group.Go(func() {
			_, _, err := h.Verify(t.Context(), Strangers, "", phrase)
			if running := len(h.running); running > cap(h.running) {
				t.Errorf("%d computations at once", running)
			}
			mu.Lock()
			defer mu.Unlock()
			results[err]++
		})
	}
	group.Wait()
	if results[nil] < cap(h.queues[Strangers].admitted) || results[ErrBusy] == 0 || len(results) != 2 {
		t.Errorf("results %v, want at least %d answers and some ErrBusy", results, cap(h.queues[Strangers].admitted))
	}
	if len(h.running) != 0 || len(h.queues[Strangers].admitted) != 0 {
		t.Error("slots are still taken")
	}
}

func TestStrangersDoNotKeepOutWhoIsKnown(t *testing.T) {
	h := NewHasher()
	ctx, cancel := context.WithCancel(t.Context())
	var strangers sync.WaitGroup
	defer strangers.Wait()
	defer cancel()
	for range cap(h.queues[Strangers].admitted) + 4 {
		strangers.Go(func() {
			for ctx.Err() == nil {
				if _, _, err := h.Verify(ctx, Strangers, "", phrase); err != nil {
					runtime.Gosched()
				}
			}
		})
	}
	for len(h.queues[Strangers].admitted) < cap(h.queues[Strangers].admitted) {
		runtime.Gosched()
	}
	for range 3 {
		before := len(h.queues[Strangers].admitted)
		if _, _, err := h.Verify(t.Context(), Known, "", phrase); err != nil {
			t.Fatalf("with %d strangers in the queue: %v", before, err)
		}
	}
}

func TestKnownOnesWaitForFewStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(2, 20)
		h.running <- struct{}{} // both processors are taken
		h.running <- struct{}{}
		for range 30 {
			go func() { _, _, _ = h.Verify(t.Context(), Strangers, "", phrase) }()
		}
		synctest.Wait()
		if len(h.queues[Strangers].turn) != 2 || len(h.queues[Strangers].admitted) != 30 {
			t.Errorf("%d of %d strangers stand before the next, want 2 of 30", len(h.queues[Strangers].turn), len(h.queues[Strangers].admitted))
		}
		<-h.running
		<-h.running
	})
}

func TestHasherStopsWaitingWhenTheRequestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHasher(1, 0)
		h.running <- struct{}{} // another computation
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := h.Verify(ctx, Strangers, "", phrase); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want DeadlineExceeded", err)
		}
		if len(h.queues[Strangers].admitted) != 0 {
			t.Error("the place in the queue is still taken")
		}
		if _, err := h.Hash(ctx, Strangers, phrase); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want DeadlineExceeded", err)
		}
	})
}
