// Package upkeep is the background work of a provider: the rotation of signing keys,
// encryption under the current secret, due deletions, the removal of what has ended, and the
// sealing and verification of the audit log.
package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/clients"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// interval is the time between rounds.
const interval = time.Minute

// A sweep must not hold up requests, however much it finds: Batch limits one transaction,
// after which it pauses rest times as long as that took.
const (
	Batch = 250
	rest  = 4
)

// Options are what the work is done on. All fields are required.
type Options struct {
	Store   storage.Store
	Keys    *keyring.KeySet
	Secrets *keyring.Secrets

	// Rings returns the keys of other purposes than tokens.
	Rings func() []*keyring.KeySet

	Clients    *clients.Registry
	Unknown    *unknown.Clients
	Companions *host.Companions
	Audit      *audit.Log
	Trail      *trail.Keys
	Vault      *vault.Vault

	// Index makes people findable by values of before.
	Index func(ctx context.Context) error

	// FormerSecrets is the number of former secrets.
	FormerSecrets int

	// OwnKeys reports whether the signing keys are the provider's, not the host's.
	OwnKeys bool

	// KeepEvents is how long the audit log keeps an event; not above zero for ever.
	KeepEvents time.Duration

	// TellDeleted tells the owner of an account that it has been deleted.
	TellDeleted func(ctx context.Context, a storage.Account)

	// Deleting returns a context in which the deletion of an account tells who could see its data.
	Deleting func(ctx context.Context, accountID, pseudonym string) (context.Context, error)

	// EndStatuses records some statuses that have ended by their time, and reports whether there may
	// be more.
	EndStatuses func(ctx context.Context) (more bool, err error)

	Clock  func() time.Time
	Logger *slog.Logger
}

// Upkeep is the background work of one provider.
type Upkeep struct {
	Options
	beside

	due, departed batch.Cursor[string]

	resealDone atomic.Bool // once per process: see reseal
	round      atomic.Pointer[time.Time]
	ahead      atomic.Int64 // see AgreedTime
	outdated   sync.Once    // the operator has been told: see isOutdated

	anchors anchors
	seen    atomic.Pointer[trail.Checkpoint] // the last one that was found to be right
}

// New returns the work of these options.
func New(o Options) *Upkeep {
	u := &Upkeep{Options: o}
	// Those of another process, too.
	u.RunWith(u.eachMinute("remove the data of deleted applications", u.Clients.Deleted, u.Clients.RemoveDeleted))
	u.RunWith(u.eachMinute("end what was issued before a moment", nil, u.EndIssued))
	u.RunWith(u.eachMinute("encrypt what is known about people under the newest data key", u.Vault.Rotated, u.renew))
	u.RunWith(u.guardTrail)
	return u
}

