package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/ratelimit"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// counters is a storage.Attempts in memory that can be out of order.
type counters struct {
	mu   sync.Mutex
	full map[storage.Digest]time.Time // when the bucket is full again
	down bool
	slow chan struct{} // counts as soon as that is closed, or at once
	at   atomic.Int32  // that wait for it
}

func (c *counters) AllowAttempt(_ context.Context, b storage.Digest, now time.Time, interval time.Duration, burst int) (time.Duration, error) {
	if c.slow != nil {
		c.at.Add(1)
		<-c.slow
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return 0, storage.ErrUnavailable
	}
	full := c.full[b]
	if full.Before(now) {
		full = now
	}
	if wait := full.Sub(now) - time.Duration(burst-1)*interval; wait > 0 {
		return wait, nil
	}
	c.full[b] = full.Add(interval)
	return 0, nil
}

func (c *counters) GiveBackAttempt(_ context.Context, b storage.Digest, sooner time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return storage.ErrUnavailable
	}
	if full, ok := c.full[b]; ok {
		c.full[b] = full.Add(-sooner)
	}
	return nil
}

func (c *counters) ResetAttempts(_ context.Context, b storage.Digest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return storage.ErrUnavailable
	}
	delete(c.full, b)
	return nil
}

func newLimiter(t testing.TB) (*ratelimit.Limiter, *counters) {
	t.Helper()
	secrets, err := keyring.NewSecrets([]byte("\x9e\x11vK\xfe\x02\xa8\x7c\x3dQ\x90\xb4\x55\x0f\xc8zL\x21\xe7\x6d\x88\x13\xba\x04\xd9:r\xee\x5b\x60\xaf\x01"))
	testkit.OK(t, err)
	store := &counters{full: make(map[storage.Digest]time.Time)}
	return ratelimit.New(store, secrets, nil), store
}

// allow makes an attempt and returns how long to wait.
func allow(t testing.TB, l *ratelimit.Limiter, action ratelimit.Action, by ratelimit.Key) time.Duration {
	t.Helper()
	wait := testkit.Must(l.Allow(t.Context(), action, by))(t)
	return wait
}

// exhaust makes attempts until one has to wait, and returns how many did not.
func exhaust(t testing.TB, l *ratelimit.Limiter, action ratelimit.Action, by func(i int) ratelimit.Key) int {
	t.Helper()
	for i := range 2000 {
		if allow(t, l, action, by(i)) > 0 {
			return i
		}
	}
	t.Fatal("two thousand attempts are allowed")
	return 0
}

// host returns the i-th address of IPv4.
func host(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

func TestSignInFromManyMachinesIsLimitedByAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		botnet := func(i int) ratelimit.Key {
			return ratelimit.Key{Account: "alice@example.test", Address: host(i)}
		}
		if n := exhaust(t, l, ratelimit.SignIn, botnet); n != 10 {
			t.Errorf("%d guesses at one account, want 10", n)
		}
		if wait := allow(t, l, ratelimit.SignIn, botnet(5000)); wait != time.Minute {
			t.Errorf("wait %v, want a minute", wait)
		}
		time.Sleep(time.Minute)
		if n := exhaust(t, l, ratelimit.SignIn, func(i int) ratelimit.Key { return botnet(6000 + i) }); n != 1 {
			t.Errorf("%d guesses after a minute, want 1", n)
		}
	})
}

func TestSprayingOnePasswordIsLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store := newLimiter(t)
		spray := func(i int) ratelimit.Key {
			return ratelimit.Key{Account: fmt.Sprintf("user%d@example.test", i), Address: host(1)}
		}
		if n := exhaust(t, l, ratelimit.SignIn, spray); n != 100 {
			t.Errorf("%d accounts tried from one address, want 100", n)
		}
		counted := len(store.full)
		allow(t, l, ratelimit.SignIn, spray(999))
		if len(store.full) != counted {
			t.Error("an attempt refused by address was counted against the account")
		}
		if wait := allow(t, l, ratelimit.SignIn, ratelimit.Key{Account: "bob@example.test", Address: host(2)}); wait > 0 {
			t.Errorf("another address waits %v", wait)
		}
	})
}

