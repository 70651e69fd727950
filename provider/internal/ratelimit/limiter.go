package ratelimit

import (
	"context"
	"fmt"
	"net/netip"
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

	// Address is the network address, from [ClientAddr]. Attempts without one share a
	// bucket.
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
}

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
	at := by.At
	if at.IsZero() {
		at = l.now()
	}
	for _, b := range l.buckets(action, by) {
		wait, err := l.store.AllowAttempt(ctx, b.digest, at, b.limit.Every, b.limit.Burst)
		if err != nil {
			return 0, fmt.Errorf("count against rate limit of %s: %w", action.name, err)
		}
		if wait > 0 {
			return wait, nil
		}
	}
	return 0, nil
}

// Reset undoes the count of a successful attempt. It empties the bucket of the account, or
// of a known device. The buckets of the address get back this attempt only, less what has
// drained since by.At: otherwise an attacker's own account would pay for guesses at
// others. by.At is required.
func (l *Limiter) Reset(ctx context.Context, action Action, by Key) error {
	drained := clock.Elapsed(l.now(), by.At)
	for _, b := range l.buckets(action, by) {
		var err error
		if b.personal {
			err = l.store.ResetAttempts(ctx, b.digest)
		} else if left := b.limit.Every - drained; left > 0 {
			err = l.store.GiveBackAttempt(ctx, b.digest, left)
		}
		if err != nil {
			return fmt.Errorf("reset rate limit of %s: %w", action.name, err)
		}
	}
	return nil
}

// GiveBack undoes the count of one attempt without effect in the bucket of the account, or
// of a known device. The buckets of the address keep it: they limit work, and that was
// done. by.At is required, as for Reset.
func (l *Limiter) GiveBack(ctx context.Context, action Action, by Key) error {
	drained := clock.Elapsed(l.now(), by.At)
	for _, b := range l.buckets(action, by) {
		left := b.limit.Every - drained
		if !b.personal || left <= 0 {
			continue
		}
		if err := l.store.GiveBackAttempt(ctx, b.digest, left); err != nil {
			return fmt.Errorf("give back to rate limit of %s: %w", action.name, err)
		}
	}
	return nil
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