// Run works until ctx ends, and runs what RunWith was given. It returns when that has ended.
func (u *Upkeep) Run(ctx context.Context) {
	if !u.isOutdated(ctx) {
		u.hear(ctx) // before what runs beside asks for AgreedTime
	}
	defer u.run(ctx)()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		u.Maintain(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Round is when the last round has begun in this process; zero for none.
func (u *Upkeep) Round() time.Time {
	if at := u.round.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Maintain does one round. Failures are logged and retried in the next round.
func (u *Upkeep) Maintain(ctx context.Context) {
	if u.isOutdated(ctx) {
		return
	}
	begun := u.Clock()
	u.round.Store(&begun)
	err := u.rotate(ctx)
	if err != nil && ctx.Err() == nil {
		u.Logger.ErrorContext(ctx, "signing keys could not be maintained", slog.Any("error", err))
	}
	if err == nil {
		u.reseal(ctx)
	}
	// A long sweep continues after the next look at the keys.
	ctx, cancel := context.WithTimeout(ctx, interval)
	defer cancel()
	u.seal(ctx)
	u.removeDeparted(ctx)
	u.inBatches(ctx, "record the ends of statuses", func() (int, error) {
		more, err := u.EndStatuses(ctx)
		if more {
			return 1, err
		}
		return 0, err
	})
	now := u.hear(ctx)
	if !now.IsZero() {
		u.removeEnded(ctx, now)
	}
	u.failed(ctx, "read metadata documents again", u.Unknown.Look(ctx, now))
	u.failed(ctx, "find people by values of before", u.Index(ctx))
}

// allKeys are the keys of tokens, and those of other purposes.
func (u *Upkeep) allKeys() []*keyring.KeySet {
	return append([]*keyring.KeySet{u.Keys}, u.Rings()...)
}

// rotate makes the keys that are due. One set holds up no other.
func (u *Upkeep) rotate(ctx context.Context) error {
	var failed error
	for _, keys := range u.allKeys() {
		_, err := keys.RotateIfDue(ctx, func(ctx context.Context, alg string, write func(context.Context) error) error {
			return u.Audit.Step(ctx, write, storage.Event{Name: event.KeyRotated, Detail: alg})
		})
		failed = errors.Join(failed, err)
	}
	return failed
}

// eachMinute does something at once, each minute and whenever it is woken, until ctx ends: what can take
// longer than a round, which claims the time.
func (u *Upkeep) eachMinute(what string, wake <-chan struct{}, do func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			if !u.isOutdated(ctx) {
				u.failed(ctx, what, do(ctx))
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case <-wake:
			}
		}
	}
}

// hear claims the time of this process, and returns the one that has come for certain; zero if
// that is not known.
func (u *Upkeep) hear(ctx context.Context) time.Time {
	said := u.Clock()
	clock, err := u.Store.HearClock(ctx, said)
	if err != nil {
		if ctx.Err() == nil {
			u.Logger.ErrorContext(ctx, "the agreed time could not be read; will retry", slog.Any("error", err))
		}
		return time.Time{}
	}
	u.ahead.Store(int64(said.Sub(clock.Agreed)))
	if clock.Claimed.Equal(said) {
		u.Logger.WarnContext(ctx, "the time has leapt since the last round: no process ran, or this machine's clock is wrong; what ends by it ends when it has been so for a day",
			slog.Time("time", said), slog.Time("last", clock.Agreed))
	}
	return clock.Certain(said)
}

// AgreedTime is the agreed time as far as this process has heard of it, for turns that processes
// take: it goes on whatever their clocks say, and may be behind all of them.
func (u *Upkeep) AgreedTime() time.Time { return u.Clock().Add(-time.Duration(u.ahead.Load())) }

// removeEnded permanently removes what has ended by a time that all processes agree on.
func (u *Upkeep) removeEnded(ctx context.Context, now time.Time) {
	u.inBatches(ctx, "remove expired records", func() (int, error) { return u.Store.Sweep(ctx, now, Batch) })
	u.failed(ctx, "remove unused applications that nobody has registered", u.Unknown.RemoveUnused(ctx, now))
	u.deleteDue(ctx, now)
	for _, c := range u.Companions.All() {
		u.inBatches(ctx, "remove what is over beside", func() (int, error) { return c.RemoveEnded(ctx, now, Batch) })
	}
	if keep := u.KeepEvents; keep > 0 {
		u.removeEvents(ctx, now.Add(-keep), now)
		u.inBatches(ctx, "remove old matters of the staff", func() (int, error) {
			return u.Store.Trim(ctx, storage.Trim{Kind: storage.OldMatters, Before: now.Add(-keep)}, Batch)
		})
	}
}

// isOutdated reports whether a newer version has migrated the database, and tells the
// operator once; every later request gets 503, which says the same.
func (u *Upkeep) isOutdated(ctx context.Context) bool {
	err := u.Store.Ping(ctx)
	if !errors.Is(err, storage.ErrNewerSchema) {
		return false
	}
	u.outdated.Do(func() {
		u.Logger.ErrorContext(ctx, "this process no longer serves requests: stop or upgrade it", slog.Any("error", err))
	})
	return true
}

// inBatches runs batch after batch until nothing is left to do, or ctx ends.
func (u *Upkeep) inBatches(ctx context.Context, what string, remove func() (done int, err error)) {
	for ctx.Err() == nil {
		begin := time.Now()
		done, err := remove()
		u.failed(ctx, what, err)
		if err != nil || done == 0 || batch.Rest(ctx, rest*time.Since(begin)) != nil {
			return
		}
	}
}

// failed tells the operator of a task that has failed, if it has.
func (u *Upkeep) failed(ctx context.Context, task string, err error) {
	if batch.IsFailure(ctx, err) {
		u.Logger.ErrorContext(ctx, "background task failed; will retry", slog.String("task", task), slog.Any("error", err))
	}
}