func TestHostsOfOneIPv6NetworkShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		rotating := func(i int) ratelimit.Key {
			return ratelimit.Key{Address: netip.MustParseAddr(fmt.Sprintf("2001:db8:1:2:%x::%x", i, i))}
		}
		if n := exhaust(t, l, ratelimit.SignUp, rotating); n != 100 {
			t.Errorf("%d sign-ups from one network, want 100", n)
		}
		if wait := allow(t, l, ratelimit.SignUp, ratelimit.Key{Address: netip.MustParseAddr("2001:db8:1:3::1")}); wait > 0 {
			t.Errorf("the network beside it waits %v", wait)
		}
	})
}

func TestAttackerCannotLockAliceOutOfAKnownDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		home := host(1)
		exhaust(t, l, ratelimit.SignIn, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: "alice", Address: host(i + 2)}
		})
		// Even from the network that she is in.
		exhaust(t, l, ratelimit.SignIn, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: fmt.Sprint("user", i), Address: home}
		})
		alice := ratelimit.Key{Account: "alice", Device: "laptop", Address: home}
		if wait := allow(t, l, ratelimit.SignIn, alice); wait > 0 {
			t.Errorf("alice waits %v at her own device", wait)
		}
		// A stolen device, and a device of another account, get no further.
		if n := exhaust(t, l, ratelimit.SignIn, func(int) ratelimit.Key { return alice }); n != 9 {
			t.Errorf("%d more guesses at the device, want 9", n)
		}
		bob := ratelimit.Key{Account: "bob", Device: "laptop", Address: home}
		if wait := allow(t, l, ratelimit.SignIn, bob); wait > 0 {
			t.Errorf("bob waits %v for what was tried as alice", wait)
		}
	})
}

func TestSuccessEmptiesTheBucketOfTheOneWhoSucceeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		known := ratelimit.Key{Account: "alice", Device: "laptop", Address: host(1), At: time.Now()}
		unknown := ratelimit.Key{Account: "alice", Address: host(2), At: time.Now()}
		for _, c := range []ratelimit.Key{known, unknown} {
			exhaust(t, l, ratelimit.SignIn, func(int) ratelimit.Key { return c })
		}
		succeed(t, l, ratelimit.SignIn, known)
		if allow(t, l, ratelimit.SignIn, unknown) == 0 {
			t.Error("a success at a known device has paid for guesses elsewhere")
		}
		if wait := allow(t, l, ratelimit.SignIn, known); wait > 0 {
			t.Errorf("the known device waits %v after a success", wait)
		}
		succeed(t, l, ratelimit.SignIn, unknown)
		if wait := allow(t, l, ratelimit.SignIn, unknown); wait > 0 {
			t.Errorf("the account waits %v after a success", wait)
		}
	})
}

// succeed resets the limit after an attempt that succeeded.
func succeed(t testing.TB, l *ratelimit.Limiter, action ratelimit.Action, by ratelimit.Key) {
	t.Helper()
	testkit.OK(t, l.Reset(t.Context(), action, by))
}

func TestSuccessesAreNotCountedByAddress(t *testing.T) {
	for name, addr := range map[string]netip.Addr{"IPv4": host(1), "IPv6": netip.MustParseAddr("2001:db8:1:2::1")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _ := newLimiter(t)
				for i := range 2000 {
					student := ratelimit.Key{Account: fmt.Sprint("student", i), Address: addr, At: time.Now()}
					if wait := allow(t, l, ratelimit.SignIn, student); wait > 0 {
						t.Fatalf("student %d waits %v", i, wait)
					}
					succeed(t, l, ratelimit.SignIn, student)
				}
			})
		})
	}
}

func TestSuccessWithOnesOwnAccountDoesNotPayForGuessesAtOthers(t *testing.T) {
	for name, slow := range map[string]time.Duration{"at once": 0, "half an interval later": 1500 * time.Millisecond, "when it has drained": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _ := newLimiter(t)
				begin, guesses := time.Now(), 0
				for i := range 400 {
					mallory := ratelimit.Key{Account: "mallory", Address: host(1), At: time.Now()}
					in := allow(t, l, ratelimit.SignIn, mallory) == 0
					if allow(t, l, ratelimit.SignIn, ratelimit.Key{Account: fmt.Sprint("user", i), Address: host(1)}) == 0 {
						guesses++
					}
					time.Sleep(slow)
					if in {
						succeed(t, l, ratelimit.SignIn, mallory)
					}
				}
				if most := 100 + int(time.Since(begin)/(3*time.Second)); guesses > most {
					t.Errorf("%d guesses from one address in %v, want %d at most", guesses, time.Since(begin), most)
				}
			})
		})
	}
}

