package ratelimit

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/clock"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Key identifies the buckets of an attempt.
type Key struct {
	// Account is the subject of the attempt: an e-mail key, a recipient, a client or
	// a code. Empty means none.
	Account string

	// Device identifies a browser from which this account has signed in before, by a
	// value that the browser cannot forge. Empty means unknown.
	Device string

	// Address is the network address, from [ClientAddr], which audit.Limits sets. Attempts
	// without one share a bucket.
	Address netip.Addr

	// At is the start of the attempt. [Limiter.Reset] requires it. Zero means the time
	// of the call.
	At time.Time
}

// Limiter counts attempts against their limits. It is safe for concurrent use.
type Limiter struct {
	store   storage.Attempts
	secrets *keyring.Secrets
	now     func() time.Time
	flights flights

	mu      sync.Mutex
	pending []undo // what could not be given back yet
}

// undo gives the count of an attempt back.
type undo func(context.Context) error

// mostPending is how much is remembered that is to be given back: a database that is away for
// longer lets nobody try anyway.
const mostPending = 1000

// New returns a Limiter over a store. The clock defaults to time.Now.
func New(store storage.Attempts, secrets *keyring.Secrets, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{store: store, secrets: secrets, now: now}
}

// Allow counts an attempt and returns zero if it is allowed, or the time to wait. After an
// error of the store, the attempt is neither allowed nor one too many: the caller answers
// that the service is unavailable.
//
// Allow counts before the outcome is known: if only failures counted, a thousand
// concurrent guesses would all find an empty bucket. [Limiter.Reset] undoes the count of a
// success.
//
// The address is checked before the account: one machine that guesses uses up its own
// bucket and not that of the account.
func (l *Limiter) Allow(ctx context.Context, action Action, by Key) (wait time.Duration, err error) {
	return l.allow(ctx, action, by, func(b bucket, at time.Time) (time.Duration, error) {
		return l.store.AllowAttempt(ctx, b.digest, at, b.limit.Every, b.limit.Burst)
	})
}

// Try is Allow for an attempt whose end the caller tells by end, after Reset for one that was
// right. One that finds the bucket of the account full while others of it run waits for their
// end: of any number that are right at once none is one too many. end is never nil.
func (l *Limiter) Try(ctx context.Context, action Action, by Key) (wait time.Duration, end func(), err error) {
	var ends []func()
	wait, err = l.allow(ctx, action, by, func(b bucket, at time.Time) (time.Duration, error) {
		if !b.personal {
			return l.store.AllowAttempt(ctx, b.digest, at, b.limit.Every, b.limit.Burst)
		}
		f := l.flights.hold(b.digest)
		ends = append(ends, func() { l.flights.release(b.digest) })
		wait, err := l.takeIn(ctx, f, b, at)
		if err == nil && wait == 0 {
			ends = append(ends, f.end)
		}
		return wait, err
	})
	return wait, func() {
		for _, one := range slices.Backward(ends) {
			one()
		}
	}, err
}

// takeIn counts an attempt among the others of its bucket, once there is room or none runs.
func (l *Limiter) takeIn(ctx context.Context, f *flight, b bucket, at time.Time) (time.Duration, error) {
	for {
		turn, ended := f.begin()
		wait, err := l.store.AllowAttempt(ctx, b.digest, at, b.limit.Every, b.limit.Burst)
		f.counted(turn, err == nil && wait == 0)
		if err != nil || wait == 0 {
			return wait, err
		}
		if again, err := f.await(ctx, ended); err != nil || !again {
			return wait, err
		}
	}
}

// allow takes from the buckets of an attempt, one after the other, after what is to be given back.
func (l *Limiter) allow(ctx context.Context, action Action, by Key, take func(b bucket, at time.Time) (time.Duration, error)) (time.Duration, error) {
	l.undoPending(ctx)
	at := by.At
	if at.IsZero() {
		at = l.now()
	}
	for _, b := range l.buckets(action, by) {
		wait, err := take(b, at)
		if err != nil {
			return 0, fmt.Errorf("count against rate limit of %s: %w", action.name, err)
		}
		if wait > 0 {
			return wait, nil
		}
	}
	return 0, nil
}

