package password

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const phrase = "correct horse battery staple"

func hashed(t testing.TB, h *Hasher, password string) string {
	t.Helper()
	phc, err := h.Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	return phc
}

func verify(t testing.TB, h *Hasher, phc, password string) (ok, rehash bool) {
	t.Helper()
	ok, rehash, err := h.Verify(t.Context(), phc, password)
	if err != nil {
		t.Fatal(err)
	}
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
	fastest := func(phc string) time.Duration {
		best := time.Hour
		for range 5 {
			start := time.Now()
			if ok, _ := verify(t, h, phc, "wrong"); ok {
				t.Errorf("a wrong password verifies against %q", phc)
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	known := fastest(phc)
	for _, unknown := range []string{"", "!", "$2b$12$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234", phc + "x"} {
		if took := fastest(unknown); took < known/2 {
			t.Errorf("hash %q: %v, but %v with a hash", unknown, took, known)
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
	for range 3 * cap(h.admitted) {
		group.Go(func() {
			_, _, err := h.Verify(t.Context(), "", phrase)
			if running := len(h.running); running > cap(h.running) {
				t.Errorf("%d computations at once", running)
			}
			mu.Lock()
			defer mu.Unlock()
			results[err]++
		})
	}
	group.Wait()
	if results[nil] < cap(h.admitted) || results[ErrBusy] == 0 || len(results) != 2 {
		t.Errorf("results %v, want at least %d answers and some ErrBusy", results, cap(h.admitted))
	}
	if len(h.running) != 0 || len(h.admitted) != 0 {
		t.Error("slots are still taken")
	}
}

func TestHasherStopsWaitingWhenTheRequestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Hasher{running: make(chan struct{}, 1), admitted: make(chan struct{}, 1)}
		h.running <- struct{}{} // another computation
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := h.Verify(ctx, "", phrase); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want DeadlineExceeded", err)
		}
		if len(h.admitted) != 0 {
			t.Error("the place in the queue is still taken")
		}
		if _, err := h.Hash(ctx, phrase); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want DeadlineExceeded", err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	h := NewHasher()
	phc := hashed(b, h, phrase)
	b.ReportAllocs()
	for b.Loop() {
		if ok, _ := verify(b, h, phc, phrase); !ok {
			b.Fatal("does not verify")
		}
	}
}
