package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/throttle"
	"github.com/bonafide-id/bonafide/storage"
)

// counters is a storage.Attempts in memory that can be out of order.
type counters struct {
	mu   sync.Mutex
	full map[storage.Digest]time.Time // when the bucket is full again
	down bool
}

func (c *counters) Take(_ context.Context, b storage.Digest, now time.Time, interval time.Duration, burst int) (time.Duration, error) {
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

func (c *counters) Forget(_ context.Context, b storage.Digest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return storage.ErrUnavailable
	}
	delete(c.full, b)
	return nil
}

func newLimiter(t testing.TB) (*throttle.Limiter, *counters) {
	t.Helper()
	secrets, err := keyring.NewSecrets([]byte("\x9e\x11vK\xfe\x02\xa8\x7c\x3dQ\x90\xb4\x55\x0f\xc8zL\x21\xe7\x6d\x88\x13\xba\x04\xd9:r\xee\x5b\x60\xaf\x01"))
	if err != nil {
		t.Fatal(err)
	}
	store := &counters{full: make(map[storage.Digest]time.Time)}
	return throttle.New(store, secrets, nil), store
}

// allow makes an attempt and returns how long to wait.
func allow(t testing.TB, l *throttle.Limiter, action throttle.Action, by throttle.Caller) time.Duration {
	t.Helper()
	wait, err := l.Allow(t.Context(), action, by)
	if err != nil {
		t.Fatal(err)
	}
	return wait
}

// exhaust makes attempts until one has to wait, and returns how many did not.
func exhaust(t testing.TB, l *throttle.Limiter, action throttle.Action, by func(i int) throttle.Caller) int {
	t.Helper()
	for i := range 1000 {
		if allow(t, l, action, by(i)) > 0 {
			return i
		}
	}
	t.Fatal("a thousand attempts are allowed")
	return 0
}

// host returns the i-th address of IPv4.
func host(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

func TestSignInFromManyMachinesIsLimitedByAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		botnet := func(i int) throttle.Caller {
			return throttle.Caller{Account: "alice@example.test", Address: host(i)}
		}
		if n := exhaust(t, l, throttle.SignIn, botnet); n != 10 {
			t.Errorf("%d guesses at one account, want 10", n)
		}
		if wait := allow(t, l, throttle.SignIn, botnet(5000)); wait != time.Minute {
			t.Errorf("wait %v, want a minute", wait)
		}
		time.Sleep(time.Minute)
		if n := exhaust(t, l, throttle.SignIn, func(i int) throttle.Caller { return botnet(6000 + i) }); n != 1 {
			t.Errorf("%d guesses after a minute, want 1", n)
		}
	})
}

func TestSprayingOnePasswordIsLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store := newLimiter(t)
		spray := func(i int) throttle.Caller {
			return throttle.Caller{Account: fmt.Sprintf("user%d@example.test", i), Address: host(1)}
		}
		if n := exhaust(t, l, throttle.SignIn, spray); n != 50 {
			t.Errorf("%d accounts tried from one address, want 50", n)
		}
		counted := len(store.full)
		allow(t, l, throttle.SignIn, spray(999))
		if len(store.full) != counted {
			t.Error("an attempt refused by address was counted against its victim")
		}
		if wait := allow(t, l, throttle.SignIn, throttle.Caller{Account: "bob@example.test", Address: host(2)}); wait > 0 {
			t.Errorf("another address waits %v", wait)
		}
	})
}

func TestHostsOfOneIPv6NetworkShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		rotating := func(i int) throttle.Caller {
			return throttle.Caller{Address: netip.MustParseAddr(fmt.Sprintf("2001:db8:1:2:%x::%x", i, i))}
		}
		if n := exhaust(t, l, throttle.SignUp, rotating); n != 10 {
			t.Errorf("%d sign-ups from one network, want 10", n)
		}
		if wait := allow(t, l, throttle.SignUp, throttle.Caller{Address: netip.MustParseAddr("2001:db8:1:3::1")}); wait > 0 {
			t.Errorf("the network beside it waits %v", wait)
		}
	})
}

func TestAttackerCannotLockAliceOutOfAKnownDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		home := host(1)
		exhaust(t, l, throttle.SignIn, func(i int) throttle.Caller {
			return throttle.Caller{Account: "alice", Address: host(i + 2)}
		})
		// Even from the network that she is in.
		exhaust(t, l, throttle.SignIn, func(i int) throttle.Caller {
			return throttle.Caller{Account: fmt.Sprint("user", i), Address: home}
		})
		alice := throttle.Caller{Account: "alice", Device: "laptop", Address: home}
		if wait := allow(t, l, throttle.SignIn, alice); wait > 0 {
			t.Errorf("alice waits %v at her own device", wait)
		}
		// A stolen device, and a device of another account, get no further.
		if n := exhaust(t, l, throttle.SignIn, func(int) throttle.Caller { return alice }); n != 9 {
			t.Errorf("%d more guesses at the device, want 9", n)
		}
		bob := throttle.Caller{Account: "bob", Device: "laptop", Address: home}
		if wait := allow(t, l, throttle.SignIn, bob); wait > 0 {
			t.Errorf("bob waits %v for what was tried as alice", wait)
		}
	})
}