func TestGuessesAtOnceFindNoMoreRoomThanOneAfterAnother(t *testing.T) {
	l, _ := newLimiter(t)
	var allowed atomic.Int32
	var all sync.WaitGroup
	for i := range 400 {
		all.Go(func() {
			by := ratelimit.Key{Account: fmt.Sprint("user", i), Address: host(1), At: time.Now()}
			if allow(t, l, ratelimit.SignIn, by) == 0 {
				allowed.Add(1)
			}
		})
	}
	all.Wait()
	if n := allowed.Load(); n < 100 || n > 102 { // one more for every 3 s that the machine takes
		t.Errorf("%d guesses at once, want 100", n)
	}
}

func TestLargerNetworkOfIPv6HasTenTimesTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		rotating := func(i int) ratelimit.Key {
			return ratelimit.Key{Account: fmt.Sprint("user", i), Address: netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::1", i))}
		}
		if n := exhaust(t, l, ratelimit.SignIn, rotating); n != 1000 {
			t.Errorf("%d guesses from one network of 48 bits, want 1000", n)
		}
		if wait := allow(t, l, ratelimit.SignIn, ratelimit.Key{Address: netip.MustParseAddr("2001:db8:2::1")}); wait > 0 {
			t.Errorf("the network beside it waits %v", wait)
		}
		failures := func(i int) ratelimit.Key {
			return ratelimit.Key{Account: "c1", Address: netip.MustParseAddr(fmt.Sprintf("2001:db8:3:%x::1", i))}
		}
		if n := exhaust(t, l, ratelimit.ClientAuth, failures); n != 200 {
			t.Errorf("%d failures of a client from one network of 48 bits, want 200", n)
		}
	})
}

func TestOneOfIPv6DoesNotUseUpTheLargerNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		for range 3000 {
			allow(t, l, ratelimit.SignIn, ratelimit.Key{Address: netip.MustParseAddr("2001:db8:1:2::1")})
		}
		if wait := allow(t, l, ratelimit.SignIn, ratelimit.Key{Address: netip.MustParseAddr("2001:db8:1:3::1")}); wait > 0 {
			t.Errorf("its neighbour waits %v", wait)
		}
	})
}

func TestLimitOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		by := ratelimit.Key{Account: "alice", Address: host(1)}
		one := ratelimit.SignIn.PerAddress(ratelimit.Limit{Burst: 1, Every: time.Hour})
		if n := exhaust(t, l, one, func(int) ratelimit.Key { return by }); n != 1 {
			t.Errorf("%d attempts, want 1", n)
		}
		none := ratelimit.SignUp.PerAddress(ratelimit.Limit{})
		for range 5000 {
			if wait := allow(t, l, none, by); wait > 0 {
				t.Fatalf("without a limit one waits %v", wait)
			}
		}
	})
}

func TestLimitsOfOtherActions(t *testing.T) {
	for name, tt := range map[string]struct {
		action ratelimit.Action
		by     func(i int) ratelimit.Key
		want   int
	}{
		"sign-ins at a device that belongs to no account": {ratelimit.SignIn, func(i int) ratelimit.Key {
			return ratelimit.Key{Device: fmt.Sprint(i), Address: host(1)}
		}, 100},
		"mails to one recipient": {ratelimit.SendMail, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: "alice", Address: host(i)}
		}, 4},
		"mails asked for by one address": {ratelimit.SendMail, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: fmt.Sprint(i), Address: host(1)}
		}, 200},
		"mails asked for at a known device": {ratelimit.SendMail, func(int) ratelimit.Key {
			return ratelimit.Key{Account: "alice", Device: "laptop", Address: host(1)}
		}, 4},
		"tries of one code": {ratelimit.EnterCode, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: "code1", Address: host(i)}
		}, 5},
		"tries of one code at known devices": {ratelimit.EnterCode, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: "code1", Device: fmt.Sprint(i), Address: host(1)}
		}, 5},
		"tries of many codes": {ratelimit.EnterCode, func(i int) ratelimit.Key {
			return ratelimit.Key{Account: fmt.Sprint(i), Address: host(1)}
		}, 100},
		"failures of one client at one address": {ratelimit.ClientAuth, func(int) ratelimit.Key {
			return ratelimit.Key{Account: "c1", Address: host(1)}
		}, 20},
		"requests of one public client at one address": {ratelimit.Push, func(int) ratelimit.Key {
			return ratelimit.Key{Account: "c1", Address: host(1)}
		}, 120},
		"sign-ups without an address": {ratelimit.SignUp, func(int) ratelimit.Key {
			return ratelimit.Key{}
		}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _ := newLimiter(t)
				if n := exhaust(t, l, tt.action, tt.by); n != tt.want {
					t.Errorf("%d, want %d", n, tt.want)
				}
			})
		})
	}
}