// later has what could not be given back be so before the next attempt: after an outage, those
// that were right count as little as before.
func (l *Limiter) later(again undo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) < mostPending {
		l.pending = append(l.pending, again)
	}
}

func (l *Limiter) undoPending(ctx context.Context) {
	l.mu.Lock()
	pending := l.pending
	l.pending = nil
	l.mu.Unlock()
	for i, again := range pending {
		if again(ctx) != nil {
			for _, rest := range pending[i:] {
				l.later(rest)
			}
			return
		}
	}
}

// Reset undoes the count of a successful attempt. It empties the bucket of the account, or
// of a known device. The buckets of the address get back this attempt only, less what has
// drained since by.At: otherwise an attacker's own account would pay for guesses at
// others. by.At is required. What fails is done before the next attempt.
func (l *Limiter) Reset(ctx context.Context, action Action, by Key) error {
	return l.undo(ctx, "reset", action, by, func(ctx context.Context, b bucket, left time.Duration) error {
		if b.personal {
			return l.store.ResetAttempts(ctx, b.digest)
		}
		return l.giveBack(ctx, b, left)
	})
}

// GiveBack undoes the count of one attempt without effect in the bucket of the account, or
// of a known device. The buckets of the address keep it: they limit work, and that was
// done. by.At is required, as for Reset. What fails is done before the next attempt.
func (l *Limiter) GiveBack(ctx context.Context, action Action, by Key) error {
	return l.undo(ctx, "give back to", action, by, func(ctx context.Context, b bucket, left time.Duration) error {
		if !b.personal {
			return nil
		}
		return l.giveBack(ctx, b, left)
	})
}

func (l *Limiter) giveBack(ctx context.Context, b bucket, left time.Duration) error {
	if left <= 0 {
		return nil
	}
	return l.store.GiveBackAttempt(ctx, b.digest, left)
}

// undo gives back to each bucket of an attempt what has not drained of it, now or later.
func (l *Limiter) undo(ctx context.Context, what string, action Action, by Key, of func(ctx context.Context, b bucket, left time.Duration) error) (failed error) {
	for _, b := range l.buckets(action, by) {
		back := func(ctx context.Context) error { return of(ctx, b, b.limit.Every-clock.Elapsed(l.now(), by.At)) }
		if err := back(ctx); err != nil {
			failed = fmt.Errorf("%s rate limit of %s: %w", what, action.name, err)
			l.later(back)
		}
	}
	return failed
}

// bucket is a bucket in which an attempt counts.
type bucket struct {
	digest   storage.Digest
	limit    Limit
	personal bool
}

// buckets returns the buckets of an attempt in the order of their checks.
func (l *Limiter) buckets(action Action, by Key) []bucket {
	known := by.Account != "" && by.Device != ""
	if known && action.device != (Limit{}) {
		return []bucket{{l.digest(action, "device", by.Account, by.Device), action.device, true}}
	}
	var all []bucket
	if action.address != (Limit{}) && !known {
		for _, n := range networks(by.Address) {
			all = append(all, bucket{l.digest(action, "address", n.prefix), action.address.times(n.size), false})
		}
	}
	if action.account != (Limit{}) && by.Account != "" {
		all = append(all, bucket{l.digest(action, "account", by.Account), action.account, true})
	}
	if action.pair != (Limit{}) {
		for _, n := range networks(by.Address) {
			all = append(all, bucket{l.digest(action, "pair", by.Account, n.prefix), action.pair.times(n.size), true})
		}
	}
	return all
}

func (l *Limiter) digest(action Action, names ...string) storage.Digest {
	parts := [][]byte{[]byte(action.name)}
	for _, name := range names {
		parts = append(parts, []byte(name))
	}
	// Part of the derivation of the key: another word empties all buckets.
	return l.secrets.MAC("throttle", parts...)
}
