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

// Key is what an attempt is limited by.
type Key struct {
	// Account is what the attempt concerns: an e-mail key, a recipient, a client,
	// a code. Empty means none.
	Account string

	// Device identifies a browser from which this very account has signed in
	// before, by a value that the browser cannot make up. Empty means unknown.
	Device string

	// Address is the network address, from [ClientAddr]. All attempts without one
	// share a bucket.
	Address netip.Addr

	// At is when the attempt began. Zero means when it is counted; [Limiter.Reset]
	// needs it.
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

// Allow counts an attempt. It returns zero when the attempt is allowed, or how long to
// wait. The error is that of the store: then nothing is known, and the attempt must be
// neither allowed nor rejected as one too many.
//
// It counts before anybody knows how the attempt ends: if only failures were counted,
// after the fact, a thousand guesses at once would all find the bucket empty.
// [Limiter.Reset] undoes the count of an attempt that succeeded.
//
// The address is checked before the account, so that one machine that guesses too
// often uses up its own bucket and not that of the account it attacks.
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

// Reset undoes what Allow counted for an attempt that succeeded. The bucket of the
// account, or of the device when it is known, becomes empty. Those of the address get
// back this attempt and no more: otherwise a success with an account of one's own
// would pay for guesses at others.
//
// What has drained of this attempt since by.At is not given back, for the same reason;
// by.At is required.
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

// GiveBack undoes what Allow counted for the account, or for the device when it is known,
// of one attempt that came to nothing. Those of the address keep it: they bound the work,
// and that was done. by.At is required, as for Reset.
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

// bucket is one count that an attempt adds to.
type bucket struct {
	digest   storage.Digest
	limit    Limit
	personal bool
}

// buckets returns where an attempt is counted, in the order in which they are checked.
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
	// Part of how the key is derived: another word would start all buckets anew.
	return l.secrets.MAC("throttle", parts...)
}
