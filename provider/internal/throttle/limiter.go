package throttle

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/storage"
)

// Limit is the size of a bucket: Burst attempts at once, and one more Every so
// often. The zero Limit is none.
type Limit struct {
	Burst int
	Every time.Duration
}

// Action is something that may be done only so often. Its buckets are its own.
type Action struct {
	name string

	account, device, address, pair Limit
}

// String returns what the action is called in the audit trail.
func (a Action) String() string { return a.name }

// The actions that are limited.
var (
	// SignIn is a password presented for an account.
	SignIn = Action{
		name:    "sign in",
		account: Limit{Burst: 10, Every: time.Minute},
		device:  Limit{Burst: 10, Every: 30 * time.Second},
		address: Limit{Burst: 50, Every: 3 * time.Second},
	}

	// SignUp is the creation of an account.
	SignUp = Action{
		name:    "sign up",
		address: Limit{Burst: 10, Every: 2 * time.Minute},
	}

	// SendMail is a mail sent at someone's request; the account is the recipient.
	SendMail = Action{
		name:    "send mail",
		account: Limit{Burst: 5, Every: 10 * time.Minute},
		address: Limit{Burst: 20, Every: time.Minute},
	}

	// EnterCode is a try to enter an e-mailed code; the account is what tells this
	// code from others, never its digits. It lives for an hour at most, and so is
	// tried five times.
	EnterCode = Action{
		name:    "enter code",
		account: Limit{Burst: 5, Every: 24 * time.Hour},
		address: Limit{Burst: 30, Every: 10 * time.Second},
	}

	// ClientAuth is a failure of a client to authenticate; the account is its
	// identifier. Only failures are counted, after the fact: a client that knows
	// its secret is never held up, whatever others do in its name.
	ClientAuth = Action{
		name: "client authentication",
		pair: Limit{Burst: 20, Every: 3 * time.Second},
	}
)

// Caller is who makes an attempt.
type Caller struct {
	// Account is whom the attempt concerns: an e-mail key, a recipient, a client,
	// a code. Empty means nobody.
	Account string

	// Device identifies a browser from which this very account has signed in
	// before, by a value that the browser cannot make up. Empty means unknown.
	Device string

	// Address is the network address, from [ClientAddr]. All callers without one
	// share a bucket.
	Address netip.Addr
}

// Limiter counts attempts. It is safe for concurrent use.
type Limiter struct {
	store   storage.Attempts
	secrets *keyring.Secrets
	clock   func() time.Time
}

// New returns a Limiter over a store. A nil clock means time.Now.
func New(store storage.Attempts, secrets *keyring.Secrets, clock func() time.Time) *Limiter {
	if clock == nil {
		clock = time.Now
	}
	return &Limiter{store: store, secrets: secrets, clock: clock}
}

// Allow counts an attempt. It returns zero when the attempt may go on, or how long
// the caller has to wait. The error is that of the store: then nothing is known, and
// the attempt must neither go on nor be called one too many.
//
// The address is asked before the account, so that one machine that guesses too
// often uses up its own bucket and not that of its victim.
func (l *Limiter) Allow(ctx context.Context, action Action, by Caller) (wait time.Duration, err error) {
	now := l.clock()
	for _, b := range l.buckets(action, by) {
		wait, err := l.store.Take(ctx, b.digest, now, b.limit.Every, b.limit.Burst)
		if err != nil {
			return 0, fmt.Errorf("count attempt to %s: %w", action.name, err)
		}
		if wait > 0 {
			return wait, nil
		}
	}
	return 0, nil
}

// Forget empties the bucket of the account, or of the device when it is known, after
// a success. That of the address stays as it is: otherwise a success with an account
// of one's own would pay for guesses at others.
func (l *Limiter) Forget(ctx context.Context, action Action, by Caller) error {
	for _, b := range l.buckets(action, by) {
		if !b.personal {
			continue
		}
		if err := l.store.Forget(ctx, b.digest); err != nil {
			return fmt.Errorf("forget attempts to %s: %w", action.name, err)
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

// buckets returns where an attempt is counted, in the order in which they are asked.
func (l *Limiter) buckets(action Action, by Caller) []bucket {
	network := bucketPrefix(by.Address)
	if action.device != (Limit{}) && by.Account != "" && by.Device != "" {
		return []bucket{{l.digest(action, "device", by.Account, by.Device), action.device, true}}
	}
	var all []bucket
	if action.address != (Limit{}) {
		all = append(all, bucket{l.digest(action, "address", network), action.address, false})
	}
	if action.account != (Limit{}) && by.Account != "" {
		all = append(all, bucket{l.digest(action, "account", by.Account), action.account, true})
	}
	if action.pair != (Limit{}) {
		all = append(all, bucket{l.digest(action, "pair", by.Account, network), action.pair, true})
	}
	return all
}

func (l *Limiter) digest(action Action, names ...string) storage.Digest {
	parts := [][]byte{[]byte(action.name)}
	for _, name := range names {
		parts = append(parts, []byte(name))
	}
	return l.secrets.MAC("throttle", parts...)
}