// NIST SP 800-63B-4 section 3.2.2.
func TestCodesOfAnAccountAreGuessedAtAHundredTimesADayAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		begin, guesses, code := time.Now(), 0, 0
		for time.Since(begin) < 24*time.Hour {
			code++
			botnet := ratelimit.Key{Account: "alice", Address: host(code)}
			if allow(t, l, ratelimit.SendMail, botnet) == 0 {
				guesses += exhaust(t, l, ratelimit.EnterCode, func(i int) ratelimit.Key {
					return ratelimit.Key{Account: fmt.Sprint("code", code), Address: host(10*code + i)}
				})
			}
			time.Sleep(time.Minute)
		}
		if guesses < 90 || guesses > 100 {
			t.Errorf("%d guesses, want some 100 and no more", guesses)
		}
	})
}

func TestFailuresInTheNameOfAClientDoNotTouchItElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		exhaust(t, l, ratelimit.ClientAuth, func(int) ratelimit.Key {
			return ratelimit.Key{Account: "c1", Address: host(1)}
		})
		for _, other := range []ratelimit.Key{{Account: "c1", Address: host(2)}, {Account: "c2", Address: host(1)}} {
			if wait := allow(t, l, ratelimit.ClientAuth, other); wait > 0 {
				t.Errorf("%v waits %v", other, wait)
			}
		}
	})
}

func TestActionsHaveBucketsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		by := ratelimit.Key{Account: "alice", Address: host(1)}
		exhaust(t, l, ratelimit.SendMail, func(int) ratelimit.Key { return by })
		if wait := allow(t, l, ratelimit.SignIn, by); wait > 0 {
			t.Errorf("a sign-in waits %v for mails", wait)
		}
	})
}

func TestStoreFailureIsNeitherAllowedNorDenied(t *testing.T) {
	l, store := newLimiter(t)
	store.down = true
	by := ratelimit.Key{Account: "alice", Address: host(1)}
	if wait, err := l.Allow(t.Context(), ratelimit.SignIn, by); wait != 0 || !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Allow = %v, %v; want ErrUnavailable", wait, err)
	}
	if err := l.Reset(t.Context(), ratelimit.SignIn, by); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Reset = %v, want ErrUnavailable", err)
	}
}

// Of twelve that are right at once, none is one too many, whatever the limit; of wrong ones, all
// beyond it are. Nobody waits for one that has ended.
func TestAttemptsAtOnceThatAreRight(t *testing.T) {
	for right, want := range map[bool]int{true: 12, false: 10} {
		synctest.Test(t, func(t *testing.T) {
			l, store := newLimiter(t)
			store.slow = make(chan struct{})
			var allowed atomic.Int32
			for i := range 12 {
				go func() {
					by := ratelimit.Key{Account: "alice", Address: host(i), At: time.Now()}
					wait, end, err := l.Try(t.Context(), ratelimit.SignIn, by)
					defer end()
					if err != nil {
						t.Error(err)
					}
					if wait > 0 {
						return
					}
					allowed.Add(1)
					time.Sleep(time.Duration(i+1) * time.Millisecond) // as it takes to check a password
					if right {
						succeed(t, l, ratelimit.SignIn, by)
					}
				}()
			}
			synctest.Wait()
			if n := store.at.Load(); n != 12 {
				t.Errorf("%d attempts are at a store that does not answer, want all", n)
			}
			close(store.slow)
			time.Sleep(time.Second)
			synctest.Wait()
			if got := int(allowed.Load()); got != want {
				t.Errorf("right %v: %d are allowed, want %d", right, got, want)
			}
		})
	}
}

// After an outage, what was right is given back before the next attempt is counted.
func TestOutageCountsNothingThatWasRight(t *testing.T) {
	l, store := newLimiter(t)
	for range 100 {
		by := ratelimit.Key{Account: "alice", Address: host(1), At: time.Now()}
		if wait := allow(t, l, ratelimit.SignIn, by); wait > 0 {
			t.Fatalf("one too many: %v", wait)
		}
		store.down = true
		if err := l.Reset(t.Context(), ratelimit.SignIn, by); !errors.Is(err, storage.ErrUnavailable) {
			t.Fatal(err)
		}
		store.down = false
	}
}