func TestForgetEmptiesTheBucketOfTheOneWhoSucceeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		known := throttle.Caller{Account: "alice", Device: "laptop", Address: host(1)}
		unknown := throttle.Caller{Account: "alice", Address: host(2)}
		for _, c := range []throttle.Caller{known, unknown} {
			exhaust(t, l, throttle.SignIn, func(int) throttle.Caller { return c })
		}
		if err := l.Forget(t.Context(), throttle.SignIn, known); err != nil {
			t.Fatal(err)
		}
		if allow(t, l, throttle.SignIn, unknown) == 0 {
			t.Error("a success at a known device has paid for guesses elsewhere")
		}
		if wait := allow(t, l, throttle.SignIn, known); wait > 0 {
			t.Errorf("the known device waits %v after a success", wait)
		}
		if err := l.Forget(t.Context(), throttle.SignIn, unknown); err != nil {
			t.Fatal(err)
		}
		if wait := allow(t, l, throttle.SignIn, unknown); wait > 0 {
			t.Errorf("the account waits %v after a success", wait)
		}
	})
}

func TestSuccessWithOnesOwnAccountDoesNotPayForGuessesAtOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		n := exhaust(t, l, throttle.SignIn, func(i int) throttle.Caller {
			if i%2 == 0 {
				if err := l.Forget(t.Context(), throttle.SignIn, throttle.Caller{Account: "mallory", Address: host(1)}); err != nil {
					t.Fatal(err)
				}
				return throttle.Caller{Account: "mallory", Address: host(1)}
			}
			return throttle.Caller{Account: fmt.Sprint("user", i), Address: host(1)}
		})
		if n != 50 {
			t.Errorf("%d attempts from one address, want 50", n)
		}
	})
}

func TestLimitsOfOtherActions(t *testing.T) {
	for name, tt := range map[string]struct {
		action throttle.Action
		by     func(i int) throttle.Caller
		want   int
	}{
		"sign-ins at a device that belongs to no account": {throttle.SignIn, func(i int) throttle.Caller {
			return throttle.Caller{Device: fmt.Sprint(i), Address: host(1)}
		}, 50},
		"mails to one recipient": {throttle.SendMail, func(i int) throttle.Caller {
			return throttle.Caller{Account: "alice", Address: host(i)}
		}, 5},
		"mails asked for by one address": {throttle.SendMail, func(i int) throttle.Caller {
			return throttle.Caller{Account: fmt.Sprint(i), Address: host(1)}
		}, 20},
		"a device makes no difference to mails": {throttle.SendMail, func(i int) throttle.Caller {
			return throttle.Caller{Account: "alice", Device: fmt.Sprint(i), Address: host(i)}
		}, 5},
		"tries of one code": {throttle.EnterCode, func(i int) throttle.Caller {
			return throttle.Caller{Account: "code1", Address: host(i)}
		}, 5},
		"tries of many codes": {throttle.EnterCode, func(i int) throttle.Caller {
			return throttle.Caller{Account: fmt.Sprint(i), Address: host(1)}
		}, 30},
		"failures of one client at one address": {throttle.ClientAuth, func(int) throttle.Caller {
			return throttle.Caller{Account: "c1", Address: host(1)}
		}, 20},
		"sign-ups without an address": {throttle.SignUp, func(int) throttle.Caller {
			return throttle.Caller{}
		}, 10},
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

func TestFailuresInTheNameOfAClientDoNotTouchItElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		exhaust(t, l, throttle.ClientAuth, func(int) throttle.Caller {
			return throttle.Caller{Account: "c1", Address: host(1)}
		})
		for _, other := range []throttle.Caller{{Account: "c1", Address: host(2)}, {Account: "c2", Address: host(1)}} {
			if wait := allow(t, l, throttle.ClientAuth, other); wait > 0 {
				t.Errorf("%v waits %v", other, wait)
			}
		}
	})
}

func TestActionsHaveBucketsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLimiter(t)
		by := throttle.Caller{Account: "alice", Address: host(1)}
		exhaust(t, l, throttle.SendMail, func(int) throttle.Caller { return by })
		if wait := allow(t, l, throttle.SignIn, by); wait > 0 {
			t.Errorf("a sign-in waits %v for mails", wait)
		}
	})
}

func TestStoreFailureIsNeitherAllowedNorDenied(t *testing.T) {
	l, store := newLimiter(t)
	store.down = true
	by := throttle.Caller{Account: "alice", Address: host(1)}
	if wait, err := l.Allow(t.Context(), throttle.SignIn, by); wait != 0 || !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Allow = %v, %v; want ErrUnavailable", wait, err)
	}
	if err := l.Forget(t.Context(), throttle.SignIn, by); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Forget = %v, want ErrUnavailable", err)
	}
}
